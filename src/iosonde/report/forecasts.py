"""What a model had said of a run's trials beside what was measured, as a section of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.prediction import Forecast
from iosonde.report.blocks import Block, Cells, Text, Title

HEADINGS = ("trial", "predicted", "band", "measured", "off", "latency off", "in the band")


def cells(forecast: Forecast) -> tuple[str, ...]:
    """A row under HEADINGS: I/Os a second, and how far the model was from them."""
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
    return f"{inside} of {len(forecasts)} measured rates lie within the band of the model."


def forecast_blocks(forecasts: Sequence[Forecast]) -> Iterator[Block]:
    """A heading and a table; nothing where nothing was predicted."""
    if not forecasts:
        return
    yield Title("Predicted and measured")
    yield Text(_summary(forecasts))
    yield Cells(HEADINGS, tuple(map(cells, forecasts)))
