"""Which runs of the store somebody means by `--filter`, and in which order they are shown."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from iosonde.errors import UsageError
from iosonde.records.run import RunState
from iosonde.store.lines import RunLine

_FILTER = re.compile(r"\s*(?P<key>\w+)\s*(?P<sign>!?=)\s*(?P<values>.*?)\s*", re.DOTALL)
_AGE = re.compile(r"(?P<count>\d+(?:\.\d+)?)\s*(?P<unit>min|h|d|w)")
_UNITS = {"min": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_TEXTS: dict[str, Callable[[RunLine], Sequence[str]]] = {
    "id": lambda line: (line.id,),
    "study": lambda line: (line.study,),
    "name": lambda line: (line.name,),
    "tag": lambda line: line.tags,
    "state": lambda line: (line.state.value,),
    "host": lambda line: line.outline.hosts,
    "target": lambda line: line.outline.targets,
    "load": lambda line: line.outline.loads,
}
_TIMES = ("since", "before")
_SORTS: dict[str, Callable[[RunLine], Any]] = {
    "created": lambda line: line.created,
    "study": lambda line: line.study,
    "name": lambda line: line.name,
    "state": lambda line: line.state.value,
    "host": lambda line: line.outline.hosts,
    "target": lambda line: line.outline.targets,
    "headline": lambda line: line.outline.headline.mean if line.outline.headline else 0.0,
    "loops": lambda line: line.outline.loops,
}
_OUTLINED = frozenset({"host", "target", "load", "headline", "loops"})
"""Keys that ask for the outline of a run."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """One condition: a key and what it may be, one of several values; or what it must not be."""

    key: str
    values: tuple[str, ...]
    excluded: bool = False
    moment: float = 0.0
    """Of `since` and `before`, in seconds since the epoch."""

    @property
    def asks_outline(self) -> bool:
        """Whether a run's outline is needed to tell."""
        return self.key in _OUTLINED

    def holds(self, line: RunLine) -> bool:
        """Whether a run is meant."""
        if self.key in _TIMES:
            return (line.created >= self.moment) == (self.key == "since")
        texts = _TEXTS[self.key](line)
        fits = any(fnmatchcase(text, value) for text in texts for value in self.values)
        return fits != self.excluded


@dataclass(frozen=True, slots=True)
class RunOrder:
    """By which of a run's properties they are sorted."""

    key: str = "created"
    descending: bool = False

    @property
    def asks_outline(self) -> bool:
        """Whether the runs' outlines are needed to tell."""
        return self.key in _OUTLINED

    def sort(self, lines: Sequence[RunLine]) -> list[RunLine]:
        """The runs in order; those alike by their age, the oldest first."""
        by_age = sorted(lines, key=lambda line: (line.created, line.id))
        return sorted(by_age, key=_SORTS[self.key], reverse=self.descending)


def parse_filter(text: str, *, now: float | None = None) -> RunFilter:
    """A condition as it is typed: `study=nightly`, `tag=lab*,ci`, `state!=failed`, `since=7d`.

    Args:
        text: KEY=VALUE[,VALUE…] or KEY!=VALUE[,VALUE…]; values may have the wildcards of a shell.
            `since` and `before` take an age (30min, 12h, 7d, 2w) or a local date and time.
        now: seconds since the epoch; None: the clock's.

    Raises:
        UsageError: it is no condition.
    """
    match = _FILTER.fullmatch(text)
    keys = [*_TEXTS, *_TIMES]
    if match is None:
        raise UsageError(
            f"{text!r} is not a condition", where="--filter",
            hint=f"KEY=VALUE such as study=nightly; keys: {', '.join(keys)}",
        )  # fmt: skip
    key, values = match["key"], tuple(part.strip() for part in match["values"].split(","))
    excluded = match["sign"] == "!="
    if key not in keys:
        near = get_close_matches(key, keys, n=1)
        raise UsageError(
            f"runs have no {key!r} to be filtered by; known: {', '.join(keys)}", where="--filter",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )  # fmt: skip
    if key in _TIMES:
        if excluded or len(values) != 1:
            raise UsageError(
                f"{text!r} is not a condition", where="--filter", hint=f"{key}=7d, or a date"
            )
        return RunFilter(key, values, moment=parse_moment(values[0], where="--filter", now=now))
    if key == "state":
        _require_states(values)
    return RunFilter(key, values, excluded)


def _require_states(values: Sequence[str]) -> None:
    states = [state.value for state in RunState]
    for value in values:
        if not any(fnmatchcase(state, value) for state in states):
            raise UsageError(
                f"no run is {value!r}", where="--filter", hint=f"one of {', '.join(states)}"
            )


def parse_moment(text: str, *, where: str, now: float | None = None) -> float:
    """Seconds since the epoch: an age before now, or a local date and time.

    Raises:
        UsageError: it is neither.
    """
    if match := _AGE.fullmatch(text.strip()):
        return (time.time() if now is None else now) - float(match["count"]) * _UNITS[match["unit"]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text!r} is neither an age nor a date", where=where,
            hint="30min, 12h, 7d, 2w; 2026-11-25 or 2026-11-25T06:30",
        ) from None  # fmt: skip


def parse_order(text: str) -> RunOrder:
    """`created`, `headline` …; `-headline`: the other way round.

    Raises:
        UsageError: there is no such order.
    """
    key = text.removeprefix("-")
    if key not in _SORTS:
        near = get_close_matches(key, _SORTS, n=1)
        raise UsageError(
            f"runs cannot be sorted by {key!r}; known: {', '.join(_SORTS)}", where="--sort",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )  # fmt: skip
    return RunOrder(key, text.startswith("-"))
