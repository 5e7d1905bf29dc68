"""A series of runs on a page: each run with its interval, the levels, and where they changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import altair as alt

from iosonde import units
from iosonde.records.trend import StudyTrend, TrendSeries
from iosonde.report.blocks import Badge, Block, Cells, Number, Pictures, Title, Tone
from iosonde.report.charts import BLUE, ORANGE, Figure, better_way, data, sized
from iosonde.report.figures import scale
from iosonde.report.page import Page, moment, render
from iosonde.sentences import change_words, metric_words, series_name, trend_answer

_FIRST = 3  # charts of the first screen
_MOST = 40  # charts on the page
_LARGE = 2  # series whose change is among the large figures
_DAYS = 6  # days that an axis names
_METHOD = (
    "Points are means over a run's loops with their 95 % confidence interval; lines are the levels "
    "between changes. A change needs two runs before it and two behind it, six in all."
)


def page(trend: StudyTrend) -> bytes:
    """One HTML page, with nothing from elsewhere; the series that became worse come first."""
    series = sorted(trend.series, key=lambda each: (not each.is_worse, not each.changes))
    figures = [_figure(each) for each in series[:_MOST]]
    answer = trend_answer(trend)
    worse = sum(each.is_worse for each in series)
    changed = sum(bool(each.changes) for each in series)
    tone = Tone.BAD if worse else Tone.UNSURE if changed else Tone.GOOD
    runs = {point.run for each in series for point in each.points}
    return render(
        Page(
            title=", ".join(dict.fromkeys(each.study for each in series)),
            about=("trend", f"{len(runs)} runs", *_span(trend)),
            answer=f"{answer[:1].upper()}{answer[1:]}.",
            tone=tone,
            badges=(Badge(f"{worse} worse", tone),) if worse else (),
            numbers=(
                *map(_changed, series[: min(worse, _LARGE)]),
                Number(f"{worse} of {len(series)}", "series became worse"),
                Number(f"{changed} of {len(series)}", "series changed their level"),
            ),
            figures=tuple(figures[:_FIRST]),
            blocks=(*_more(figures[_FIRST:]), *_table(series)),
            method=_METHOD,
        )
    )


def _changed(series: TrendSeries) -> Number:
    """How much worse a series became, and when."""
    last = series.changes[-1]
    since = next(moment(point.created) for point in series.points if point.run == last.at)
    before, after = (units.show(level, series.unit) for level in (last.before, last.after))
    return Number(
        units.show_change(last.change), f"{metric_words(series.metric)} of {series.load}",
        f"{before} → {after} since {since.partition(' ')[0]}", Tone.BAD,
    )  # fmt: skip


def _span(trend: StudyTrend) -> tuple[str, ...]:
    moments = [point.created for each in trend.series for point in each.points]
    return (f"{moment(min(moments))} to {moment(max(moments))}",) if moments else ()


def _more(figures: list[Figure]) -> Iterator[Block]:
    if figures:
        yield Title("Further series")
        yield Pictures(tuple(figures))


def _table(series: list[TrendSeries]) -> Iterator[Block]:
    rows = []
    for each in series:
        dates = {point.run: moment(point.created) for point in each.points}
        rows += [
            (series_name(each), dates[change.at], change.at, units.show(change.before, each.unit),
             units.show(change.after, each.unit), units.show_change(change.change),
             units.show_changes(*change.interval),
             Badge("worse", Tone.BAD) if change.worse else Badge("not worse"))
            for change in each.changes
        ]  # fmt: skip
    if rows:
        yield Title("Changes of level")
        yield Cells(("series", "since", "run", "from", "to", "change", "95 % interval", "verdict"),
                    tuple(rows), text_columns=3)  # fmt: skip


def _figure(series: TrendSeries) -> Figure:
    """Runs from left to right; the axis does not begin at 0, since changes are small."""
    bounds = [value for point in series.points for value in (point.interval or (point.mean,))]
    divisor, unit = scale(series.unit, bounds)
    rows = [
        {
            "run": at, "value": point.mean / divisor,
            "low": (point.interval or (point.mean,))[0] / divisor,
            "high": (point.interval or (point.mean,))[-1] / divisor,
            "hover": f"{moment(point.created)}, run {point.run}: "
            f"{units.show(point.mean, series.unit)}, {point.loops} loops",
        }
        for at, point in enumerate(series.points, 1)
    ]  # fmt: skip
    days = [moment(point.created).partition(" ") for point in series.points]
    same = len({day for day, _, _ in days}) == 1
    first = 5 * (len({day[:4] for day, _, _ in days}) == 1)  # of one year month and day
    when = f", {days[0][0] if same else days[0][0][:4]}" if same or first else ""
    labels = [time.partition(" ")[0] if same else day[first:] for day, _, time in days]
    x_axis: Any = alt.X(
        "run:Q", title=f"runs in their order{when}",
        axis=alt.Axis(
            values=list(range(1, len(rows) + 1, -(-len(rows) // _DAYS))), grid=False,
            labelExpr=f"{json.dumps(labels)}[datum.value - 1]",
        ),
        scale=alt.Scale(domain=[0, len(rows) + 1], nice=False),
    )  # fmt: skip
    y_axis: Any = alt.Y("value:Q", title=unit, scale=alt.Scale(zero=False),
                        axis=alt.Axis(format=",.6~g", tickCount=5))  # fmt: skip
    intervals = (
        alt.Chart(data(rows))
        .mark_rule(color=BLUE, opacity=0.5, aria=False)
        .encode(x=x_axis, y=alt.Y("low:Q", title=unit), y2="high:Q")
    )
    points = (
        alt.Chart(data(rows))
        .mark_point(filled=True, size=50, opacity=1, color=BLUE)
        .encode(x=x_axis, y=y_axis, description="hover:N")
    )
    layers = [intervals, points]
    if levels := _levels(series, divisor):
        layers.append(
            alt.Chart(data(levels))
            .mark_rule(color=ORANGE, strokeWidth=2, aria=False)
            .encode(x=alt.X("first:Q"), x2="last:Q", y=y_axis)
        )
    said = "; ".join(change_words(change, series.unit) for change in series.changes)
    return Figure(
        title=f"{series_name(series)}, {unit}" if unit != "IOPS" else series_name(series),
        note=better_way(series.metric),
        alt=f"{len(rows)} runs. {said or 'No change of level.'}",
        chart=sized(alt.layer(*layers), 170),
    )


def _levels(series: TrendSeries, divisor: float) -> list[dict[str, float]]:
    """Of each level where it begins and ends (half a run before and behind) and its height."""
    places = {point.run: at for at, point in enumerate(series.points, 1)}
    starts = [1, *(places[change.at] for change in series.changes)]
    ends = [*starts[1:], len(series.points) + 1]
    heights = [series.changes[0].before, *(change.after for change in series.changes)] if (
        series.changes
    ) else []  # fmt: skip
    return [
        {"first": first - 0.5, "last": last - 0.5, "value": height / divisor}
        for first, last, height in zip(starts, ends, heights, strict=False)
    ]
