"""Verdicts in words: one sentence for the terminal and for pages alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from iosonde import units
from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.curve import Curve
from iosonde.records.load import unit_of
from iosonde.records.requirement import RequirementResult
from iosonde.records.run import Metric
from iosonde.records.sheet import TrialSheet
from iosonde.records.steady import SteadyWindow
from iosonde.records.trend import StudyTrend, TrendChange, TrendSeries

OUTCOME_WORDS = {
    Outcome.BETTER: "better", Outcome.WORSE: "worse", Outcome.EQUIVALENT: "no difference",
    Outcome.UNDECIDED: "undecided",
}  # fmt: skip
"""A verdict as tables and charts call it; the word in JSON is the outcome's own value."""

MOST_LOOPS = 30
"""A forecast of more loops than these is no advice: the noise is too large for the difference."""

_ROUND = 60.0  # seconds a point has in a round of the standard
_PRECONDITION = 2  # capacities that it has written before the rounds

_PHRASES = {
    "iops": "{} IOPS", "bandwidth": "{} bandwidth", "latency.mean": "mean {} latency",
    "latency.min": "lowest {} latency", "latency.max": "highest {} latency",
    "latency.stdev": "deviation of the {} latency",
}  # fmt: skip
_METRIC = re.compile(
    r"(?P<way>\w+)(?:\.(?P<size>\d+[kmg]?))?\."
    r"(?P<figure>iops|bandwidth|latency\.(?:mean|min|max|stdev|p(?P<percent>[\d_]+)))"
)


def metric_words(metric: str) -> str:
    """A metric's name as a person says it: `sync.latency.p99_9` is "p99.9 sync latency"."""
    match = _METRIC.fullmatch(metric)
    if not match:
        return metric
    way, percent = match["way"].replace("_", " "), match["percent"]
    template = (
        f"p{percent.replace('_', '.')} {{}} latency" if percent else _PHRASES[match["figure"]]
    )
    return template.format(way) + (f" at {match['size']}" if match["size"] else "")


def figure_words(metric: Metric) -> str:
    """A figure with its spread: "read 9,780 IOPS ± 1.2 %", "p99 sync latency 1.25 ms ± 3 %"."""
    way, _, figure = metric.name.partition(".")
    what = way.replace("_", " ") if figure in {"iops", "bandwidth"} else metric_words(metric.name)
    return f"{what} {units.show(metric.mean, metric.unit)}{spread_words(metric)}"


def spread_words(metric: Metric) -> str:
    """Half the 95 % interval of a mean as a share of it; empty where there is none."""
    if metric.ci95 is None or not metric.mean:
        return ""
    return " " + units.show_spread((metric.ci95[1] - metric.ci95[0]) / 2 / abs(metric.mean))


def trial_words(sheet: TrialSheet) -> str:
    """What a trial's load reached: "read 9,780 IOPS ± 1.2 %, p99 1.25 ms, 5 loops"."""
    by_name = {metric.name: metric for metric in sheet.metrics}
    if sheet.headline not in by_name:
        return "no figures"
    way = sheet.headline.partition(".")[0]
    parts = [figure_words(by_name[sheet.headline])]
    slow = by_name.get(f"{way}.latency.p99")
    if slow is not None:
        parts.append(f"p99 {units.show(slow.mean, slow.unit)}")
    parts += [figure_words(by_name[name]) for name in sheet.headlines[1:]]
    loops = len(by_name[sheet.headline].loops)
    parts.append(f"{loops} loops" if loops > 1 else "1 loop: how much it scatters is not known")
    return ", ".join(parts)


def arrival_words(sheet: TrialSheet) -> str:
    """How true a replay was to the times of its trace; empty of other loads."""
    means = {metric.name: metric.mean for metric in sheet.metrics}
    if "arrival.error.p99" not in means or "arrival.lag" not in means:
        return ""
    return (
        f", requests issued within {units.show_seconds(means['arrival.error.p99'])} of the "
        f"trace's times (p99), {units.show_seconds(means['arrival.lag'])} late at the end"
    )


