"""How far off a prediction was: trials of stored runs beside what the model says of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, cast

from iosonde.contract import ABSENT, HIDDEN
from iosonde.errors import UsageError
from iosonde.layers import LEDGERS
from iosonde.layers._ledger.rule import accounting_of
from iosonde.records.prediction import Forecast
from iosonde.stack.model import layers_under

if TYPE_CHECKING:
    from iosonde.layers.site import Site
    from iosonde.predict.time import Time
    from iosonde.records.run import Run, Trial
    from iosonde.records.stack import StackLayer
    from iosonde.stack.file import DeclaredStack

_DIRECTIONS = ("read", "write")
_POSITIVE: Mapping[str, object] = {"schema": {"minimum": 0}}


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast a trial is; what is not known is left out."""

    iops: float = field(metadata=_POSITIVE)
    bandwidth: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    latency_mean: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    latency_p99: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    arrival_error_p99: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    """Of a replay by how many seconds requests were issued behind their times."""
    lag: float | None = field(default=None, metadata={**ABSENT, **_POSITIVE})
    """The same at the end, over the last hundredth of the requests."""


@dataclass(frozen=True, slots=True)
class ComparedForecast:
    """What the model says of a stored trial, beside what was measured."""

    run: str
    trial: str
    layer: str
    predicted: Rates
    measured: Rates
    band: tuple[float, float] = field(metadata={"schema": {"items": {"minimum": 0}}})
    """The lowest and the highest `iops` that the devices' models leave open, 1/s."""
    inside: bool
    """Whether the measured iops lie within the band; of a replay the latency within its own."""
    off: Mapping[str, float | None]
    """Predicted against measured, as a fraction of the measured; null where that is not known."""
    devices: Mapping[str, str]
    """Layer → model."""
    forecast: Forecast = field(metadata=HIDDEN)
    latency_band: tuple[float, float] | None = field(default=None, metadata=ABSENT)
    """Of a replay the lowest and the highest mean latency that the models leave open, seconds."""

    @classmethod
    def of(cls, run: str, forecast: Forecast) -> ComparedForecast:
        """A forecast of a trial of this run."""
        return cls(
            run=run,
            trial=forecast.trial,
            layer=forecast.layer,
            predicted=Rates(**forecast.predicted),
            measured=Rates(**forecast.measured),
            band=forecast.band,
            inside=forecast.inside,
            off={name: forecast.off(name) for name in forecast.predicted},
            devices=forecast.devices,
            forecast=forecast,
            latency_band=forecast.latency_band,
        )


def require_same_stack(run: Run, trial: Trial, layer: Site, declared: DeclaredStack) -> None:
    """Refuse to hold a trial against a layer that it was not measured at.

    Args:
        run: the stored run.
        trial: one of it.
        layer: of the declared stack, that it would be held against.
        declared: the stack.

    Raises:
        UsageError: the run was at a layer of a stack that this one lacks, in a lab of another
            name, or on arrays and the like that the host had otherwise.
    """
    study = cast("Mapping[str, object]", run.plan.get("study", {}))
    lab = trial.host.removeprefix("lab:").partition("/")[0] if trial.host[:4] == "lab:" else ""
    names = {site.name for site in declared.sites}
    why = ""
    if study.get("stack") and trial.probe not in names:
        why = f"it was measured at the layer {trial.probe!r}"
    elif study.get("stack") and lab and lab != declared.name:
        why = f"it was measured in the lab of the stack {lab!r}"
    elif trial.capture is not None:
        under = layers_under(trial.capture, trial.target.host, trial.target.path)
        counted = _recognised_below(under, trial.target.host)
        wanted = _wanted(layer)
        if under and counted != wanted:
            why = f"under {trial.target.path} there was {_listing(counted)}, not {_listing(wanted)}"
    if why:
        raise UsageError(
            f"{trial.id} of run {run.id} was not measured on {layer.name} of {declared.name}: "
            f"{why}",
            where="--against",
            hint="name the stack and the layer that the run was measured on: --stack, --at",
        )


def _recognised_below(under: Sequence[StackLayer], host: str) -> Counter[str]:
    """What is told apart of the layers of one host, as they were found."""
    return Counter(
        recognised(layer.facts)
        for layer in under
        if layer.host == host and (recognised := accounting_of(layer.kind).recognised)
    )


def _wanted(layer: Site) -> Counter[str]:
    """The same of declared ones: on the layer's own host."""
    sites = {site.name: site for site in (layer, *layer.under()) if site.host == layer.host}
    named = []
    for site in sites.values():
        kind = accounting_of(site.kind)
        if kind.recognised:
            keys = site.declared.model_dump(mode="json")
            members = len(site.below) - int(keys.get("spares", 0))
            facts = kind.facts(keys, keys) if kind.facts else {}
            named.append(kind.recognised({**facts, "raid_disks": members}))
    return Counter(named)


def _listing(kinds: Counter[str]) -> str:
    parts = [f"{count} × {name}" if count > 1 else name for name, count in sorted(kinds.items())]
    told_apart = [kind for kind in sorted(LEDGERS) if LEDGERS.load(kind).recognised]
    return " and ".join(parts) or f"none of {', '.join(told_apart)}"


def measured(trial: Trial) -> dict[str, float]:
    """Rate, bandwidth and mean latency of all I/Os of a trial, means over its loops.

    Returns:
        "iops" in 1/s, "bandwidth" in bytes/s, "latency_mean" in seconds; what the tool did not
        print is left out.
    """
    iops: list[float] = []
    bandwidth: list[float] = []
    latency: list[float] = []
    for loop in trial.counted:
        figures = loop.result.metrics
        rates = {direction: figures.get(f"{direction}.iops", 0.0) for direction in _DIRECTIONS}
        total = sum(rates.values())
        if not total:
            continue
        iops.append(total)
        bandwidth.append(
            sum(figures.get(f"{direction}.bandwidth", 0.0) for direction in _DIRECTIONS)
        )
        means = {
            direction: figures.get(f"{direction}.latency.mean")
            for direction in _DIRECTIONS
            if rates[direction]
        }
        if all(value is not None for value in means.values()):
            latency.append(
                sum(rates[direction] * (value or 0) for direction, value in means.items()) / total
            )
    every = {"iops": iops, "bandwidth": bandwidth, "latency_mean": latency}
    return {name: sum(values) / len(values) for name, values in every.items() if any(values)}


def forecast(
    trial: Trial, layer: str, stack: str, said: Time, devices: Mapping[str, str]
) -> Forecast | None:
    """What the model said of a trial beside what was measured; None where nothing was."""
    figures = measured(trial)
    if "iops" not in figures:
        return None
    predicted = {"iops": said.iops, "bandwidth": said.bandwidth, "latency_mean": said.latency}
    return Forecast(
        trial.id, layer, stack, time.time(), predicted, figures, said.band, dict(devices)
    )


def order(forecasts: Sequence[Forecast]) -> float | None:
    """Kendall's tau-b between predicted and measured rates, −1 to 1; None where none is defined.

    Source: M. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
    """
    if len(forecasts) < 2:
        return None
    from scipy.stats import kendalltau

    correlation = kendalltau(
        [forecast.predicted["iops"] for forecast in forecasts],
        [forecast.measured["iops"] for forecast in forecasts],
    )
    tau = float(correlation.statistic)
    return None if isnan(tau) else tau
