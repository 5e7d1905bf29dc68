"""The charts of a report, as Altair charts; html.py, svg.py and png.py render the same ones.

vl-convert renders them without a browser and without a network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from iosonde import units
from iosonde.records import Histogram, Metric, Series, Verdict
from iosonde.report.rows import name_of
from iosonde.sheets import RunSheet, TrialSheet
from iosonde.statistics.histogram import merge, quantile

WIDTH = 560
_PERCENTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995, 0.99999)
_DIRECTIONS = {"read": "#3b6ea8", "write": "#c2662d", "trim": "#6f7d3c"}
_PALETTE = ["#3b6ea8", "#c2662d", "#6f7d3c", "#8a5a9e", "#2f8f83", "#b3475c", "#7c6a4d", "#555"]
_OBSERVED = (
    ("iops", "I/Os a second"),
    ("bandwidth", "bandwidth"),
    ("await", "await"),
    ("utilisation", "utilisation"),
)
_LOOP_METRICS = ("iops", "bandwidth", "latency.mean", "latency.p99")
_MOST_SUBJECTS = 8


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and the words around it. `alt` says in one sentence what is to be seen."""

    title: str
    alt: str
    chart: Any


def figures_of(sheet: TrialSheet) -> Iterator[Figure]:
    """The charts of one trial, those without figures left out."""
    if len(sheet.trial.loops) > 1:
        for metric in _loop_metrics(sheet):
            yield loops_figure(metric)
    latencies = _merged(sheet)
    if latencies:
        yield latency_figure(latencies)
    yield from observed_figures(sheet)


def _loop_metrics(sheet: TrialSheet) -> list[Metric]:
    """What is worth a chart of its loops: the headline first."""
    wanted = [
        metric
        for metric in sheet.metrics
        if metric.mean and metric.name.endswith(tuple(f".{name}" for name in _LOOP_METRICS))
    ]
    first = sheet.headlines
    rank = {name: place for place, name in enumerate(first)}
    return sorted(wanted, key=lambda metric: rank.get(metric.name, len(first)))


def scale(unit: str, values: Sequence[float]) -> tuple[float, str]:
    """Divisor and label that keep an axis in plain numbers."""
    top = max((abs(value) for value in values), default=0.0)
    ladders: dict[str, tuple[tuple[float, str], ...]] = {
        "B/s": ((units.GIB, "GiB/s"), (units.MIB, "MiB/s"), (units.KIB, "KiB/s"), (1, "B/s")),
        "B": ((units.GIB, "GiB"), (units.MIB, "MiB"), (units.KIB, "KiB"), (1, "B")),
        "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
        "1/s": ((1e6, "million /s"), (1e3, "thousand /s"), (1, "/s")),
        "fraction": ((0.01, "%"),),
    }
    steps = ladders.get(unit, ((1.0, unit),))
    return next(((size, label) for size, label in steps if top >= size), steps[-1])


def loops_figure(metric: Metric) -> Figure:
    """Each loop a point; mean as a line, its 95 % interval as a band."""
    divisor, label = scale(metric.unit, metric.loops)
    points = [
        {"loop": number, "value": value / divisor} for number, value in enumerate(metric.loops, 1)
    ]
    layers: list[Any] = []
    span = {"mean": metric.mean / divisor, "first": 0.5, "last": len(points) + 0.5}
    if metric.ci95 is not None:
        low, high = (bound / divisor for bound in metric.ci95)
        layers.append(
            alt.Chart(data([{**span, "low": low, "high": high}]))
            .mark_rect(color="#3b6ea8", opacity=0.16)
            .encode(x="first:Q", x2="last:Q", y="low:Q", y2="high:Q")
        )
    layers.append(
        alt.Chart(data([span])).mark_rule(color="#3b6ea8", strokeDash=[5, 3]).encode(y="mean:Q")
    )
    x_axis = alt.X(
        "loop:Q",
        title="loop",
        scale=alt.Scale(domain=[0.5, len(points) + 0.5], nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", tickCount=min(len(points), 20), grid=False),
    )
    y_axis = alt.Y("value:Q", title=f"{metric.name}, {label}", scale=alt.Scale(zero=False))
    layers.append(
        alt.Chart(data(points))
        .mark_point(filled=True, size=70, color="#c2662d", opacity=1)
        .encode(x=x_axis, y=y_axis)
    )
    spread = f", CV {units.show_fraction(metric.cv)}" if metric.cv is not None else ""
    mean = units.show(metric.mean, metric.unit)
    return Figure(
        title=f"{metric.name} by loop",
        alt=f"{metric.name} of {len(points)} loops, mean {mean}{spread}",
        chart=sized(alt.layer(*layers), 190),
    )


def _merged(sheet: TrialSheet) -> dict[str, Histogram]:
    """The latency histogram of each direction over all loops."""
    found: dict[str, list[Histogram]] = {}
    for loop in sheet.trial.loops:
        for direction, histogram in loop.result.histograms.items():
            if sum(histogram.counts):
                found.setdefault(direction, []).append(histogram)
    return {direction: merge(histograms) for direction, histograms in found.items()}


def latency_figure(latencies: dict[str, Histogram]) -> Figure:
    """Latency against percentile, both logarithmic, as far out as the I/Os counted allow."""
    points: list[dict[str, Any]] = []
    for direction, histogram in latencies.items():
        enough = [q for q in _PERCENTILES if sum(histogram.counts) * (1 - q) >= 1] or [0.5]
        points += [
            {
                "direction": direction,
                "nines": 1 / (1 - q),
                "latency": quantile(histogram, q),
            }
            for q in enough
        ]
    labels = "datum.value < 1.5 ? '' : format(100 - 100 / datum.value, '.6~g') + ' %'"
    divisor, unit = scale("s", [point["latency"] for point in points])
    for point in points:
        point["latency"] = point["latency"] / divisor
    chart = (
        alt.Chart(data(points))
        .mark_line(point=alt.OverlayMarkDef(filled=True, size=45))
        .encode(
            x=alt.X(
                "nines:Q",
                title="share of I/Os that were at least as fast",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=[2, 10, 100, 1000, 10_000, 100_000], labelExpr=labels),
            ),
            y=alt.Y("latency:Q", title=f"completion latency, {unit}", scale=alt.Scale(type="log")),
            color=_direction_colour(list(latencies)),
        )
    )
    counted = sum(sum(histogram.counts) for histogram in latencies.values())
    return Figure(
        title="Latency percentiles over all loops",
        alt=f"completion latency by percentile of {counted} I/Os, logarithmic",
        chart=sized(chart, 230),
    )


