"""The frozen dataclasses that travel between the rooms. No behaviour but what a field means.

Bytes, seconds, 1/s and fractions throughout (units.py). Times of day are seconds since the epoch.
A figure that is not known is None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from iosonde.contract import ADDED, NULL, VerbResult

Scalar: TypeAlias = str | int | float | bool | None
Json: TypeAlias = "Scalar | list[Json] | dict[str, Json]"


# ── what a host is made of ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One host as `show` names it. `memory` in bytes."""

    name: str
    kernel: str
    cpus: int | None
    """CPUs online."""
    memory: int | None


@dataclass(frozen=True, slots=True)
class StackLayer:
    """One layer as found: one technology at one place in the stack."""

    id: str = field(metadata={"schema": {"pattern": "^[^/]+(/.*)?/[a-z0-9_-]+:"}})
    """Unique over all hosts: "HOST/KIND:NAME"."""
    kind: str = field(metadata={"schema": {"pattern": "^[a-z0-9_-]+$"}})
    host: str
    device: str
    """Path of the block device, or the source of a network mount."""
    size: int | None = field(metadata={"schema": {"minimum": 0}})
    below: tuple[str, ...] = field(default=(), metadata={"schema": {"uniqueItems": True}})
    """Ids of the layers it stands on."""
    mount: str | None = None
    facts: Mapping[str, Scalar] = field(default_factory=dict, metadata=ADDED)
    """What it is; the page of its kind explains each."""
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    """What can be set. null: this user may not read it; absent: the layer has no such setting."""
    hazards: tuple[str, ...] = field(default=(), metadata={"schema": {"uniqueItems": True}})
    """Reasons not to write to it, or not to trust it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be read: a missing tool, a missing right. Named, not fatal."""

    host: str
    what: str
    reason: str
    remedy: str = field(default="", metadata=NULL)


@dataclass(frozen=True, slots=True)
class Capture(VerbResult):
    """The layers of one or several hosts at one moment, with settings and facts.

    Sizes in bytes, times in seconds since the epoch. A figure that is not known is null.
    """

    SCHEMA: ClassVar[str] = "iosonde.show/1"
    taken: float = field(metadata=ADDED)
    """When discovery began."""
    hosts: tuple[HostFacts, ...]
    layers: tuple[StackLayer, ...]
    host_wide: Mapping[str, Scalar] = field(default_factory=dict, metadata=ADDED)
    """Settings of no layer: HOST.NAME ("HOST.vm.dirty_ratio") to value."""
    gaps: tuple[Gap, ...] = field(default=(), metadata=ADDED)
    """What could not be read, and what would bring it."""


# ── loads ─────────────────────────────────────────────────────────────────────────────────────


class TargetKind(StrEnum):
    """What a load is pointed at."""

    FILE = "file"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Target:
    """A place where load can be applied: absolute path of a block device or scratch file."""

    host: str
    path: str
    kind: TargetKind


@dataclass(frozen=True, slots=True)
class Load:
    """What is run at a probe point. `spec` is the engine's own declaration, kept as JSON."""

    engine: str
    name: str
    spec: Mapping[str, Json]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a load needs and does, asked before it is run.

    `size` is the bytes it wants of a file target (None: the whole device or file); `seconds` the
    length of one loop as declared (None: as long as it takes); `direct` False means it goes
    through the page cache; `tools` are the commands the host must have.
    """

    reads: bool
    writes: bool
    size: int | None
    seconds: float | None
    direct: bool
    tools: tuple[str, ...]
    device_only: bool = False
    """The tool measures block devices alone."""
    own_files: bool = False
    """The load makes its files itself, beside the scratch file, which only keeps the place."""
    block: int | None = None
    """Bytes of its smallest request, where that is known: a file must hold at least one."""
    check: tuple[tuple[str, ...], bytes] | None = None
    """A command that reads the load and runs nothing, and its input: it tells mistakes in time."""
    directions: tuple[str, ...] = ()
    """What its metrics can begin with beside `cpu` and `elapsed`; empty: not known."""


@dataclass(frozen=True, slots=True)
class LoadCommand:
    """How one loop is run on its host.

    `files` are written before (path → content), `outputs` fetched after and removed. `timeout`
    in seconds is when the load must have ended by itself.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    timeout: float | None = None
    beside: tuple[str, ...] = ()
    """Files that the load makes beside its target; they must not be there before, and go with the
    loop."""


