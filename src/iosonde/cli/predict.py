"""`iosonde predict`: what each layer of a declared stack will do with a load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.output import err, out, print_json
from iosonde.outputs import write_output

if TYPE_CHECKING:
    from rich.console import Console

    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.model import Counts, Prediction, StackModel
    from iosonde.predict.recorded import Recorded
    from iosonde.predict.requests import Requests
    from iosonde.predict.time import NoTime, Time
    from iosonde.predict.what_if import Variant
    from iosonde.records.stack import Json

_SIZES = 6  # shown of each layer


def predict(
    stack: Annotated[Path, typer.Option(metavar="FILE", help="The stack file.")],
    load: Annotated[
        str,
        typer.Option(metavar="LOAD", help="A load's name, a .fio file, a command line, a trace."),
    ] = "",
    at: Annotated[
        str, typer.Option(metavar="LAYER", help="Layer that the load is applied to (the top).")
    ] = "",
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="LAYER.SETTING=VALUE[,…]",
            help="Value in place of the declared one; may be repeated.",
        ),
    ] = None,
    requests: Annotated[
        int, typer.Option(min=1, help="Number of requests, if neither load nor trace gives it.")
    ] = 1000,
    device: Annotated[
        list[str] | None,
        typer.Option(metavar="LAYER=MODEL", help="Speed of a layer, or of all layers of a kind."),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Store with calibrations: a file or a PostgreSQL URL.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Rank all combinations of the values of --set.")
    ] = False,
    dask: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="With --search: on the workers of a Dask cluster; local: its threads here.",
        ),
    ] = "",
    prior: Annotated[
        Path | None, typer.Option(help="With --search: write the ranking here, for `tune`.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN", help="Compare with what a run measured; may be repeated."),
    ] = None,
    fit: Annotated[
        str,
        typer.Option(metavar="LAYER=FIGURE,…", help="Fit a controller's model to measured rates."),
    ] = "",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the charts alone.")
    ] = None,
    ledger: Annotated[
        bool, typer.Option("--ledger", help="Show all layers with the sizes of their I/Os.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> int:
    """Count beforehand what each layer of a stack reads and writes for a load, and how fast it is.

    For the counts requests come one after the other; the stack was idle, its arrays are clean.
    """
    from iosonde.cli.forecasts import ForecastOptions, answered
    from iosonde.cli.timed import devices_of, print_time, print_times
    from iosonde.predict.devices import with_caches
    from iosonde.predict.model import model_of, top_of
    from iosonde.predict.model import predict as counted
    from iosonde.predict.of_load import timed
    from iosonde.predict.what_if import parse_change, variants
    from iosonde.stack.file import read_stack

    changes = [parse_change(text) for text in change or []]
    given = device or []
    drawn = bool(html or svg)
    asked = ForecastOptions(stack, at, load, changes, given, store, requests, as_json, dask, drawn)
    done = answered(asked, against=against or [], search=search, prior=prior, fit=fit)
    if done is not None:
        return done
    declared = read_stack(stack)
    devices = devices_of(declared, given, store)
    tried, times = [], []
    buffered = _is_buffered(load)
    for variant in variants(declared, top_of(declared, at), changes):
        extra = with_caches(variant.extra, variant.top, devices)
        model = model_of(variant.top, declared.mtu, extra, buffered=buffered)
        tried.append((variant, model, counted(model, _requests(load, requests, model))))
        times.append(timed(model, load, requests, devices))
    if html or svg:
        _draw(tried, times, load, html, svg)
    if as_json:
        print_json(document(tried, times, devices))
        return 0
    console = out()
    if len(tried) > 1:
        _print_table(console, tried)
    if ledger or len(tried) == 1:
        for variant, _, prediction in tried:
            _print_layers(console, variant.settings, prediction, sizes=ledger)
    if len(tried) > 1:
        print_times(console, [(one[0], time) for one, time in zip(tried, times, strict=True)])
    else:
        print_time(console, times[0])
    _print_notes(tried[0][2])
    return 0


def _draw(
    tried: Sequence[tuple[Variant, StackModel, Prediction]],
    times: Sequence[Time | NoTime],
    load: str,
    html: Path | None,
    svg: Path | None,
) -> None:
    """The combinations as charts, into the files that were named."""
    from iosonde.predict.page import PredictedCombination, page, picture

    rows = [
        PredictedCombination(variant.settings, prediction, time)
        for (variant, _, prediction), time in zip(tried, times, strict=True)
    ]
    if html:
        write_output(html, page(rows, load), "the page")
    if svg:
        write_output(svg, picture(rows), "the charts")


def _is_buffered(load: str) -> bool:
    """Whether a load goes through the page cache; what is below it got a trace's requests."""
    from iosonde.loads.named import declare_load
    from iosonde.predict.recorded import is_trace
    from iosonde.predict.shape import shape_of

    if is_trace(Path(load)):
        return False
    declared = declare_load(load, where="--load", directory=Path())
    return declared.engine == "fio" and shape_of(declared).buffered


def _requests(load: str, count: int, model: StackModel) -> Requests | Recorded:
    from iosonde.loads.named import declare_load
    from iosonde.predict.recorded import Recorded, is_trace
    from iosonde.predict.requests import of_load

    if is_trace(Path(load)):
        return Recorded(Path(load))
    return of_load(declare_load(load, where="--load", directory=Path()), count, model.size)


