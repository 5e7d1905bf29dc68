"""Response curves of load matrices on a page: latency over rate, and depth by size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import altair as alt

from iosonde import units
from iosonde.records.curve import Curve, CurvePoint
from iosonde.records.prediction import Forecast
from iosonde.records.stack import Scalar
from iosonde.report.blocks import Badge, Block, Cells, Text, Title, Tone
from iosonde.report.charts import MOST_LINES, PALETTE, Figure, data, legend_of, sized
from iosonde.report.figures import aligned, number, scale
from iosonde.sentences import curve_name, curve_sentence, knee_words, paired_curves

_MOST_HEAT_MAPS = 4
_BELOW = alt.Legend(orient="bottom", direction="horizontal")
_KINDS = ("measured", "predicted")
_TICKS = ",.6~g"
_INK = "#1a1a1a"
"""On pale cells, which stay pale on a dark page, where the ink of other charts turns bright."""


Forecasts = Mapping[str, Forecast]
"""What a model said of trials, by their ids."""
_NONE: Forecasts = {}
_Row: TypeAlias = Mapping[str, object]
"""A point of a chart."""


def curve_answer(curves: Sequence[Curve], forecasts: Forecasts = _NONE) -> str:
    """Where the knees are, in one sentence a curve; and how many points a model has predicted."""
    knees = "; ".join(curve_sentence(curve, curves) for curve in curves) + "."
    said = [forecasts[point.trial] for curve in curves for point in curve.points
            if point.trial in forecasts]  # fmt: skip
    return f"{knees} {_agreement(said)}." if said else knees


def _agreement(forecasts: Sequence[Forecast]) -> str:
    inside = sum(forecast.inside for forecast in forecasts)
    return f"{inside} of {len(forecasts)} measured rates lie within the model's band"


def model_words(curve: Curve, forecasts: Forecasts) -> str:
    """Where a curve leaves the band of the model; empty where nothing was predicted."""
    said = [(point, forecasts[point.trial]) for point in curve.points if point.trial in forecasts]
    if not said:
        return ""
    sentences = [_agreement([forecast for _, forecast in said])]
    for word, side in (("Faster", 1), ("Slower", 0)):
        off = [
            (point, forecast) for point, forecast in said
            if not forecast.inside and (forecast.measured["iops"] > forecast.band[1]) == bool(side)
        ]  # fmt: skip
        if off:
            places = ", ".join(str(point.matrix[curve.axis]) for point, _ in off)
            _, most = max(off, key=lambda item: abs(item[1].off("iops") or 0.0))
            at = next(point.matrix[curve.axis] for point, forecast in off if forecast is most)
            sentences.append(
                f"{word} than predicted at {curve.axis} {places}; most at {at}: "
                f"{units.show_iops(most.measured['iops'])} measured, predicted "
                f"{units.show_range(*most.band, '1/s')}"
            )
    return ". ".join(sentences) + "."


def curve_figures(curves: Sequence[Curve], forecasts: Forecasts = _NONE) -> list[Figure]:
    """Latency over rate for each matrix and place; then each as a heat map, where it has sizes.

    Args:
        curves: of a run.
        forecasts: of its points; what was predicted is drawn beside what was measured.
    """
    figures = []
    groups: dict[tuple[str, str, str], list[Curve]] = {}
    for curve in curves:
        groups.setdefault((curve.load, curve.host, curve.probe), []).append(curve)
    for group in groups.values():
        timed = [curve for curve in group if all(point.latency for point in curve.points)]
        lines = {curve_name(curve, curves): curve for curve in timed[:MOST_LINES]}
        figures += [_hockey_stick(lines, group[0].load, forecasts)] if timed else []
    for group in groups.values():
        figures += list(_heat_maps(group))[:_MOST_HEAT_MAPS]
    return figures


def overlaid_figures(labelled: Sequence[tuple[str, Sequence[Curve]]]) -> list[Figure]:
    """Latency over rate of curves that several runs have, a line for each run.

    Args:
        labelled: what each run is called, and its curves.
    """
    figures = []
    for pair in paired_curves([curves for _, curves in labelled]):
        lines = {
            label: curve
            for (label, _), curve in zip(labelled, pair, strict=True)
            if curve and all(point.latency for point in curve.points)
        }
        if len(lines) > 1:
            first = next(iter(lines.values()))
            figures.append(_hockey_stick(lines, curve_name(first, [first]), _NONE))
    return figures


def _hockey_stick(lines: Mapping[str, Curve], title: str, forecasts: Forecasts) -> Figure:
    """A line for each curve; the knee is a large mark, its interval a thick part of the line.

    What a model predicted is a dashed line of the same colour.

    Args:
        lines: curves by their names.
        title: what is the same of all.
        forecasts: of the curves' points.
    """
    rows, foretold, unit, rate_unit = _rows(lines, forecasts)
    layers = _layers(list(lines), rows, foretold, unit, rate_unit)
    axis = next(iter(lines.values())).axis
    sentence = "; ".join(f"{name}: {knee_words(curve)}" for name, curve in lines.items())
    return Figure(
        title=f"{title}: latency over rate",
        alt=f"mean latency over rate, a point for each {axis}. {sentence}",
        chart=sized(alt.layer(*layers), 260),
        note="diamond: knee; thick: its interval" + ("; squares: predicted" if foretold else ""),
    )


def _rows(
    lines: Mapping[str, Curve], forecasts: Forecasts
) -> tuple[list[_Row], list[_Row], str, str]:
    """The points measured, those predicted, and the units of their latencies and rates."""
    names, drawn = list(lines), list(lines.values())
    said = [_predicted(curve, forecasts) for curve in drawn]
    latencies = [point.latency or 0.0 for curve in drawn for point in curve.points]
    rates = [point.iops for curve in drawn for point in curve.points]
    latency, unit = scale("s", [*latencies, *(y for points in said for _, _, y in points)])
    rate, rate_unit = scale("1/s", [*rates, *(x for points in said for _, x, _ in points)])
    measured: list[_Row] = [
        {
            "what": name, "order": at, "rate": point.iops / rate,
            "latency": (point.latency or 0.0) / latency, "kind": _KINDS[0],
            "knee": bool(curve.knee and curve.knee.trial == point.trial),
            "within": _within(curve, at),
            "hover": f"{name}, {curve.axis} {point.matrix[curve.axis]}: "
            f"{units.show_iops(point.iops)}, {units.show(point.latency, 's')}",
        }
        for curve, name in zip(drawn, names, strict=True)
        for at, point in enumerate(curve.points)
    ]  # fmt: skip
    foretold: list[_Row] = [
        {
            "what": name, "order": at, "rate": iops / rate, "latency": seconds / latency,
            "kind": _KINDS[1],
            "hover": f"{name}, {curve.axis} {curve.points[at].matrix[curve.axis]}, predicted: "
            f"{units.show_iops(iops)}, {units.show(seconds, 's')}",
        }
        for curve, name, points in zip(drawn, names, said, strict=True)
        for at, iops, seconds in points
    ]  # fmt: skip
    return measured, foretold, unit, rate_unit


def _layers(
    names: Sequence[str],
    rows: Sequence[_Row],
    foretold: Sequence[_Row],
    unit: str,
    rate_unit: str,
) -> list[alt.Chart]:
    """Of a chart: the knees' intervals, lines, points and knees, then what was predicted."""
    colour = alt.Color(
        "what:N", title=None, legend=legend_of(names) if len(names) > 1 else None,
        scale=alt.Scale(domain=names, range=PALETTE[: len(names)]),
    )  # fmt: skip
    x_axis = alt.X("rate:Q", title=rate_unit, axis=alt.Axis(format=_TICKS, tickCount=5))
    y_axis = alt.Y(
        "latency:Q", title=f"mean latency, {unit}", scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format=_TICKS, tickCount=5),
    )  # fmt: skip

    def chart(part: Sequence[_Row]) -> alt.Chart:
        return alt.Chart(data(part)).encode(x=x_axis, y=y_axis, color=colour)

    def line(part: Sequence[_Row]) -> alt.Chart:
        drawn_line: alt.Chart = chart(part).mark_line(aria=False).encode(order="order:Q")
        if foretold:
            drawn_line = drawn_line.encode(strokeDash=_dash())
        return drawn_line

    layers = [
        chart([row for row in rows if row["within"]])
        .mark_line(strokeWidth=9, opacity=0.3, aria=False).encode(order="order:Q"),
        line(rows),
        chart(rows).mark_point(filled=True, size=40, opacity=1).encode(description="hover:N"),
        chart([row for row in rows if row["knee"]])
        .mark_point(shape="diamond", size=220, strokeWidth=3, aria=False),
    ]  # fmt: skip
    if foretold:
        layers += [
            line(foretold),
            chart(foretold).mark_point(shape="square", size=40, opacity=1)
            .encode(description="hover:N"),
        ]  # fmt: skip
    return layers