def _direction_colour(directions: list[str]) -> Any:
    known = [name for name in directions if name in _DIRECTIONS] or directions
    colours = [_DIRECTIONS.get(name, "#555") for name in known]
    return alt.Color(
        "direction:N", title=None, scale=alt.Scale(domain=known, range=colours), legend=_LEGEND
    )


_LEGEND = alt.Legend(orient="top", direction="horizontal", symbolType="stroke")


def observed_figures(sheet: TrialSheet) -> Iterator[Figure]:
    """What each device below did, second by second, loops one after the other."""
    for suffix, words in _OBSERVED:
        points, unit = _observed_points(sheet, suffix)
        if not any(point["value"] for point in points) or not _is_line(points):
            continue
        divisor, label = scale(unit, [point["value"] for point in points])
        for point in points:
            point["value"] = point["value"] / divisor
        subjects = sorted({point["what"] for point in points})
        chart = (
            alt.Chart(data(points))
            .mark_line(interpolate="step-after", strokeWidth=1.4)
            .encode(
                x=alt.X(
                    "second:Q",
                    title="seconds into the loops, one after the other",
                    scale=alt.Scale(nice=False),
                ),
                y=alt.Y("value:Q", title=f"{words}, {label}"),
                color=alt.Color(
                    "what:N",
                    title=None,
                    scale=alt.Scale(domain=subjects, range=_PALETTE),
                    legend=_LEGEND,
                ),
                detail="loop:N",
            )
        )
        yield Figure(
            title=f"Observed: {words} of each device",
            alt=f"{words} each second of {', '.join(subjects)}",
            chart=sized(chart, 170),
        )


