"""Write saturation on a page: the rate of writes over what was written."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt

from iosonde import units
from iosonde.records.run import Trial
from iosonde.records.sheet import RunSheet
from iosonde.report.charts import BLUE, Figure, data, sized
from iosonde.report.setup import device_of, study_of

_TICKS = ",.6~g"


def is_saturation(sheet: RunSheet) -> bool:
    """Whether a run's loops went on until so much was written."""
    until = study_of(sheet).get("until")
    return isinstance(until, dict) and bool(until.get("written")) and any(
        trial.metrics for trial in sheet.trials
    )  # fmt: skip


def saturation_answer(sheet: RunSheet) -> str:
    """The rate of the first loop, and of the last tenth of them, for each trial."""
    parts = []
    for trial in (row.trial for row in sheet.trials if row.trial.counted):
        points, unit = _saturation(sheet, trial)
        rates = [rate for _, rate in points]
        last = rates[-max(len(rates) // 10, 1) :]
        parts.append(
            f"{trial.load.name}: {units.show_iops(rates[0])} in the first loop, "
            f"{units.show_iops(sum(last) / len(last))} in the last tenth, after "
            f"{points[-1][0]:.3g} {unit}"
        )
    return "; ".join(parts) + "."


def saturation_figures(sheet: RunSheet) -> Iterator[Figure]:
    """Writes a second over what was written."""
    for trial in (row.trial for row in sheet.trials if row.trial.counted):
        points, unit = _saturation(sheet, trial)
        rows = [
            {"written": round(far, 5), "rate": round(rate, 2),
             "hover": f"after {far:.3g} {unit}: {units.show_iops(rate)}"}
            for far, rate in points
        ]  # fmt: skip
        base = alt.Chart(data(rows)).encode(
            x=alt.X("written:Q", title=unit, axis=alt.Axis(tickCount=6, format=_TICKS)),
            y=alt.Y("rate:Q", title="IOPS", axis=alt.Axis(tickCount=5, format=_TICKS)),
        )
        chart = alt.layer(
            base.mark_line(color=BLUE, aria=False),
            base.mark_point(color=BLUE, filled=True, size=18, opacity=1).encode(
                description="hover:N"
            ),
        )
        title = f"{trial.load.name}: writes a second"
        yield Figure(title=title, alt=f"{title} over {unit}. {saturation_answer(sheet)}",
                     chart=sized(chart, 240), note="more is better")  # fmt: skip


def _saturation(sheet: RunSheet, trial: Trial) -> tuple[list[tuple[float, float]], str]:
    """What was written by the end of each loop, and the loop's rate; and the unit of the first."""
    device, seconds = device_of(trial), study_of(sheet).get("seconds")
    divisor = device.size if device and device.size else units.GIB
    far, points = 0.0, []
    for loop in trial.counted:
        metrics = loop.result.metrics
        far += metrics.get("write.bandwidth", 0.0) * float(seconds or loop.elapsed)
        points.append((far / divisor, metrics.get("write.iops", 0.0)))
    return points, "capacities written" if device and device.size else "GiB written"
