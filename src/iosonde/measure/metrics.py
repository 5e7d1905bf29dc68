"""The metrics of a trial: what its loops gave, with an estimate of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iosonde.records.load import Histogram, LoadResult
from iosonde.records.run import Loop, Metric
from iosonde.statistics.direction import percentile_of
from iosonde.statistics.estimates import summarise
from iosonde.statistics.histogram import merge, quantile

_EXACT: Mapping[str, float] = {}
CPU_PER_IO = "cpu.per_io"
"""Seconds of one core's time for one I/O: user and system, over the I/Os of all directions."""


def metrics_of(loops: Sequence[Loop], *, steps: Mapping[str, float] = _EXACT) -> tuple[Metric, ...]:
    """Every metric that at least one of the loops has, in the order the load gives them.

    Args:
        loops: of one trial.
        steps: half of the last digit printed, by metric; of those that were printed coarsely.
    """
    return metrics_of_results([loop.result for loop in loops], steps=steps)


def metrics_of_results(
    results: Sequence[LoadResult], *, steps: Mapping[str, float] = _EXACT
) -> tuple[Metric, ...]:
    """See `metrics_of`; for what the loops gave."""
    figures = [_figures(result) for result in results]
    units = {CPU_PER_IO: "s"}
    for result in results:
        units.update(result.units)
    names = dict.fromkeys(name for figure in figures for name in figure)
    latencies = _Merged([result.histograms for result in results])
    return tuple(
        summarise(
            name,
            units.get(name, ""),
            [figure[name] for figure in figures if name in figure],
            precision=steps.get(name),
            merged=latencies.percentile(name),
        )
        for name in names
    )


def merged(metric: str, histograms: Iterable[Mapping[str, Histogram]]) -> float | None:
    """A percentile of all I/Os together, in seconds.

    Args:
        metric: by the contract; only latency percentiles have one.
        histograms: of each loop (or host), by direction.

    Returns:
        None where the metric is no percentile or a loop has no histogram.
    """
    return _Merged(list(histograms)).percentile(metric)


class _Merged:
    """The histograms of several loops or hosts, each direction put together once."""

    def __init__(self, histograms: Sequence[Mapping[str, Histogram]]) -> None:
        self._histograms = histograms
        self._whole: dict[str, Histogram | None] = {}

    def percentile(self, metric: str) -> float | None:
        """See `merged`."""
        asked = percentile_of(metric)
        if asked is None:
            return None
        direction, q = asked
        if direction not in self._whole:
            self._whole[direction] = self._merged(direction)
        whole = self._whole[direction]
        return None if whole is None else quantile(whole, q)

    def _merged(self, direction: str) -> Histogram | None:
        histograms = [loop.get(direction) for loop in self._histograms]
        every = [
            histogram for histogram in histograms if histogram is not None and any(histogram.counts)
        ]
        return merge(every) if every and len(every) == len(histograms) else None


def _figures(result: LoadResult) -> dict[str, float]:
    """A loop's metrics, with CPU time per I/O where the tool's reader does not give it itself.

    It knows what the rates do not tell: phases that ran one after the other have a time each.
    """
    figures = dict(result.metrics)
    if CPU_PER_IO in figures:
        return figures
    busy = [figures[name] for name in ("cpu.user", "cpu.system") if name in figures]
    rates = {name: value for name, value in figures.items() if name.endswith(".iops")}
    if len(rates) > 1:
        rates.pop("mixed.iops", None)
    rate = sum(rates.values())
    if len(busy) == 2 and rate > 0:
        figures[CPU_PER_IO] = sum(busy) / rate
    return figures
