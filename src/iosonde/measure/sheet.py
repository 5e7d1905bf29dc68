"""A run with its statistics: what tables, charts, exports and comparisons are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from iosonde.measure.again import told_unread
from iosonde.measure.curves import curves_of
from iosonde.measure.in_turns import arms_of
from iosonde.measure.metrics import metrics_of
from iosonde.measure.requirements import results_of
from iosonde.measure.seconds import devices_of, seconds_of
from iosonde.measure.windows import windows_of, within
from iosonde.records.finding import Finding
from iosonde.records.run import Metric, Run, Trial
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.stack.health import THROTTLED, has_begun
from iosonde.stack.model import capture_settings, layers_under
from iosonde.statistics import steady
from iosonde.statistics.direction import headline_among, higher_is_better
from iosonde.statistics.drain import cache_drain

_OF_TRENDS = frozenset({"first-loop", "drift", "cache-drain"})


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
    # A drive that becomes too hot explains a fall as well; one that always was does not.
    hotter = has_begun(THROTTLED, trial.capture, trial.counted)
    seconds = [
        [] if hot else seconds_of(loop, headline, devices) or []
        for hot, loop in zip(hotter, trial.counted, strict=True)
    ]
    drain = cache_drain(seconds, metric=headline, unit=metric.unit, subject=subject)
    return (*findings, *([drain] if drain else []))


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
