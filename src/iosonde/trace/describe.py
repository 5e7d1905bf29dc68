"""What the requests of a trace are like. All is counted in the core, in one pass.

Sources: R. L. Mattson et al., IBM Systems Journal 9 (1970), for the miss ratios of all LRU caches
from one pass; C. Waldspurger et al., FAST '15 (SHARDS), for those of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from iosonde.errors import UsageError
from iosonde.trace.read import OPS, Damage, Trace, TraceSource

if TYPE_CHECKING:
    from iosonde import _core

GRIDS = tuple(512 << bits for bits in range(12))
"""Bytes, 512 to 1 MiB."""
BLOCK = 4096
TRACKED = 1 << 20
"""Blocks whose reuse is followed: about 100 MB of memory."""
QUANTILES = (0.5, 0.9, 0.99, 0.999)
HOT_SHARES = (0.001, 0.01, 0.1, 0.2)
_MOST_HOT = 20


@dataclass(frozen=True, slots=True)
class Size:
    """Requests of one size in bytes."""

    size: int
    reads: int
    writes: int


@dataclass(frozen=True, slots=True)
class GridShares:
    """Shares of the requests off the multiples of `grid` bytes; None without requests.

    `off`: offset or length is no multiple; `offset_off`: the offset is none.
    """

    grid: int
    off: float | None
    read_off: float | None
    write_off: float | None
    offset_off: float | None


@dataclass(frozen=True, slots=True)
class RequestOrder:
    """How requests follow each other, each device on its own.

    `sequential` is the share that begins where the one before ended, `streamed` where one of the
    last 16 ended; `run` is how many requests follow each other without a step, on average;
    `seek_mean` the mean distance in bytes from the end of one request to the beginning of the next.
    `distances` are (below so many bytes, steps backwards, steps forwards).
    """

    sequential: float | None
    read_sequential: float | None
    write_sequential: float | None
    streamed: float | None
    run: float | None
    seek_mean: float | None
    distances: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Seconds between requests of all kinds and devices; None where the trace has no times.

    `cv` is the coefficient of variation: 1 for a Poisson process. Quantiles err by at most 0.8 %.
    `backwards` requests are earlier than the one before them.
    """

    mean: float
    shortest: float
    longest: float
    cv: float | None
    quantiles: Mapping[float, float]
    backwards: int
    histogram: tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True)
class Second:
    """What happened from `time` on for one step: seconds since the one of the first request."""

    time: float
    reads: int
    writes: int
    read_bytes: int
    write_bytes: int
    peak: int


@dataclass(frozen=True, slots=True)
class CacheSize:
    """Share of the references to blocks that an LRU cache of `size` bytes has not got."""

    size: int
    all: float
    read: float | None
    write: float | None


