"""A description in words: rows of text for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units

if TYPE_CHECKING:
    from iosonde.records.trace import Arrivals, Description, Reuse

_SIZES = 12
_REGIONS = 10
_CACHES = 8


def facts(one: Description) -> list[tuple[str, str]]:
    """What a trace is like, each with its figures."""
    rows = [
        ("requests", _requests(one)),
        ("devices", _devices(one)),
        ("time", _time(one)),
    ]
    flushes, discards = one.operations.flush.count, one.operations.discard
    if flushes or discards.count:
        rows.append(
            ("besides", f"{flushes} flushes, {discards.count} discards of "
             f"{units.show_bytes(discards.bytes)}")
        )  # fmt: skip
    if not one.requests:
        return rows
    rows += [("off the grid", _grids(one)), ("order", _order(one))]
    if one.arrivals:
        rows.append(("between requests", _arrivals(one.arrivals)))
    if one.load.rows:
        rows.append(("busiest second", f"{max(row.peak for row in one.load.rows)} requests"))
    rows += [("blocks", _blocks(one.reuse)), ("LRU cache", _caches(one.reuse)), ("hot", _hot(one))]
    return rows


def _requests(one: Description) -> str:
    reads, writes = one.operations.read, one.operations.write
    share = f", {units.show_fraction(one.read_share)} reads" if one.read_share is not None else ""
    return (
        f"{one.requests}: {reads.count} reads of {units.show_bytes(reads.bytes)}, {writes.count} "
        f"writes of {units.show_bytes(writes.bytes)}{share}"
    )


def _devices(one: Description) -> str:
    named = [name for name in one.devices if name]
    if len(named) <= 1:
        return named[0] if named else "not told"
    return f"{len(named)}: {', '.join(named[:6])}{' …' if len(named) > 6 else ''}"


def _time(one: Description) -> str:
    if not one.span:
        return "the trace has no times"
    rate = units.show_iops(one.requests / one.span)
    moved = one.operations.read.bytes + one.operations.write.bytes
    speed = units.show_bandwidth(moved / one.span)
    return f"{units.show_seconds(one.span)}, {rate} and {speed} on average"


def _grids(one: Description) -> str:
    told = [
        f"{units.show_bytes(grid.grid)} {units.show_fraction(grid.off)}"
        for grid in one.grids
        if grid.off is not None and grid.grid in {512, 4096, 16384, 65536, 1 << 20}
    ]
    return ", ".join(told)


def _order(one: Description) -> str:
    order = one.order
    if order.sequential is None or order.streamed is None:
        return "one request a device"
    return (
        f"{units.show_fraction(order.sequential)} follow the request before them (reads "
        f"{units.show(order.read_sequential, 'fraction')}, writes "
        f"{units.show(order.write_sequential, 'fraction')}), "
        f"{units.show_fraction(order.streamed)} one of the last 16; "
        f"{order.run:.3g} requests a run, {units.show_bytes(order.seek_mean or 0)} a step"
    )


def _arrivals(arrivals: Arrivals) -> str:
    quantiles = ", ".join(
        f"p{100 * q:g} {units.show_seconds(found)}" for q, found in arrivals.quantiles.items()
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
    told = [f"{units.show_bytes(point.size)} {units.show_fraction(point.all)}" for point in points]
    return f"misses {', '.join(told)}"


def _hot(one: Description) -> str:
    told = [
        f"{100 * share:g} % get {units.show_fraction(found)}"
        for share, found in one.hot.shares.items()
    ]
    region = units.show_bytes(one.hot.region)
    return f"of {one.hot.touched} regions of {region} that are asked for, {', '.join(told)}"


def size_rows(one: Description) -> list[tuple[str, str, str]]:
    """The most frequent sizes, reads and writes of each, by size."""
    often = sorted(one.sizes, key=lambda size: -size.reads - size.writes)
    rows = [
        (units.show_bytes(size.size), str(size.reads), str(size.writes))
        for size in sorted(often[:_SIZES], key=lambda size: size.size)
    ]
    rest = often[_SIZES:]
    if rest:
        reads, writes = sum(size.reads for size in rest), sum(size.writes for size in rest)
        rows.append((f"{len(rest)} others", str(reads), str(writes)))
    return rows


def hot_rows(one: Description) -> list[tuple[str, str, str, str, str]]:
    """The most wanted regions: device, first byte, reads, writes, share of all requests."""
    return [
        (
            region.device or "–", units.show_bytes(region.offset), str(region.reads),
            str(region.writes), units.show_fraction((region.reads + region.writes) / one.requests),
        )
        for region in one.hot.regions[:_REGIONS]
    ]  # fmt: skip
