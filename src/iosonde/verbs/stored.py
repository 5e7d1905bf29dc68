"""Stored runs, in formats that other tools read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iosonde.contract import HIDDEN, VerbResult
from iosonde.measure.again import read_again
from iosonde.measure.sheet import sheet
from iosonde.records.sheet import RunSheet
from iosonde.report import FORMATS
from iosonde.report.json import RunResult, RunResults
from iosonde.report.raw import raw_outputs
from iosonde.store import open_store
from iosonde.store.store import NoSuchRun

if TYPE_CHECKING:
    import polars


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
    content = chosen.serialize(sheets) if chosen else raw_outputs([sheet.run for sheet in sheets])
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


def each_sheet(runs: Iterable[str], store: str | None) -> Iterator[RunSheet]:
    """The same one after the other, without those that were removed meanwhile."""
    kept = open_store(store)
    try:
        for run in runs:
            with suppress(NoSuchRun):
                yield sheet(read_again(kept.load(run)))
    finally:
        kept.close()
