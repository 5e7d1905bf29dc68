"""fio's per-I/O logs for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import err, styled

if TYPE_CHECKING:
    from rich.console import Console

    from iosonde.loads.fio.logs import DirectionFigures, FioLog

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60
_SHOWN_SIZES = 16


def print_log(console: Console, read: FioLog) -> None:
    """Its directions, its sizes, its speed over time."""
    what = "windows" if read.averaged else "I/Os"
    lines = f"{read.lines} lines" + (f", {read.variant}" if read.variant else "")
    console.print(styled("[bold]{}[/bold]: {}, {}", read.path, read.kind.value, lines))
    if not read.directions:
        console.print("  no samples")
        return
    _print_directions(console, read, what)
    _print_sizes(console, read)
    for name, figures in read.directions.items():
        _print_seconds(console, read, name, figures)
    events = ", ".join(f"{name} {count}" for name, count in read.events.items() if count)
    if events:
        console.print(f"  other actions: {events}")


def _print_directions(console: Console, read: FioLog, what: str) -> None:
    from rich.table import Table

    unit = read.unit or ""
    table = Table(box=None)
    table.add_column("")
    for name in read.directions:
        table.add_column(name, justify="right")
    each = list(read.directions.values())
    table.add_row(what, *(str(figures.count) for figures in each))
    table.add_row("data", *(units.show(figures.bytes, "B") for figures in each))
    table.add_row(
        "off the 4 KiB grid", *(units.show(figures.off_grid, "fraction") for figures in each)
    )
    values = [figures.values for figures in each if figures.values is not None]
    if values:
        table.add_row("mean", *(units.show(percentiles.mean, unit) for percentiles in values))
        for name in ("p50", "p90", "p99", "p99_9", "p99_99"):
            shown = (units.show(getattr(percentiles, name), unit) for percentiles in values)
            table.add_row(name.replace("_", "."), *shown)
        table.add_row("max", *(units.show(percentiles.max, unit) for percentiles in values))
    console.print(table)


def _print_sizes(console: Console, read: FioLog) -> None:
    from rich.table import Table

    rows = [(name, size) for name, figures in read.directions.items() for size in figures.sizes]
    if not rows:
        return
    unit = read.unit or ""
    table = Table(box=None)
    table.add_column("")
    headings = ["size", "I/Os", "share", "off 4 KiB grid", *(("p50", "p99") if unit else ())]
    for heading in headings:
        table.add_column(heading, justify="right")
    shown = sorted(rows, key=lambda row: -row[1].count)[:_SHOWN_SIZES]
    for name, size in shown:
        share = size.count / read.directions[name].count
        text = units.show_bytes(size.size)
        cells = [f"≥ {text}" if read.sizes_grouped else text, str(size.count)]
        cells += [units.show_fraction(share), units.show(size.off_grid, "fraction")]
        if size.values is not None:
            cells += [units.show(size.values.p50, unit), units.show(size.values.p99, unit)]
        table.add_row(name, *cells)
    console.print(table)
    if len(rows) > len(shown):
        console.print(f"  … and {len(rows) - len(shown)} more sizes")


def _print_seconds(console: Console, read: FioLog, name: str, figures: DirectionFigures) -> None:
    """The speed over time as one line of bars, and its least and greatest step."""
    if read.variant == "iolog2":
        return
    import numpy as np

    series = figures.series
    if series.bytes is not None:
        rates, unit = np.array(series.bytes) / read.interval, "B/s"
    elif series.mean is not None:
        rates, unit = np.array(series.mean), read.unit or ""
    else:
        return
    # Steps without a sample are zeros between those that have one.
    places = ((np.array(series.time) - series.time[0]) / read.interval).round().astype(int).tolist()
    steps = min(_WIDTH, places[-1] + 1)
    bars = [0.0] * steps
    for place, rate in zip(places, rates.tolist(), strict=True):
        bars[place * steps // (places[-1] + 1)] += rate
    top = max(bars) or 1.0
    line = "".join(_BARS[min(7, int(8 * bar / top))] for bar in bars)
    low, high = units.show(float(rates.min()), unit), units.show(float(rates.max()), unit)
    span = units.show_seconds((places[-1] + 1) * read.interval)
    console.print(f"  {name:<7} {line}  {low} to {high} per step, {span}")


def warn_of_log(read: FioLog) -> None:
    """What of it was not read as it should be, on standard error."""
    notes = []
    if read.bad_lines:
        first = "; ".join(f"line {line.line}: {line.problem}" for line in read.bad[:3])
        lines = "bad line" if read.bad_lines == 1 else "bad lines"
        notes.append(f"{read.bad_lines} {lines} left out ({first})")
    if read.crlf_lines:
        notes.append(f"{read.crlf_lines} lines end with CR LF")
    if read.averaged:
        notes.append("averaged by fio: percentiles are of windows, not of I/Os")
    elif read.directions and not read.offsets:
        notes.append("no offsets (log_offset=1 writes them): the grid is that of the sizes alone")
    for note in notes:
        err().print(styled("[yellow]{}: {}[/yellow]", read.path, note))
