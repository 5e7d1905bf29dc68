"""What may follow on a command line: scripts for shells, and the runs of the store."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from iosonde.config import config_value
from iosonde.contract import NULL, VerbResult
from iosonde.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
_MOST_RUNS = 100
_QUERIES = (
    "SELECT name FROM runs WHERE name <> '' ORDER BY created DESC",
    "SELECT tag FROM tags GROUP BY tag HAVING count(*) = 1",
    "SELECT id FROM runs ORDER BY created DESC",
)
_SAFE = re.compile(r"[\w.+@%,/-]+", re.ASCII)
"""What means nothing to a shell or a terminal: a store may be of others."""


@dataclass(frozen=True, slots=True)
class Completion(VerbResult):
    """How a shell completes command lines of iosonde, or what it may complete one with."""

    SCHEMA = "iosonde.completion/1"
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
    """`last`, names of the newest runs, tags and ids; nothing of a store that is no file.

    sqlite3 alone, read only: a key that is pressed makes, migrates and waits for no store.
    """
    place = str(config_value("store").value).removeprefix("sqlite://")
    path = Path(place).expanduser()
    if "://" in place or not path.is_file():
        return []
    try:
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=0.2)) as store:
            columns = {query: _first_column(store, query) for query in _QUERIES}
    except sqlite3.Error:
        return []
    candidates = dict.fromkeys(word for query in _QUERIES for word in columns[query])
    return ["last", *candidates] if candidates else []


def _first_column(store: sqlite3.Connection, query: str) -> list[str]:
    """Texts of a query, the first of the newest; none where an older iosonde made the store."""
    with suppress(sqlite3.OperationalError):
        return [str(text) for (text,) in store.execute(f"{query} LIMIT ?", (_MOST_RUNS,))]
    return []
