"""Where verbs print: one JSON object on standard output, or text for people.

Progress, notes and messages go to standard error. Colour appears only where there is a terminal.
Everything for people passes `iosonde.visible` here: the consoles clean whatever they render and
read no markup; `styled` alone does, in templates of ours. A test forbids other ways out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from typing import TYPE_CHECKING, LiteralString, TextIO

from iosonde.cli.streams import guard_streams, is_output_lost, is_output_used
from iosonde.errors import IosondeError, UsageError
from iosonde.exact import json_text
from iosonde.records.stack import Json
from iosonde.visible import FALLBACK, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


_volume = {"quiet": False, "verbose": False}
_WIDE = 200  # columns of a table in a pipe, unless COLUMNS says how many


def _console(*, stderr: bool) -> Console:
    """A console that shows what others wrote and never obeys it."""
    from iosonde.cli.screen import Screen

    in_pipe = not (sys.stderr if stderr else sys.stdout).isatty()
    asked = os.environ.get("COLUMNS", "")
    width = (int(asked) if asked.isdecimal() else _WIDE) if in_pipe and not stderr else None
    return Screen(
        quiet=stderr and is_quiet(),
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=in_pipe,
        width=width,
    )


def set_volume(*, quiet: bool = False, verbose: bool = False) -> None:
    """What is shown beside results and errors: nothing, or more than usual."""
    _volume.update(quiet=quiet, verbose=verbose)


def is_quiet() -> bool:
    """Whether only the result and errors are to be shown."""
    return _volume["quiet"]


def is_verbose() -> bool:
    """Whether commands and evidence are to be shown."""
    return _volume["verbose"]


def prepare_streams() -> None:
    """Neither a full or closed stream nor text that its encoding lacks ever ends a run."""
    guard_streams(FALLBACK)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=FALLBACK)


def out() -> Console:
    """The console for results. Lines wrap only at a terminal's width, never in a pipe."""
    return _console(stderr=False)


def err() -> Console:
    """The console for progress and messages."""
    return _console(stderr=True)


def styled(template: LiteralString, *values: object) -> Text:
    """A line with styles of ours and values of others.

    Args:
        template: rich's markup with `{}` for each value: "[bold]{}[/bold]: {}".
        values: shown in one line and as they are, whatever brackets they hold.
    """
    from rich.markup import escape
    from rich.text import Text

    shown = (escape(visible(str(value))) for value in values)
    return Text.from_markup(template.format(*shown), emoji=False)


def print_next(*commands: str) -> None:
    """What one usually does next, the commands in one line where they fit; none with --quiet."""
    if is_quiet() or not commands:
        return
    console, line = out(), f"next: {' · '.join(commands)}"
    fits = len(visible(line)) <= console.width
    for text in (
        [line] if fits else [f"next: {commands[0]}", *(f"      {more}" for more in commands[1:])]
    ):
        console.print(visible(text), style="dim", soft_wrap=True)


def write_text(text: str) -> None:
    """Lines of text on standard output."""
    sys.stdout.write(visible(text, lines=True))


def write_message(line: str) -> None:
    """One line on standard error, at once; none with --quiet."""
    if is_quiet():
        return
    sys.stderr.write(visible(line) + "\n")
    sys.stderr.flush()


def print_json(document: Mapping[str, Json]) -> None:
    """One object on standard output; NaN and infinities are a bug, not JSON."""
    sys.stdout.write(json_text(document, ascii_only=not writes_unicode(sys.stdout)) + "\n")


def print_json_list(
    document: Mapping[str, Json], key: str, items: Iterable[Mapping[str, Json]]
) -> None:
    """The same object as `print_json` would print, with items that are written one by one.

    Args:
        document: without the items.
        key: under which they stand, the last.
        items: as they come; no two are held at a time.
    """
    ascii_only = not writes_unicode(sys.stdout)
    head = json_text(document, ascii_only=ascii_only).removesuffix("\n}")
    sys.stdout.write(f'{head},\n  "{key}": [')
    between, end = "\n    ", "]"
    for item in items:
        text = json_text(item, ascii_only=ascii_only).replace("\n", "\n    ")
        sys.stdout.write(between + text)
        between, end = ",\n    ", "\n  ]"
    sys.stdout.write(f"{end}\n}}\n")


def writes_unicode(stream: TextIO) -> bool:
    """Whether a stream takes all signs, so that JSON need not escape them."""
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")


def print_error(problem: IosondeError, *, as_json: bool) -> None:
    """An expected failure: a sentence on standard error, or the contract's object on stdout.

    Where standard output has an object already, or takes none, the sentence is on standard error.
    """
    if as_json and not is_output_used():
        print_json(problem.report().to_json())
        if not is_output_lost():
            return
    where = f"{visible(problem.where)}: " if problem.where else ""
    lines = [f"iosonde: {where}{problem.message}"]
    if problem.evidence:
        lines.append(f"  evidence: {problem.evidence}")
    if problem.hint:
        lines.append(f"  to do: {problem.hint}")
    # What has several lines is indented, so that none of others' text looks like one of ours.
    indented = (line.replace("\n", "\n    ") for line in lines)
    sys.stderr.write(visible("\n".join(indented) + "\n", lines=True))


def failures(problems: Iterable[UsageError]) -> list[Json]:
    """Inputs that could not be read beside others that could: each told, and listed for --json."""
    listed: list[Json] = []
    for problem in problems:
        print_error(problem, as_json=False)
        listed.append({
            "file": problem.where, "error": problem.message, "hint": problem.hint or None,
        })  # fmt: skip
    return listed
