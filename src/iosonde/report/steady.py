"""A steady state on a page: how it was reached, its window, and the figures of the matrix in it.

Source:
    SNIA Solid State Storage Performance Test Specification 2.0.2: 5 (what every report says), 7.3,
    8.3 and 9.3 (test set-up, convergence, measurement window, results).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any

import altair as alt

from iosonde import units
from iosonde.records.run import Trial
from iosonde.records.sheet import RunSheet
from iosonde.records.steady import SteadyWindow
from iosonde.report.blocks import Badge, Block, Cells, Number, Text, Title, Tone
from iosonde.report.charts import (
    BLUE,
    GREEN,
    GREY,
    MOST_LINES,
    ORANGE,
    PALETTE,
    Figure,
    data,
    sized,
)
from iosonde.report.figures import number, scale
from iosonde.report.grid import Grid, grids_of, shown
from iosonde.report.saturation import is_saturation
from iosonde.report.setup import setup_rows
from iosonde.sentences import window_sentence
from iosonde.statistics.steady import RANGE_LIMIT, SLOPE_LIMIT

_TICKS = ",.6~g"
_WAYS = ("read", "write", "trim")
_LEGEND = alt.Legend(orient="top", direction="horizontal", columns=4)


def steady_answer(windows: Sequence[SteadyWindow]) -> str:
    """Whether and where each tracked load is steady, in one sentence."""
    return "; ".join(map(window_sentence, windows)) + "."


def steady_tone(windows: Sequence[SteadyWindow]) -> Tone:
    """Good where all of them are, and no drive was in trouble meanwhile."""
    return Tone.GOOD if all(map(_is_good, windows)) else Tone.UNSURE


def _is_good(window: SteadyWindow) -> bool:
    return window.reached and not window.alarms


def steady_numbers(windows: Sequence[SteadyWindow]) -> Iterator[Number]:
    """The mean of each window; of a single one also what makes it steady, each by itself."""
    if len(windows) == 1:
        (window,) = windows
        tone = Tone.GOOD if _is_good(window) else Tone.UNSURE
        yield Number(units.show(window.mean, window.unit), tracked_name(window), tone=tone)
        passes = f"of {len(window.values)} passes"
        yield Number(f"{window.first} to {window.last}", "passes of the window", passes)
        for share, label, limit in (
            (units.show_fraction(window.range), "largest − smallest, of the mean", RANGE_LIMIT),
            (units.show_change(window.slope), "rise of the fitted line", SLOPE_LIMIT),
        ):
            yield Number(share, label, f"steady: at most {units.show_fraction(limit)}")
        return
    for window in windows:
        yield Number(
            units.show(window.mean, window.unit), tracked_name(window),
            f"passes {window.first} to {window.last}, range {units.show_fraction(window.range)}, "
            f"slope {units.show_change(window.slope)}",
            Tone.GOOD if _is_good(window) else Tone.UNSURE,
        )  # fmt: skip


def tracked_name(window: SteadyWindow) -> str:
    """The load that is tracked, without its place."""
    return window.trial.removesuffix(f"@{window.probe}")


# ── charts ────────────────────────────────────────────────────────────────────────────────────


def steady_figures(sheet: RunSheet) -> list[Figure]:
    """Each window, then how all points beside it came there, then the matrix."""
    figures = [_window_figure(window) for window in sheet.windows]
    figures += [_heat_map(grid) for grid in grids_of(sheet)]
    courses = [figure for window in sheet.windows if (figure := _convergence(sheet, window))]
    return figures + list({figure.title: figure for figure in courses}.values())


def _window_figure(window: SteadyWindow) -> Figure:
    """The tracked figure of every pass, the window, its mean ± 10 % and the fitted line."""
    divisor, unit = scale(window.unit, window.values)
    high, low = (window.mean * (1 + sign * RANGE_LIMIT / 2) for sign in (1, -1))
    rows = [
        {"pass": at, "value": round(value / divisor, 6), "what": tracked_name(window),
         "hover": f"pass {at}: {units.show(value, window.unit)}"}
        for at, value in enumerate(window.values, 1)
    ]  # fmt: skip
    lines = [
        {"pass": at, "value": value / divisor, "what": name}
        for name, first, last in (
            ("mean of the window", window.mean, window.mean),
            ("+ 10 %", high, high),
            ("− 10 %", low, low),
            ("fitted line", *window.line),
        )
        for at, value in ((window.first, first), (window.last, last))
    ]  # fmt: skip
    names = ["mean of the window", "+ 10 %", "− 10 %", "fitted line"]
    passes = alt.Scale(domain=[1, max(len(window.values), 2)], nice=False, zero=False)
    axis = alt.Axis(tickMinStep=1, format="d")
    x = alt.X("pass:Q", title="pass (round)", axis=axis, scale=passes)
    y = alt.Y("value:Q", title=unit, axis=alt.Axis(tickCount=5, format=_TICKS),
              scale=alt.Scale(zero=True))  # fmt: skip
    shade = GREEN if _is_good(window) else GREY
    band = [{"from": window.first, "to": window.last}]
    chart = alt.layer(
        alt.Chart(data(band)).mark_rect(color=shade, opacity=0.12, aria=False).encode(
            x=alt.X("from:Q", title="pass (round)", axis=axis, scale=passes), x2="to:Q"),
        alt.Chart(data(lines)).mark_line(strokeWidth=1.2, aria=False).encode(
            x=x, y=y,
            strokeDash=alt.StrokeDash("what:N", title=None, legend=None, scale=alt.Scale(
                domain=names, range=[[1, 0], [4, 3], [4, 3], [8, 2, 2, 2]])),
            color=alt.Color("what:N", title=None, legend=None, scale=alt.Scale(
                domain=names, range=[GREY, GREY, GREY, ORANGE])),
        ),
        alt.Chart(data(rows)).mark_line(color=BLUE, aria=False).encode(x=x, y=y),
        alt.Chart(data(rows)).mark_point(color=BLUE, filled=True, size=45, opacity=1).encode(
            x=x, y=y, description="hover:N"),
    ).resolve_scale(color="independent", strokeDash="independent")  # fmt: skip
    return Figure(
        title=f"Steady state: {tracked_name(window)}",
        alt=f"{tracked_name(window)} in each pass, {unit}. {window_sentence(window)}",
        chart=sized(chart, 240),
        note="shaded: measurement window; dashed: its mean ± 10 %; orange: fitted line",
    )


def _convergence(sheet: RunSheet, window: SteadyWindow) -> Figure | None:
    """Every pass of the points that differ from the tracked one in one option, a line each."""
    own = next(trial for trial in sheet.run.trials if trial.id == window.trial)
    option = "bs" if "bs" in own.load.matrix else next(iter(own.load.matrix), "")
    lines: dict[str, list[float]] = {}
    for trial in sheet.run.trials:
        rest = {name: value for name, value in trial.load.matrix.items() if name != option}
        same = all(own.load.matrix.get(name) == value for name, value in rest.items())
        alike = (trial.load.varied_from, trial.host, trial.probe)
        if same and alike == (own.load.varied_from, own.host, own.probe):
            lines[shown(option, trial.load.matrix.get(option))] = _values(trial, window.metric)
    lines = dict(list(lines.items())[:MOST_LINES])
    if len(lines) < 2:
        return None
    divisor, unit = scale(window.unit, [value for line in lines.values() for value in line])
    rows = [
        {"pass": at, "value": round(value / divisor, 6), "what": name,
         "hover": f"{name}, pass {at}: {units.show(value, window.unit)}"}
        for name, values in lines.items() for at, value in enumerate(values, 1) if value
    ]  # fmt: skip
    chart = alt.Chart(data(rows)).mark_line(point=True).encode(
        x=alt.X("pass:Q", title="pass (round)", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("value:Q", title=unit, scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=_round_values(rows), format=_TICKS)),
        color=alt.Color("what:N", title=None, legend=_LEGEND, scale=alt.Scale(
            domain=list(lines), range=PALETTE[: len(lines)])),
        description="hover:N",
    )  # fmt: skip
    rest_words = ", ".join(
        f"{name} {shown(name, value)}" for name, value in own.load.matrix.items() if name != option
    )
    title = f"{window.load}: convergence" + (f" at {rest_words}" if rest_words else "")
    return Figure(title=title, alt=f"{title}, {unit}, a line for each {option}: {', '.join(lines)}",
                  chart=sized(chart, 240))  # fmt: skip


def _round_values(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """1, 2, 5, 10 … as far as the figures reach: what a logarithmic axis names."""
    figures = [float(row["value"]) for row in rows]
    decades = range(floor(log10(min(figures))), floor(log10(max(figures))) + 1)
    return [digit * 10.0**decade for decade in decades for digit in (1, 2, 5)]


def _values(trial: Trial, metric: str) -> list[float]:
    if metric in {"iops", "bandwidth"}:
        return [
            sum(loop.result.metrics.get(f"{way}.{metric}", 0.0) for way in _WAYS)
            for loop in trial.counted
        ]
    return [loop.result.metrics.get(metric, 0.0) for loop in trial.counted]


def _heat_map(grid: Grid) -> Figure:
    """The matrix, each row shaded by its own largest figure."""
    values = [value for row in grid.cells for value in row if value is not None]
    divisor, unit = scale(grid.unit, values)
    rows = []
    for name, cells in zip(grid.names, grid.cells, strict=True):
        most = max((value for value in cells if value), default=1.0)
        for head, value in zip(grid.heads, cells, strict=True):
            if value is not None:
                share = value / most
                ink = "#ffffff" if share > 0.6 else "#1a1a1a"
                rows.append({
                    "row": name, "column": head, "share": share, "ink": ink,
                    "label": number(value / divisor),
                    "hover": f"{name} {head}: {units.show(value, grid.unit)}",
                })  # fmt: skip
    heading = "reads/writes, %" if grid.columns == "rwmixread" else grid.columns
    base = alt.Chart(data(rows)).encode(
        x=alt.X("column:N", title=heading, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("row:N", title=None, sort=None),
    )
    chart = alt.layer(
        base.mark_rect(stroke="#ddd").encode(
            color=alt.Color("share:Q", legend=None,
                            scale=alt.Scale(range=["#eaf3f9", "#00507c"], domain=[0, 1])),
            description="hover:N"),
        base.mark_text(fontSize=11, aria=False).encode(
            text="label:N", color=alt.Color("ink:N", scale=None)),
    ).resolve_scale(color="independent")  # fmt: skip
    title = f"{grid.title}, {unit}" if unit.lower() not in grid.title.lower() else grid.title
    return Figure(
        title=title, alt=f"{title}. " + "; ".join(str(row["hover"]) for row in rows),
        chart=sized(chart, 34 * len(grid.names) + 20),
        note=f"shaded within each row; {'less' if grid.less else 'more'} is better",
    )  # fmt: skip


# ── tables ────────────────────────────────────────────────────────────────────────────────────


def steady_blocks(sheet: RunSheet) -> Iterator[Block]:
    """Set-up, preconditioning, window and results, in the order of the standard's report."""
    if not sheet.windows and not is_saturation(sheet):
        return
    yield Title("Test set-up")
    yield Cells(("what", "value"), tuple(setup_rows(sheet)), text_columns=2)
    for window in sheet.windows:
        yield Title(f"Steady state: {tracked_name(window)}")
        yield Text(window_sentence(window) + ".")
        yield _window_table(window)
        yield Text(
            "A window is steady where the largest figure less the smallest is at most "
            f"{units.show_fraction(RANGE_LIMIT)} of the mean, and the fitted line changes by at "
            f"most {units.show_fraction(SLOPE_LIMIT)} of it.", "soft",
        )  # fmt: skip
    for grid in grids_of(sheet):
        yield Title(grid.title)
        yield Text("Means over the passes of the window.", "soft")
        yield _grid_table(grid)