@dataclass(frozen=True, slots=True)
class RawOutput:
    """What a load left behind, as it was: parsed again whenever the parser gets better."""

    status: int
    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Latencies: representative value of each bin in seconds (ascending) and its count."""

    values: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What one loop's output says.

    `metrics` maps the contract's metric names to figures, `units` each to "1/s", "B/s", "s" or
    "cores"; `histograms` are completion latencies by direction; `device_io` what the tool itself
    says reached each device (reads, writes, read_merges, write_merges, util); `issued` the I/Os
    by direction; `faults` are sentences on what went wrong without ending the loop. `left_out` says
    why the loop is left out of all statistics, empty where it is not.
    """

    metrics: Mapping[str, float]
    units: Mapping[str, str]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    device_io: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    issued: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    tool_version: str = ""
    unread: str = ""
    """Why the raw output could not be read; then there are no figures."""
    left_out: str = ""


# ── trials ────────────────────────────────────────────────────────────────────────────────────


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


# ── what is computed from them ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric over the loops of a trial.

    `merged` is the percentile of all loops' histograms together, for latency percentiles. With
    one loop stdev, cv and ci95 are None. `rounded`: the tool printed a rounded figure.
    """

    name: str
    unit: str
    loops: tuple[float, ...]
    mean: float
    median: float
    stdev: float | None
    cv: float | None
    ci95: tuple[float, float] | None
    rounded: bool = False
    merged: float | None = None


class Outcome(StrEnum):
    """The four answers of a comparison."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of comparing one metric."""

    metric: str = field(metadata={"schema": {"minLength": 1}})
    """Name by the contract, such as write.iops."""
    baseline: str
    """The run (or RUN/TRIAL) compared with."""
    candidate: str
    """The run (or RUN/TRIAL) compared."""
    outcome: Outcome = field(metadata={"name": "verdict"})
    change: float | None
    """From baseline to candidate, as a fraction of the baseline; null where no ratio exists."""
    interval: tuple[float, float] | None
    """Of the change; holds for all comparisons of the call together. Null with a single loop."""
    more_loops: int | None = field(default=None, metadata={"schema": {"minimum": 1}})
    """Further loops of each trial that decide with a chance of 80 %; null where none are needed or
    none would help."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One figure a finding rests on, and where it was read."""

    what: str
    value: Scalar
    unit: str
    where: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosis."""

    rule: str
    severity: str = field(metadata={"schema": {"enum": ["error", "warning", "note"]}})
    subject: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    remedy: str = field(default="", metadata=NULL)
    confirm: str = field(default="", metadata=NULL)


@dataclass(frozen=True, slots=True)
class Forecast:
    """How fast a trial was held to be by a model, and how fast it was.

    Args:
        trial: its id.
        layer: of the stack that the load was applied to.
        stack: the stack's name.
        made: when it was predicted, seconds since the epoch.
        predicted: "iops", "bandwidth", "latency_mean" → figure of the model.
        measured: the same of the trial, means over its loops.
        band: lowest and highest iops of the model.
        devices: layer → model of it, as written.
    """

    trial: str
    layer: str
    stack: str
    made: float
    predicted: Mapping[str, float]
    measured: Mapping[str, float]
    band: tuple[float, float]
    devices: Mapping[str, str] = field(default_factory=dict)

    @property
    def inside(self) -> bool:
        """Whether the measured iops lie within the band."""
        return self.band[0] <= self.measured["iops"] <= self.band[1]

    def off(self, name: str) -> float | None:
        """How far the prediction is from the measurement, as a fraction of that."""
        one, other = self.predicted.get(name), self.measured.get(name)
        return one / other - 1 if one is not None and other else None
