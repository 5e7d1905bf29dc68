"""What will a declared stack do with a load, and how fast?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from iosonde.contract import ADDED, HIDDEN, VerbResult
from iosonde.errors import UsageError
from iosonde.loads import LOADS
from iosonde.loads.load import ReplayingEngine
from iosonde.loads.named import declare_load, declare_loads
from iosonde.predict.against import ComparedForecast, forecast, order, require_same_stack
from iosonde.predict.curves import predicted_curves
from iosonde.predict.described import model_of_described
from iosonde.predict.devices import DeviceModels, devices_of, model_text, parse_devices, with_caches
from iosonde.predict.fit import fitted, network_and_size
from iosonde.predict.model import Counts, model_of, top_of
from iosonde.predict.model import predict as count
from iosonde.predict.recorded import Recorded, is_trace
from iosonde.predict.replayed import replay_forecast
from iosonde.predict.requests import Requests, of_load
from iosonde.predict.search import Question, Ranking, ranking, search
from iosonde.predict.service.controller import Controller
from iosonde.predict.service.service import parse_rate
from iosonde.predict.shape import shape_of
from iosonde.predict.time import NoTime, Time, TimeBasis, timed
from iosonde.predict.what_if import PredictedCombination, Variant, parse_change, variants
from iosonde.records.curve import Curve
from iosonde.records.load import Load
from iosonde.records.prediction import Forecast
from iosonde.records.printed import StoredExtra, TextLocation
from iosonde.records.run import Run
from iosonde.stack.file import DeclaredStack, read_stack
from iosonde.store.packed import pack
from iosonde.store.store import Store
from iosonde.verbs.signals import run_async

_RECORDED = "recording:"


@dataclass(frozen=True, slots=True)
class PredictedStack(VerbResult):
    """What each layer of a declared stack will do with a load.

    Requests come one after the other for the counts. Sizes in bytes, shares as fractions. A figure
    that is not known is null.
    """

    SCHEMA = "iosonde.predict/1"
    requests: int = field(metadata={"schema": {"minimum": 0}})
    """Reads and writes of the load."""
    settings: Mapping[str, str]
    """As they hold for `layers`: the first of the values that were asked for."""
    layers: tuple[Counts, ...]
    """From the layer that the load is applied to down to the disks."""
    what_if: tuple[PredictedCombination, ...]
    """All combinations of the values, where there is more than one."""
    time: Time | None
    """null where a device has no model."""
    time_basis: TimeBasis = field(metadata=ADDED)
    notes: tuple[str, ...]
    """Where the requests differ from what the load would do, and what is remarkable about their
    way."""
    combinations: tuple[PredictedCombination, ...] = field(metadata=HIDDEN)
    """All of them, the first included."""
    curves: tuple[Curve, ...] = field(default=(), metadata=ADDED)
    """Of a load matrix how rate and latency go with what is in flight; its points are in `what_if`.
    """

    def page(self, load: str) -> bytes:
        """An HTML page with charts, under the load's name."""
        from iosonde.predict.page import page

        return page(self.combinations, load, self.curves)

    def svg(self) -> bytes:
        """The charts alone."""
        from iosonde.predict.page import picture

        return picture(self.combinations, self.curves)


@dataclass(frozen=True, slots=True)
class UnpredictedTrial:
    """A trial of which the model says nothing."""

    run: str
    trial: str
    reason: str


@dataclass(frozen=True, slots=True)
class ComparedForecasts(VerbResult):
    """What the model says of stored trials, beside what was measured.

    Rates in 1/s and bytes/s, times in seconds.
    """

    SCHEMA = "iosonde.forecast/1"
    trials: tuple[ComparedForecast, ...]
    without: tuple[UnpredictedTrial, ...]
    tau: float | None = field(metadata={"schema": {"minimum": -1, "maximum": 1}})
    """Kendall's tau-b between predicted and measured iops of all trials."""

    @property
    def inside(self) -> bool:
        """Whether there are trials, and all measured rates lie within the band."""
        return bool(self.trials) and all(trial.inside for trial in self.trials)


