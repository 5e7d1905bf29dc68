"""The charts of pages, as Altair charts; vl-convert renders them without browser and network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from iosonde import units
from iosonde.records.comparison import ComparedMetric, Outcome
from iosonde.records.load import Histogram
from iosonde.records.run import Metric
from iosonde.report.figures import number, scale
from iosonde.sentences import OUTCOME_WORDS, metric_words
from iosonde.statistics.direction import higher_is_better
from iosonde.statistics.histogram import quantile
from iosonde.visible import visible

WIDTH = 460
BLUE, ORANGE, GREEN, RED, GREY = "#0072b2", "#d55e00", "#00845f", "#b3261e", "#6b7280"
PALETTE = [BLUE, ORANGE, GREEN, "#aa4499", "#8a6d00", GREY, "#c2185b", "#2a7f9e"]
"""Colours that the colour-blind tell apart. Source: M. Okabe and K. Ito, Color Universal Design
(2008); darkened until each has a contrast of 3 to white (WCAG 2.1, 1.4.11)."""
DIRECTIONS = {"read": BLUE, "write": ORANGE, "trim": GREEN}
OUTCOMES = {
    Outcome.BETTER: GREEN, Outcome.EQUIVALENT: BLUE, Outcome.UNDECIDED: GREY, Outcome.WORSE: RED,
}  # fmt: skip
MOST_LINES = len(PALETTE)
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4], [1, 3], [4, 1], [10, 3, 1, 3]]
_PERCENTILES = (0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995, 0.99999)
_BAR, _THICK_BAR, _FEW_BARS = 16, 24, 3
_TICKS = ",.6~g"
_ROOM = 1.25
"""Of an axis at least, for the words behind the longest bar."""
_LETTER = 7.4
"""Pixels of a letter of 12 px, on average, and not less."""
_LABEL = 190
"""Pixels of a label beside an axis at most."""
_WIDEST = 1.5
"""Change at which a forest plot is cut off, unless a change itself is larger."""
_LONGEST = 26
LEGEND = alt.Legend(orient="top", direction="horizontal", columns=4)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and the words around it.

    Args:
        alt: what is to be seen, in one sentence.
        note: which way is better, or what a mark means; may be empty.
    """

    title: str
    alt: str
    chart: Any
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlottedBar:
    """A mean with its interval; `verdict` is against the first bar of its chart."""

    label: str
    metric: Metric
    verdict: ComparedMetric | None = None


def better_way(name: str) -> str:
    """Which way of a metric is better."""
    return "more is better" if higher_is_better(name) else "less is better"


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A name cut in its middle: "fdatasync-4k…@/srv/data"."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return f"{text[: longest - 1 - tail]}…{text[-tail:]}"


def _distinct(labels: Sequence[str]) -> list[str]:
    """Shortened labels, still different from each other."""
    short = [shortened(label) for label in labels]
    return [text if short.count(text) == 1 else f"{at}. {text}" for at, text in enumerate(short, 1)]


def _titled(title: str, what: str, unit: str) -> str:
    """Load, what is drawn, and its unit unless that says the same."""
    lead = f"{title}: " if title and title != what else ""
    return f"{lead}{what}" + ("" if unit in what else f", {unit}")


def axis_title(name: str, unit: str) -> str:
    """A metric and the unit of its axis: "read IOPS", "p99 read latency, ms"."""
    return _titled("", metric_words(name), unit)


