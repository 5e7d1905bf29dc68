"""The waterfall on a page: its table, and a chart of what each layer costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from iosonde.records.sheet import SYNC_LATENCY, Waterfall, WaterfallStep
from iosonde.report.blocks import Block, Cells, Pictures, Text, Title
from iosonde.report.charts import BLUE, GREEN, ORANGE, Figure, data, sized
from iosonde.report.figures import scale
from iosonde.report.waterfall import COLUMNS, notes_of, rows_of
from iosonde.sentences import metric_words


def waterfall_figure(waterfall: Waterfall) -> Figure:
    """Latency from step to step as floating bars; the rate where no latency is known."""
    timed = all(step.latency is not None for step in waterfall.steps)
    values = [step.latency if timed else step.rate for step in waterfall.steps]
    unit = "s" if timed else waterfall.steps[0].unit
    given = [value for value in values if value is not None]
    divisor, label = scale(unit, given)
    bars = _bars(waterfall.steps, [value / divisor for value in given], divisor, timed, label)
    chart = sized(bars, max(120, 34 * len(given)))
    what = "mean latency" if timed else metric_words(waterfall.headline)
    if timed and waterfall.timed == SYNC_LATENCY:
        what = "mean latency of its syncs"
    return Figure(
        title=f"{waterfall.subject}: {what}",
        alt=f"{what} of {len(given)} probe points, from the bottom up",
        chart=chart,
    )


def _bars(
    steps: Sequence[WaterfallStep], values: Sequence[float], divisor: float, timed: bool, label: str
) -> Any:
    rows = []
    for place, (step, value) in enumerate(zip(steps, values, strict=True)):
        before = values[place - 1] if place and timed else 0.0
        reach = _reach(step, values[place - 1] if place else 0.0, divisor, timed=timed)
        rows.append({
            "step": f"{place + 1}. {step.label}", "from": min(before, value),
            "to": max(before, value), "end": value, "beside": max(before, value, reach[1] or 0.0),
            "kind": "first" if not place or not timed else "more" if value > before else "less",
            "low": reach[0], "high": reach[1],
        })  # fmt: skip
    axis = alt.Axis(title=None, labelLimit=360)
    y_axis = alt.Y("step:N", sort=[str(row["step"]) for row in rows], axis=axis)
    colours = alt.Scale(domain=["first", "more", "less"], range=[BLUE, ORANGE, GREEN])
    bars = (
        alt.Chart(data(rows))
        .mark_bar(height=16)
        .encode(
            y=y_axis,
            x=alt.X("from:Q", title=label, axis=alt.Axis(tickCount=5, format=",.6~g")),
            x2="to:Q",
            color=alt.Color("kind:N", scale=colours, legend=None),
        )
    )
    text = (
        alt.Chart(data(rows))
        .mark_text(align="left", dx=5)
        .encode(y=y_axis, x="beside:Q", text=alt.Text("end:Q", format=",.3~r"))
    )
    sure = [row for row in rows if row["low"] is not None]
    if not sure:
        return alt.layer(bars, text)
    bounds = (
        alt.Chart(data(sure))
        .mark_rule(strokeWidth=2, color="#222222")
        .encode(y=y_axis, x=alt.X("low:Q", title=label), x2="high:Q")
    )
    return alt.layer(bars, bounds, text)


def _reach(
    step: WaterfallStep, before: float, divisor: float, *, timed: bool
) -> tuple[float | None, float | None]:
    """Bounds of where a step ends, from what the one before it came to."""
    gain = step.latency_added if timed else step.kept
    if gain is None or gain.interval is None:
        return None, None
    low, high = gain.interval
    if timed:
        return before + low / divisor, before + high / divisor
    return before * (1 + low), before * (1 + high)


def waterfall_blocks(waterfalls: Sequence[Waterfall]) -> Iterator[Block]:
    """A table, what must be known of it, and a chart for each."""
    for waterfall in waterfalls:
        yield Title(f"What each layer costs: {waterfall.subject}")
        yield Cells(COLUMNS, tuple(rows_of(waterfall)))
        yield from (Text(note, "note") for note in notes_of(waterfall))
        yield Pictures((waterfall_figure(waterfall),))
