"""`iosonde log`: what fio's per-I/O logs and traces say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.output import err, failures, out, print_json, styled

if TYPE_CHECKING:
    from rich.console import Console

    from iosonde.loads.fio.logs import DirectionFigures, FioLog, SizeFigures, Values
    from iosonde.records.stack import Json

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60
_SHOWN_SIZES = 16


def log(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Logs or traces; - is standard input.")
    ],
    *,
    strict: Annotated[
        bool, typer.Option(help="Refuse a log with a bad line, instead of counting it.")
    ] = False,
    kind: Annotated[
        str | None,
        typer.Option(help="What the values are: latency, bandwidth or iops; else by file name."),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(metavar="COLUMNS", help="As time,value,ddir,bs; iolog2; else by content."),
    ] = None,
    latency_unit: Annotated[str, typer.Option(help="ns, or us for logs of fio 2.x.")] = "ns",
    interval: Annotated[str, typer.Option(help="Step of the series.")] = "1s",
    threads: Annotated[
        int, typer.Option(min=0, help="Number of threads; 0: one per processor.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Summarise fio's logs: percentiles, sizes, I/Os off the 4 KiB grid, seconds."""
    from iosonde.errors import UsageError
    from iosonde.loads.fio.logs import LogKind, read_fio_log

    if kind is not None and kind not in {"latency", "bandwidth", "iops"}:
        raise UsageError(
            f"{kind!r} is not a kind of log", where="--kind", hint="latency, bandwidth or iops"
        )
    logs, failed = [], []
    for file in files:
        try:
            one = read_fio_log(
                Path("/dev/stdin") if file == "-" else file,
                strict=strict,
                threads=threads,
                variant=variant,
                kind=LogKind(kind) if kind else None,
                latency_unit=latency_unit,
                interval=units.parse_seconds(interval, where="--interval"),
            )
        except UsageError as problem:  # one bad file does not lose the others
            failed.append(problem)
        else:
            logs.append(one)
    if failed and not logs:
        raise failed[0]
    listed = failures(failed)
    if as_json:
        answer: dict[str, Json] = {"logs": [document(one) for one in logs]}
        more: dict[str, Json] = {"failed": listed} if listed else {}
        print_json({"schema": "iosonde.log/1", **answer, **more})
    else:
        console = out()
        for one in logs:
            _print(console, one)
            _warn(one)
    if failed:
        raise typer.Exit(2)


def document(read: FioLog) -> dict[str, Json]:
    """One log of `iosonde.log/1`."""
    from iosonde.loads.fio.logs import UNITS

    return {
        "path": read.path,
        "kind": read.kind.value,
        "unit": UNITS[read.kind] or None,
        "variant": read.variant,
        "averaged": read.averaged,
        "offsets": read.offsets,
        "sizes_grouped": read.sizes_grouped,
        "lines": read.lines,
        "bad_lines": read.bad_lines,
        "bad": [{"line": line, "problem": problem} for line, problem in read.named_bad_lines],
        "crlf_lines": read.crlf_lines,
        "interval": read.interval,
        "directions": {name: _direction(one) for name, one in read.directions.items()},
        "events": dict(read.events),
    }


def _direction(figures: DirectionFigures) -> dict[str, Json]:
    series = figures.series
    columns = {"time": series.time, "count": series.count, "bytes": series.bytes,
               "mean": series.mean, "max": series.max}  # fmt: skip
    return {
        "count": figures.count,
        "bytes": figures.bytes,
        "off_grid": figures.off_grid,
        "first": figures.first,
        "last": figures.last,
        "values": _values(figures.values),
        "sizes": [_size(one) for one in figures.sizes],
        "series": {
            name: None if column is None else column.tolist() for name, column in columns.items()
        },
    }


def _size(figures: SizeFigures) -> dict[str, Json]:
    return {
        "size": figures.size,
        "count": figures.count,
        "off_grid": figures.off_grid,
        "values": _values(figures.values),
    }