def bars_figure(title: str, name: str, bars: Sequence[PlottedBar]) -> Figure:
    """Zero-based bars of one metric with 95 % intervals, figure and verdict behind each."""
    divisor, unit = scale(bars[0].metric.unit, [bar.metric.mean for bar in bars])
    rows: list[dict[str, Any]] = []
    for bar, label in zip(bars, _distinct([bar.label for bar in bars]), strict=True):
        low, high = bar.metric.ci95 or (bar.metric.mean, bar.metric.mean)
        mean = number(bar.metric.mean / divisor, (high - low) / 2 / divisor)
        outcome = bar.verdict.outcome if bar.verdict else None
        text = f"{mean} {OUTCOME_WORDS[outcome]}" if outcome else mean
        rows.append({
            "label": label, "mean": bar.metric.mean / divisor, "low": max(low, 0) / divisor,
            "high": high / divisor, "told": text, "colour": OUTCOMES[outcome] if outcome else BLUE,
            "hover": f"{bar.label}: {units.show(bar.metric.mean, bar.metric.unit)} "
            f"({units.show_interval(bar.metric.ci95, bar.metric.unit)}), "
            f"{len(bar.metric.loops)} loops",
        })  # fmt: skip
    thick = _THICK_BAR if len(rows) <= _FEW_BARS else _BAR
    longest = max(float(row["mean"]) for row in rows) or 1.0
    end = min(max(float(row["high"]) for row in rows), 2 * longest)
    for row in rows:
        row["beside"] = min(max(float(row["high"]), float(row["mean"])), end)
    extent = alt.Scale(domain=[0, end * _room(rows)], nice=False)
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=_LABEL, domain=False,
                                                               ticks=False)),
        description="hover:N",
    )  # fmt: skip
    ticks = alt.Axis(tickCount=4, format=_TICKS, labelSeparation=8)
    x_axis = alt.X("mean:Q", title=unit, scale=extent, axis=ticks)
    bar_layer = base.mark_bar(height=thick, clip=True).encode(
        x=x_axis, color=alt.Color("colour:N", scale=None)
    )
    bounds = base.mark_rule(strokeWidth=2, color="#222222", clip=True).encode(
        x=alt.X("low:Q", scale=extent), x2="high:Q"
    )
    labels = base.mark_text(align="left", dx=6, color="#222222", fontSize=12).encode(
        x=alt.X("beside:Q", scale=extent), text="told:N"
    )
    alternative = "; ".join(f"{row['hover']}" for row in rows)
    return Figure(
        title=_titled(title, metric_words(name), unit),
        alt=f"{metric_words(name)} with 95 % intervals. {alternative}",
        chart=sized(alt.layer(bar_layer, bounds, labels), (thick + 8) * len(rows)),
        note=better_way(name),
    )


def _room(rows: Sequence[Mapping[str, Any]]) -> float:
    """How much longer than its longest bar an axis is, so that the words behind it have room."""
    label = min(_LABEL, _LETTER * max(len(row["label"]) for row in rows))
    beside = _LETTER * max(len(row["told"]) for row in rows) + 12
    return max(_ROOM, 1 / (1 - min(beside / (WIDTH - label - 15), 0.7)))


def loops_figure(metrics: Mapping[str, Metric], title: str = "") -> Figure:
    """Each loop a point; of a single metric the mean as a line, its 95 % interval as a band.

    Args:
        metrics: label → one metric of several trials.
        title: of the load.
    """
    first = next(iter(metrics.values()))
    divisor, unit = scale(
        first.unit, [value for metric in metrics.values() for value in metric.loops]
    )
    shown = dict(list(metrics.items())[:MOST_LINES])
    points = [
        {"loop": at, "value": value / divisor, "what": label,
         "hover": f"{label} loop {at}: {units.show(value, metric.unit)}"}
        for label, metric in shown.items() for at, value in enumerate(metric.loops, 1)
    ]  # fmt: skip
    most = max(len(metric.loops) for metric in shown.values())
    layers: list[Any] = []
    x_scale = alt.Scale(domain=[0.5, most + 0.5], nice=False, zero=False)
    if len(shown) == 1:
        span = {"mean": first.mean / divisor, "first": 0.5, "last": most + 0.5}
        if first.ci95 is not None:
            low, high = (bound / divisor for bound in first.ci95)
            layers.append(
                alt.Chart(data([{**span, "low": low, "high": high}]))
                .mark_rect(color=BLUE, opacity=0.16, aria=False)
                .encode(x=alt.X("first:Q", scale=x_scale), x2="last:Q", y="low:Q", y2="high:Q")
            )
        layers.append(
            alt.Chart(data([span])).mark_rule(color=BLUE, strokeDash=[5, 3], aria=False)
            .encode(y="mean:Q")
        )  # fmt: skip
    x_axis = alt.X(
        "loop:Q", title="loop", scale=x_scale,
        axis=alt.Axis(tickMinStep=1, format="d", tickCount=min(most, 20), grid=False),
    )  # fmt: skip
    y_axis = alt.Y("value:Q", title=unit, scale=alt.Scale(zero=False),
                   axis=alt.Axis(tickCount=5, format=_TICKS))  # fmt: skip
    names = list(shown)
    what = {"color": _colour(names, "circle"), "shape": _shape(names)} if len(names) > 1 else {}
    layers.append(
        alt.Chart(data(points))
        .mark_point(filled=True, size=60, opacity=1, color=ORANGE)
        .encode(x=x_axis, y=y_axis, description="hover:N", **what)
    )
    alternative = "; ".join(
        f"{label}: mean {units.show(metric.mean, metric.unit)}"
        + (f", CV {units.show_fraction(metric.cv)}" if metric.cv is not None else "")
        for label, metric in shown.items()
    )
    return Figure(
        title=_titled(title, f"{metric_words(first.name)} by loop", unit),
        alt=f"{most} loops. {alternative}",
        chart=sized(alt.layer(*layers), 170),
    )


