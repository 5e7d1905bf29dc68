"""A description in words: rows of text for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units

if TYPE_CHECKING:
    from iosonde.records.trace import Arrivals, Description, Reuse

_SIZES = 12
_REGIONS = 10
_CACHES = 8


_MOSTLY = 0.5  # of the requests are of one size
_IN_ORDER, _NO_ORDER = 0.9, 0.1  # follow one of the last 16 requests


def answer(trace: Description) -> str:
    """What a trace is like, in one sentence: order, mix, size, rate, and what it reaches over."""
    if not trace.requests:
        return "no reads or writes"
    parts = [_kind(trace)]
    if trace.read_share is not None:
        parts.append(f"{units.show_fraction(trace.read_share)} reads")
    often = max(trace.sizes, key=lambda size: size.reads + size.writes, default=None)
    if often and often.reads + often.writes >= _MOSTLY * trace.requests:
        parts.append(f"mostly {units.show_bytes(often.size)}")
    elif often:
        parts.append(f"{len(trace.sizes)} sizes")
    if trace.span:
        rate = units.show_iops(trace.requests / trace.span)
        parts.append(f"{rate} for {units.show_seconds(trace.span)}")
    return f"{', '.join(parts)}, over {units.show_bytes(trace.reuse.working_set)}"


def _kind(trace: Description) -> str:
    share = trace.order.streamed
    if share is None:
        return "order not known"
    if _NO_ORDER < share < _IN_ORDER:
        return f"{units.show_fraction(share)} sequential"
    return "sequential" if share >= _IN_ORDER else "random"


def facts(trace: Description) -> list[tuple[str, str]]:
    """What a trace is like, each with its figures."""
    rows = [
        ("requests", _requests(trace)),
        ("devices", _devices(trace)),
        ("time", _time(trace)),
    ]
    flushes, discards = trace.operations.flush.count, trace.operations.discard
    if flushes or discards.count:
        rows.append(
            ("besides", f"{flushes:,} flushes, {discards.count:,} discards of "
             f"{units.show_bytes(discards.bytes)}")
        )  # fmt: skip
    if not trace.requests:
        return rows
    rows += [("misaligned", _grids(trace)), ("order", _order(trace))]
    if trace.arrivals:
        rows.append(("between requests", _arrivals(trace.arrivals)))
    if trace.load.rows:
        rows.append(("busiest second", f"{max(row.peak for row in trace.load.rows):,} requests"))
    rows += [
        ("blocks", _blocks(trace.reuse)),
        ("LRU cache", _caches(trace.reuse)),
        ("hot", _hot(trace)),
    ]
    return rows


def _requests(trace: Description) -> str:
    reads, writes = trace.operations.read, trace.operations.write
    share = (
        f", {units.show_fraction(trace.read_share)} reads" if trace.read_share is not None else ""
    )
    return (
        f"{trace.requests:,}: {reads.count:,} reads of {units.show_bytes(reads.bytes)}, "
        f"{writes.count:,} writes of {units.show_bytes(writes.bytes)}{share}"
    )


def _devices(trace: Description) -> str:
    named = [name for name in trace.devices if name]
    if len(named) <= 1:
        return named[0] if named else "not in the trace"
    return f"{len(named)}: {', '.join(named[:6])}{' …' if len(named) > 6 else ''}"


def _time(trace: Description) -> str:
    if not trace.span:
        return "the trace has no times"
    rate = units.show_iops(trace.requests / trace.span)
    moved = trace.operations.read.bytes + trace.operations.write.bytes
    speed = units.show_bandwidth(moved / trace.span)
    return f"{units.show_seconds(trace.span)}, {rate} and {speed} on average"


def _grids(trace: Description) -> str:
    phrases = [
        f"{units.show_fraction(grid.off)} to {units.show_bytes(grid.grid)}"
        for grid in trace.grids
        if grid.off is not None and grid.grid in {512, 4096, 16384, 65536, 1 << 20}
    ]
    return ", ".join(phrases)


def _order(trace: Description) -> str:
    order = trace.order
    if order.sequential is None or order.streamed is None:
        return "one request a device"
    return (
        f"{units.show_fraction(order.sequential)} follow the request before them (reads "
        f"{units.show(order.read_sequential, 'fraction')}, writes "
        f"{units.show(order.write_sequential, 'fraction')}), "
        f"{units.show_fraction(order.streamed)} one of the last 16; "
        f"mean run {order.run:.3g} requests, mean step {units.show_bytes(order.seek_mean or 0)}"
    )


def _arrivals(arrivals: Arrivals) -> str:
    quantiles = ", ".join(
        f"p{100 * q:g} {units.show_seconds(gap)}" for q, gap in arrivals.quantiles.items()
    )
    spread = f", CV {arrivals.cv:.3g}" if arrivals.cv is not None else ""
    return f"{units.show_seconds(arrivals.mean)} on average{spread}; {quantiles}"


def _blocks(reuse: Reuse) -> str:
    how = (
        "exact" if reuse.method == "exact"
        else f"estimated from {units.show_fraction(reuse.rate)} of the blocks (SHARDS)"
    )  # fmt: skip
    again = (
        f"; asked for again after {units.show_bytes(reuse.distance_median)} of others (median)"
        if reuse.distance_median is not None else ""
    )  # fmt: skip
    return (
        f"{units.show_bytes(reuse.working_set)} of {units.show_bytes(reuse.block)} blocks, "
        f"{units.show_bytes(reuse.read_set)} read, {units.show_bytes(reuse.write_set)} written"
        f"{again}; {how}"
    )


def _caches(reuse: Reuse) -> str:
    """Every so many points of the curve, the largest with them."""
    step = max(1, -(-len(reuse.curve) // _CACHES))
    points = reuse.curve[::-1][::step][::-1]
    phrases = [
        f"{units.show_bytes(point.size)} {units.show_fraction(point.all)}" for point in points
    ]
    return f"misses by its size: {', '.join(phrases)}"


def _hot(trace: Description) -> str:
    phrases = [
        f"{100 * share:g} % get {units.show_fraction(requests)}"
        for share, requests in trace.hot.shares.items()
    ]
    region = units.show_bytes(trace.hot.region)
    return f"of {trace.hot.touched:,} regions of {region} that are asked for, {', '.join(phrases)}"


def size_rows(trace: Description) -> list[tuple[str, str, str]]:
    """The most frequent sizes, reads and writes of each, by size."""
    often = sorted(trace.sizes, key=lambda size: -size.reads - size.writes)
    rows = [
        (units.show_bytes(size.size), f"{size.reads:,}", f"{size.writes:,}")
        for size in sorted(often[:_SIZES], key=lambda size: size.size)
    ]
    rest = often[_SIZES:]
    if rest:
        reads, writes = sum(size.reads for size in rest), sum(size.writes for size in rest)
        rows.append((f"{len(rest)} others", f"{reads:,}", f"{writes:,}"))
    return rows


def hot_rows(trace: Description) -> list[tuple[str, str, str, str, str]]:
    """The most wanted regions: device, first byte, reads, writes, share of all requests."""
    return [
        (
            region.device or "–",
            units.show_bytes(region.offset),
            str(region.reads),
            str(region.writes),
            units.show_fraction((region.reads + region.writes) / trace.requests),
        )
        for region in trace.hot.regions[:_REGIONS]
    ]