def _window_table(window: SteadyWindow) -> Cells:
    divisor, unit = scale(window.unit, window.values)
    inside = range(window.first, window.last + 1)
    rows: list[tuple[str | Badge, ...]] = [
        (f"pass {at}", number(window.values[at - 1] / divisor), unit, "", "") for at in inside
    ]

    def judged(name: str, value: float, share: float, limit: float) -> tuple[str | Badge, ...]:
        good = abs(share) <= limit + 1e-12
        return (
            name, number(value / divisor), unit,
            f"{units.show_fraction(abs(share))} (at most {units.show_fraction(limit)})",
            Badge("within", Tone.GOOD) if good else Badge("beyond", Tone.BAD),
        )  # fmt: skip

    rows += [
        ("mean", number(window.mean / divisor), unit, "", ""),
        judged("largest − smallest", window.highest - window.lowest, window.range, RANGE_LIMIT),
        judged("rise of the fitted line", window.mean * window.slope, window.slope, SLOPE_LIMIT),
    ]
    return Cells(
        ("what", "figure", "unit", "of the mean", "criterion"), tuple(rows), text_columns=1
    )


def _grid_table(grid: Grid) -> Cells:
    values = [value for row in grid.cells for value in row if value is not None]
    divisor, unit = scale(grid.unit, values)
    heading = {"bs": "block size"}.get(grid.rows, grid.rows or "load")
    mix = "reads/writes" if grid.columns == "rwmixread" else grid.columns
    head = (f"{unit}, {heading} by {mix}",)
    rows = [
        (name or grid.load, *("–" if value is None else number(value / divisor) for value in row))
        for name, row in zip(grid.names, grid.cells, strict=True)
    ]
    return Cells((*head, *grid.heads), tuple(rows))
