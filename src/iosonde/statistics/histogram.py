"""Latency histograms: put together over loops and hosts, and asked for a quantile.

A percentile of several loops is the percentile of all their I/Os together. The mean of the loops'
percentiles is no percentile of anything, so there is no function here that makes one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate, pairwise

from iosonde.records.load import Histogram


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """All I/Os of several histograms in one; bins of the same value are added up.

    Args:
        histograms: bins may differ; values in seconds.
    """
    every = tuple(histograms)
    if len(every) == 1 and all(low < high for low, high in pairwise(every[0].values)):
        return every[0]
    total: Counter[float] = Counter()
    for histogram in every:
        for value, count in zip(histogram.values, histogram.counts, strict=True):
            total[value] += count
    bins = sorted(total.items())
    return Histogram(
        values=tuple(value for value, _ in bins), counts=tuple(count for _, count in bins)
    )


def quantile(histogram: Histogram, q: float) -> float:
    """Seconds: the value of the bin in which the cumulative count reaches q · n.

    Args:
        histogram: at least one I/O.
        q: 0–1.

    Raises:
        ValueError: the histogram is empty, or q is outside 0–1.

    Source:
        fio 3.x, stat.c, calc_clat_percentiles().
    """
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile lies between 0 and 1, not at {q}")
    reached = tuple(accumulate(histogram.counts))
    at = bisect_left(reached, q * reached[-1]) if reached else 0
    for place in range(at, len(reached)):
        if histogram.counts[place]:
            return histogram.values[place]
    raise ValueError("a histogram without I/Os has no quantiles")
