"""A replayed trace on a page: how true it was to the trace, and what a model had said of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import altair as alt

from iosonde import units
from iosonde.records.prediction import Forecast
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.report.blocks import Badge, Number, Tone
from iosonde.report.charts import BLUE, ORANGE, Figure, data, legend_of, sized
from iosonde.report.figures import number, scale
from iosonde.statistics.lateness import lags

_WAYS = ("read", "write", "sync")
_KINDS = ("measured", "predicted")
_BANDED = ("latency_mean", "predicted")


def is_replay(sheet: RunSheet) -> bool:
    """Whether all of a run are replayed traces, with figures."""
    return bool(sheet.trials) and all(
        trial.trial.load.engine == "replay" and trial.metrics for trial in sheet.trials
    )


def replay_answer(sheet: RunSheet) -> str:
    """Whether the trace's rate was kept, the slowest hundredth of each direction, the forecast."""
    said = {forecast.trial: forecast for forecast in sheet.forecasts}
    return " ".join(_sentence(trial, said.get(trial.trial.id)) for trial in sheet.trials)


def _sentence(trial: TrialSheet, forecast: Forecast | None) -> str:
    slowest = [
        f"{way} p99 {units.show_seconds(value)}"
        for way in _WAYS if (value := _mean(trial, f"{way}.latency.p99")) is not None
    ]  # fmt: skip
    parts = [f"{trial.trial.load.name}: {_pace(trial)}", *slowest]
    return f"{', '.join(parts)}.{_forecast_words(forecast)}"


def _pace(trial: TrialSheet) -> str:
    error, lag = _mean(trial, "arrival.error.p99"), _mean(trial, "arrival.lag")
    if error is None or lag is None:
        return "replayed as fast as possible"
    if not keeps_up(trial):
        return f"the trace's rate was not kept, {units.show_seconds(lag)} behind at the end"
    return f"the trace's rate was kept (requests at most {units.show_seconds(error)} late, p99)"


def keeps_up(trial: TrialSheet) -> bool | None:
    """Whether requests were issued at the trace's times to the end; None: it has no times."""
    lag, length = _mean(trial, "arrival.lag"), trial.trial.load.spec.get("length")
    return None if lag is None or length is None else not lags(lag, cast("float", length))


def _forecast_words(forecast: Forecast | None) -> str:
    if forecast is None or not forecast.latency_band:
        return ""
    where = "within" if forecast.inside else "outside"
    return (
        f" Mean latency {units.show_seconds(forecast.measured['latency_mean'])}, predicted "
        f"{units.show_seconds(forecast.predicted['latency_mean'])}: {where} the model's band "
        f"({units.show_range(*forecast.latency_band, 's')})."
    )


def replay_tone(sheet: RunSheet) -> Tone:
    """Unsure where a trace's rate was not kept."""
    behind = any(keeps_up(trial) is False for trial in sheet.trials)
    return Tone.UNSURE if behind else Tone.PLAIN


def replay_badges(sheet: RunSheet) -> Iterator[Badge]:
    """Whether the rate was kept, and whether the model's band held."""
    kept = {keeps_up(trial) for trial in sheet.trials} - {None}
    if kept:
        yield (Badge("rate not kept", Tone.BAD) if False in kept else Badge("rate kept", Tone.GOOD))
    banded = [forecast for forecast in sheet.forecasts if forecast.latency_band]
    if banded:
        inside = sum(forecast.inside for forecast in banded)
        tone = Tone.GOOD if inside == len(banded) else Tone.UNSURE
        yield Badge(f"{inside} of {len(banded)} within the model's band", tone)


def replay_numbers(sheet: RunSheet) -> Iterator[Number]:
    """Of the first trace: tails by direction, lateness, requests."""
    trial = sheet.trials[0]
    for way in _WAYS:
        tail, mean = _mean(trial, f"{way}.latency.p99"), _mean(trial, f"{way}.latency.mean")
        if tail is not None and mean is not None:
            yield Number(
                units.show_seconds(tail), f"p99 {way} latency", f"mean {units.show_seconds(mean)}"
            )
    error, lag = _mean(trial, "arrival.error.p99"), _mean(trial, "arrival.lag")
    if error is not None and lag is not None:
        yield Number(
            units.show_seconds(error), "issued later than in the trace, p99",
            f"{units.show_seconds(lag)} at the end",
            Tone.PLAIN if keeps_up(trial) else Tone.BAD,
        )  # fmt: skip
    issued = [sum(loop.result.issued.values()) for loop in trial.trial.counted]
    elapsed = _mean(trial, "elapsed")
    if issued and elapsed is not None:
        yield Number(f"{issued[0]:,}", "requests replayed", f"in {units.show_seconds(elapsed)}")


def replay_figures(sheet: RunSheet) -> Iterator[Figure]:
    """Of each trace that a model has foretold: mean and p99 latency, measured and predicted."""
    for forecast in sheet.forecasts:
        if forecast.latency_band:
            yield _beside(forecast)


def _beside(forecast: Forecast) -> Figure:
    sides = (forecast.measured, forecast.predicted)
    latencies = [side[name] for side in sides for name in ("latency_mean", "latency_p99")]
    divisor, unit = scale("s", [*latencies, *(forecast.latency_band or ())])
    low, high = forecast.latency_band or (0.0, 0.0)
    rows = [
        {"what": f"{word}, {kind}", "kind": kind, "value": side[name] / divisor,
         "label": f"{number(side[name] / divisor)} {unit}",
         "beside": max(side[name], high if (name, kind) == _BANDED else 0.0) / divisor,
         "hover": f"{word} {kind}: {units.show_seconds(side[name])}"}
        for word, name in (("mean", "latency_mean"), ("p99", "latency_p99"))
        for kind, side in zip(_KINDS, sides, strict=True)
    ]  # fmt: skip
    band = [{"what": "mean, predicted", "low": low / divisor, "high": high / divisor,
             "hover": f"band of the model: {units.show_range(low, high, 's')}"}]  # fmt: skip
    extent = alt.Scale(domain=[0, 1.3 * max(*latencies, high) / divisor], nice=False)
    y_axis = alt.Y("what:N", title=None, sort=[str(row["what"]) for row in rows],
                   axis=alt.Axis(domain=False, ticks=False))  # fmt: skip
    x_axis = alt.X("value:Q", title=unit, scale=extent, axis=alt.Axis(tickCount=5, format=",.6~g"))
    colour = alt.Color("kind:N", title=None, legend=legend_of(_KINDS, "square"),
                       scale=alt.Scale(domain=_KINDS, range=[BLUE, ORANGE]))  # fmt: skip
    base = alt.Chart(data(rows)).encode(y=y_axis, x=x_axis)
    chart = alt.layer(
        base.mark_bar(height=20).encode(color=colour, description="hover:N"),
        alt.Chart(data(band)).mark_rule(strokeWidth=2, color="#222222").encode(
            y=y_axis, x=alt.X("low:Q", scale=extent), x2="high:Q", description="hover:N"),
        base.mark_text(align="left", dx=8, color="#222222", fontSize=12, aria=False).encode(
            x=alt.X("beside:Q", scale=extent), text="label:N"),
    )  # fmt: skip
    return Figure(
        title=f"{forecast.trial}: latency, {unit}",
        alt="latency of the same requests. " + "; ".join(str(row["hover"]) for row in rows),
        chart=sized(chart, 28 * len(rows)), note="less is better; line: the model's band",
    )  # fmt: skip


def _mean(trial: TrialSheet, name: str) -> float | None:
    return next((metric.mean for metric in trial.metrics if metric.name == name), None)
