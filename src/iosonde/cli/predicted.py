"""What the model says of a stack, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from iosonde import units
from iosonde.cli.output import err, out, print_json, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.exact import json_text
from iosonde.outputs import write_output
from iosonde.predict.answer import predict_answer
from iosonde.predict.search import RankedCombination, Ranking
from iosonde.predict.time import Time
from iosonde.sentences import curve_sentence

if TYPE_CHECKING:
    from rich.console import Console

    from iosonde.predict.what_if import PredictedCombination
    from iosonde.verbs.predict import ComparedForecasts, FittedController, PredictedStack

Speed: TypeAlias = Time | RankedCombination
_BAR = 24  # columns
_RANKED = 20  # combinations shown
_SIZES = 6  # shown of each layer
_LAYER_COLUMNS = (
    TableColumn("layer", name=True), TableColumn("kind", rank=1), TableColumn("reads", right=True),
    TableColumn("writes", right=True), TableColumn("read", right=True, rank=4),
    TableColumn("written", right=True, rank=3), TableColumn("a request", right=True),
    TableColumn("off 4 KiB grid", right=True, rank=2),
)  # fmt: skip
_FORECAST_COLUMNS = (
    TableColumn("run", rank=4), TableColumn("trial", name=True),
    TableColumn("predicted", right=True), TableColumn("band", right=True, rank=2),
    TableColumn("measured", right=True), TableColumn("off", right=True),
    TableColumn("latency off", right=True, rank=3), TableColumn("in the band", right=True, rank=1),
)  # fmt: skip
"""As `report.forecasts.HEADINGS`, after the run."""
_DISK_COLUMNS = (
    TableColumn("requests", right=True, rank=3),
    TableColumn("disk reads", right=True),
    TableColumn("disk writes", right=True),
    TableColumn("read", right=True, rank=2),
    TableColumn("written", right=True, rank=1),
    TableColumn("a request", right=True),
)
"""Of all disks together; "a request" are reads + writes for one request of the load."""


def print_prediction(predicted: PredictedStack, *, ledger: bool) -> None:
    """The counts of the layers, or of all combinations' disks; the times; the notes."""
    console, combinations = out(), predicted.combinations
    curves = [curve_sentence(curve, predicted.curves) for curve in predicted.curves]
    console.print("\n".join(curves) or predict_answer(combinations), style="bold", markup=False)
    console.print()
    if len(combinations) > 1 and not curves:
        _print_disks(console, combinations)
    if ledger or len(combinations) == 1:
        for combination in combinations:
            _print_layers(console, combination, sizes=ledger)
    times = [combination.time for combination in combinations if combination.time]
    if not times:
        console.print(f"no times: {predicted.time_basis.reason}", style="dim")
    elif len(combinations) == 1:
        _print_time(console, times[0])
    else:
        if not curves:
            console.print()
        most = max(time.band[1] for time in times)
        rows = [
            (combination.chosen, combination.time or combination.time_basis.reason or "")
            for combination in combinations
        ]
        bar = "" if curves else "0 … " + units.show_iops(most)
        _print_speeds(rows, most, bar, timed=bool(curves))
    notes = list(predicted.notes)
    notes += [
        f"{layer.id}: not counted: {note}" for layer in predicted.layers for note in layer.notes
    ]
    for note in notes:
        err().print(f"note: {note}", style="yellow")


def print_ranking(ranked: Ranking, prior: Path | None, *, as_json: bool) -> None:
    """The fastest combinations, and of the others why they cannot be; all of it as a prior."""
    if prior is not None:
        text = json_text(ranked.to_json()) + "\n"
        write_output(prior, text.encode(), "the prior")
    if as_json:
        print_json(ranked.to_json())
        return
    rows: list[tuple[Mapping[str, str], Speed | str]] = [
        (combination.settings, combination) for combination in ranked.ranking
    ]
    rows += [(combination.settings, combination.reason) for combination in ranked.without]
    most = max((combination.band[1] for combination in ranked.ranking), default=1.0)
    _print_speeds(rows[:_RANKED], most, "")
    if rows[_RANKED:]:
        out().print(f"and {len(rows) - _RANKED} more: --json or --prior has all")
    if prior is not None:
        err().print(f"prior: {prior.resolve()}")


def print_forecasts(compared: ComparedForecasts) -> None:
    """How many rates the model had right; a row for each trial; the trials it says nothing of."""
    from iosonde.report.forecasts import cells, forecasts_answer, lateness_words

    answer = forecasts_answer([trial.forecast for trial in compared.trials], compared.tau)
    out().print(styled("[bold]{}[/bold]", answer))
    if compared.trials:
        rows = [[trial.run, *cells(trial.forecast)] for trial in compared.trials]
        out().print()
        out().print(fitted(_FORECAST_COLUMNS, rows))
    for trial in compared.trials:
        if arrival := lateness_words(trial.forecast):
            out().print(arrival, markup=False)
    for missing in compared.without:
        err().print(f"{missing.run} {missing.trial}: {missing.reason}", style="yellow")


