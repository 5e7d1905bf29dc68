"""The charts of a campaign: values with intervals, main effects, interactions, path, proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from iosonde import units
from iosonde.records.campaign_sheet import Interaction, MainEffect, PathStep, Tuning, ValueTable
from iosonde.report.blocks import show_value
from iosonde.report.charts import BLUE, GREEN, ORANGE, RED, Figure, axis_title, data, sized
from iosonde.report.figures import scale
from iosonde.sentences import metric_words

_MOST_LANES = 30


def table_figure(table: ValueTable, metric: str) -> Figure | None:
    """The means of a setting's values, with their 95 % intervals and the loops behind them."""
    measured = [row for row in table.rows if row.metric is not None]
    if len(measured) < 2:
        return None
    figures = [loop for row in measured if row.metric for loop in row.metric.loops]
    unit = next(row.metric.unit for row in measured if row.metric)
    divisor, label = scale(unit, figures)
    points, means = [], []
    for row in measured:
        if row.metric is None:
            continue
        name = show_value(table.varied, row.value)
        points += [{"value": name, "figure": loop / divisor} for loop in row.metric.loops]
        low, high = row.metric.ci95 or (row.metric.mean, row.metric.mean)
        means.append({  # no figure of a load lies below 0, whatever an interval of two loops says
            "value": name, "figure": row.metric.mean / divisor, "low": max(low, 0) / divisor,
            "high": high / divisor,
            "what": "previous setting" if row.value == table.reference else "tried",
        })  # fmt: skip
    x_axis = alt.X(
        "value:N", title=table.varied.name, sort=[str(row["value"]) for row in means],
        axis=alt.Axis(labelAngle=0),
    )  # fmt: skip
    y_axis = alt.Y("figure:Q", title=axis_title(metric, label), scale=alt.Scale(zero=False),
                   axis=alt.Axis(tickCount=5))  # fmt: skip
    colour = alt.Color(
        "what:N", title=None, legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=["previous setting", "tried"], range=[ORANGE, BLUE]),
    )  # fmt: skip
    base = alt.Chart(data(means)).encode(x=x_axis, color=colour)
    chart = alt.layer(
        alt.Chart(data(points)).mark_tick(color="#999", thickness=1.5, width=26)
        .encode(x=x_axis, y=y_axis),
        base.mark_rule(strokeWidth=3).encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False)),
                                             y2="high:Q"),
        base.mark_point(filled=True, size=90, opacity=1).encode(y=y_axis),
    )  # fmt: skip
    return Figure(
        title=f"{table.varied.name}: loops (grey), mean and 95 % interval",
        alt=f"{metric_words(metric)} of {len(measured)} values of {table.varied.name}",
        chart=sized(chart, 200),
    )


def main_figures(effects: Sequence[MainEffect]) -> Iterator[Figure]:
    """What each setting does by itself; the same axis for all, so that they can be compared."""
    ends = [
        bound * 100 for effect in effects for level in effect.levels for bound in level.interval
    ]
    if not ends:
        return
    domain = [min(*ends, 0), max(*ends, 0)]
    for effect in effects:
        rows = [
            {
                "value": show_value(effect.varied, level.value), "effect": level.effect * 100,
                "low": level.interval[0] * 100, "high": level.interval[1] * 100,
            }
            for level in effect.levels
        ]  # fmt: skip
        x_axis = alt.X(
            "value:N", title=effect.varied.name, sort=[str(row["value"]) for row in rows],
            axis=alt.Axis(labelAngle=0),
        )  # fmt: skip
        y_axis = alt.Y("effect:Q", title="off the mean of all, %", scale=alt.Scale(domain=domain))
        base = alt.Chart(data(rows)).encode(x=x_axis)
        chart = alt.layer(
            alt.Chart(data([{"zero": 0}])).mark_rule(color="#888").encode(y="zero:Q"),
            base.mark_line(color=BLUE, opacity=0.4).encode(y=y_axis),
            base.mark_rule(color=BLUE, strokeWidth=2.5).encode(y="low:Q", y2="high:Q"),
            base.mark_point(color=BLUE, filled=True, size=80, opacity=1).encode(y=y_axis),
        )
        yield Figure(
            title=f"Main effect of {effect.varied.name}",
            alt=f"{effect.varied.name} spans {units.show_fraction(effect.span)} by itself",
            chart=sized(chart, 190),
        )


def interaction_figure(interaction: Interaction, *, higher: bool) -> Figure:
    """What two settings do together beyond what each does by itself: green helps, red hurts."""
    rows = [
        {
            "first": show_value(interaction.first, a), "second": show_value(interaction.second, b),
            "effect": effect * 100, "label": f"{effect * 100:+.1f} %".replace("-", "−"),
        }
        for a, b, effect in interaction.cells
    ]  # fmt: skip
    top = max(interaction.largest * 100, 1e-9)
    low, high = ("#d9a3ae", "#9fcfc7") if higher else ("#9fcfc7", "#d9a3ae")
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "second:N",
            title=interaction.second.name,
            axis=alt.Axis(labelAngle=0),
            sort=[show_value(interaction.second, value) for value in interaction.second.values],
        ),
        y=alt.Y(
            "first:N",
            title=interaction.first.name,
            sort=[show_value(interaction.first, value) for value in interaction.first.values],
        ),
    )
    colour = alt.Color(
        "effect:Q", legend=None,
        scale=alt.Scale(domain=[-top, 0, top], range=[low, "#ffffff", high]),
    )  # fmt: skip
    chart = alt.layer(
        base.mark_rect(stroke="#ddd").encode(color=colour),
        base.mark_text(fontSize=13).encode(text="label:N"),
    )
    return Figure(
        title=f"{interaction.first.name} with {interaction.second.name}: "
        "beyond what each does by itself",
        alt=f"interaction of {interaction.first.name} and {interaction.second.name}, up to "
        f"{units.show_fraction(interaction.largest)}",
        chart=sized(chart, max(90, 42 * len(interaction.first.values))),
    )  # fmt: skip


