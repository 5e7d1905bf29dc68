"""What `iosonde predict` does besides one prediction: --search, --against, --fit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from iosonde import units
from iosonde.cli.output import err, out, print_json
from iosonde.cli.stored import store_to_write
from iosonde.cli.timed import bar, devices_of
from iosonde.errors import UsageError
from iosonde.outputs import write_output

if TYPE_CHECKING:
    from iosonde.predict.search import Ranked
    from iosonde.predict.what_if import SettingValues
    from iosonde.records.prediction import Forecast
    from iosonde.records.run import Run, Trial
    from iosonde.records.stack import Json

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ForecastOptions:
    """The options that all of these share, as given."""

    stack: Path
    at: str
    load: str
    changes: Sequence[SettingValues]
    devices: Sequence[str]
    store: str | None
    requests: int
    as_json: bool
    dask: str = ""
    drawn: bool = False


def answered(
    asked: ForecastOptions, *, against: Sequence[str], search: bool, prior: Path | None, fit: str
) -> int | None:
    """The exit code where one of these was asked for; None for a plain prediction."""
    if against:
        return held_against(asked, against)
    if not asked.load:
        raise UsageError("say which load: --load LOAD", hint="`iosonde loads` lists them")
    if prior is not None and not search:
        raise UsageError("only a search has a ranking to write", where="--prior", hint="--search")
    if asked.drawn and (search or fit):
        raise UsageError("a search or a fit is not drawn", where="--html", hint="leave it out")
    if asked.dask and not search:
        raise UsageError("only a search is done by Dask", where="--dask", hint="--search")
    if search:
        return searched(asked, prior)
    return fit_of(asked, fit) if fit else None


def searched(asked: ForecastOptions, prior: Path | None) -> int:
    """All combinations by the model, ranked; written as a prior where a file is named."""
    from iosonde.loads.named import declare_load
    from iosonde.predict.devices import parse_devices
    from iosonde.predict.search import Question, ranking, search
    from iosonde.stack.file import read_stack

    if not asked.changes:
        raise UsageError(
            "there is nothing to search", where="--search",
            hint="give values with --set LAYER.SETTING=VALUE,VALUE…",
        )  # fmt: skip
    devices_of(read_stack(asked.stack), asked.devices, asked.store)
    declared = declare_load(asked.load, where="--load", directory=Path())
    models = parse_devices(asked.devices)
    question = Question(asked.stack, asked.at, declared, models, asked.store, asked.requests)
    found = search(question, asked.changes, dask=asked.dask)
    document = ranking(found, declared.name)
    if prior is not None:
        write_output(prior, (json.dumps(document, indent=2) + "\n").encode(), "the prior")
    if asked.as_json:
        print_json(document)
    else:
        _print_ranking(found)
        if prior is not None:
            err().print(f"prior: {prior.resolve()}")
    return 0 if any(one.time for one in found) else 1


def _print_ranking(found: Sequence[Ranked]) -> None:
    from rich.table import Table

    table = Table(box=None)
    for name in found[0].settings:
        table.add_column(name)
    known = [one.time for one in found if one.time]
    most = max((one.band[1] for one in known), default=1.0)
    for heading in ("I/Os", "band", "bandwidth", "latency", "busiest"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in found[:_SHOWN]:
        time = one.time
        if time is None:
            table.add_row(*one.settings.values(), "–", "–", "–", "–", "–", one.reason)
            continue
        table.add_row(
            *one.settings.values(), units.show_iops(time.iops),
            units.show_range(*time.band, "1/s"),
            units.show_bandwidth(time.bandwidth), units.show_seconds(time.latency),
            time.bottleneck or "–", bar(time, most),
        )  # fmt: skip
    out().print(table)
    if found[_SHOWN:]:
        out().print(f"and {len(found) - _SHOWN} more: --json or --prior has all")


def held_against(asked: ForecastOptions, runs: Sequence[str]) -> int:
    """What the model says of stored runs' trials, beside what was measured; kept with the runs.

    Returns:
        0 where all measured rates lie within the band, else 1.
    """
    from iosonde.predict.against import order

    with store_to_write(asked.store) as kept:
        every: list[tuple[str, Forecast]] = []
        without: list[tuple[str, str, str]] = []
        for name in runs:
            run = kept.load(name)
            found, missing = _of_run(run, asked)
            kept.add_imported(run.id, [_packed(found, asked.stack)])
            every += [(run.id, one) for one in found]
            without += [(run.id, trial, reason) for trial, reason in missing]
    tau = order([one for _, one in every])
    if asked.as_json:
        print_json(document(every, without, tau))
    else:
        _print_forecasts(every, without, tau)
    return 0 if every and all(one.inside for _, one in every) else 1


def _of_run(run: Run, asked: ForecastOptions) -> tuple[list[Forecast], list[tuple[str, str]]]:
    """Forecasts of a run's trials, and why others have none."""
    from iosonde.predict.against import forecast, require_same_stack
    from iosonde.predict.model import model_of, top_of
    from iosonde.predict.of_load import timed_load
    from iosonde.predict.time import NoTime
    from iosonde.stack.file import read_stack

    study = cast("Mapping[str, Any]", run.plan.get("study", {}))
    declared = read_stack(asked.stack, values=study.get("set") or {})
    models = devices_of(declared, asked.devices, asked.store)
    names = {site.name for site in declared.sites}
    found: list[Forecast] = []
    without: list[tuple[str, str]] = []
    for trial in run.trials:
        layer = top_of(declared, _layer(trial, asked.at, names))
        require_same_stack(run, trial, layer, declared)
        model = model_of(layer, declared.mtu)
        if trial.load.engine != "fio":
            without.append((trial.id, f"loads of {trial.load.engine} are not predicted"))
            continue
        time = timed_load(model, trial.load, asked.requests, models)
        if isinstance(time, NoTime):
            without.append((trial.id, time.reason))
            continue
        texts = {site.name: models.text(site) for site in model.declared if models.text(site)}
        one = forecast(trial, layer.name, declared.name, time, texts)
        if one is None:
            without.append((trial.id, "no loop of it was finished"))
        else:
            found.append(one)
    return found, without