@dataclass(frozen=True, slots=True)
class Reuse:
    """Which blocks are asked for again.

    `method` is "exact", or "shards" with `rate` the share of the blocks that was followed; then
    all figures here are estimates. `working_set` bytes of blocks asked for, read, written;
    `references` to blocks; `distances`: bytes of other blocks asked for in between (median and
    90 % of those asked for again), None where no block is.
    """

    block: int
    method: str
    rate: float
    working_set: int
    read_set: int
    write_set: int
    references: int
    cold: float | None
    distance_median: int | None
    distance_p90: int | None
    curve: tuple[CacheSize, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a device and its requests."""

    device: str
    offset: int
    reads: int
    writes: int


@dataclass(frozen=True, slots=True)
class Hot:
    """Where requests go: the most wanted regions of `region` bytes first.

    `shares`: share of the regions asked for → share of the requests that the most wanted of them
    get.
    """

    region: int
    touched: int
    shares: Mapping[float, float]
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """One trace. `span` seconds from the first request to the last, `first` on the trace's clock.

    `counts` are requests and bytes by operation; `others` what occurs that is no request.
    """

    name: str
    files: tuple[str, ...]
    format: str
    compression: str | None
    lines: int | None
    damage: Damage
    notes: tuple[str, ...]
    others: Mapping[str, int]
    devices: tuple[str, ...]
    counts: Mapping[str, tuple[int, int]]
    first: float
    span: float
    sizes: tuple[Size, ...]
    sizes_grouped: bool
    grids: tuple[GridShares, ...]
    order: RequestOrder
    arrivals: Arrivals | None
    step: int
    load: tuple[Second, ...]
    reuse: Reuse
    hot: Hot

    @property
    def data(self) -> int:
        """Reads and writes."""
        return self.counts["read"][0] + self.counts["write"][0]


def describe(
    source: TraceSource,
    *,
    fmt: str | None = None,
    event: str | None = None,
    block: int = BLOCK,
    tracked: int = TRACKED,
    go_on: Callable[[], bool] | None = None,
) -> Description:
    """Read a trace to its end.

    Args:
        source: its files.
        fmt: see `Trace`.
        event: see `Trace`.
        block: bytes whose reuse is followed, a power of two from 4096 on.
        tracked: blocks followed at once; with more, a sample of them (SHARDS).
        go_on: asked several times a second; where it says no, the reading ends.

    Raises:
        KeyboardInterrupt: `go_on` said no.
        UsageError: it is no trace; `block` or `tracked` cannot be.
    """
    if block < BLOCK or block & (block - 1):
        raise UsageError(f"blocks of {block} bytes: expected a power of two from 4096 on")
    if not 1 <= tracked <= 1 << 28:
        raise UsageError(f"{tracked} blocks cannot be followed, expected 1 to 2^28")
    trace = Trace(source, fmt=fmt, event=event)
    core = trace.core
    try:
        profile = core.profile(block, tracked, go_on)
    except OSError as problem:
        raise UsageError(f"reading it failed: {problem}", where=source.name) from None
    counts = dict(zip(OPS, profile.counts, strict=True))
    first, last, *_ = profile.clock
    sizes, grouped = profile.sizes
    step, load = profile.load
    timed = last > first
    return Description(
        name=source.name,
        files=source.paths,
        format=core.format,
        compression=core.compression,
        lines=core.lines,
        damage=trace.damage,
        notes=tuple(core.notes),
        others=dict(core.others),
        devices=tuple(core.devices),
        counts=counts,
        first=first / 1e9,
        span=(last - first) / 1e9,
        sizes=tuple(Size(size, reads, writes) for size, (reads, writes) in sizes),
        sizes_grouped=grouped,
        grids=tuple(_grid(profile, grid) for grid in GRIDS),
        order=_order(profile),
        arrivals=_arrivals(profile) if timed else None,
        step=step,
        load=_load(load, first) if timed else (),
        reuse=_reuse(profile),
        hot=_hot(profile, core.devices),
    )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _grid(profile: _core.TraceProfile, grid: int) -> GridShares:
    reads, writes = profile.counts[0][0], profile.counts[1][0]
    (read_off, write_off), (read_begins, write_begins) = profile.off(grid)
    return GridShares(
        grid,
        _share(read_off + write_off, reads + writes),
        _share(read_off, reads),
        _share(write_off, writes),
        _share(read_begins + write_begins, reads + writes),
    )


def _order(profile: _core.TraceProfile) -> RequestOrder:
    (steps, sequential, streamed), travelled = profile.order
    total = sum(steps)
    runs = total - sum(sequential) + profile.devices
    requests = total + profile.devices
    return RequestOrder(
        _share(sum(sequential), total),
        _share(sequential[0], steps[0]),
        _share(sequential[1], steps[1]),
        _share(sum(streamed), total),
        _share(requests, runs),
        _share(travelled, total),
        tuple((1 << bits, back, forth) for bits, (back, forth) in profile.distances),
    )


def _arrivals(profile: _core.TraceProfile) -> Arrivals:
    _, _, backwards, shortest, longest, total = profile.clock
    table = np.array(profile.gaps, dtype=np.float64)
    middle, count = (table[:, 0] + table[:, 1]) / 2, table[:, 2]
    gaps = float(count.sum())
    mean = total / gaps
    spread = float(np.sqrt((count * (middle - mean) ** 2).sum() / gaps))
    reached = np.cumsum(count)
    places = [int(np.searchsorted(reached, np.ceil(q * gaps))) for q in QUANTILES]
    found = [min(max(float(middle[place]), shortest), longest) / 1e9 for place in places]
    return Arrivals(
        mean / 1e9,
        shortest / 1e9,
        longest / 1e9,
        spread / mean if mean else None,
        dict(zip(QUANTILES, found, strict=True)),
        backwards,
        tuple((float(low) / 1e9, int(many)) for low, many in zip(table[:, 0], count, strict=True)),
    )


def _load(rows: Sequence[Sequence[int]], first: int) -> tuple[Second, ...]:
    begin = first // 1_000_000_000
    return tuple(Second(float(second - begin), *rest) for second, *rest in rows)


def _reuse(profile: _core.TraceProfile) -> Reuse:
    block, rate, (every, read, written), references = profile.reuse
    cold, rows = profile.reuse_distances
    low = np.array([one[0] for one in rows], dtype=np.float64)
    found = np.array([one[2] for one in rows], dtype=np.float64).reshape(-1, 2)
    total = sum(references)
    again = found.sum(axis=1)
    return Reuse(
        block=block,
        method="exact" if rate == 1 else "shards",
        rate=rate,
        working_set=every * block,
        read_set=read * block,
        write_set=written * block,
        references=total,
        cold=_share(min(sum(cold), total), total),
        distance_median=_weighted(low, again, 0.5, block),
        distance_p90=_weighted(low, again, 0.9, block),
        curve=_curve(low, found, references, every, block),
    )


def _weighted(low: Any, weights: Any, q: float, block: int) -> int | None:
    reached = np.cumsum(weights)
    if not len(reached) or not reached[-1]:
        return None
    return int(low[min(int(np.searchsorted(reached, q * reached[-1])), len(low) - 1)]) * block


def _curve(
    low: Any, found: Any, references: Sequence[int], every: int, block: int
) -> tuple[CacheSize, ...]:
    """At two sizes an octave, up to the first that holds all; each is a bucket's lower bound."""
    total = sum(references)
    points: list[CacheSize] = []
    size = 1
    while total:
        hits = found[low < size].sum(axis=0)
        miss = [
            max(0.0, 1 - float(hit) / many) if many else None
            for hit, many in zip(hits, references, strict=True)
        ]
        both = max(0.0, 1 - float(hits.sum()) / total)
        points.append(CacheSize(size * block, both, miss[0], miss[1]))
        if size >= every:
            break
        power = 1 << (size.bit_length() - 1)
        size = power * 2 if size > power or power == 1 else power * 3 // 2
    return tuple(points)


def _hot(profile: _core.TraceProfile, devices: Sequence[str]) -> Hot:
    region, rows = profile.regions
    counts = np.array([reads + writes for _, _, (reads, writes) in rows], dtype=np.float64)
    reached = np.cumsum(counts)
    shares = {
        share: float(reached[max(1, round(share * len(counts))) - 1] / reached[-1])
        for share in HOT_SHARES
        if len(counts)
    }
    regions = tuple(
        Region(devices[device], offset, reads, writes)
        for device, offset, (reads, writes) in rows[:_MOST_HOT]
    )
    return Hot(region, len(rows), shares, regions)