def latency_figure(title: str, latencies: Mapping[str, Histogram]) -> Figure:
    """Latency against percentile, both logarithmic, as far out as the I/Os counted allow."""
    shown = dict(list(latencies.items())[:MOST_LINES])
    drawn = [
        (what, q, quantile(histogram, q))
        for what, histogram in shown.items()
        for q in ([q for q in _PERCENTILES if sum(histogram.counts) * (1 - q) >= 1] or [0.5])
    ]
    divisor, unit = scale("s", [latency for _, _, latency in drawn])
    points = [
        {"what": what, "nines": 1 / (1 - q), "latency": latency / divisor,
         "hover": f"{what} p{100 * q:g}: {units.show_seconds(latency)}"}
        for what, q, latency in drawn
    ]  # fmt: skip
    labels = "datum.value < 1.5 ? '' : format(100 - 100 / datum.value, '.6~g') + ' %'"
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "nines:Q", title="share of I/Os that were at least as fast",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=[2, 10, 100, 1000, 10_000, 100_000], labelExpr=labels),
        ),
        y=alt.Y("latency:Q", title=unit, scale=alt.Scale(type="log"),
                axis=alt.Axis(format=_TICKS, tickCount=5)),
        color=_colour(list(shown)),
    )  # fmt: skip
    chart = alt.layer(
        base.mark_line(aria=False).encode(strokeDash=_dash(list(shown))),
        base.mark_point(filled=True, size=40, opacity=1).encode(description="hover:N"),
    )
    counted = sum(sum(histogram.counts) for histogram in shown.values())
    return Figure(
        title=_titled(title, "percentiles of the latency", unit),
        alt=f"completion latency by percentile of {counted:,} I/Os, both axes logarithmic. "
        + "; ".join(f"{what} p99 {units.show_seconds(quantile(histogram, 0.99))}"
                    for what, histogram in shown.items()),
        chart=sized(chart, 220), note="less is better",
    )  # fmt: skip


def seconds_figure(
    title: str, what: str, unit: str, seconds: Mapping[str, Sequence[Sequence[tuple[float, float]]]]
) -> Figure:
    """What a device did second by second, loops one after the other, a line for each label.

    Args:
        title: of the load.
        what: is drawn.
        unit: of the figures.
        seconds: label → loops, each of seconds since the first loop began and the figure.
    """
    shown = dict(list(seconds.items())[:MOST_LINES])
    divisor, label = scale(unit, [y for loops in shown.values() for loop in loops for _, y in loop])
    points = [
        {"what": line, "loop": at, "second": second, "value": round(value / divisor, 4)}
        for line, loops in shown.items() for at, loop in enumerate(loops)
        for second, value in loop
    ]  # fmt: skip
    chart = (
        alt.Chart(data(points))
        .mark_line(interpolate="step-after", strokeWidth=1.4, aria=False)
        .encode(
            x=alt.X("second:Q", title="seconds of the loops, one after the other",
                    scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=6)),
            y=alt.Y("value:Q", title=label, axis=alt.Axis(tickCount=4, format=_TICKS)),
            color=_colour(list(shown)), detail="loop:N",
        )
    )  # fmt: skip
    return Figure(
        title=_titled(title, what, label), alt=f"{title}, {what}, each second: {', '.join(shown)}",
        chart=sized(chart, 150),
    )  # fmt: skip


def legend_of(names: Sequence[str], symbol: str = "circle") -> alt.Legend:
    """Above the chart, in as many columns as the names have room for; none of them is cut."""
    longest = max(map(len, names), default=0)
    columns = 4 if longest <= 9 else 2 if longest <= _LONGEST else 1
    return alt.Legend(
        orient="top", direction="horizontal", columns=columns, labelLimit=WIDTH - 40,
        symbolType=symbol, symbolOpacity=1,
    )  # fmt: skip


