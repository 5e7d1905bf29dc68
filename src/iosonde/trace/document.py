"""A description as the JSON of `iosonde.trace/1`: bytes, seconds, shares."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iosonde.records.stack import Json
    from iosonde.trace.describe import Arrivals, Description, Reuse


def document(one: Description) -> dict[str, Json]:
    """One of the `traces`."""
    return {
        "name": one.name,
        "files": list(one.files),
        "format": one.format,
        "compression": one.compression,
        "lines": one.lines,
        "bad": one.damage.count,
        "bad_first": [{"place": place, "problem": text} for place, text in one.damage.first],
        "lost_events": one.damage.lost,
        "notes": list(one.notes),
        "others": dict(one.others),
        "devices": list(one.devices),
        "requests": one.data,
        "first": one.first,
        "span": one.span,
        "operations": {
            name: {"count": count, "bytes": size} for name, (count, size) in one.counts.items()
        },
        "read_share": one.counts["read"][0] / one.data if one.data else None,
        "sizes": [asdict(size) for size in one.sizes],
        "sizes_grouped": one.sizes_grouped,
        "grids": [asdict(grid) for grid in one.grids],
        "order": {
            "sequential": one.order.sequential,
            "read_sequential": one.order.read_sequential,
            "write_sequential": one.order.write_sequential,
            "streamed": one.order.streamed,
            "run_mean": one.order.run,
            "seek_mean": one.order.seek_mean,
            "seeks": [
                {"below": below, "backwards": back, "forwards": forth}
                for below, back, forth in one.order.distances
            ],
        },
        "arrivals": _arrivals(one.arrivals) if one.arrivals else None,
        "load": {"step": one.step, "rows": [asdict(row) for row in one.load]},
        "reuse": _reuse(one.reuse),
        "hot": {
            "region": one.hot.region,
            "touched": one.hot.touched,
            "shares": {f"{share:g}": found for share, found in one.hot.shares.items()},
            "regions": [asdict(region) for region in one.hot.regions],
        },
    }


def _arrivals(one: Arrivals) -> dict[str, Json]:
    return {
        "mean": one.mean,
        "min": one.shortest,
        "max": one.longest,
        "cv": one.cv,
        **{f"p{100 * q:g}".replace(".", "_"): found for q, found in one.quantiles.items()},
        "backwards": one.backwards,
        "histogram": [{"from": low, "count": count} for low, count in one.histogram],
    }


def _reuse(one: Reuse) -> dict[str, Json]:
    return {
        "method": one.method,
        "rate": one.rate,
        "block": one.block,
        "references": one.references,
        "working_set": one.working_set,
        "read_set": one.read_set,
        "write_set": one.write_set,
        "first_references": one.cold,
        "distance_p50": one.distance_median,
        "distance_p90": one.distance_p90,
        "miss_ratios": [asdict(point) for point in one.curve],
    }
