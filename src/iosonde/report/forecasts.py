"""What a model had said of a run's trials beside what was measured, as a section of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.prediction import Forecast
from iosonde.report.blocks import Block, Cells, Text, Title

HEADINGS = ("trial", "predicted", "band", "measured", "off", "latency off", "in the band")


def cells(forecast: Forecast) -> tuple[str, ...]:
    """A row under HEADINGS: I/Os a second, and how far the model was from them.

    Of requests that came at times of their own it is their mean latency.
    """
    if forecast.latency_band:
        return (
            forecast.trial, units.show_seconds(forecast.predicted["latency_mean"]),
            units.show_range(*forecast.latency_band, "s"),
            units.show_seconds(forecast.measured["latency_mean"]), "–",
            _off(forecast.off("latency_mean")), "yes" if forecast.inside else "no",
        )  # fmt: skip
    return (
        forecast.trial, units.show_iops(forecast.predicted["iops"]),
        units.show_range(*forecast.band, "1/s"),
        units.show_iops(forecast.measured["iops"]), _off(forecast.off("iops")),
        _off(forecast.off("latency_mean")), "yes" if forecast.inside else "no",
    )  # fmt: skip


def _off(share: float | None) -> str:
    return "–" if share is None else units.show_change(share)


def _summary(forecasts: Sequence[Forecast]) -> str:
    inside = sum(forecast.inside for forecast in forecasts)
    what = "latencies" if all(forecast.latency_band for forecast in forecasts) else "rates"
    return f"{inside} of {len(forecasts)} measured {what} lie within the band of the model."


def forecasts_answer(forecasts: Sequence[Forecast], tau: float | None) -> str:
    """How many measured rates lie within the band, which is the farthest off, and the order.

    Args:
        forecasts: of trials that a model says something of.
        tau: Kendall's tau-b between predicted and measured order; None: there is no order.
    """
    if not forecasts:
        return "no trial could be predicted"
    parts = [_summary(forecasts).removesuffix(".")]
    key = "latency_mean" if all(forecast.latency_band for forecast in forecasts) else "iops"
    offs = [(abs(off), off, item.trial) for item in forecasts if (off := item.off(key)) is not None]
    if offs:
        _, off, trial = max(offs)
        parts.append(f"{f'farthest off is {trial}: ' if len(offs) > 1 else ''}{_off(off)}")
    if tau is not None:
        parts.append(f"the order agrees with Kendall's tau {tau:.2f}")
    return "; ".join(parts)


def lateness_words(forecast: Forecast) -> str:
    """How late requests with times of their own were, as predicted and as measured; else empty."""
    if "lag" not in forecast.predicted or "lag" not in forecast.measured:
        return ""
    said, seen = forecast.predicted, forecast.measured
    figures = [
        f"{what} {units.show_seconds(said[name])} predicted, "
        f"{units.show_seconds(seen[name])} measured"
        for what, name in (
            ("p99 latency", "latency_p99"), ("arrival error p99", "arrival_error_p99"),
            ("lag at the end", "lag"),
        )
    ]  # fmt: skip
    return f"{forecast.trial}: {'; '.join(figures)}"


def forecast_blocks(forecasts: Sequence[Forecast]) -> Iterator[Block]:
    """A heading and a table; nothing where nothing was predicted."""
    if not forecasts:
        return
    yield Title("Predicted and measured")
    yield Text(_summary(forecasts))
    yield Cells(HEADINGS, tuple(map(cells, forecasts)))
    yield from (Text(sentence) for sentence in map(lateness_words, forecasts) if sentence)