def document(
    tried: Sequence[tuple[Variant, StackModel, Prediction]],
    times: Sequence[Time | NoTime],
    devices: DeviceModels,
) -> dict[str, Json]:
    """The object of `iosonde.predict/1`: the first combination, and all where there are several."""
    from iosonde.cli.timed import basis_json, time_json

    what_if: list[Json] = [
        {
            "settings": dict(variant.settings),
            "layers": _layers(prediction),
            "time": time_json(time),
            "time_basis": basis_json(time, model, devices),
        }
        for (variant, model, prediction), time in zip(tried, times, strict=True)
    ]
    variant, model, prediction = tried[0]
    return {
        "schema": "iosonde.predict/1",
        "requests": prediction.requests,
        "settings": dict(variant.settings),
        "layers": _layers(prediction),
        "what_if": what_if if len(tried) > 1 else [],
        "time": time_json(times[0]),
        "time_basis": basis_json(times[0], model, devices),
        "notes": list(prediction.notes),
    }


def _layers(prediction: Prediction) -> list[Json]:
    return [_layer(prediction, one) for one in prediction.layers]


def _layer(prediction: Prediction, layer: Counts) -> dict[str, Json]:
    sizes: dict[str, int] = {}
    for counts in (layer.read_sizes, layer.write_sizes):
        for size, count in counts.items():
            sizes[str(size)] = sizes.get(str(size), 0) + count
    amplification = prediction.amplification(layer)
    return {
        "id": layer.id,
        "kind": layer.kind,
        "host": layer.host,
        "device": None,
        "size": layer.size,
        "reads": layer.reads,
        "writes": layer.writes,
        "writes_band": list(layer.writes_band),
        "flushes": layer.flushes,
        "read_bytes": layer.read_bytes,
        "write_bytes": layer.write_bytes,
        "sizes": {size: sizes[size] for size in sorted(sizes, key=int)},
        "read_sizes": {str(size): count for size, count in layer.read_sizes.items()},
        "write_sizes": {str(size): count for size, count in layer.write_sizes.items()},
        "off_grid": layer.off_grid,
        "amplification": {
            "reads": amplification[0] if amplification else None,
            "writes": amplification[1] if amplification else None,
        },
        "events": dict(layer.events),
        "not_counted": list(layer.notes),
        "approximate": list(layer.approximate),
    }


def _print_layers(
    console: Console, settings: Mapping[str, str], prediction: Prediction, *, sizes: bool
) -> None:
    from rich.table import Table

    if settings:
        console.print(_words(settings), style="bold")
    table = Table(box=None)
    table.add_column("")
    for heading in ("kind", "reads", "writes", "read", "written", "a request", "off 4 KiB grid"):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for one in prediction.layers:
        per = prediction.amplification(one)
        table.add_row(
            one.id, one.kind, str(one.reads), _band(one.writes_band),
            units.show_bytes(one.read_bytes), units.show_bytes(one.write_bytes),
            f"{per[0]:.3g} + {per[1]:.3g}" if per else "–",
            "–" if one.off_grid is None else units.show_fraction(one.off_grid),
        )  # fmt: skip
    console.print(table)
    for one in prediction.layers if sizes else ():
        for name, counts in (("reads", one.read_sizes), ("writes", one.write_sizes)):
            if counts:
                console.print(f"  {one.id} {name}: {_sizes(counts)}")
        if one.events:
            events = ", ".join(f"{name} {count}" for name, count in one.events.items())
            console.print(f"  {one.id}: {events}")


def _sizes(counts: Mapping[int, int]) -> str:
    """The most frequent sizes and how many of each."""
    often = sorted(counts.items(), key=lambda one: -one[1])
    told = [f"{count} × {units.show_bytes(size)}" for size, count in often[:_SIZES]]
    more = len(often) - len(told)
    return ", ".join(told) + (f", and {more} more sizes" if more else "")


def _band(band: tuple[int, int]) -> str:
    return str(band[0]) if band[0] == band[1] else f"{band[0]}–{band[1]}"


def _words(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


def _print_table(console: Console, tried: Sequence[tuple[Variant, StackModel, Prediction]]) -> None:
    """What each combination would cost on the disks."""
    from rich.table import Table

    table = Table(box=None)
    for name in tried[0][0].settings:
        table.add_column(name)
    for heading in ("requests", "disk reads", "disk writes", "read", "written", "a request"):
        table.add_column(heading, justify="right")
    for variant, _, prediction in tried:
        disks = prediction.disks()
        reads = sum(one.reads for one in disks)
        low, high = (sum(one.writes_band[side] for one in disks) for side in (0, 1))
        total = prediction.requests or 1
        table.add_row(
            *variant.settings.values(), str(prediction.requests), str(reads), _band((low, high)),
            units.show_bytes(sum(one.read_bytes for one in disks)),
            units.show_bytes(sum(one.write_bytes for one in disks)),
            f"{reads / total:.3g} + {low / total:.3g}",
        )  # fmt: skip
    console.print(table)


def _print_notes(prediction: Prediction) -> None:
    notes = [*prediction.notes]
    notes += [f"{one.id}: not counted: {note}" for one in prediction.layers for note in one.notes]
    for note in notes:
        err().print(f"note: {note}", style="yellow")