def _values(values: Values | None) -> dict[str, Json] | None:
    if values is None:
        return None
    percentiles: dict[str, Json] = {name: values.quantile(q) for name, q in PERCENTILES.items()}
    return {"mean": values.mean, "min": values.min, "max": values.max, **percentiles}


def _print(console: Console, read: FioLog) -> None:
    what = "windows" if read.averaged else "I/Os"
    lines = f"{read.lines} lines" + (f", {read.variant}" if read.variant else "")
    console.print(styled("[bold]{}[/bold]: {}, {}", read.path, read.kind.value, lines))
    if not read.directions:
        console.print("  no samples")
        return
    _print_directions(console, read, what)
    _print_sizes(console, read)
    for name, one in read.directions.items():
        _print_seconds(console, read, name, one)
    events = ", ".join(f"{name} {count}" for name, count in read.events.items() if count)
    if events:
        console.print(f"  other actions: {events}")


def _print_directions(console: Console, read: FioLog, what: str) -> None:
    from rich.table import Table

    from iosonde.loads.fio.logs import UNITS

    unit = UNITS[read.kind]
    table = Table(box=None)
    table.add_column("")
    for name in read.directions:
        table.add_column(name, justify="right")
    each = list(read.directions.values())
    table.add_row(what, *(str(one.count) for one in each))
    table.add_row("data", *(units.show(one.bytes, "B") for one in each))
    table.add_row("off the 4 KiB grid", *(units.show(one.off_grid, "fraction") for one in each))
    values = [one.values for one in each if one.values is not None]
    if values:
        table.add_row("mean", *(units.show(one.mean, unit) for one in values))
        for name, q in PERCENTILES.items():
            shown = (units.show(one.quantile(q), unit) for one in values)
            table.add_row(name.replace("_", "."), *shown)
        table.add_row("max", *(units.show(one.max, unit) for one in values))
    console.print(table)


def _print_sizes(console: Console, read: FioLog) -> None:
    from rich.table import Table

    from iosonde.loads.fio.logs import UNITS

    rows = [(name, size) for name, one in read.directions.items() for size in one.sizes]
    if not rows:
        return
    unit = UNITS[read.kind]
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
        cells += [units.show_fraction(share), units.show_fraction(size.off_grid)]
        if size.values is not None:
            cells += [units.show(size.values.quantile(q), unit) for q in (0.5, 0.99)]
        table.add_row(name, *cells)
    console.print(table)
    if len(rows) > len(shown):
        console.print(f"  … and {len(rows) - len(shown)} more sizes")


def _print_seconds(console: Console, read: FioLog, name: str, one: DirectionFigures) -> None:
    """The speed over time as one line of bars, and its least and greatest step."""
    if read.variant == "iolog2":
        return
    series = one.series
    if series.bytes is not None:
        rates, unit = series.bytes / read.interval, "B/s"
    elif series.mean is not None:
        from iosonde.loads.fio.logs import UNITS

        rates, unit = series.mean, UNITS[read.kind]
    else:
        return
    # Steps without a sample are zeros between those that have one.
    places = ((series.time - series.time[0]) / read.interval).round().astype(int).tolist()
    steps = min(_WIDTH, places[-1] + 1)
    bars = [0.0] * steps
    for place, rate in zip(places, rates.tolist(), strict=True):
        bars[place * steps // (places[-1] + 1)] += rate
    top = max(bars) or 1.0
    line = "".join(_BARS[min(7, int(8 * bar / top))] for bar in bars)
    low, high = units.show(float(rates.min()), unit), units.show(float(rates.max()), unit)
    span = units.show_seconds((places[-1] + 1) * read.interval)
    console.print(f"  {name:<7} {line}  {low} to {high} per step, {span}")


def _warn(read: FioLog) -> None:
    notes = []
    if read.bad_lines:
        first = "; ".join(f"line {line}: {problem}" for line, problem in read.named_bad_lines[:3])
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