def _dash() -> alt.StrokeDash:
    scale_of_kinds = alt.Scale(domain=_KINDS, range=[[1, 0], [5, 4]])
    return alt.StrokeDash("kind:N", title=None, scale=scale_of_kinds, legend=_BELOW)


def _predicted(curve: Curve, forecasts: Forecasts) -> list[tuple[int, float, float]]:
    """Of the points that a model has foretold: their place, rate in 1/s and latency in seconds."""
    said = ((at, forecasts.get(point.trial)) for at, point in enumerate(curve.points))
    return [
        (at, forecast.predicted["iops"], forecast.predicted["latency_mean"])
        for at, forecast in said if forecast and forecast.predicted.get("latency_mean")
    ]  # fmt: skip


def _within(curve: Curve, at: int) -> bool:
    """Whether a point bounds or lies within the interval of its curve's knee."""
    if curve.knee is None or curve.knee.interval is None:
        return False
    low, high = curve.knee.interval
    flying = [point.in_flight for point in curve.points]
    first = max((place for place, count in enumerate(flying) if count <= low), default=0)
    last = next((place for place, count in enumerate(flying) if count >= high), len(flying) - 1)
    return first <= at <= last


def _heat_maps(group: Sequence[Curve]) -> Iterator[Figure]:
    """Depth by size, for each combination of what else is varied."""
    others: dict[tuple[tuple[str, Scalar], ...], list[Curve]] = {}
    for curve in group:
        if "bs" in curve.fixed:
            rest = tuple(item for item in curve.fixed.items() if item[0] != "bs")
            others.setdefault(rest, []).append(curve)
    for rest, sized_curves in others.items():
        if len(sized_curves) > 1:
            yield _heat_map(", ".join(f"{name} {value}" for name, value in rest), sized_curves)


