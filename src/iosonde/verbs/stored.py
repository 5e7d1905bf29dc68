"""What is in the store?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from iosonde.contract import HIDDEN, VerbResult
from iosonde.errors import StoreFailed
from iosonde.measure.again import read_again
from iosonde.measure.sheet import sheet
from iosonde.records.sheet import RunSheet
from iosonde.report import FORMATS
from iosonde.report.json import RunResult, RunResults
from iosonde.report.raw import raw_outputs
from iosonde.store import open_store
from iosonde.store.store import RunLine

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList(RunResults):
    """Runs of the store, the newest first; each of `runs` is read when it is asked for."""

    lines: tuple[RunLine, ...] = field(metadata=HIDDEN)
    """Of each run when it was made, its study, state, hosts, and how many trials and loops."""
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRuns(RunResults):
    """Runs in a format that other tools read."""

    content: bytes = field(metadata=HIDDEN)
    """All of it, in that format."""

    def to_json(self) -> dict[str, Any]:
        """The run; of several an object that holds them as `runs`."""
        return self.runs[0].to_json() if len(self.runs) == 1 else VerbResult.to_json(self)

    def frame(self) -> polars.DataFrame:
        """One row a metric of each trial, as `--format parquet` has it."""
        from iosonde.report.parquet import frame_of

        return frame_of([run.sheet for run in self.runs])


class _StoredRuns(Sequence[RunResult]):
    """Runs that are read from the store when they are asked for; all at once in a loop."""

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
        return RunResult.of(load_sheets([self._runs[at]], self._store)[0])

    def __iter__(self) -> Iterator[RunResult]:
        return map(RunResult.of, load_sheets(self._runs, self._store))


def _ignore(sentence: str) -> None:
    del sentence


def list_runs(
    *,
    delete: Sequence[str] = (),
    store: str | None = None,
    tell: Callable[[str], None] = _ignore,
) -> RunList:
    """The runs in the store, the newest first; interrupted ones are shown as such.

    Args:
        delete: runs that are removed before, with their loops.
        store: a file or a PostgreSQL URL; None: the usual one.
        tell: hears at once, as a sentence, where the store had to be taken to another file.

    Raises:
        UsageError: there is no such run to delete, or it is being measured.
    """
    kept = open_store(store, tell=tell)
    try:
        for run in delete:
            kept.delete(run)
        lines = kept.runs()
    finally:
        kept.close()
    runs = _StoredRuns([line.id for line in lines], store)
    return RunList(runs=runs, lines=lines, rescued=kept.rescued)


def export(
    *runs: str,
    format: str = "json",  # noqa: A002 - as the option is called
    raw: bool = False,
    store: str | None = None,
) -> ExportedRuns:
    """Stored runs in a format that other tools read.

    Args:
        runs: ids, or "last".
        format: csv, json, parquet, markdown …
        raw: what the loads printed, loop by loop, in place of that.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no such run or format.
    """
    chosen = None if raw else FORMATS.load(format)()
    sheets = load_sheets(runs, store)
    content = chosen.serialize(sheets) if chosen else raw_outputs([one.run for one in sheets])
    return ExportedRuns(runs=tuple(map(RunResult.of, sheets)), content=content)


def load_sheets(runs: Sequence[str], store: str | None) -> list[RunSheet]:
    """Stored runs with their statistics.

    Raises:
        UsageError: no such run.
    """
    kept = open_store(store)
    try:
        return [sheet(read_again(kept.load(run))) for run in runs]
    finally:
        kept.close()