@dataclass(frozen=True, slots=True)
class FittedController(VerbResult):
    """The model of a controller that would have been as fast as measured."""

    SCHEMA = "iosonde.fit/1"
    layer: str
    model: str
    """To be used as --device LAYER=MODEL."""


def predict(
    stack: str | Path,
    load: str,
    *,
    at: str = "",
    settings: Sequence[str] = (),
    requests: int = 1000,
    devices: Sequence[str] = (),
    store: str | None = None,
) -> PredictedStack:
    """Count what each layer of a stack reads and writes for a load, and how fast it is.

    Args:
        stack: the stack's file, or `recording:PATH`: the stack of a recorded host, which has no
            settings to vary and no models of devices.
        load: a load's name, a .fio file, a command line of fio, or a trace's file. Options that are
            lists make a matrix, of which each point is predicted.
        at: layer that the load is applied to; empty: the top.
        settings: "LAYER.SETTING=VALUE,VALUE…" in place of the declared values; all combinations
            are gone through.
        requests: how many, if neither load nor trace says it.
        devices: "LAYER=MODEL": speed of a layer, or of all layers of a kind.
        store: with calibrations: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: stack, load, setting or model is wrong, or a layer cannot be predicted.
    """
    if str(stack).startswith(_RECORDED):
        return _of_recorded(str(stack), load, at, requests, (*settings, *devices))
    changes = [parse_change(text) for text in settings]
    declared = read_stack(Path(stack))
    models = devices_of(declared, devices, store)
    points = _understood(load)
    top = top_of(declared, at)
    combinations = [
        _combination(variant, declared, point, requests, models)
        for variant in variants(declared, top, changes)
        for point in points
    ]
    first = combinations[0]
    name = points[0].varied_from if isinstance(points[0], Load) else ""
    return PredictedStack(
        requests=first.prediction.requests, settings=first.settings, layers=first.layers,
        what_if=tuple(combinations) if len(combinations) > 1 else (), time=first.time,
        time_basis=first.time_basis, notes=first.prediction.notes,
        combinations=tuple(combinations),
        curves=predicted_curves(combinations, name, top.name) if name else (),
    )  # fmt: skip


def _of_recorded(
    name: str, load: str, at: str, requests: int, declared: Sequence[str]
) -> PredictedStack:
    """What the layers of a recorded host would get of a load, as far as its files say it."""
    if declared:
        raise UsageError(
            f"{declared[0]!r} belongs to a declared stack; {name} is recorded",
            hint="leave out --set and --device, or write a stack file",
        )
    points = _understood(load)
    discovered, notes = run_async(model_of_described(name, at))
    basis = TimeBasis(reason="the devices of a recorded stack have no speed models")
    combinations = []
    for point in points:
        made: Requests | Recorded = (
            Recorded(point) if isinstance(point, Path)
            else of_load(point, requests, discovered.model.size)
        )  # fmt: skip
        counted = count(discovered.model, made)
        matrix = point.matrix if isinstance(point, Load) else {}
        combinations.append(PredictedCombination({}, counted.layers, None, basis, counted, matrix))
    first = combinations[0]
    return PredictedStack(
        requests=first.prediction.requests, settings={}, layers=first.layers,
        what_if=tuple(combinations) if len(combinations) > 1 else (), time=None, time_basis=basis,
        notes=tuple(dict.fromkeys((*notes, *first.prediction.notes))),
        combinations=tuple(combinations),
    )  # fmt: skip


