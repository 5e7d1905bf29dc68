"""What the requests of block traces are like, and what was made of traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from iosonde.contract import HIDDEN

_NUMBER: Mapping[str, Any] = {"minimum": 0}
_SHARE: Mapping[str, Any] = {"minimum": 0, "maximum": 1}
_NULLABLE: Mapping[str, Any] = {"type": ["number", "null"], **_SHARE}
COUNT: Mapping[str, Any] = {"schema": _NUMBER}
"""Metadata of a field that is never negative."""
SHARE: Mapping[str, Any] = {"schema": _SHARE}
"""Metadata of a field that is a fraction."""


@dataclass(frozen=True, slots=True)
class BadTraceRecord:
    """A line (its number from 1) or a record (its byte from 0) that was left out."""

    place: int = field(metadata=COUNT)
    problem: str


@dataclass(frozen=True, slots=True)
class OperationCount:
    """Requests of one operation, and their bytes."""

    count: int = field(metadata=COUNT)
    bytes: int = field(metadata=COUNT)


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """Requests by operation."""

    read: OperationCount
    write: OperationCount
    flush: OperationCount
    discard: OperationCount


@dataclass(frozen=True, slots=True)
class Size:
    """Requests of one size in bytes."""

    size: int = field(metadata=COUNT)
    reads: int = field(metadata=COUNT)
    writes: int = field(metadata=COUNT)


@dataclass(frozen=True, slots=True)
class GridShares:
    """Shares of requests of which offset or length is no multiple of `grid` bytes.

    `offset_off`: the offset alone. None without requests.
    """

    grid: int = field(metadata=COUNT)
    off: float | None = field(metadata=SHARE)
    read_off: float | None = field(metadata=SHARE)
    write_off: float | None = field(metadata=SHARE)
    offset_off: float | None = field(metadata=SHARE)


@dataclass(frozen=True, slots=True)
class SeekDistances:
    """Steps from the end of one request to the beginning of the next, of less than `below` bytes.

    The distances below the row before are not among them.
    """

    below: int = field(metadata=COUNT)
    backwards: int = field(metadata=COUNT)
    forwards: int = field(metadata=COUNT)


@dataclass(frozen=True, slots=True)
class RequestOrder:
    """How requests follow each other, each device on its own."""

    sequential: float | None = field(metadata=SHARE)
    """Begin where the one before them on their device ended."""
    read_sequential: float | None = field(metadata=SHARE)
    write_sequential: float | None = field(metadata=SHARE)
    streamed: float | None = field(metadata=SHARE)
    """Begin where one of the last 16 ended."""
    run: float | None = field(metadata={"name": "run_mean", **COUNT})
    """Requests that follow each other."""
    seek_mean: float | None = field(metadata=COUNT)
    """Bytes from the end of one to the beginning of the next."""
    distances: tuple[SeekDistances, ...] = field(metadata={"name": "seeks"})


@dataclass(frozen=True, slots=True)
class GapCount:
    """How many gaps between requests are this long, in seconds, and shorter than the next row."""

    low: float = field(metadata={"name": "from", **COUNT})
    count: int = field(metadata=COUNT)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Seconds between requests of all kinds and devices; null without times.

    Quantiles err by at most 0.8 %. `cv` is the coefficient of variation: 1 for a Poisson process.
    """

    mean: float = field(metadata=COUNT)
    shortest: float = field(metadata={"name": "min", **COUNT})
    longest: float = field(metadata={"name": "max", **COUNT})
    cv: float | None = field(metadata=COUNT)
    p50: float = field(metadata=COUNT)
    p90: float = field(metadata=COUNT)
    p99: float = field(metadata=COUNT)
    p99_9: float = field(metadata=COUNT)
    backwards: int = field(metadata=COUNT)
    """Requests earlier than the one before them."""
    histogram: tuple[GapCount, ...]

    @property
    def quantiles(self) -> dict[float, float]:
        """Quantile → seconds."""
        return {0.5: self.p50, 0.9: self.p90, 0.99: self.p99, 0.999: self.p99_9}


@dataclass(frozen=True, slots=True)
class Second:
    """What happened from `time` on for one step."""

    time: float
    """Seconds since the one in which the first request came."""
    reads: int = field(metadata=COUNT)
    writes: int = field(metadata=COUNT)
    read_bytes: int = field(metadata=COUNT)
    write_bytes: int = field(metadata=COUNT)
    peak: int = field(metadata=COUNT)
    """Requests in the busiest second."""