def print_fitted(fitted: FittedController) -> None:
    """The option that names the model."""
    out().print(f"--device {fitted.layer}={fitted.model}", soft_wrap=True)


def _print_time(console: Console, time: Time) -> None:
    if time.bottleneck:
        share = units.show_fraction(time.busy[time.bottleneck])
        console.print(f"  the busiest is {time.bottleneck}: {share} of the time")
    console.print(f"  the band covers {', '.join(time.covers)}", style="dim")
    for note in time.notes:
        console.print(f"  {note}", style="dim")


def _print_speeds(
    rows: Sequence[tuple[Mapping[str, str], Speed | str]], most: float, heading: str,
    *, timed: bool = False,
) -> None:  # fmt: skip
    """Combinations, drawn: the band as a bar, its middle marked; or why there is none.

    Args:
        rows: settings, and how fast they are.
        most: rate at the end of the bar, 1/s.
        heading: over the bars.
        timed: latencies matter more than bars.
    """
    columns = [TableColumn(name) for name in rows[0][0]]
    columns += [
        TableColumn("I/Os", right=True), TableColumn("band", right=True, rank=2),
        TableColumn("bandwidth", right=True, rank=5),
        TableColumn("latency", right=True, rank=0 if timed else 4),
        TableColumn("busiest", right=True, rank=3), TableColumn(heading, rank=6 if timed else 1),
    ]  # fmt: skip
    out().print(fitted(columns, [
        [*settings.values(), *_speed_cells(speed, most)] for settings, speed in rows
    ]))  # fmt: skip


def _speed_cells(speed: Speed | str, most: float) -> list[str]:
    """The figures of a combination and its bar; or why there are none."""
    if isinstance(speed, str):
        return ["–", "–", "–", "–", "–", speed]
    return [
        units.show_iops(speed.iops), units.show_range(*speed.band, "1/s"),
        units.show_bandwidth(speed.bandwidth), units.show_seconds(speed.latency),
        speed.bottleneck or "–", _bar(speed, most),
    ]  # fmt: skip


def _bar(time: Speed, most: float) -> str:
    """Certain up to the band's begin, then the band, the prediction marked in it."""
    low, at, high = (
        min(round(value / most * _BAR), _BAR) for value in (time.band[0], time.iops, time.band[1])
    )
    cells = ["█" if place < low else "░" if place < high else " " for place in range(_BAR)]
    cells[min(max(at - 1, 0), _BAR - 1)] = "▌"
    return "".join(cells)


def _print_layers(console: Console, combination: PredictedCombination, *, sizes: bool) -> None:
    layers = combination.layers
    if settings := combination.chosen:
        shown = ", ".join(f"{name} = {value}" for name, value in settings.items())
        console.print(shown, style="bold")
    rows = [
        [
            layer.id, layer.kind, f"{layer.reads:,}", _band(layer.writes_band),
            units.show_bytes(layer.read_bytes), units.show_bytes(layer.write_bytes),
            "–" if layer.amplification.reads is None
            else f"{layer.amplification.reads:.3g} + {layer.amplification.writes:.3g}",
            "–" if layer.off_grid is None else units.show_fraction(layer.off_grid),
        ]
        for layer in layers
    ]  # fmt: skip
    console.print(fitted(_LAYER_COLUMNS, rows))
    for layer in layers if sizes else ():
        for name, counts in (("reads", layer.read_sizes), ("writes", layer.write_sizes)):
            if counts:
                console.print(f"  {layer.id} {name}: {_sizes(counts)}")
        if layer.events:
            events = ", ".join(f"{name} {count}" for name, count in layer.events.items())
            console.print(f"  {layer.id}: {events}")


def _sizes(counts: Mapping[int, int]) -> str:
    """The most frequent sizes and how many of each."""
    often = sorted(counts.items(), key=lambda entry: -entry[1])
    shown = [f"{count} × {units.show_bytes(size)}" for size, count in often[:_SIZES]]
    more = len(often) - len(shown)
    return ", ".join(shown) + (f", and {more} more sizes" if more else "")


def _band(band: tuple[int, int]) -> str:
    return f"{band[0]:,}" if band[0] == band[1] else f"{band[0]:,}–{band[1]:,}"


def _print_disks(console: Console, combinations: Sequence[PredictedCombination]) -> None:
    """What each combination would cost on the disks."""
    columns = [TableColumn(name) for name in combinations[0].chosen]
    rows = []
    for combination in combinations:
        prediction = combination.prediction
        disks = prediction.disks()
        reads = sum(disk.reads for disk in disks)
        low, high = (sum(disk.writes_band[side] for disk in disks) for side in (0, 1))
        total = prediction.requests or 1
        rows.append([
            *combination.chosen.values(), f"{prediction.requests:,}", f"{reads:,}",
            _band((low, high)),
            units.show_bytes(sum(disk.read_bytes for disk in disks)),
            units.show_bytes(sum(disk.write_bytes for disk in disks)),
            f"{reads / total:.3g} + {low / total:.3g}",
        ])  # fmt: skip
    console.print(fitted([*columns, *_DISK_COLUMNS], rows))