def _combination(
    variant: Variant, declared: DeclaredStack, asked: Load | Path, requests: int,
    models: DeviceModels,
) -> PredictedCombination:  # fmt: skip
    """What one combination of settings makes of a load."""
    buffered = isinstance(asked, Load) and asked.engine == "fio" and shape_of(asked).buffered
    extra = with_caches(variant.extra, variant.top, models)
    model = model_of(variant.top, declared.mtu, extra, buffered=buffered)
    if isinstance(asked, Path):
        made: Requests | Recorded = Recorded(asked)
    else:
        made = of_load(asked, requests, model.size)
    counted = count(model, made)
    time = timed(model, asked, requests, models)
    basis = TimeBasis.of(time, model, models)
    timing = time if isinstance(time, Time) else None
    matrix = asked.matrix if isinstance(asked, Load) else {}
    return PredictedCombination(variant.settings, counted.layers, timing, basis, counted, matrix)


def _understood(load: str) -> Sequence[Load | Path]:
    """A load as it is declared, or all points of a matrix; or a trace's file."""
    path = Path(load)
    if is_trace(path):
        return [path]
    entry: str | Mapping[str, Any] = {"fio": load} if load.startswith("--") else load
    return declare_loads(entry, where="--load", directory=Path())


def rank(
    stack: str | Path,
    load: str,
    settings: Sequence[str],
    *,
    at: str = "",
    requests: int = 1000,
    devices: Sequence[str] = (),
    store: str | None = None,
    dask: str = "",
) -> Ranking:
    """All combinations of settings' values by the model, the fastest first.

    Args:
        stack: the stack's file.
        load: a load's name, a .fio file, or a command line of fio.
        settings: "LAYER.SETTING=VALUE,VALUE…"; all combinations are gone through.
        at: layer that the load is applied to; empty: the top.
        requests: how many, if the load does not say it.
        devices: "LAYER=MODEL": speed of a layer, or of all layers of a kind.
        store: with calibrations; None: the usual one.
        dask: the scheduler of a Dask cluster that does it, or "local"; empty: processes here.

    Raises:
        UsageError: as of `predict`; nothing is to be varied, or too much.
        HostFailed: the Dask cluster does not answer.
    """
    changes = [parse_change(text) for text in settings]
    if not changes:
        raise UsageError(
            "there is nothing to search", where="--search",
            hint="give values with --set LAYER.SETTING=VALUE,VALUE…",
        )  # fmt: skip
    devices_of(read_stack(Path(stack)), devices, store)
    declared = declare_load(load, where="--load", directory=Path())
    question = Question(Path(stack), at, declared, parse_devices(devices), store, requests)
    return ranking(search(question, changes, dask=dask), declared.name)


def compare_with_runs(
    stack: str | Path,
    *runs: str,
    kept: Store,
    at: str = "",
    requests: int = 1000,
    devices: Sequence[str] = (),
    store: str | None = None,
) -> ComparedForecasts:
    """What the model says of stored runs' trials, beside what was measured; kept with the runs.

    Args:
        stack: the stack's file.
        runs: their ids.
        kept: the store that has them.
        at: layer that the load was applied to where the run does not say it; empty: the top.
        requests: how many, if the load does not say it.
        devices: "LAYER=MODEL": speed of a layer, or of all layers of a kind.
        store: with calibrations; None: the usual one.

    Raises:
        UsageError: no such run, or it was measured on another stack.
    """
    trials: list[ComparedForecast] = []
    without: list[UnpredictedTrial] = []
    for name in runs:
        run = kept.load(name)
        forecasts, missing = _forecasts(run, Path(stack), at, requests, devices, store)
        place = TextLocation(str(stack), 1, 1)
        kept.add_imported(
            run.id, [pack((), [StoredExtra(place, prediction) for prediction in forecasts])]
        )
        trials += [ComparedForecast.of(run.id, prediction) for prediction in forecasts]
        without += missing
    return ComparedForecasts(
        tuple(trials), tuple(without), order([trial.forecast for trial in trials])
    )


