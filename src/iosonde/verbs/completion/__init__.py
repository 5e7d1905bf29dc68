"""What may follow on a command line: scripts for shells, and the runs of the store by id."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from iosonde.config import config_value
from iosonde.contract import NULL, VerbResult
from iosonde.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
_MOST_RUNS = 100
_SAFE = re.compile(r"[\w.+@%,/-]+", re.ASCII)
"""What means nothing to a shell or a terminal: a store may be of others."""


@dataclass(frozen=True, slots=True)
class Completion(VerbResult):
    """How a shell completes command lines of iosonde, or what it may complete one with."""

    SCHEMA: ClassVar[str] = "iosonde.completion/1"
    shell: str
    script: str = field(metadata=NULL)
    """To be read by the shell; null: words were given."""
    candidates: tuple[str, ...]
    """For the last of the words."""


def completion(shell: str, candidates: Sequence[str] | None = None) -> Completion:
    """The script for a shell; or candidates, without those that a shell would not take as text.

    Args:
        shell: bash, zsh or fish.
        candidates: for the last word of a command line.

    Raises:
        UsageError: no such shell.
    """
    if shell not in SHELLS:
        raise UsageError(
            f"there is no completion for the shell {shell!r}; expected {', '.join(SHELLS)}"
        )
    if candidates is not None:
        return Completion(shell, "", tuple(filter(_SAFE.fullmatch, candidates)))
    script = files(__name__).joinpath(f"iosonde.{shell}").read_text(encoding="utf-8")
    return Completion(shell, script, ())


def recent_runs() -> list[str]:
    """Ids of the newest runs of a store that is a file, and `last`; nothing where it is not read.

    sqlite3 alone, read only: a key that is pressed makes, migrates and waits for no store.
    """
    place = str(config_value("store").value).removeprefix("sqlite://")
    path = Path(place).expanduser()
    if "://" in place or not path.is_file():
        return []
    try:
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.2)) as store:
            rows = store.execute(
                "SELECT id FROM runs ORDER BY created DESC LIMIT ?", (_MOST_RUNS,)
            ).fetchall()
    except sqlite3.Error:
        return []
    return ["last", *(str(run) for (run,) in rows)] if rows else []