@dataclass(frozen=True, slots=True)
class LoadOverTime:
    """The steps in which something happened."""

    step: int = field(metadata={"schema": {"minimum": 1}})
    """Seconds of a row."""
    rows: tuple[Second, ...]


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Share of the references to blocks that an LRU cache of `size` bytes has not got."""

    size: int = field(metadata=COUNT)
    all: float = field(metadata={"schema": _NULLABLE})
    read: float | None = field(metadata=SHARE)
    write: float | None = field(metadata=SHARE)


@dataclass(frozen=True, slots=True)
class Reuse:
    """Which blocks are asked for again; sets in bytes."""

    method: Literal["exact", "shards"]
    """shards: estimates from a sample of the blocks."""
    rate: float = field(metadata={"schema": {"exclusiveMinimum": 0, "maximum": 1}})
    """Share of the blocks followed."""
    block: int = field(metadata=COUNT)
    references: int = field(metadata=COUNT)
    """To blocks."""
    working_set: int = field(metadata=COUNT)
    read_set: int = field(metadata=COUNT)
    write_set: int = field(metadata=COUNT)
    cold: float | None = field(metadata={"name": "first_references", **SHARE})
    """Share of the references to blocks not asked for before."""
    distance_median: int | None = field(metadata={"name": "distance_p50", **COUNT})
    """Bytes of other blocks asked for in between; null where no block is asked for again."""
    distance_p90: int | None = field(metadata=COUNT)
    curve: tuple[CacheSize, ...] = field(metadata={"name": "miss_ratios"})
    """Of an LRU cache of `size` bytes."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a device and its requests."""

    device: str
    offset: int = field(metadata=COUNT)
    reads: int = field(metadata=COUNT)
    writes: int = field(metadata=COUNT)


@dataclass(frozen=True, slots=True)
class Hot:
    """Where requests go: the most wanted regions first."""

    region: int = field(metadata=COUNT)
    """Bytes."""
    touched: int = field(metadata=COUNT)
    """Regions asked for."""
    shares: Mapping[float, float] = field(metadata={"schema": {"additionalProperties": _NULLABLE}})
    """Share of the regions → share of the requests."""
    regions: tuple[Region, ...] = field(metadata={"schema": {"maxItems": 20}})


@dataclass(frozen=True, slots=True)
class Description:
    """What the requests of one trace are like."""

    name: str
    files: tuple[str, ...]
    format: str
    """A name of `iosonde trace formats`."""
    compression: Literal["gzip", "zstd"] | None
    lines: int | None = field(metadata=COUNT)
    """null: the format has none."""
    bad: int = field(metadata=COUNT)
    """Lines, or gaps between records, left out of all figures."""
    bad_first: tuple[BadTraceRecord, ...] = field(metadata={"schema": {"maxItems": 10}})
    """The first ten: line from 1, or byte from 0, and what is wrong."""
    lost_events: int | None = field(metadata=COUNT)
    """For which the kernel had no room; null: the format does not tell."""
    notes: tuple[str, ...]
    others: Mapping[str, int] = field(metadata={"schema": {"additionalProperties": _NUMBER}})
    """How often things occur that are no requests."""
    devices: tuple[str, ...]
    requests: int = field(metadata=COUNT)
    """Reads and writes."""
    first: float = field(metadata=COUNT)
    """Time of the first request, seconds on the trace's clock."""
    span: float = field(metadata=COUNT)
    """Seconds from the first to the last; 0 without times."""
    operations: OperationCounts
    read_share: float | None = field(metadata=SHARE)
    """Of the reads and writes."""
    sizes: tuple[Size, ...]
    sizes_grouped: bool
    """There were more than 1024 sizes: each stands for all up to its double."""
    grids: tuple[GridShares, ...]
    """Shares of requests of which offset or length (offset_off: the offset) is no multiple of
    `grid`."""
    order: RequestOrder
    arrivals: Arrivals | None
    """Seconds between requests of all kinds and devices; null without times. Quantiles err by at
    most 0.8 %."""
    load: LoadOverTime
    reuse: Reuse
    hot: Hot


@dataclass(frozen=True, slots=True)
class WrittenTrace:
    """A trace as a Parquet file."""

    path: str
    format: str
    requests: int = field(metadata=COUNT)
    bytes: int = field(metadata=COUNT)
    bad: int = field(metadata=COUNT)
    lost_events: int | None = field(metadata=COUNT)
    bad_first: tuple[BadTraceRecord, ...] = field(metadata=HIDDEN)
    source: str = field(metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class DeviceRecording:
    """A device traced while it worked."""

    host: str
    device: str
    path: str
    files: tuple[str, ...]
    seconds: float = field(metadata=COUNT)
    bytes: int = field(metadata=COUNT)
    requests: int = field(metadata=COUNT)
    dropped: int | None = field(metadata=COUNT)
    """Events the kernel had no room for, as blktrace says."""
    lost_events: int | None = field(metadata=COUNT)
    """The same by gaps in the sequence."""
    cut: bool
    """It ended early: the memory for it was full."""
    complete: bool
    """Nothing was lost."""
    bad: int = field(metadata=HIDDEN)
    bad_first: tuple[BadTraceRecord, ...] = field(metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """A format of traces that is read."""

    name: str
    about: str
