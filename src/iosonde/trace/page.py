"""Traces on one self-contained page, in the style of the reports: figures, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from iosonde import units
from iosonde.report.blocks import (
    Badge,
    Block,
    Cells,
    Number,
    Pictures,
    Text,
    Title,
    Tone,
)
from iosonde.report.charts import BLUE, DIRECTIONS, GREY, LEGEND, ORANGE, Figure, data, sized
from iosonde.report.figures import scale
from iosonde.report.page import Page, render
from iosonde.trace.table import facts, hot_rows, size_rows

if TYPE_CHECKING:
    from iosonde.records.trace import Arrivals, Description

_COLOURS = {**DIRECTIONS, "all": GREY}
_FIRST = 3
_HEIGHT = 200
_MOST_BARS = 24
_UPRIGHT = 7  # labels that stand side by side
_TIMES = {-9: "1 ns", -6: "1 µs", -3: "1 ms", 0: "1 s", 3: "1,000 s"}  # powers of ten of a second
_MOST_POINTS = 2000


def page(traces: Sequence[Description]) -> bytes:
    """One HTML page of all traces, with nothing from elsewhere."""
    first = traces[0]
    drawn = list(figures(first))
    return render(
        Page(
            title=", ".join(trace.name for trace in traces),
            about=("block trace", *(name for name in first.devices[:6] if name)),
            answer=". ".join(map(_answer, traces)) + ".",
            badges=(Badge("counts are exact"), *(
                (Badge(f"{len(first.notes)} notes", Tone.UNSURE),) if first.notes else ()
            )),
            numbers=tuple(_numbers(first)),
            figures=tuple(drawn[:_FIRST]),
            blocks=tuple(
                block for trace in traces
                for block in _trace(
                    trace, trace.name if len(traces) > 1 else "The trace",
                    drawn[_FIRST:] if trace is first else list(figures(trace)),
                )
            ),
            method="Counts are exact; quantiles of times err by at most 0.8 %. Miss ratios are "
            "those of a cache that drops what was asked for longest ago (LRU).",
        )
    )  # fmt: skip


def _answer(trace: Description) -> str:
    """What a trace is like, in a sentence."""
    if trace.read_share is None:
        return f"{trace.name} holds no read and no write"
    size = max(trace.sizes, key=lambda s: s.reads + s.writes)
    phrases = [
        f"{trace.requests:,} requests, {units.show_fraction(trace.read_share)} of them reads",
        f"most of {units.show_bytes(size.size)}",
    ]
    if trace.order.sequential is not None:
        phrases.append(f"{units.show_fraction(trace.order.sequential)} follow the one before")
    if trace.reuse.curve:
        phrases.append(
            f"an LRU cache of {units.show_bytes(trace.reuse.curve[-1].size)} misses "
            f"{units.show_fraction(trace.reuse.curve[-1].all)}"
        )
    return f"{trace.name}: {', '.join(phrases)}"


def _numbers(trace: Description) -> Iterator[Number]:
    moved = trace.operations.read.bytes + trace.operations.write.bytes
    yield Number(f"{trace.requests:,}", "reads and writes", units.show_bytes(moved))
    if trace.span:
        yield Number(units.show_iops(trace.requests / trace.span), "mean rate",
                     f"over {units.show_seconds(trace.span)}")  # fmt: skip
    yield Number(units.show_bytes(trace.reuse.working_set), "of different blocks")
    if trace.arrivals:
        yield Number(units.show_seconds(trace.arrivals.mean), "between requests, mean")


def _trace(trace: Description, title: str, drawn: Sequence[Figure]) -> Iterator[Block]:
    yield Title(title)
    yield from (Text(note, "note") for note in trace.notes)
    yield Cells(("", ""), tuple(facts(trace)), text_columns=2)
    if drawn:
        yield Pictures(tuple(drawn))
    yield Title("Sizes", 3)
    yield Cells(("size", "reads", "writes"), tuple(size_rows(trace)))
    yield Title("Busiest regions", 3)
    yield Cells(("device", "from", "reads", "writes", "share"), tuple(hot_rows(trace)))


def figures(trace: Description) -> Iterator[Figure]:
    """The charts of a trace, those without figures left out."""
    if trace.sizes:
        yield _sizes(trace)
    if trace.load.rows:
        yield from _load(trace)
    if trace.arrivals and len(trace.arrivals.histogram) > 1:
        yield _arrivals(trace.arrivals)
    if len(trace.reuse.curve) > 1:
        yield _curve(trace)
    if trace.hot.shares:
        yield _hot(trace)


def _colour(names: Sequence[str]) -> Any:
    colours = [_COLOURS[name] for name in names]
    scaled = alt.Scale(domain=list(names), range=colours)
    return alt.Color("what:N", title=None, scale=scaled, legend=LEGEND)


def _sizes(trace: Description) -> Figure:
    often = sorted(trace.sizes, key=lambda size: -size.reads - size.writes)[:_MOST_BARS]
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
            x=alt.X(
                "size:N",
                title="size of a request",
                sort=order,
                axis=alt.Axis(labelAngle=0 if len(order) <= _UPRIGHT else -45),
            ),
            y=alt.Y("count:Q", title="requests"),
            color=_colour(("read", "write")),
        )
    )
    most = units.show_bytes(often[0].size)
    return Figure("Sizes", f"Requests by size; most have {most}", sized(chart, _HEIGHT))


def _load(trace: Description) -> Iterator[Figure]:
    for title, unit, read, write in (
        ("Requests over time", "1/s", "reads", "writes"),
        ("Data over time", "B/s", "read_bytes", "write_bytes"),
    ):
        points = [
            (at, what, value)
            for what, name in (("read", read), ("write", write))
            for at, value in rates(
                [(row.time, getattr(row, name)) for row in trace.load.rows], trace.load.step
            )
        ]
        divisor, label = scale(unit, [value for _, _, value in points])
        rows = [{"time": at, "what": what, "value": value / divisor} for at, what, value in points]
        chart = (
            alt.Chart(data(rows))
            .mark_line(interpolate="step-after", strokeWidth=1.2)
            .encode(
                x=alt.X(
                    "time:Q",
                    title="seconds since the first request",
                    scale=alt.Scale(nice=False),
                    axis=alt.Axis(tickCount=6, format=",.6~g"),
                ),
                y=alt.Y("value:Q", title=label, axis=alt.Axis(tickCount=5, format=",.6~g")),
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
    total, reached = sum(row.count for row in arrivals.histogram), 0
    rows = []
    for row in arrivals.histogram:
        reached += row.count
        rows.append({"gap": max(row.low, 1e-9), "share": 100 * reached / total})
    named = {10.0**power: name for power, name in _TIMES.items()}
    labels = "".join(f"abs(datum.value / {at:g} - 1) < 0.01 ? '{name}' : "
                     for at, name in named.items())  # fmt: skip
    chart = (
        alt.Chart(data(rows))
        .mark_line(color=BLUE, interpolate="step-after")
        .encode(
            x=alt.X(
                "gap:Q",
                title="time since the request before",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=list(named), labelExpr=f"{labels}''"),
            ),
            y=alt.Y(
                "share:Q", title="share of the requests, up to, %", scale=alt.Scale(domain=[0, 100])
            ),
        )
    )
    mean = units.show_seconds(arrivals.mean)
    return Figure("Time between requests", f"On average {mean}", sized(chart, _HEIGHT))


def _curve(trace: Description) -> Figure:
    divisor, label = scale("B", [trace.reuse.curve[len(trace.reuse.curve) // 2].size])
    rows = [
        {"size": point.size / divisor, "what": what, "miss": 100 * miss}
        for point in trace.reuse.curve
        for what, miss in (("all", point.all), ("read", point.read), ("write", point.write))
        if miss is not None
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_line()
        .encode(
            x=alt.X("size:Q", title=f"size of the cache, {label}", scale=alt.Scale(type="log")),
            y=alt.Y("miss:Q", title="missed, %", scale=alt.Scale(domain=[0, 100])),
            color=_colour(("all", "read", "write")),
        )
    )
    how = "exact" if trace.reuse.method == "exact" else f"a sample of {trace.reuse.rate:.3g}"
    least = units.show_fraction(trace.reuse.curve[-1].all)
    return Figure(
        f"Miss ratio of an LRU cache ({how})", f"At least {least} are missed", sized(chart, _HEIGHT)
    )


def _hot(trace: Description) -> Figure:
    rows = [
        {"regions": 100 * share, "requests": 100 * requests}
        for share, requests in trace.hot.shares.items()
    ]
    rows.append({"regions": 100.0, "requests": 100.0})
    chart = (
        alt.Chart(data(rows))
        .mark_line(point=True, color=ORANGE)
        .encode(
            x=alt.X("regions:Q", title="share of the regions, the busiest first, %"),
            y=alt.Y(
                "requests:Q", title="share of the requests, %", scale=alt.Scale(domain=[0, 100])
            ),
        )
    )
    region = units.show_bytes(trace.hot.region)
    return Figure("Hot spots", f"Share of requests by regions of {region}", sized(chart, _HEIGHT))
