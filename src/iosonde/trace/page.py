"""Traces on one self-contained page, in the style of the reports: figures, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import altair as alt

from iosonde import units
from iosonde.report.charts import Figure, data, scale, sized
from iosonde.report.image import svg
from iosonde.trace.table import facts, hot_rows, size_rows
from iosonde.visible import visible

if TYPE_CHECKING:
    from iosonde.trace.describe import Arrivals, Description

_COLOURS = {"read": "#3b6ea8", "write": "#c2662d", "all": "#555"}
_LEGEND = alt.Legend(orient="top", direction="horizontal")
_HEIGHT = 200
_MOST_BARS = 24
_MOST_POINTS = 2000


def page(traces: Sequence[Description]) -> bytes:
    """One HTML page of all traces, without script and without anything from elsewhere."""
    style = files("iosonde.report").joinpath("page.css").read_text(encoding="utf-8")
    title = ", ".join(one.name for one in traces)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>iosonde: {escape(title)}</title><style>{style}</style></head><body><main>",
        *(line for one in traces for line in _trace(one)),
        "<footer>Written by iosonde. Counts are exact; quantiles of times err by at most 0.8 %. "
        "Miss ratios are those of a cache "
        "that drops what was asked for longest ago (LRU).</footer>",
        "</main></body></html>\n",
    ]
    return visible("\n".join(parts), lines=True).encode()


def _trace(one: Description) -> Iterator[str]:
    yield f"<section><h1>{escape(one.name)}</h1>"
    for note in one.notes:
        yield f'<p class="note">{escape(note)}</p>'
    yield from _table(("", ""), facts(one))
    yield '<div class="charts">'
    for figure in figures(one):
        picture = svg(figure.chart).replace(
            "<svg ", f'<svg role="img" aria-label="{escape(figure.alt)}" ', 1
        )
        yield f"<figure><figcaption>{escape(figure.title)}</figcaption>{picture}</figure>"
    yield "</div><h2>Sizes</h2>"
    yield from _table(("size", "reads", "writes"), size_rows(one))
    yield "<h2>Most wanted</h2>"
    yield from _table(("device", "from", "reads", "writes", "share"), hot_rows(one))
    yield "</section>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield '<div class="wide"><table>'
    if any(head):
        cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def figures(one: Description) -> Iterator[Figure]:
    """The charts of a trace, those without figures left out."""
    if one.sizes:
        yield _sizes(one)
    if one.load:
        yield from _load(one)
    if one.arrivals and len(one.arrivals.histogram) > 1:
        yield _arrivals(one.arrivals)
    if len(one.reuse.curve) > 1:
        yield _curve(one)
    if one.hot.shares:
        yield _hot(one)


def _colour(names: Sequence[str]) -> Any:
    colours = [_COLOURS[name] for name in names]
    scaled = alt.Scale(domain=list(names), range=colours)
    return alt.Color("what:N", title=None, scale=scaled, legend=_LEGEND)


def _sizes(one: Description) -> Figure:
    often = sorted(one.sizes, key=lambda size: -size.reads - size.writes)[:_MOST_BARS]
    rows = [
        {"size": units.show_bytes(size.size), "order": size.size, "what": what, "count": count}
        for size in often
        for what, count in (("read", size.reads), ("write", size.writes))
    ]
    order = [units.show_bytes(size.size) for size in sorted(often, key=lambda size: size.size)]
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("size:N", title="bytes of a request", sort=order),
            y=alt.Y("count:Q", title="requests"),
            color=_colour(("read", "write")),
        )
    )
    most = units.show_bytes(often[0].size)
    return Figure("Sizes", f"Requests by size; most have {most}", sized(chart, _HEIGHT))


def _load(one: Description) -> Iterator[Figure]:
    for title, unit, read, write in (
        ("Requests over time", "1/s", "reads", "writes"),
        ("Data over time", "B/s", "read_bytes", "write_bytes"),
    ):
        found = [
            (at, what, value)
            for what, name in (("read", read), ("write", write))
            for at, value in rates([(row.time, getattr(row, name)) for row in one.load], one.step)
        ]
        divisor, label = scale(unit, [value for _, _, value in found])
        rows = [{"time": at, "what": what, "value": value / divisor} for at, what, value in found]
        chart = (
            alt.Chart(data(rows))
            .mark_line(interpolate="step-after", strokeWidth=1.2)
            .encode(
                x=alt.X("time:Q", title="seconds since the first request"),
                y=alt.Y("value:Q", title=label),
                color=_colour(("read", "write")),
            )
        )
        yield Figure(title, f"{title}, reads and writes", sized(chart, _HEIGHT))


def rates(rows: Sequence[tuple[float, float]], step: int) -> list[tuple[float, float]]:
    """What happened a second, from a time on until the next: no more points than can be drawn.

    Args:
        rows: time in seconds and amount of each step in which something happened.
        step: seconds.
    """
    width = step * -(-int(rows[-1][0] + step) // (step * _MOST_POINTS))
    sums: dict[int, float] = {}
    for time, amount in rows:
        place = int(time // width)
        sums[place] = sums.get(place, 0.0) + amount
    points: list[tuple[float, float]] = []
    for place, amount in sums.items():
        points.append((float(place * width), amount / width))
        if place + 1 not in sums:
            points.append((float((place + 1) * width), 0.0))
    return points


def _arrivals(arrivals: Arrivals) -> Figure:
    total, reached = sum(count for _, count in arrivals.histogram), 0
    rows = []
    for low, count in arrivals.histogram:
        reached += count
        rows.append({"gap": max(low, 1e-9) * 1e6, "share": 100 * reached / total})
    chart = (
        alt.Chart(data(rows))
        .mark_line(color="#3b6ea8", interpolate="step-after")
        .encode(
            x=alt.X("gap:Q", title="µs since the request before", scale=alt.Scale(type="log")),
            y=alt.Y("share:Q", title="% of the requests, up to"),
        )
    )
    mean = units.show_seconds(arrivals.mean)
    return Figure("Time between requests", f"On average {mean}", sized(chart, _HEIGHT))


def _curve(one: Description) -> Figure:
    divisor, label = scale("B", [one.reuse.curve[len(one.reuse.curve) // 2].size])
    rows = [
        {"size": point.size / divisor, "what": what, "miss": 100 * miss}
        for point in one.reuse.curve
        for what, miss in (("all", point.all), ("read", point.read), ("write", point.write))
        if miss is not None
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_line()
        .encode(
            x=alt.X("size:Q", title=f"size of the cache, {label}", scale=alt.Scale(type="log")),
            y=alt.Y("miss:Q", title="% missed", scale=alt.Scale(domain=[0, 100])),
            color=_colour(("all", "read", "write")),
        )
    )
    how = "exact" if one.reuse.method == "exact" else f"a sample of {one.reuse.rate:.3g}"
    least = units.show_fraction(one.reuse.curve[-1].all)
    return Figure(
        f"Miss ratio of an LRU cache ({how})", f"At least {least} are missed", sized(chart, _HEIGHT)
    )


def _hot(one: Description) -> Figure:
    rows = [
        {"regions": 100 * share, "requests": 100 * found} for share, found in one.hot.shares.items()
    ]
    rows.append({"regions": 100.0, "requests": 100.0})
    chart = (
        alt.Chart(data(rows))
        .mark_line(point=True, color="#c2662d")
        .encode(
            x=alt.X("regions:Q", title="% of the regions asked for, the most wanted first"),
            y=alt.Y("requests:Q", title="% of the requests", scale=alt.Scale(domain=[0, 100])),
        )
    )
    region = units.show_bytes(one.hot.region)
    return Figure("Hot spots", f"Share of requests by regions of {region}", sized(chart, _HEIGHT))
