"""Where verbs print: one JSON object on standard output, or text for people.

Progress, notes and messages go to standard error. Colour appears only where there is a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import IosondeError, Refused, UsageError
from iosonde.records import Json

if TYPE_CHECKING:
    from rich.console import Console


_WIDE = 200  # columns of a table in a pipe, where nobody's window is too narrow


def out() -> Console:
    """The console for results. Lines wrap only at a terminal's width, never in a pipe."""
    from rich.console import Console

    in_pipe = not sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=in_pipe, width=_WIDE if in_pipe else None)


def err() -> Console:
    """The console for progress and messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_json(document: Mapping[str, Json]) -> None:
    """One object on standard output; NaN and infinities are a bug, not JSON."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write("\n")


def print_error(problem: IosondeError, *, as_json: bool) -> None:
    """An expected failure: a sentence on standard error, or the contract's object on stdout."""
    if as_json:
        error: dict[str, Json] = {
            "kind": problem.kind,
            "message": problem.message,
            "where": problem.where or None,
            "hint": problem.hint or None,
        }
        if isinstance(problem, Refused):
            error["evidence"] = problem.evidence or None
        print_json({"schema": "iosonde.error/1", "error": error})
        return
    lines = [f"iosonde: {problem.where + ': ' if problem.where else ''}{problem.message}"]
    if isinstance(problem, Refused) and problem.evidence:
        lines.append(f"  evidence: {problem.evidence}")
    if problem.hint:
        lines.append(f"  to do: {problem.hint}")
    sys.stderr.write("\n".join(lines) + "\n")


def write_file(path: Path, content: bytes, what: str) -> None:
    """Writes what a verb was asked to leave.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as problem:
        raise UsageError(f"{what} cannot be written: {problem.strerror}", where=str(path)) from None