def _is_line(points: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any loop has two seconds of something: lines are drawn within loops."""
    return any(count > 1 for count in Counter((p["what"], p["loop"]) for p in points).values())


def _observed_points(sheet: TrialSheet, suffix: str) -> tuple[list[dict[str, Any]], str]:
    """The seconds of every device's figure of one kind, and its unit; busiest devices only."""
    points: list[dict[str, Any]] = []
    unit, offset = "", 0.0
    for loop in sheet.trial.loops:
        for series in loop.series:
            if series.sampler != "diskstats" or series.name.split(".")[-1] != suffix:
                continue
            unit = series.unit
            points += _points(series, loop.started, offset, loop.index)
        offset += loop.elapsed
    totals: dict[str, float] = {}
    for point in points:
        totals[point["what"]] = totals.get(point["what"], 0.0) + point["value"]
    busiest = sorted(totals, key=lambda what: -totals[what])[:_MOST_SUBJECTS]
    return [point for point in points if point["what"] in busiest and totals[point["what"]]], unit


def _points(series: Series, started: float, offset: float, loop: int) -> Iterator[dict[str, Any]]:
    direction = series.name.rpartition(".")[0]
    what = f"{series.subject} {direction}".strip()
    for moment, value in zip(series.times, series.values, strict=True):
        if value is not None:
            yield {
                "second": round(moment - started + offset, 2),
                "value": value,
                "what": what,
                "loop": loop,
            }


def headline_figures(runs: Sequence[RunSheet]) -> Iterator[Figure]:
    """The headline of every trial as a bar with its interval, a chart for each unit.

    Nothing where there is only one trial.
    """
    found = [
        (
            f"{name_of(trial.trial)} ({sheet.run.id})" if len(runs) > 1 else name_of(trial.trial),
            metric,
        )
        for sheet in runs
        for trial in sheet.trials
        for metric in trial.metrics
        if metric.name == trial.headline
    ]
    if len(found) < 2:
        return
    for unit in dict.fromkeys(metric.unit for _, metric in found):
        yield _headlines([(name, metric) for name, metric in found if metric.unit == unit], unit)


def _headlines(found: Sequence[tuple[str, Metric]], unit: str) -> Figure:
    """Bars of one unit."""
    divisor, label = scale(unit, [metric.mean for _, metric in found])
    bars = [
        {
            "trial": name,
            "mean": metric.mean / divisor,
            "low": (metric.ci95[0] if metric.ci95 else metric.mean) / divisor,
            "high": (metric.ci95[1] if metric.ci95 else metric.mean) / divisor,
        }
        for name, metric in found
    ]
    base = alt.Chart(data(bars)).encode(
        y=alt.Y("trial:N", title=None, sort=None, axis=alt.Axis(labelLimit=260))
    )
    bar = base.mark_bar(color="#3b6ea8", opacity=0.75, height=14).encode(
        x=alt.X("mean:Q", title=f"headline metric with 95 % interval, {label}")
    )
    rule = base.mark_rule(strokeWidth=2, color="#222").encode(x="low:Q", x2="high:Q")
    return Figure(
        title="Trials side by side",
        alt="the headline of " + ", ".join(f"{bar['trial']}" for bar in bars),
        chart=sized(alt.layer(bar, rule), max(60, 28 * len(bars))),
    )


def verdict_figure(verdicts: Sequence[Verdict]) -> Figure | None:
    """Changes with their intervals, by verdict; None where no change is known."""
    rows = [
        {
            "metric": f"{verdict.metric} ({verdict.candidate})",
            "change": verdict.change * 100,
            "low": verdict.interval[0] * 100,
            "high": verdict.interval[1] * 100,
            "verdict": verdict.outcome.value,
        }
        for verdict in verdicts
        if verdict.change is not None and verdict.interval is not None
    ]
    if not rows:
        return None
    words = ["better", "equivalent", "undecided", "worse"]
    colour = alt.Color(
        "verdict:N",
        title=None,
        scale=alt.Scale(domain=words, range=["#2f8f83", "#3b6ea8", "#999999", "#b3475c"]),
        legend=_LEGEND,
    )
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("metric:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)), color=colour
    )
    chart = alt.layer(
        alt.Chart(data([{"zero": 0}])).mark_rule(color="#888").encode(x="zero:Q"),
        base.mark_rule(strokeWidth=3).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("change:Q", title="change against the baseline, % (interval)")
        ),
    )
    return Figure(
        title="Comparison",
        alt="; ".join(f"{row['metric']}: {row['verdict']}" for row in rows),
        chart=sized(chart, max(60, 26 * len(rows))),
    )


def data(rows: Sequence[Mapping[str, Any]]) -> alt.Data:
    """Rows inline: the chart carries its figures with it."""
    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call]


def sized(chart: Any, height: int) -> Any:
    """A chart at the width that all of a page have."""
    return chart.properties(width=WIDTH, height=height)


def style(chart: Any) -> Any:
    """The common look, set once on whatever is rendered."""
    return (
        chart.configure(background="white", font="DejaVu Sans, Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            gridColor="#e4e4e0", domainColor="#888", tickColor="#888", labelColor="#333",
            titleColor="#333", titleFontWeight="normal", labelFontSize=12, titleFontSize=12,
        )
        .configure_legend(labelFontSize=12)
    )  # fmt: skip


def page_figures(
    runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()
) -> Iterator[tuple[str, Figure]]:
    """All charts of a report with the place each belongs to: "" or "RUN TRIAL"."""
    from iosonde.report.tuning import figures_of_campaign, shown, tuning_of

    plain = [sheet for sheet in runs if tuning_of(sheet) is None]
    for figure in (*headline_figures(plain), verdict_figure(verdicts)):
        if figure is not None:
            yield "", figure
    for sheet in runs:
        if tuning := tuning_of(sheet):
            for figure in figures_of_campaign(sheet.run, tuning):
                yield sheet.run.id, figure
        for trial in shown(sheet):
            for figure in figures_of(trial):
                yield f"{sheet.run.id} {trial.trial.id}", figure
