"""Which way of a metric is the good one, and which metrics there are of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_PERCENTILE = re.compile(r"(?P<direction>.+)\.latency\.p(?P<whole>\d+)(?:_(?P<part>\d+))?")
_WIDE_BLOCK = 64 * 1024  # bytes; from here on a load is judged by its bandwidth
_MEMORY_ONLY = {"cached_read"}  # hdparm -T: never reaches the disk


def higher_is_better(metric: str) -> bool:
    """True for rates; False for latencies, CPU time and elapsed time."""
    return metric.endswith((".iops", ".bandwidth"))


def percentile_of(metric: str) -> tuple[str, float] | None:
    """Direction and quantile (0–1) of "write.latency.p99_9"; None for other metrics."""
    match = _PERCENTILE.fullmatch(metric)
    if not match:
        return None
    return match["direction"], float(f"{match['whole']}.{match['part'] or 0}") / 100


def headline_among(means: Mapping[str, float]) -> str:
    """The metric that stands for a trial: the rate of its dominant direction.

    The dominant direction is the one with the most I/Os, or, of a tool that gives only speeds,
    the first it gives. Its IOPS count for blocks below 64 KiB, its bandwidth for larger ones.

    Args:
        means: metric name → mean over the loops, in the order the tool gives them.

    Returns:
        A key of `means`; empty where there is none.
    """
    rates = {name: mean for name, mean in means.items() if name.endswith(".iops") and mean > 0}
    apart = {name: mean for name, mean in rates.items() if not name.startswith("mixed.")}
    rates = apart or rates  # beside its parts a sum is no direction
    if rates:
        iops = max(rates, key=lambda name: rates[name])
        bandwidth = iops.removesuffix("iops") + "bandwidth"
        wide = means.get(bandwidth, 0.0) / rates[iops] >= _WIDE_BLOCK
        return bandwidth if wide else iops
    return _first_speed(means) or next(iter(means), "")


def _first_speed(names: Iterable[str]) -> str:
    speeds = [name for name in names if name.endswith(".bandwidth")]
    on_disk = [name for name in speeds if name.split(".", 1)[0] not in _MEMORY_ONLY]
    return next(iter(on_disk or speeds), "")
