"""Which runs are in the store, and what changed from one to the next?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from iosonde.contract import HIDDEN
from iosonde.errors import StoreFailed
from iosonde.records.run import RunState
from iosonde.records.stack import Scalar
from iosonde.report.json import RunResult, RunResults
from iosonde.store import open_reader, open_store
from iosonde.store.lines import EMPTY, RunLine, RunOutline, outlined
from iosonde.verbs.selection import RunOrder, parse_filter, parse_order

if TYPE_CHECKING:
    from iosonde.store.reading import QuickReader
    from iosonde.store.store import Store

_COMPARED = 20  # runs that are looked at for one with the same trials


@dataclass(frozen=True, slots=True)
class RunChange:
    """What is otherwise than in the previous run of the same study."""

    name: str
    """LAYER.SETTING; or load or target."""
    before: Scalar
    """Null: it had none."""
    after: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList(RunResults):
    """Runs of the store; each of `runs` is read when it is asked for."""

    lines: tuple[RunLine, ...] = field(metadata=HIDDEN)
    """Of each run when it was made, its study, state, name, tags, and, if read, its outline."""
    changes: Mapping[str, tuple[RunChange, ...]] = field(metadata=HIDDEN)
    """By the id of a run, what changed since the previous run of the same study."""
    matching: int = field(metadata=HIDDEN)
    """Runs that fit the filters; `lines` are the newest of them where there is a limit."""
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


class _StoredRuns(Sequence[RunResult]):
    """Runs that are read from the store when they are asked for, one after the other in a loop."""

    def __init__(self, runs: Sequence[str], store: str | None) -> None:
        self._runs, self._store = runs, store

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, at: int) -> RunResult: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[RunResult]: ...
    def __getitem__(self, at: int | slice) -> RunResult | Sequence[RunResult]:
        if isinstance(at, slice):
            return _StoredRuns(self._runs[at], self._store)
        return next(iter(_StoredRuns([self._runs[at]], self._store)))

    def __iter__(self) -> Iterator[RunResult]:
        from iosonde.verbs.stored import each_sheet

        return map(RunResult.of, each_sheet(self._runs, self._store))


def _ignore(sentence: str) -> None:
    del sentence


def list_runs(
    *,
    filters: Sequence[str] = (),
    sort: str = "",
    limit: int | None = None,
    delete: Sequence[str] = (),
    whole: bool = False,
    store: str | None = None,
    tell: Callable[[str], None] = _ignore,
) -> RunList:
    """The runs in the store, the newest first; interrupted ones are shown as such.

    Args:
        filters: conditions that must all hold: "study=nightly", "tag=lab*,ci", "state!=failed",
            "since=7d" (`iosonde.verbs.selection.parse_filter`).
        sort: created, study, name, state, host, target, headline or loops, in rising order, and in
            falling order after a "-"; empty: the newest first.
        limit: the newest so many; None: all.
        delete: runs that are removed before, as by `rm`.
        whole: only `runs` is used, so outlines and changes are not read for all of them.
        store: a file or a PostgreSQL URL; None: the usual one.
        tell: hears at once, as a sentence, where the store had to be taken to another file.

    Raises:
        UsageError: no such condition or order; there is no such run to delete, or it is being
            measured.
    """
    conditions = [parse_filter(text) for text in filters]
    order = parse_order(sort) if sort else RunOrder(descending=True)
    if delete:
        from iosonde.verbs.removal import rm

        rm(*delete, store=store)
    source = _Source(store, tell)
    try:
        heads = source.heads()
        every = heads
        if order.asks_outline or any(condition.asks_outline for condition in conditions):
            every = source.outlined(heads)
        fitting = [line for line in every if all(condition.holds(line) for condition in conditions)]
        lines = tuple(order.sort(fitting if limit is None else fitting[:limit]))
        changes: Mapping[str, tuple[RunChange, ...]] = {}
        if not whole:
            lines = source.outlined(lines)
            changes = _changes(source, lines, heads)
    finally:
        source.close()
    runs = _StoredRuns([line.id for line in lines], store)
    return RunList(
        runs=runs, lines=lines, changes=changes, matching=len(fitting), rescued=source.rescued
    )


def earlier_run(run: str, *, store: str | None = None) -> str:
    """The last run before one that `compare` finds trials in common with; empty: there is none.

    Args:
        run: its id.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError, Refused, StoreFailed: the store cannot be read.
    """
    source = _Source(store, _ignore)
    try:
        heads = source.heads()
        at = next((index for index, line in enumerate(heads) if line.id == run), len(heads))
        study = heads[at].study if at < len(heads) else ""
        before = [line for line in heads[at + 1 :] if line.study == study and _has_figures(line)]
        lines = source.outlined([*heads[at : at + 1], *before[:_COMPARED]])
    finally:
        source.close()
    return next((line.id for line in lines[1:] if _comparable(lines[0], line)), "")


def _has_figures(line: RunLine) -> bool:
    return line.state in {RunState.FINISHED, RunState.INTERRUPTED}


def _comparable(line: RunLine, earlier: RunLine) -> bool:
    new, old = line.outline, earlier.outline
    same = not set(new.loads).isdisjoint(old.loads)
    return same and not set(new.targets).isdisjoint(old.targets) and old.headline is not None


class _Source:
    """The store, read by what is quick while that does, else opened whole."""

    def __init__(self, place: str | None, tell: Callable[[str], None]) -> None:
        self._place, self._tell = place, tell
        self._quick: QuickReader | None = open_reader(place)
        self._store: Store | None = None

    @property
    def rescued(self) -> StoreFailed | None:
        """See `Store.rescued`."""
        return self._store.rescued if self._store else None

    def store(self) -> Store:
        """The store, opened whole."""
        if self._store is None:
            self._store = open_store(self._place, tell=self._tell)
        return self._store

    def heads(self) -> tuple[RunLine, ...]:
        """All runs without their outlines, the newest first."""
        if self._quick and self._store is None:
            with suppress(sqlite3.Error):
                return self._quick.heads()
        return self.store().heads()

    def outlined(self, lines: Sequence[RunLine]) -> tuple[RunLine, ...]:
        """The same with their outlines."""
        ids = [line.id for line in lines if line.outline is EMPTY]
        outlines: dict[str, RunOutline] = {}
        if self._quick:
            with suppress(sqlite3.Error):
                outlines = self._quick.outlines(ids)
        if missing := [run for run in ids if run not in outlines]:
            outlines |= self.store().outlines(missing)
        return outlined(lines, outlines)

    def settings(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """What was set under the target of the first trial of each run."""
        settings: dict[str, dict[str, Scalar]] = {}
        if self._quick:
            with suppress(sqlite3.Error):
                settings = self._quick.settings(runs)
            settings |= self._captured([run for run in runs if run not in settings])
        missing = [run for run in runs if run not in settings]
        if missing:
            new = {run: _settings_of(self.store(), run) for run in missing}
            self.store().keep_settings(new)
            settings |= new
        return settings

    def _captured(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """Of runs whose settings are not kept yet, by the quick reader; none, if it cannot."""
        settings: dict[str, dict[str, Scalar]] = {}
        if not (self._quick and runs and self._store is None):
            return settings
        from iosonde.stack.model import settings_under

        with suppress(sqlite3.Error, StoreFailed, ValueError, TypeError, KeyError):
            for run in runs:
                captured = self._quick.first_capture(run)
                settings[run] = settings_under(*captured) if captured else {}
            self._quick.keep_settings(settings)
        return settings

    def close(self) -> None:
        """Let go of the store."""
        if self._quick:
            self._quick.close()
        if self._store:
            self._store.close()


def _settings_of(kept: Store, run: str) -> dict[str, Scalar]:
    trial = kept.first_trial(run)
    if trial is None or trial.capture is None:
        return {}
    from iosonde.stack.model import settings_under

    return settings_under(trial.capture, trial.target.host, trial.target.path)


def _changes(
    source: _Source, lines: Sequence[RunLine], heads: Sequence[RunLine]
) -> dict[str, tuple[RunChange, ...]]:
    """Of each line what changed since the previous run of its study that has figures."""
    earlier: dict[str, RunLine] = {}
    before: dict[str, RunLine] = {}
    wanted = {line.id for line in lines}
    for line in reversed(heads):
        if line.id in wanted and line.study in earlier:
            before[line.id] = earlier[line.study]
        if _has_figures(line):
            earlier[line.study] = line
    others = source.outlined(list({line.id: line for line in before.values()}.values()))
    by_id = {line.id: line for line in (*others, *lines)}
    settings = source.settings([run for run in by_id if run in before or by_id[run] in others])
    return {
        run: tuple(_differences(by_id[old.id], by_id[run], settings)) for run, old in before.items()
    }


def _differences(
    old: RunLine, new: RunLine, settings: Mapping[str, Mapping[str, Scalar]]
) -> Iterator[RunChange]:
    for name, before, after in (
        ("load", old.outline.loads, new.outline.loads),
        ("target", old.outline.targets, new.outline.targets),
    ):
        if before != after and before and after:
            yield RunChange(name, ", ".join(before), ", ".join(after))
    was, now = settings.get(old.id, {}), settings.get(new.id, {})
    for name in sorted({*was, *now}) if was and now else ():
        if was.get(name) != now.get(name):
            yield RunChange(name, was.get(name), now.get(name))
