"""A run with its statistics: what tables, charts, exports and comparisons are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from iosonde.measure.again import told_unread
from iosonde.measure.curves import curves_of
from iosonde.measure.in_turns import arms_of
from iosonde.measure.requirements import results_of
from iosonde.measure.seconds import devices_of, seconds_of
from iosonde.measure.windows import windows_of, within
from iosonde.records.finding import Finding
from iosonde.records.load import Histogram, LoadResult
from iosonde.records.run import Loop, Metric, Run, Trial
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.stack.model import capture_settings, layers_under
from iosonde.statistics import steady
from iosonde.statistics.direction import headline_among, higher_is_better, percentile_of
from iosonde.statistics.drain import cache_drain
from iosonde.statistics.estimates import summarise
from iosonde.statistics.histogram import merge, quantile

_EXACT: Mapping[str, float] = {}
_OF_TRENDS = frozenset({"first-loop", "drift", "cache-drain"})
CPU_PER_IO = "cpu.per_io"
"""Seconds of one core's time for one I/O: user and system, over the I/Os of all directions."""


def sheet(run: Run) -> RunSheet:
    """The statistics of each trial of a run, and of those that ran at the same time as one.

    One metric stands for all trials of a load that have it: what two layers do with a mix of reads
    and writes could not be held against each other otherwise, where the one has finished a few
    reads more and the other a few writes.
    """
    from iosonde.measure.combine import joint_sheets  # which merges by what is defined here

    run = told_unread(run)
    windows = windows_of(run)
    sheets = [trial_sheet(trial) for trial in within(run, windows).trials]
    if windows:
        sheets = [_in_window(sheet) for sheet in sheets]
    headlines: dict[tuple[str, str], Counter[str]] = {}
    for sheet in sheets:
        headlines.setdefault(_load_of(sheet), Counter())[sheet.headline] += bool(sheet.headline)
    return RunSheet(
        run=run,
        trials=tuple(_stood_for(sheet, headlines[_load_of(sheet)]) for sheet in sheets),
        joint=joint_sheets(run),
        requirements=results_of(run),
        curves=curves_of(sheets),
        arms=arms_of(run),
        windows=windows,
    )


def _in_window(sheet: TrialSheet) -> TrialSheet:
    """A sheet of a window's loops, whose trend is judged by the window's criterion alone."""
    flags = tuple(flag for flag in sheet.trial.flags if flag not in _OF_TRENDS)
    findings = tuple(finding for finding in sheet.findings if finding.rule not in _OF_TRENDS)
    return replace(sheet, trial=replace(sheet.trial, flags=flags), findings=findings)


def _load_of(sheet: TrialSheet) -> tuple[str, str]:
    """What makes trials ones of the same load: imported ones are each for themselves."""
    trial = sheet.trial
    return (trial.load.engine, trial.load.name) if trial.origin is None else ("", trial.id)


def _stood_for(sheet: TrialSheet, headlines: Counter[str]) -> TrialSheet:
    """The sheet, with the metric that stands for most of its load's trials, at a tie the first."""
    ((common, _),) = headlines.most_common(1)
    if common == sheet.headline or all(metric.name != common for metric in sheet.metrics):
        return sheet
    return replace(sheet, headline=common, findings=findings_of(sheet.trial, sheet.metrics, common))


def trial_sheet(trial: Trial) -> TrialSheet:
    """The statistics of one trial; one without a finished loop has no metrics and no headline."""
    metrics = metrics_of(trial.counted, steps=trial.origin.steps if trial.origin else {})
    headline = headline_among({metric.name: metric.mean for metric in metrics})
    capture = trial.capture
    target = trial.target
    under = layers_under(capture, target.host, target.path) if capture else ()
    return TrialSheet(
        trial=trial,
        metrics=metrics,
        headline=headline,
        findings=findings_of(trial, metrics, headline),
        settings=capture_settings(capture) if capture else {},
        below=tuple(layer.id for layer in under),
    )


def findings_of(trial: Trial, metrics: Sequence[Metric], headline: str) -> tuple[Finding, ...]:
    """`first-loop`, `drift` and `cache-drain` of the metric that stands for the trial."""
    metric = next((metric for metric in metrics if metric.name == headline), None)
    if metric is None:
        return ()
    subject = f"{trial.load.name} at {trial.probe}"
    findings = steady.findings(metric, subject=subject)
    if not headline.startswith("write."):
        return findings
    devices = devices_of(trial)
    seconds = [seconds_of(loop, headline, devices) or [] for loop in trial.counted]
    drain = cache_drain(seconds, metric=headline, unit=metric.unit, subject=subject)
    return (*findings, *([drain] if drain else []))


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


def slowest(sheets: Sequence[TrialSheet]) -> TrialSheet:
    """Of the trials of one load on several hosts the one with the worst headline.

    Trials without the headline metric of the first are passed over.

    Raises:
        ValueError: none of them has a metric.
    """
    measured = [each for each in sheets if each.metrics]
    if not measured:
        raise ValueError("no host has finished a loop")
    name = measured[0].headline
    means = {
        index: metric.mean
        for index, each in enumerate(measured)
        for metric in each.metrics
        if metric.name == name
    }
    worst = min if higher_is_better(name) else max
    return measured[worst(means, key=lambda index: means[index])]


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
