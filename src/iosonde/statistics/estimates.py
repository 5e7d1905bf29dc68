"""The figures of a metric over loops. Samples are loops; seconds inside a loop are not samples.

The series of one-second figures from inside a loop remember their own past (write-back cache,
garbage collection, neighbours), so their standard error must not be divided by the square root
of their number: `iosonde.statistics.memory` says how much they remember.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from iosonde.records.run import Metric
from iosonde.statistics.elementwise import squares
from iosonde.statistics.student import student_t


def summarise(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    precision: float | None = None,
    merged: float | None = None,
) -> Metric:
    """Mean, median, spread and 95 % confidence interval of one metric over loops.

    Args:
        name: of the metric, by the contract.
        unit: "1/s", "B/s", "s" or "cores".
        values: one per loop, in the order of the loops.
        precision: half of the last digit that the tool printed; None: it printed exactly.
        merged: the percentile of all loops' histograms together, in the same unit.

    Returns:
        stdev with n − 1; ci95 of the mean by Student's t. With one loop stdev, cv and ci95 are
        None; cv is None too where the mean is 0.

    Raises:
        ValueError: no values.
    """
    if not values:
        raise ValueError(f"{name} has no loops to summarise")
    loops = tuple(float(value) for value in values)
    count = len(loops)
    if count == 1:
        return Metric(
            name, unit, loops, mean=loops[0], median=loops[0], stdev=None, cv=None, ci95=None,
            rounded=precision is not None, merged=merged, precision=precision,
        )  # fmt: skip
    mean = sum(loops) / count
    stdev = _stdev(loops, mean)
    reach = student_t(0.975, count - 1) * stdev / sqrt(count)
    return Metric(
        name=name,
        unit=unit,
        loops=loops,
        mean=mean,
        median=_median(loops),
        stdev=stdev,
        cv=stdev / abs(mean) if mean else None,
        ci95=(mean - reach, mean + reach),
        rounded=precision is not None,
        merged=merged,
        precision=precision,
    )


def halfwidth(metric: Metric) -> float | None:
    """Half of the 95 % interval as a fraction of the mean; None with one loop or mean 0."""
    if metric.ci95 is None or not metric.mean:
        return None
    low, high = metric.ci95
    return (high - low) / 2 / abs(metric.mean)


def _stdev(values: Sequence[float], mean: float) -> float:
    return sqrt(squares(value - mean for value in values) / (len(values) - 1))


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