def requirement_words(result: RequirementResult) -> str:
    """A requirement's verdict: "pass: sync.latency.p99 < 10 ms (8.2 … 9.1 ms, 7 loops)"."""
    if result.value is None:
        return f"{result.verdict}: {result.text} (no trial has this metric)"
    unit = unit_of(result.metric)
    if result.interval is None:
        figures = f"{units.show(result.value, unit)}, 1 loop"
    else:
        figures = f"{units.show_interval(result.interval, unit)}, {result.loops} loops"
    return f"{result.verdict}: {result.text} ({figures})"


def verdict_words(verdict: Verdict, margin: float, reason: str = "") -> str:
    """What a verdict says: "read IOPS better, +8.6 % (+4.9 … +12.5 %)".

    Args:
        verdict: on one metric.
        margin: the fraction within which a change does not matter.
        reason: why it is undecided, for one whose interval does not say so.
    """
    metric = metric_words(verdict.metric)
    interval = f" ({units.show_changes(*verdict.interval)})" if verdict.interval else ""
    match verdict.outcome:
        case Outcome.EQUIVALENT:
            return f"no difference in {metric} beyond {units.show_fraction(margin)}{interval}"
        case Outcome.UNDECIDED:
            held = verdict.interval is not None and verdict.interval[0] <= 0 <= verdict.interval[1]
            why = f": {reason}" if reason and not held else ""
            return f"no proven change in {metric}{interval}{why}"
        case outcome:
            change = "" if verdict.change is None else f", {units.show_change(verdict.change)}"
            return f"{metric} {outcome.value}{change}{interval}"


def loops_words(more_loops: int | None) -> str:
    """How many more loops of each trial would decide, where that is advice at all."""
    if more_loops is None:
        return ""
    if more_loops > MOST_LOOPS:
        return "noise too large"
    return f"{more_loops} more loop{'s' * (more_loops != 1)} of each"


def curve_name(curve: Curve, curves: Sequence[Curve]) -> str:
    """What tells a curve from the others of its run: `fio, bs 4 KiB at /srv`."""
    parts = [
        f"{name} {units.show_bytes(value) if name == 'bs' and isinstance(value, int) else value}"
        for name, value in curve.fixed.items()
    ]
    name = ", ".join([curve.load, *parts])
    places = {(other.host, other.probe) for other in curves}
    return f"{name} at {curve.probe}" if len(places) > 1 else name


def paired_curves(runs: Sequence[Sequence[Curve]]) -> list[tuple[Curve | None, ...]]:
    """Curves of several runs that are of the same load with the same options.

    Args:
        runs: the curves of each.

    Returns:
        Those that at least two runs have, the curve of each run; None where it has none. Places
        are told apart where a run has the same curve at several.
    """

    def key(curve: Curve, curves: Sequence[Curve]) -> tuple[object, ...]:
        alone = len({(curve.host, curve.probe) for curve in curves}) == 1
        place = () if alone else (curve.host, curve.probe)
        return (curve.load, tuple(curve.fixed.items()), curve.axis, place)

    by_run = [{key(curve, curves): curve for curve in curves} for curves in runs]
    keys = dict.fromkeys(name for curves in by_run for name in curves)
    rows = [tuple(curves.get(name) for curves in by_run) for name in keys]
    return [row for row in rows if sum(curve is not None for curve in row) > 1]


def curve_sentence(curve: Curve, curves: Sequence[Curve]) -> str:
    """Which curve, and where its knee is."""
    return f"{curve_name(curve, curves)}: {knee_words(curve)}"


def short_knee(curve: Curve) -> str:
    """`14 (11 … 19)`, or "no knee"."""
    if curve.knee is None:
        return "no knee"
    low_high = curve.knee.interval
    sure = f" ({low_high[0]:.3g} … {low_high[1]:.3g})" if low_high else ""
    return f"{curve.knee.in_flight:.3g}{sure}"


