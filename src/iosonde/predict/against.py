"""How far off a prediction was: trials of stored runs beside what the model says of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from iosonde.records import Forecast

if TYPE_CHECKING:
    from iosonde.predict.time import Time
    from iosonde.records import Trial

_DIRECTIONS = ("read", "write")


def measured(trial: Trial) -> dict[str, float]:
    """Rate, bandwidth and mean latency of all I/Os of a trial, means over its loops.

    Returns:
        "iops" in 1/s, "bandwidth" in bytes/s, "latency_mean" in seconds; what the tool did not
        print is left out.
    """
    iops: list[float] = []
    bandwidth: list[float] = []
    latency: list[float] = []
    for loop in trial.loops:
        figures = loop.result.metrics
        rates = {one: figures.get(f"{one}.iops", 0.0) for one in _DIRECTIONS}
        total = sum(rates.values())
        if not total:
            continue
        iops.append(total)
        bandwidth.append(sum(figures.get(f"{one}.bandwidth", 0.0) for one in _DIRECTIONS))
        known = {one: figures.get(f"{one}.latency.mean") for one in _DIRECTIONS if rates[one]}
        if all(value is not None for value in known.values()):
            latency.append(sum(rates[one] * (value or 0) for one, value in known.items()) / total)
    every = {"iops": iops, "bandwidth": bandwidth, "latency_mean": latency}
    return {name: sum(values) / len(values) for name, values in every.items() if any(values)}


def forecast(
    trial: Trial, layer: str, stack: str, said: Time, devices: Mapping[str, str]
) -> Forecast | None:
    """What the model said of a trial beside what was measured; None where nothing was."""
    found = measured(trial)
    if "iops" not in found:
        return None
    predicted = {"iops": said.iops, "bandwidth": said.bandwidth, "latency_mean": said.latency}
    return Forecast(trial.id, layer, stack, time.time(), predicted, found, said.band, dict(devices))


def order(forecasts: Sequence[Forecast]) -> float | None:
    """Kendall's tau-b between predicted and measured rates, −1 to 1; None where none is defined.

    Source: M. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
    """
    if len(forecasts) < 2:
        return None
    from scipy.stats import kendalltau

    found = kendalltau(
        [one.predicted["iops"] for one in forecasts], [one.measured["iops"] for one in forecasts]
    )
    tau = float(found.statistic)
    return None if isnan(tau) else tau
