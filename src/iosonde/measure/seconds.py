"""The one-second figures of a loop that go with one of its metrics."""

from __future__ import annotations

from iosonde.records import Loop, Series


def seconds_of(loop: Loop, metric: str) -> list[float] | None:
    """The one-second figures of a loop that go with a metric: of the device that did most.

    Where no block device is below the target, those of the network file system.

    Args:
        loop: with the observer's series.
        metric: a rate such as "write.iops"; for others there are no figures.
    """
    fitting = [series for series in loop.series if series.name == metric]
    if not fitting:
        return None
    devices = [series for series in fitting if series.sampler == "diskstats"]
    busiest = max(devices or fitting, key=_amount)
    return [value for value in busiest.values if value is not None]


def _amount(series: Series) -> float:
    return sum(value for value in series.values if value is not None)