def knee_words(curve: Curve) -> str:
    """`knee at 14 I/Os in flight (11 … 19): 88,600 IOPS, 180 µs at iodepth 16`; or why none."""
    if curve.knee is None:
        most = max(curve.points, key=lambda point: point.iops)
        latency = "" if most.latency is None else f", {units.show_seconds(most.latency)}"
        return (
            f"no knee found; the highest rate is {units.show_iops(most.iops)}{latency} at "
            f"{curve.axis} {most.matrix[curve.axis]} ({curve.no_knee})"
        )
    knee = curve.knee
    if knee.interval:
        sure = f" ({knee.interval[0]:.3g} … {knee.interval[1]:.3g})"
    else:
        sure = " (one loop: no interval)" if curve.host else " (predicted)"
    there = next(point for point in curve.points if point.trial == knee.trial)
    latency = f", {units.show_seconds(knee.latency)}" if knee.latency is not None else ""
    return (
        f"knee at {knee.in_flight:.3g} I/Os in flight{sure}; {curve.axis} "
        f"{there.matrix[curve.axis]} gives {units.show_iops(knee.iops)}{latency}"
    )


def window_sentence(window: SteadyWindow) -> str:
    """`pts-iops rwmixread=0 bs=4k is steady in passes 4 to 8: 24,100 IOPS (range 6.1 % …)`."""
    name = window.trial.removesuffix(f"@{window.probe}")
    name += f" {metric_words(window.metric)}" if "." in window.metric else ""
    figures = (
        f"{units.show(window.mean, window.unit)} (range {units.show_fraction(window.range)}, slope "
        f"{units.show_change(window.slope)})"
    )
    flagged = f", flagged {', '.join(window.alarms)}" if window.alarms else ""
    if window.reached:
        return f"{name} is steady in passes {window.first} to {window.last}: {figures}{flagged}"
    return f"{name} is not steady within {window.last} passes: {figures} in the last five{flagged}"


def shortened_sentence(study: Mapping[str, Any]) -> str:
    """Where a study for a steady state asks for less than the standard; empty where it does not.

    Source:
        SNIA Solid State Storage Performance Test Specification 2.0.2: 7.2, 8.2 and 9.2 (rounds of
        one minute a point, twice the capacity written before).
    """
    until, prepare = study.get("until") or {}, study.get("prepare") or {}
    if not until.get("steady"):
        return ""
    seconds, passes = study.get("seconds"), prepare.get("precondition") or 0
    parts = []
    if seconds and float(seconds) < _ROUND:
        parts.append(f"{units.show_seconds(float(seconds))} a point instead of 1 min")
    if passes < _PRECONDITION:
        parts.append(f"{passes} × the capacity written before instead of {_PRECONDITION} ×")
    return "; ".join(parts)


def series_name(series: TrendSeries) -> str:
    """What a series of runs is of: `nightly: read IOPS of latency at /srv on local`."""
    what = f"{metric_words(series.metric)} of {series.load} at {series.probe} on {series.host}"
    return f"{series.study}: {what}"


def trend_answer(trend: StudyTrend) -> str:
    """Whether a series of runs became worse, and which; else whether any changed its level."""
    worse = [series for series in trend.series if series.is_worse]
    if worse:
        last = worse[0].changes[-1]
        more = f" (and {len(worse) - 1} more)" if len(worse) > 1 else ""
        return (
            f"worse: {series_name(worse[0])} since run {last.at}, "
            f"{units.show_change(last.change)} ({units.show_changes(*last.interval)}){more}"
        )
    changed = sum(bool(series.changes) for series in trend.series)
    if changed:
        return (
            f"changed in {changed} of {len(trend.series)} series; none of the latest is for the "
            "worse"
        )
    runs = max(len(series.points) for series in trend.series)
    few = "; at least 6 are needed to see one" if runs < 6 else ""
    return f"no change of level in {runs} runs{few}"


def change_words(change: TrendChange, unit: str) -> str:
    """A change of level: the run that begins it, both levels, the change and its interval."""
    return (
        f"run {change.at}: {units.show(change.before, unit)} → {units.show(change.after, unit)}, "
        f"{units.show_change(change.change)} ({units.show_changes(*change.interval)})"
        f"{', worse' if change.worse else ''}"
    )