def _colour(names: Sequence[str], symbol: str = "stroke") -> Any:
    """Where there is one name there is no legend; a direction has its own colour."""
    colours = [DIRECTIONS.get(name, PALETTE[at]) for at, name in enumerate(names)]
    colours = colours if len(set(colours)) == len(names) else PALETTE[: len(names)]
    return alt.Color(
        "what:N", title=None, scale=alt.Scale(domain=list(names), range=colours),
        legend=legend_of(names, symbol) if len(names) > 1 else None,
    )  # fmt: skip


def _dash(names: Sequence[str]) -> Any:
    return alt.StrokeDash(
        "what:N", title=None, scale=alt.Scale(domain=list(names), range=_DASHES[: len(names)]),
        legend=None,
    )  # fmt: skip


def _shape(names: Sequence[str]) -> Any:
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down",
              "triangle-left", "triangle-right"]  # fmt: skip
    return alt.Shape(
        "what:N", title=None, scale=alt.Scale(domain=list(names), range=shapes[: len(names)]),
        legend=alt.Legend(**{**legend_of(names).to_dict(), "symbolType": alt.Undefined}),
    )  # fmt: skip


def forest_figure(changes: Sequence[tuple[str, ComparedMetric]]) -> Figure | None:
    """Changes with their intervals, by verdict; None where no change is known."""
    known_changes = [
        (label, metric, metric.change, metric.interval)
        for label, metric in changes
        if metric.change is not None and metric.interval is not None
    ]
    if not known_changes:
        return None
    edge = max(_WIDEST, *(abs(change) * 1.3 for _, _, change, _ in known_changes))
    least = max(min(0.0, *(low for *_, (low, _) in known_changes)) * 1.1, -edge)
    most = min(max(0.0, *(high for *_, (_, high) in known_changes)) * 1.1, edge)
    room = 0.08 * (most - least or 1.0)
    domain = [(least - room) * 100, (most + room) * 100]
    labels = _distinct([label for label, *_ in known_changes])
    rows = [
        {"label": label, "change": change * 100, "verdict": OUTCOME_WORDS[metric.outcome],
         "low": max(low, least) * 100, "high": min(high, most) * 100,
         "hover": f"{whole}: {units.show_change(change)} ({units.show_changes(low, high)}), "
                  f"{OUTCOME_WORDS[metric.outcome]}"}
        for label, (whole, metric, change, (low, high)) in zip(labels, known_changes, strict=True)
    ]  # fmt: skip
    reached = [
        outcome for outcome in OUTCOMES
        if outcome in {metric.outcome for _, metric, *_ in known_changes}
    ]  # fmt: skip
    colour = alt.Color(
        "verdict:N",
        title=None,
        legend=LEGEND,
        scale=alt.Scale(
            domain=[OUTCOME_WORDS[outcome] for outcome in reached],
            range=[OUTCOMES[outcome] for outcome in reached],
        ),
    )
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=_LABEL)), color=colour,
        description="hover:N",
    )  # fmt: skip
    chart = alt.layer(
        alt.Chart(data([{"zero": 0}])).mark_rule(color="#888", aria=False).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=3, aria=False).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=alt.X("change:Q", title="change, %",
                    scale=alt.Scale(domain=domain, nice=False))
        ),
    )  # fmt: skip
    return Figure(
        title="Change against the baseline", chart=sized(chart, max(60, 24 * len(rows))),
        alt="changes with their intervals. " + "; ".join(str(row["hover"]) for row in rows),
        note="point: change; line: its interval",
    )  # fmt: skip


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
        .configure_legend(labelFontSize=12, labelLimit=210)
    )  # fmt: skip


def specification(chart: Any) -> dict[str, Any]:
    """A chart as Vega-Lite's JSON, its texts as people may see them.

    It is not held to Vega-Lite's schema, which takes longer than drawing it; a test does that.
    """
    shown: dict[str, Any] = _visible(style(chart).to_dict(validate=False))
    if not {"hconcat", "vconcat"} & shown.keys():
        shown["autosize"] = {"type": "fit-x", "contains": "padding"}
    return shown


def _visible(part: Any) -> Any:
    if isinstance(part, str):
        return visible(part, lines=True)
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list) else part


def svg(chart: Any) -> str:
    """A chart as SVG text, rendered offline."""
    return str(vl_convert.vegalite_to_svg(specification(chart)))