def _heat_map(rest: str, group: Sequence[Curve]) -> Figure:
    axis = group[0].axis
    cells = [(curve, point) for curve in group for point in curve.points]
    divisor, unit = scale("B/s", [point.bandwidth or 0.0 for _, point in cells])
    most = max((point.bandwidth or 0.0) for _, point in cells) or 1.0
    rows = [
        {
            "size": _size(curve), "depth": str(point.matrix[axis]),
            "share": (point.bandwidth or 0.0) / most,
            "label": number((point.bandwidth or 0.0) / divisor),
            "ink": "#ffffff" if (point.bandwidth or 0.0) > 0.6 * most else _INK,
            "hover": f"{_size(curve)}, {axis} {point.matrix[axis]}: "
            f"{units.show(point.bandwidth, 'B/s')}, {units.show_iops(point.iops)}",
        }
        for curve, point in cells
    ]  # fmt: skip
    base = alt.Chart(data(rows)).encode(
        x=alt.X("depth:N", title=axis, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("size:N", title=None, sort=None),
    )
    colour = alt.Color("share:Q", legend=None, scale=alt.Scale(range=["#eaf3f9", "#00507c"]))
    chart = alt.layer(
        base.mark_rect(stroke="#ddd").encode(color=colour, description="hover:N"),
        base.mark_text(fontSize=12, aria=False).encode(
            text="label:N", color=alt.Color("ink:N", scale=None)
        ),
    ).resolve_scale(color="independent")
    title = f"{group[0].load}{f', {rest}' if rest else ''}: {axis} by size, {unit}"
    return Figure(
        title=title, alt=f"{title}. " + "; ".join(str(row["hover"]) for row in rows),
        chart=sized(chart, 46 * len(group) + 20), note="more is better",
    )  # fmt: skip


def _size(curve: Curve) -> str:
    size = curve.fixed["bs"]
    return units.show_bytes(size) if isinstance(size, int) else str(size)


def curve_blocks(curves: Sequence[Curve], forecasts: Forecasts = _NONE) -> Iterator[Block]:
    """A table of the points of each curve."""
    if curves:
        yield Title("Response curves")
    for curve in curves:
        yield Title(curve_name(curve, curves), 3)
        yield Text(knee_words(curve))
        if agreement := model_words(curve, forecasts):
            yield Text(agreement)
        columns = [column for column in _columns(curve, _predicted(curve, forecasts))
                   if any(cell != "–" for cell in column[1:])]  # fmt: skip
        head = [str(column[0]) for column in columns]
        rows = list(zip(*(column[1:] for column in columns), strict=True))
        yield Cells(tuple(head), tuple(rows), text_columns=0)


def _columns(curve: Curve, said: Sequence[tuple[int, float, float]]) -> Iterator[list[str | Badge]]:
    """Heading and cells of each column, each in one unit; with what a model has predicted."""
    points = curve.points
    rates = {at: iops for at, iops, _ in said}
    waits = {at: seconds for at, _, seconds in said}
    yield [curve.axis, *(str(point.matrix[curve.axis]) for point in points)]
    yield ["in flight", *(str(point.in_flight or "–") for point in points)]
    yield _figures("", "1/s", [point.iops for point in points])
    yield ["± 95 %", *(_spread(point) for point in points)]
    yield _figures("bandwidth", "B/s", [point.bandwidth for point in points])
    yield _figures("mean latency", "s", [point.latency for point in points])
    yield _figures("p99", "s", [point.p99 for point in points])
    if said:
        yield _figures("predicted", "1/s", [rates.get(at) for at in range(len(points))])
        yield _figures("predicted latency", "s", [waits.get(at) for at in range(len(points))])
    knee = curve.knee.trial if curve.knee else None
    yield ["knee", *(Badge("knee", Tone.GOOD) if point.trial == knee else "" for point in points)]


def _figures(what: str, unit: str, values: Sequence[float | None]) -> list[str | Badge]:
    """A heading with its unit, and figures whose decimals stand below each other."""
    divisor, label = scale(unit, [value for value in values if value is not None])
    cells = ["–" if value is None else number(value / divisor) for value in values]
    lead = f"{what} " if unit == "1/s" and what else f"{what}, " if what else ""
    return [f"{lead}{label}", *aligned(cells)]


def _spread(point: CurvePoint) -> str:
    if not point.interval or not point.iops:
        return "–"
    half = (point.interval[1] - point.interval[0]) / 2 / point.iops
    return units.show_spread(half).removeprefix("± ")
