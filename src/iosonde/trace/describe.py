"""What the requests of a trace are like. All is counted in the core, in one pass.

Sources: R. L. Mattson et al., IBM Systems Journal 9 (1970), for the miss ratios of all LRU caches
from one pass; C. Waldspurger et al., FAST '15 (SHARDS), for those of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.records.trace import (
    Arrivals,
    BadTraceRecord,
    CacheSize,
    Description,
    GapCount,
    GridShares,
    Hot,
    LoadOverTime,
    OperationCount,
    OperationCounts,
    Region,
    RequestOrder,
    Reuse,
    Second,
    SeekDistances,
    Size,
)
from iosonde.trace.read import Damage, Trace, TraceSource

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np

    from iosonde import _core
else:
    np = LazyModule("numpy")

GRIDS = tuple(512 << bits for bits in range(12))
"""Bytes, 512 to 1 MiB."""
BLOCK = 4096
TRACKED = 1 << 20
"""Blocks whose reuse is followed: about 100 MB of memory."""
QUANTILES = (0.5, 0.9, 0.99, 0.999)
HOT_SHARES = (0.001, 0.01, 0.1, 0.2)
_MOST_HOT = 20


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
    operations = OperationCounts(*(OperationCount(*counts) for counts in profile.counts))
    first, last, *_ = profile.clock
    sizes, grouped = profile.sizes
    step, load = profile.load
    timed, damage = last > first, trace.damage
    requests = operations.read.count + operations.write.count
    return Description(
        name=source.name,
        files=source.paths,
        format=core.format,
        compression=cast('Literal["gzip", "zstd"] | None', core.compression),
        lines=core.lines,
        bad=damage.count,
        bad_first=bad_records(damage),
        lost_events=damage.lost,
        notes=tuple(core.notes),
        others=dict(core.others),
        devices=tuple(core.devices),
        requests=requests,
        first=first / 1e9,
        span=(last - first) / 1e9,
        operations=operations,
        read_share=_share(operations.read.count, requests),
        sizes=tuple(Size(size, reads, writes) for size, (reads, writes) in sizes),
        sizes_grouped=grouped,
        grids=tuple(_grid(profile, grid) for grid in GRIDS),
        order=_order(profile),
        arrivals=_arrivals(profile) if timed else None,
        load=LoadOverTime(step, _load(load, first) if timed else ()),
        reuse=_reuse(profile),
        hot=_hot(profile, core.devices),
    )


def bad_records(damage: Damage) -> tuple[BadTraceRecord, ...]:
    """The first of what was not read."""
    return tuple(BadTraceRecord(place, problem) for place, problem in damage.first)


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
        tuple(SeekDistances(1 << bits, *steps) for bits, steps in profile.distances),
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
    quantiles = [min(max(float(middle[place]), shortest), longest) / 1e9 for place in places]
    p50, p90, p99, p99_9 = quantiles
    return Arrivals(
        mean / 1e9,
        shortest / 1e9,
        longest / 1e9,
        spread / mean if mean else None,
        p50,
        p90,
        p99,
        p99_9,
        backwards,
        tuple(
            GapCount(low / 1e9, int(many))
            for low, many in zip(table[:, 0].tolist(), count.tolist(), strict=True)
        ),
    )


def _load(rows: Sequence[Sequence[int]], first: int) -> tuple[Second, ...]:
    begin = first // 1_000_000_000
    return tuple(Second(float(second - begin), *rest) for second, *rest in rows)


def _reuse(profile: _core.TraceProfile) -> Reuse:
    block, rate, (every, read, written), references = profile.reuse
    cold, rows = profile.reuse_distances
    low = np.array([row[0] for row in rows], dtype=np.float64)
    hits = np.array([row[2] for row in rows], dtype=np.float64).reshape(-1, 2)
    total = sum(references)
    again = hits.sum(axis=1)
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
        curve=_curve(low, hits, references, every, block),
    )


def _weighted(low: Any, weights: Any, q: float, block: int) -> int | None:
    reached = np.cumsum(weights)
    if not len(reached) or not reached[-1]:
        return None
    return int(low[min(int(np.searchsorted(reached, q * reached[-1])), len(low) - 1)]) * block


def _curve(
    low: Any, hit_counts: Any, references: Sequence[int], every: int, block: int
) -> tuple[CacheSize, ...]:
    """At two sizes an octave, up to the first that holds all; each is a bucket's lower bound."""
    total = sum(references)
    points: list[CacheSize] = []
    size = 1
    while total:
        hits = hit_counts[low < size].sum(axis=0)
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
