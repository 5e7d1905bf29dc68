"""Runs as `list` shows them, read by plain SQL: a list of ten thousand waits for no library.

What is shown of a run is its outline, computed from its loops once, when it ends, and kept beside
it (outline.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from iosonde.exact import restored
from iosonde.records.run import Metric, RunState
from iosonde.records.stack import Scalar
from iosonde.store.deflated import deflated, inflated

Values: TypeAlias = Mapping[str, object]
Query: TypeAlias = Callable[[str, Values], Sequence[Any]]
"""Runs a statement with `:name` for its values; the rows, or none where it writes."""
_AT_ONCE = 500  # values in one statement


@dataclass(frozen=True, slots=True)
class RunOutline:
    """What a run is about, without its loops."""

    trials: int = 0
    loops: int = 0
    hosts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Probe points, in the order of the trials."""
    loads: tuple[str, ...] = ()
    headline: Metric | None = None
    """The metric that stands for the first load that has figures: of several targets the sum where
    they ran at the same time, else the slowest."""

    def to_text(self) -> str:
        """As it is kept."""
        return json.dumps(asdict(self))

    @classmethod
    def of_text(cls, text: str) -> RunOutline:
        """As it was kept."""
        content = json.loads(text)
        headline = content["headline"]
        if headline:
            headline["loops"] = tuple(headline["loops"])
            headline["ci95"] = headline["ci95"] and tuple(headline["ci95"])
        return cls(
            content["trials"], content["loops"], tuple(content["hosts"]),
            tuple(content["targets"]), tuple(content["loads"]),
            Metric(**headline) if headline else None,
        )  # fmt: skip


EMPTY = RunOutline()
"""Of a run whose outline was not asked for."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as `list` shows it: without loops."""

    id: str
    study: str
    created: float
    state: RunState
    name: str = ""
    tags: tuple[str, ...] = ()
    outline: RunOutline = EMPTY

    @property
    def trials(self) -> int:
        """How many it has."""
        return self.outline.trials

    @property
    def loops(self) -> int:
        """How many all trials have together."""
        return self.outline.loops

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where its loads ran."""
        return self.outline.hosts


def heads(query: Query, state: Callable[[str, str, str], RunState]) -> tuple[RunLine, ...]:
    """All runs without their outlines, the newest first.

    Args:
        query: of the store.
        state: how a run stands, by its id, its stored state and its owner.
    """
    tags: dict[str, list[str]] = {}
    for run, tag in query("SELECT run, tag FROM tags ORDER BY tag", {}):
        tags.setdefault(run, []).append(restored(tag))
    rows = query("SELECT id, study, created, state, owner, name FROM runs", {})
    lines = [
        RunLine(
            run, restored(study), created, state(run, stood, owner), restored(name),
            tuple(tags.get(run, ())),
        )
        for run, study, created, stood, owner, name in rows
    ]  # fmt: skip
    return tuple(sorted(lines, key=lambda line: (-line.created, line.id)))


def outlines(query: Query, runs: Sequence[str]) -> dict[str, RunOutline]:
    """The outlines of those runs that have one."""
    sql = "SELECT run, content FROM outlines WHERE run IN ({})"
    return {run: RunOutline.of_text(text) for run, text in select_in(query, sql, runs)}


def outlined(lines: Iterable[RunLine], outlines: Mapping[str, RunOutline]) -> tuple[RunLine, ...]:
    """Lines with their outlines, as far as those are known."""
    return tuple(replace(line, outline=outlines.get(line.id, line.outline)) for line in lines)


def settings(query: Query, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
    """The settings under the first trial's target, of those runs whose outlines have them."""
    sql = "SELECT run, settings FROM outlines WHERE settings IS NOT NULL AND run IN ({})"
    return {run: json.loads(inflated(blob)) for run, blob in select_in(query, sql, runs)}


def packed_settings(values: Mapping[str, Scalar]) -> bytes:
    """Settings as they are kept."""
    return deflated(json.dumps(dict(values)).encode())


def select_in(query: Query, sql: str, values: Sequence[str]) -> Iterator[Any]:
    """The rows of a statement with `IN ({})`, however many values there are."""
    for start in range(0, len(values), _AT_ONCE):
        named = {f"v{at}": value for at, value in enumerate(values[start : start + _AT_ONCE])}
        yield from query(sql.format(", ".join(f":{name}" for name in named)), named)
