"""Reads fio's per-I/O logs (`--write_lat_log` and its like) and traces (`--write_iolog`).

No load engine and no row of LOADS: the Rust core reads the lines, this module gives the figures
their units. fio's times are milliseconds (of a trace: microseconds); its latencies nanoseconds,
before fio 3.0 microseconds; its bandwidths KiB/s.

Source:
    fio 3.42, iolog.c, flush_samples() and log_io_u(); HOWTO "Log File Formats".
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from iosonde import _core
from iosonde.contract import HIDDEN
from iosonde.errors import UsageError
from iosonde.inputs import input_path

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.uint64]
Unit: TypeAlias = Literal["s", "B/s", "1/s", None]

DIRECTIONS = ("read", "write", "trim", "unknown")
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}


class LogKind(StrEnum):
    """What the values of a log are."""

    LATENCY = "latency"
    BANDWIDTH = "bandwidth"
    IOPS = "iops"
    TRACE = "trace"


_UNITS: Mapping[LogKind, Unit] = {
    LogKind.LATENCY: "s", LogKind.BANDWIDTH: "B/s", LogKind.IOPS: "1/s", LogKind.TRACE: None,
}  # fmt: skip
_COUNT: Mapping[str, object] = {"schema": {"minimum": 0}}
_COUNTS: Mapping[str, object] = {"schema": {"items": {"minimum": 0}}}
_SOME: Mapping[str, object] = {"schema": {"minimum": 1}}
_SHARE: Mapping[str, object] = {"schema": {"minimum": 0, "maximum": 1}}


@dataclass(frozen=True, slots=True)
class FioLogSeries:
    """What happened in each interval that has a sample; arrays of the same length."""

    time: tuple[float, ...]
    """Beginnings of the intervals, seconds on the log's clock."""
    count: tuple[int, ...] = field(metadata=_COUNTS)
    bytes: tuple[int, ...] | None = field(metadata=_COUNTS)
    """null where the log has no sizes."""
    mean: tuple[float, ...] | None
    """Of the values; null for a trace."""
    max: tuple[float, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values of some samples as an HDR histogram of 64 sub-buckets per octave.

    `low` and `high` are the bounds of the filled buckets, ascending, in the log's unit; `mean`,
    `min` and `max` are exact. A quantile errs by at most 0.8 %: it is its bucket's middle.
    """

    mean: float
    min: float
    max: float
    p50: float = field(init=False)
    p90: float = field(init=False)
    p99: float = field(init=False)
    p99_9: float = field(init=False)
    p99_99: float = field(init=False)
    low: Floats = field(metadata=HIDDEN)
    high: Floats = field(metadata=HIDDEN)
    count: Counts = field(metadata=HIDDEN)

    def __post_init__(self) -> None:
        for name, q in PERCENTILES.items():
            object.__setattr__(self, name, self.quantile(q))

    def quantile(self, q: float) -> float:
        """The value that a share q (0–1) of the samples does not exceed.

        Raises:
            ValueError: q is outside 0–1.
        """
        if not 0 <= q <= 1:
            raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
        reached = np.cumsum(self.count)
        wanted = max(1, int(np.ceil(q * float(reached[-1]))))
        place = int(np.searchsorted(reached, min(wanted, int(reached[-1]))))
        middle = float(self.low[place] + self.high[place]) / 2
        return min(max(middle, self.min), self.max)


@dataclass(frozen=True, slots=True, eq=False)
class SizeFigures:
    """The I/Os of one size in one direction."""

    size: int = field(metadata=_SOME)
    count: int = field(metadata=_SOME)
    off_grid: float | None = field(metadata=_SHARE)
    values: Values | None
    """null for a trace."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectionFigures:
    """One direction of a log. An averaged log, or one without that column, has no sizes."""

    count: int = field(metadata=_SOME)
    bytes: int | None = field(metadata=_COUNT)
    off_grid: float | None = field(metadata=_SHARE)
    """I/Os whose offset or size is no multiple of 4 KiB."""
    first: float
    """Of the first sample, on the log's clock."""
    last: float
    values: Values | None
    sizes: tuple[SizeFigures, ...]
    series: FioLogSeries


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out."""

    line: int = field(metadata=_SOME)
    problem: str


@dataclass(frozen=True, slots=True, eq=False)
class FioLog:
    """The figures of one log or trace."""

    path: str
    kind: LogKind
    """What the values are."""
    unit: Unit
    """Of the values; a trace has none."""
    variant: str | None
    """Its columns ("time,value,ddir,bs,offset,prio"), or iolog2, iolog3; null: an empty file."""
    averaged: bool
    """A sample is a window of fio's log_avg_msec, not an I/O."""
    offsets: bool
    """Without, off_grid is of the sizes alone."""
    sizes_grouped: bool
    """There were more than 1024 sizes: each stands for all up to its double."""
    lines: int = field(metadata=_COUNT)
    bad_lines: int = field(metadata=_COUNT)
    """Left out of all figures."""
    bad: tuple[BadLine, ...] = field(metadata={"schema": {"maxItems": 10}})
    """The first ten of them."""
    crlf_lines: int = field(metadata=_COUNT)
    """Read although they end with CR LF."""
    interval: float = field(metadata={"schema": {"exclusiveMinimum": 0}})
    """Step of the series."""
    directions: Mapping[str, DirectionFigures] = field(
        metadata={"schema": {"propertyNames": {"enum": list(DIRECTIONS)}}}
    )
    events: Mapping[str, int] = field(metadata={"schema": {"additionalProperties": {"minimum": 0}}})
    """A trace's other actions; waited_us is the sum of its waits in microseconds."""


def kind_of(path: str | Path) -> LogKind:
    """What a log's values are, by the name fio gives its file: `NAME_clat.1.log`, `NAME_bw.log`."""
    stem = Path(path).name.removesuffix(".log").rstrip("0123456789").removesuffix(".")
    endings = {"_bw": LogKind.BANDWIDTH, "_iops": LogKind.IOPS}
    return next((kind for end, kind in endings.items() if stem.endswith(end)), LogKind.LATENCY)


def read_fio_log(
    path: str | Path,
    *,
    strict: bool = False,
    threads: int = 0,
    variant: str | None = None,
    kind: LogKind | None = None,
    latency_unit: str = "ns",
    interval: float = 1.0,
) -> FioLog:
    """Read a log or trace, a file or a pipe, in constant memory, however long it is.

    Args:
        path: what to read.
        strict: a bad line is an error; otherwise it is left out and counted.
        threads: 0 = one per processor.
        variant: one of `_core.fio_log_variants`; None: found in its first lines.
        kind: what the values are; None: by the file's name.
        latency_unit: "ns", or "us" for a log of fio 2.x.
        interval: length of the series' steps in seconds, at least 0.001.

    Raises:
        UsageError: it is no log, has a bad line and `strict` is set, or cannot be opened.
    """
    if latency_unit not in {"ns", "us"}:
        raise UsageError(f"{latency_unit!r} is not a unit of fio's latencies", hint="ns or us")
    if not 0.001 <= interval <= 1e9:
        raise UsageError(f"an interval of {interval} s is outside 1 ms to 10⁹ s")
    try:
        with input_path(path) as opened:
            read = _core.read_fio_log(
                opened,
                strict=strict,
                threads=threads,
                variant=variant,
                interval_ms=round(interval * 1000),
            )
    except _core.LogError as problem:
        raise _refused(path, problem, strict=strict) from None
    except OSError as problem:
        raise UsageError(
            f"cannot be read: {os.strerror(problem.errno or errno.EIO)}", where=str(path)
        ) from None
    except ValueError as problem:
        variants = "; ".join(_core.fio_log_variants())
        raise UsageError(str(problem), where=str(path), hint=f"one of {variants}") from None
    return _with_units(path, read, kind or kind_of(path), latency_unit)


def _refused(path: str | Path, problem: _core.LogError, *, strict: bool) -> UsageError:
    message, line = problem.args
    where = str(path) if line is None else f"{path}:{line}"
    text = str(message).removeprefix(f"line {line}: ")
    hint = "without --strict the good lines are read and the bad ones counted"
    return UsageError(text, where=where, hint=hint if strict else "")


def _with_units(
    path: str | Path, read: _core.FioLogFigures, kind: LogKind, latency_unit: str
) -> FioLog:
    trace = (read.variant or "").startswith("iolog")
    columns = (read.variant or "").split(",")
    if trace:
        kind = LogKind.TRACE
    scales = {LogKind.BANDWIDTH: 1024.0, LogKind.LATENCY: 1e-9 if latency_unit == "ns" else 1e-6}
    reading = _Reading(
        read, clock=1e-6 if trace else 1e-3, scale=scales.get(kind, 1.0), trace=trace
    )
    directions = {name: reading.direction(name, first, last) for name, first, last in read.spans}
    sized = any(figures.bytes is not None for figures in directions.values())
    return FioLog(
        path=str(path),
        kind=kind,
        unit=_UNITS[kind],
        variant=read.variant,
        averaged="bs" in columns and bool(directions) and not sized,
        offsets=trace or "offset" in columns,
        sizes_grouped=read.sizes_grouped,
        lines=read.lines,
        bad_lines=read.bad_lines,
        bad=tuple(BadLine(*line) for line in read.named_bad_lines),
        crlf_lines=read.crlf_lines,
        interval=read.interval * reading.clock,
        directions=directions,
        events=read.events if trace else {},
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The core's arrays, given units: seconds per tick of the log's clock, and per its value."""

    read: _core.FioLogFigures
    clock: float
    scale: float
    trace: bool

    def direction(self, name: str, first: int, last: int) -> DirectionFigures:
        size, count, size_bytes, total, low, high, _, off_grid = map(
            _numbers, self.read.sizes(name)
        )
        place, below, above, cell = map(_numbers, self.read.histograms(name))
        sized = bool(np.any(size > 0))

        def values(chosen: NDArray[np.bool_]) -> Values | None:
            if self.trace:
                return None
            cells = chosen[place.astype(np.intp)]
            bounds, where = np.unique(below[cells], return_inverse=True)
            counts = np.zeros(len(bounds), dtype=np.uint64)
            np.add.at(counts, where, cell[cells])
            tops = np.zeros(len(bounds), dtype=np.uint64)
            tops[where] = above[cells]
            mean = float(total[chosen].sum(dtype=np.float64) / count[chosen].sum(dtype=np.float64))
            return Values(
                mean=mean * self.scale,
                min=float(low[chosen].min()) * self.scale,
                max=float(high[chosen].max()) * self.scale,
                low=_scaled(bounds, self.scale),
                high=_scaled(tops, self.scale),
                count=counts,
            )

        every = np.ones(len(size), dtype=np.bool_)
        sizes = tuple(
            SizeFigures(
                size=int(size[position]),
                count=int(count[position]),
                off_grid=int(off_grid[position]) / int(count[position]),
                values=values(np.arange(len(size)) == position),
            )
            for position in range(len(size))
            if size[position] > 0
        )
        ios = int(count[size > 0].sum())
        return DirectionFigures(
            count=int(count.sum()),
            bytes=int(size_bytes.sum()) if sized else None,
            off_grid=int(off_grid[size > 0].sum()) / ios if ios else None,
            first=first * self.clock,
            last=last * self.clock,
            values=values(every),
            sizes=sizes,
            series=self._series(name, sized=sized),
        )

    def _series(self, name: str, *, sized: bool) -> FioLogSeries:
        number, count, size_bytes, total, top = map(_numbers, self.read.series(name))
        return FioLogSeries(
            time=tuple(_scaled(number, self.read.interval * self.clock).tolist()),
            count=tuple(count.tolist()),
            bytes=tuple(size_bytes.tolist()) if sized else None,
            mean=None if self.trace else tuple((total / count * self.scale).tolist()),
            max=None if self.trace else tuple(_scaled(top, self.scale).tolist()),
        )


def _numbers(raw: bytes) -> Counts:
    return np.frombuffer(raw, dtype=np.uint64)


def _scaled(numbers: Counts, scale: float) -> Floats:
    return numbers.astype(np.float64) * scale