def path_figures(tuning: Tuning) -> Iterator[Figure]:
    """Who was measured when, and how many were left."""
    if lanes := _lanes(tuning):
        yield lanes
    search = [step for step in tuning.path if step.part == "search"]
    if len({step.alive for step in search}) > 1:
        yield _alive(search)


def _lanes(tuning: Tuning) -> Figure | None:
    """A lane for each candidate, a mark for each loop."""
    intent = tuning.campaign.intent
    names = [setting.name for setting in intent.vary if len(setting.values) > 1]
    candidates = {candidate.name: candidate for candidate in intent.vary}

    def label(step: PathStep) -> str:
        return ", ".join(show_value(candidates[name], step.settings[name]) for name in names)

    loops: dict[str, int] = {}
    for step in tuning.path:
        loops[label(step)] = loops.get(label(step), 0) + 1
    ranked = [
        ", ".join(show_value(candidates[name], row.settings[name]) for name in names)
        for row in tuning.candidates
    ]
    order = list(dict.fromkeys([*ranked, *loops]))
    kept = sorted(order, key=lambda name: -loops.get(name, 0))[:_MOST_LANES]
    order = [name for name in order if name in kept]
    rows = [
        {"lane": label(step), "at": step.at, "what": _kind(step)}
        for step in tuning.path if label(step) in order
    ]  # fmt: skip
    if not rows:
        return None
    parts = ["search", "proof", "failed"]
    chart = (
        alt.Chart(data(rows))
        .mark_tick(thickness=2.5, height=12, opacity=1)
        .encode(
            x=alt.X("at:Q", title="device time, s", scale=alt.Scale(nice=False, padding=4)),
            y=alt.Y("lane:N", sort=order, title=None, axis=alt.Axis(labelLimit=330, grid=True)),
            color=alt.Color(
                "what:N", title=None, legend=alt.Legend(orient="top", symbolType="square"),
                scale=alt.Scale(domain=parts, range=[BLUE, GREEN, RED]),
            ),
        )
    )  # fmt: skip
    rest = len(loops) - len(order)
    more = f"; {rest} with fewer loops are not drawn" if rest > 0 else ""
    return Figure(
        title=f"Each loop a mark, the best candidate on top ({', '.join(names)}){more}",
        alt=f"{len(rows)} loops of {len(order)} candidates over device time",
        chart=sized(chart, max(80, 20 * len(order))),
    )


def _kind(step: PathStep) -> str:
    return "failed" if step.figure is None else step.part


def _alive(search: Sequence[PathStep]) -> Figure:
    rows = [{"at": 0.0, "alive": search[0].alive}]
    rows += [{"at": step.at, "alive": step.alive} for step in search]
    chart: Any = (
        alt.Chart(data(rows))
        .mark_area(interpolate="step-after", color=BLUE, opacity=0.25, line={"color": BLUE})
        .encode(
            x=alt.X("at:Q", title="device time, s", scale=alt.Scale(nice=False)),
            y=alt.Y("alive:Q", title="candidates left", axis=alt.Axis(format="d", tickMinStep=1)),
        )
    )
    return Figure(
        title="Candidates left", alt=f"from {rows[0]['alive']} to {rows[-1]['alive']} candidates",
        chart=sized(chart, 190),
    )  # fmt: skip


def proof_figure(tuning: Tuning) -> Figure | None:
    """Fresh loops before and after, each pair joined by a line."""
    if len(tuning.pairs) < 2:
        return None
    goal = tuning.campaign.intent.goal
    divisor, label = scale(
        goal.unit, [value for pair in tuning.pairs for value in (pair.before, pair.after)]
    )
    rows = [
        {"pair": number, "when": when, "figure": value / divisor}
        for number, pair in enumerate(tuning.pairs, 1)
        for when, value in (("before", pair.before), ("after", pair.after))
    ]
    x_axis = alt.X("when:N", sort=["before", "after"], title=None, axis=alt.Axis(labelAngle=0))
    y_axis = alt.Y("figure:Q", title=axis_title(goal.metric, label), scale=alt.Scale(zero=False))
    colour = alt.Color(
        "when:N", legend=None,
        scale=alt.Scale(domain=["before", "after"], range=[ORANGE, GREEN]),
    )  # fmt: skip
    base = alt.Chart(data(rows)).encode(x=x_axis, y=y_axis)
    chart = alt.layer(
        base.mark_line(color="#aaa").encode(detail="pair:N"),
        base.mark_point(filled=True, size=80, opacity=1).encode(color=colour),
    )
    return Figure(
        title="Fresh loops, in pairs", alt=f"{len(tuning.pairs)} pairs of loops before and after",
        chart=sized(chart, 190),
    )  # fmt: skip