def _layer(trial: Trial, at: str, names: set[str]) -> str:
    """The layer that a trial's load was applied to: its probe point, else what the user says."""
    return trial.probe if trial.probe in names else at


def _packed(found: Sequence[Forecast], stack: Path) -> Any:
    from iosonde.records.printed import StoredExtra, TextLocation
    from iosonde.store.packed import pack

    return pack((), [StoredExtra(TextLocation(str(stack), 1, 1), one) for one in found])


def document(
    every: Sequence[tuple[str, Forecast]],
    without: Sequence[tuple[str, str, str]],
    tau: float | None,
) -> dict[str, Json]:
    """The object of `iosonde.forecast/1`."""
    rows: list[Json] = [
        {
            "run": run, "trial": one.trial, "layer": one.layer,
            "predicted": dict(one.predicted), "measured": dict(one.measured),
            "band": list(one.band), "inside": one.inside,
            "off": {name: one.off(name) for name in one.predicted},
            "devices": dict(one.devices),
        }
        for run, one in every
    ]  # fmt: skip
    missing: list[Json] = [
        {"run": run, "trial": trial, "reason": reason} for run, trial, reason in without
    ]
    return {"schema": "iosonde.forecast/1", "trials": rows, "without": missing, "tau": tau}


def _print_forecasts(
    every: Sequence[tuple[str, Forecast]],
    without: Sequence[tuple[str, str, str]],
    tau: float | None,
) -> None:
    from rich.table import Table

    from iosonde.report.forecasts import HEADINGS, cells

    table = Table(box=None)
    table.add_column("run")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "trial" else "right")
    for run, one in every:
        table.add_row(run, *cells(one))
    out().print(table)
    if tau is not None:
        out().print(f"predicted and measured order agree with Kendall's tau {tau:.2f}")
    for run, trial, reason in without:
        err().print(f"{run} {trial}: {reason}", style="yellow")


def fit_of(asked: ForecastOptions, text: str) -> int:
    """The controller that would have been as fast as measured, as a model to be used."""
    from iosonde.predict.devices import model_text
    from iosonde.predict.fit import fitted
    from iosonde.predict.of_load import network_and_size
    from iosonde.predict.service.controller import Controller
    from iosonde.stack.file import read_stack

    name, equals, figures = text.partition("=")
    if not equals:
        raise UsageError(
            f"{text!r} fits nothing", where="--fit",
            hint="LAYER=FIGURE,FIGURE… with one measured figure for each combination of --set",
        )  # fmt: skip
    declared = read_stack(asked.stack)
    models = devices_of(declared, asked.devices, asked.store)
    like = models.of(declared.site(name))
    if not isinstance(like, Controller):
        raise UsageError(
            f"{name} has no controller as its model", where="--fit",
            hint=f"say what its cache is: --device {name}=controller:cache=…,rate=1GB/s",
        )  # fmt: skip
    networks = network_and_size(
        declared, asked.at, asked.load, asked.changes, models, asked.requests
    )
    rates = [_rate(one, size) for one, (_, size) in zip(figures.split(","), networks, strict=False)]
    if len(rates) != len(networks) or figures.count(",") + 1 != len(networks):
        raise UsageError(
            f"{figures.count(',') + 1} figures for {len(networks)} combinations of --set",
            where="--fit", hint="give one for each, in their order",
        )  # fmt: skip
    written = model_text(fitted([one for one, _ in networks], rates, name, like))
    if asked.as_json:
        print_json({"schema": "iosonde.fit/1", "layer": name, "model": written})
    else:
        out().print(f"--device {name}={written}", soft_wrap=True)
    return 0


def _rate(text: str, size: float) -> float:
    """Requests a second from "284" or "1136 MiB/s"."""
    from iosonde.predict.service.service import parse_rate

    plain = text.strip()
    if plain.replace(".", "", 1).isdecimal():
        return float(plain)
    return parse_rate(plain, "--fit") / size