def _forecasts(
    run: Run, stack: Path, at: str, requests: int, devices: Sequence[str], store: str | None
) -> tuple[list[Forecast], list[UnpredictedTrial]]:
    """Forecasts of a run's trials, and why others have none."""
    study = cast("Mapping[str, Any]", run.plan.get("study", {}))
    declared = read_stack(stack, values=study.get("set") or {})
    models = devices_of(declared, devices, store)
    names = {site.name for site in declared.sites}
    forecasts: list[Forecast] = []
    without: list[UnpredictedTrial] = []
    for trial in run.trials:
        # The load was applied to its probe point, else to what the user says.
        layer = top_of(declared, trial.probe if trial.probe in names else at)
        require_same_stack(run, trial, layer, declared)
        model = model_of(layer, declared.mtu)
        if isinstance(LOADS.load(trial.load.engine)(), ReplayingEngine):
            replayed = replay_forecast(trial, layer.name, declared.name, model, models)
            if isinstance(replayed, NoTime):
                without.append(UnpredictedTrial(run.id, trial.id, replayed.reason))
            else:
                forecasts.append(replayed)
            continue
        if trial.load.engine != "fio":
            reason = f"loads of {trial.load.engine} are not predicted"
            without.append(UnpredictedTrial(run.id, trial.id, reason))
            continue
        time = timed(model, trial.load, requests, models)
        if isinstance(time, NoTime):
            without.append(UnpredictedTrial(run.id, trial.id, time.reason))
            continue
        prediction = forecast(trial, layer.name, declared.name, time, models.texts(model))
        if prediction is None:
            reason = "no loop of it was finished"
            without.append(UnpredictedTrial(run.id, trial.id, reason))
        else:
            forecasts.append(prediction)
    return forecasts, without


def fit(
    stack: str | Path,
    load: str,
    figures: str,
    *,
    at: str = "",
    settings: Sequence[str] = (),
    requests: int = 1000,
    devices: Sequence[str] = (),
    store: str | None = None,
) -> FittedController:
    """The controller that would have been as fast as measured, as a model to be used.

    Args:
        stack: the stack's file.
        load: a load's name, a .fio file, or a command line of fio.
        figures: "LAYER=FIGURE,FIGURE…": the measured rate of each combination of the settings, in
            their order: "284" I/Os a second, or "1136 MiB/s".
        settings: "LAYER.SETTING=VALUE,VALUE…".
        at: layer that the load is applied to; empty: the top.
        requests: how many, if the load does not say it.
        devices: "LAYER=MODEL": speed of a layer, or of all layers of a kind.
        store: with calibrations; None: the usual one.

    Raises:
        UsageError: as of `predict`; as many figures as combinations are wanted.
    """
    name, equals, listed = figures.partition("=")
    if not equals:
        raise UsageError(
            f"{figures!r} fits nothing", where="--fit",
            hint="LAYER=FIGURE,FIGURE… with one measured figure for each combination of --set",
        )  # fmt: skip
    changes = [parse_change(text) for text in settings]
    declared = read_stack(Path(stack))
    models = devices_of(declared, devices, store)
    like = models.of(declared.site(name))
    if not isinstance(like, Controller):
        raise UsageError(
            f"{name} has no controller as its model", where="--fit",
            hint=f"say what its cache is: --device {name}=controller:cache=…,rate=1GB/s",
        )  # fmt: skip
    asked = declare_load(load, where="--load", directory=Path())
    networks = network_and_size(declared, at, asked, changes, models, requests)
    texts = listed.split(",")
    if len(texts) != len(networks):
        raise UsageError(
            f"{len(texts)} figures for {len(networks)} combinations of --set",
            where="--fit", hint="give one for each, in their order",
        )  # fmt: skip
    rates = [_rate(text, size) for text, (_, size) in zip(texts, networks, strict=True)]
    made = fitted([network for network, _ in networks], rates, name, like)
    return FittedController(name, model_text(made))


def _rate(text: str, size: float) -> float:
    """Requests a second from "284" or "1136 MiB/s"."""
    plain = text.strip()
    if plain.replace(".", "", 1).isdecimal():
        return float(plain)
    return parse_rate(plain, "--fit") / size
