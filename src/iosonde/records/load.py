"""What is run, where, and what it left behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from iosonde.records.stack import Json, Scalar


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
    matrix: Mapping[str, Scalar] = field(default_factory=dict)
    """Of a point of a load matrix the options that are varied, sizes in bytes."""
    varied_from: str = ""
    """Name of the matrix that it is a point of."""


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
    flushes: bool = False
    """What it writes is on the disks when the time that is measured ends."""
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


def unit_of(metric: str) -> str:
    """The unit of a metric by its name: "1/s", "B/s", "s" or "cores"."""
    for ending, unit in ((".iops", "1/s"), (".bandwidth", "B/s")):
        if metric.endswith(ending):
            return unit
    return "cores" if metric.startswith("cpu.") else "s"


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

    @classmethod
    def of(cls, metrics: Mapping[str, float]) -> LoadResult:
        """Figures whose units are those that `unit_of` names."""
        return cls(metrics, {name: unit_of(name) for name in metrics})
