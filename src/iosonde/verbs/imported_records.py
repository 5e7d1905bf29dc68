"""What texts hold: the records of `iosonde.import/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from iosonde.contract import ABSENT, ADDED, HIDDEN, NULL, VerbResult
from iosonde.errors import StoreFailed
from iosonde.records.printed import PrintedSubject, TextLocation, Unread
from iosonde.records.run import Metric
from iosonde.records.stack import Json, Scalar

if TYPE_CHECKING:
    import polars

_MAYBE = {"type": ["number", "null"]}


@dataclass(frozen=True, slots=True)
class ImportedTrial:
    """One measurement: the loops of one load at one target, as a tool printed them."""

    tool: str
    version: str = field(metadata=NULL)
    source: TextLocation
    label: str
    """What a person calls it: the heading above it, else its own name."""
    name: str = field(metadata={**NULL, **ADDED})
    """What the output itself calls it."""
    host: str = field(metadata=NULL)
    command: str = field(metadata=NULL)
    target: str = field(metadata={**NULL, **ADDED})
    """Device or file."""
    started: float | None = field(metadata=ADDED)
    elapsed: tuple[float, ...] | None = field(metadata={"schema": {"items": _MAYBE}, **ADDED})
    """Seconds of each loop."""
    options: Mapping[str, Scalar] = field(metadata=ADDED)
    """Of the load, in fio's words."""
    metrics: Mapping[str, Metric]
    averages: Mapping[str, float | None] = field(metadata=ADDED)
    """Metric to the average that the tool itself printed for its loops."""
    device_io: Mapping[str, Mapping[str, float | None]]
    """Device to what the tool says reached it: reads, writes, read_merges, write_merges, util."""
    issued: Mapping[str, int | None] = field(metadata={"schema": {"required": ["read", "write"]}})
    """I/Os by direction."""
    faults: tuple[str, ...] = field(metadata=ADDED)
    details: Mapping[str, Json]
    """Everything else it printed, by names of the tool's own."""


@dataclass(frozen=True, slots=True)
class ImportedState:
    """Settings and facts at one moment."""

    tool: str
    source: TextLocation
    host: str = field(metadata={**NULL, **ADDED})
    settings: Mapping[str, Scalar]
    """LAYER.SETTING, or the setting of a host by its name, to value."""
    subjects: tuple[PrintedSubject, ...] = field(metadata=ADDED)
    messages: tuple[str, ...] | None = field(metadata={**ABSENT, **ADDED})
    """The lines of a tool that answers in sentences."""


@dataclass(frozen=True, slots=True)
class ImportedCounters:
    """Figures that a host keeps, or rates over an interval."""

    tool: str
    source: TextLocation
    host: str = field(metadata={**NULL, **ADDED})
    kind: str = field(metadata=ADDED)
    name: str = field(metadata={**NULL, **ADDED})
    values: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ImportedLoad:
    """The command line of a load engine."""

    tool: str
    source: TextLocation
    host: str = field(metadata={**NULL, **ADDED})
    command: str


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """Where a file is in the store."""

    file: str
    run: str
    already: bool
    """It was there before."""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that could not be read; others were."""

    file: str
    error: str
    hint: str = field(metadata=NULL)


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """How much was found."""

    outputs: int = 0
    trials: int = 0
    states: int = 0
    counters: int = 0
    loads: int = 0
    unread: int = 0
    printed: int = 0
    """Outputs of other tools, kept as they are printed; in none of the numbers above."""

    def __add__(self, other: ImportCounts) -> ImportCounts:
        sums = (getattr(self, name) + getattr(other, name) for name in self.__slots__)
        return ImportCounts(*sums)


@dataclass(frozen=True, slots=True)
class ImportedTexts(VerbResult):
    """What was found in texts.

    Sizes in bytes, times in seconds, rates in 1/s and B/s, shares as fractions. A figure that is
    not known is null.
    """

    SCHEMA = "iosonde.import/1"
    trials: tuple[ImportedTrial, ...]
    captures: tuple[ImportedState, ...]
    counters: tuple[ImportedCounters, ...]
    loads: tuple[ImportedLoad, ...] = field(metadata=ADDED)
    """Command lines of load engines that stand in the text."""
    unread: tuple[Unread, ...]
    """What was recognised but could not be read."""
    runs: tuple[ImportedRun, ...] = field(metadata=ADDED)
    """Where each file is in the store."""
    failed: tuple[UnreadFile, ...] | None = field(metadata=ABSENT)
    """Files that could not be read; the others were. Absent where there is none."""
    counts: ImportCounts = field(metadata=HIDDEN)
    rescued: StoreFailed | None = field(metadata=HIDDEN)
    """Where the store had to be taken to another file: which, and why."""

    def frame(self) -> polars.DataFrame:
        """One row a metric of each trial; low to high is the mean's interval of 95 %.

        Columns: file, line, tool, label, host, target, metric, unit, loops, mean, low, high.
        """
        import polars

        strings = ("file", "tool", "label", "host", "target", "metric", "unit")
        figures = ("mean", "low", "high")
        order = (
            "file", "line", "tool", "label", "host", "target", "metric", "unit", "loops", *figures,
        )  # fmt: skip
        types = {
            **dict.fromkeys(order, polars.Int64), **dict.fromkeys(strings, polars.String),
            **dict.fromkeys(figures, polars.Float64),
        }  # fmt: skip
        rows = [
            (trial.source.file, trial.source.first_line, trial.tool, trial.label, trial.host,
             trial.target, name, metric.unit, len(metric.loops), metric.mean,
             *(metric.ci95 or (None, None)))
            for trial in self.trials
            for name, metric in trial.metrics.items()
        ]  # fmt: skip
        return polars.DataFrame(rows, schema=types, orient="row")


ImportedOutput = ImportedTrial | ImportedState | ImportedCounters | ImportedLoad | Unread
