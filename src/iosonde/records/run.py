"""Runs as they are stored: trials, their loops, and the metrics computed over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from iosonde.contract import ADDED
from iosonde.records.load import Load, LoadResult, RawOutput, Target
from iosonde.records.stack import Capture, Json, Scalar

_MAYBE = {"type": ["number", "null"]}  # a figure that is not known
HEALTH = "health"
"""Sampler of the series that hold a drive's own log, once before and once after a loop."""


@dataclass(frozen=True, slots=True)
class Series:
    """One observed figure over time. `times` are epoch seconds, same length as `values`.

    `sampler` and `subject` say where it was read ("diskstats", "vda"), `name` what ("write.iops").
    """

    sampler: str
    subject: str
    name: str
    unit: str
    times: tuple[float, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """One repetition of a load; gives one sample of each metric."""

    index: int
    started: float
    elapsed: float
    result: LoadResult
    raw: RawOutput
    series: tuple[Series, ...] = ()
    background: tuple[str, ...] = ()
    """Operations that went on meanwhile ("md0: resync 12 %")."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an imported trial stands in a text, and what that says beside the figures.

    Lines count from 1. `label` is the tool's own name for it, `options` are the load's in fio's
    words, `steps` half of the last digit printed by metric (not named: exact), `averages` what the
    tool gave as the mean of its loops, `details` all else by the tool's own names; `timed` tells
    whether the loops' `started` is known.
    """

    file: str
    first_line: int
    last_line: int
    heading: str = ""
    label: str = ""
    timed: bool = False
    options: Mapping[str, Scalar] = field(default_factory=dict)
    steps: Mapping[str, float] = field(default_factory=dict)
    averages: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trial:
    """The loops of one load at one probe point under one set of settings."""

    id: str
    host: str
    probe: str
    target: Target
    load: Load
    command: str
    loops: tuple[Loop, ...] = ()
    capture: Capture | None = None
    flags: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    origin: Origin | None = None
    """Of a trial that was imported."""
    unread: tuple[Loop, ...] = ()
    """Loops that ran and whose output could not be read: their raw output is kept, they are no
    part of any statistics."""

    @property
    def counted(self) -> tuple[Loop, ...]:
        """The loops that statistics are made of."""
        return tuple(loop for loop in self.loops if not loop.result.left_out)


class RunState(StrEnum):
    """How a run stands. A run whose process is gone without a word is interrupted."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a study: the plan as it was, and the trials it gave.

    `owner` names host, process and its start while running ("HOST:PID:STARTTICKS"), so that a
    killed process's run is seen to be interrupted.
    """

    id: str
    study: str
    plan: Mapping[str, Json]
    created: float
    state: RunState
    trials: tuple[Trial, ...] = ()
    owner: str = ""
    name: str = ""
    """By which it can be asked for, like its id; empty: none."""
    tags: tuple[str, ...] = ()
    """What it was marked with, sorted; several runs may share a tag."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric over the loops of a trial. With one loop stdev, cv and ci95 are null."""

    name: str = field(metadata=ADDED)
    unit: str
    loops: tuple[float, ...] = field(metadata={"schema": {"items": _MAYBE}})
    mean: float = field(metadata={"schema": _MAYBE})
    median: float = field(metadata={"schema": _MAYBE})
    stdev: float | None
    cv: float | None
    ci95: tuple[float, float] | None = field(metadata={"schema": {"items": _MAYBE}})
    rounded: bool = False
    """The tool printed a rounded figure."""
    merged: float | None = field(default=None, metadata=ADDED)
    """The percentile of all loops' histograms together, for latency percentiles."""
    precision: float | None = field(default=None, metadata=ADDED)
    """Half of the last digit that was printed, in the metric's unit; null: printed exactly."""
