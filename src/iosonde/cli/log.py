"""`iosonde log`: what fio's per-I/O logs and traces say."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde import units
from iosonde.cli.output import failures, out, print_json


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
    from iosonde.cli.logged import print_log, warn_of_log
    from iosonde.verbs import log as verb

    read = verb.log(
        *files, strict=strict, kind=kind, variant=variant, latency_unit=latency_unit,
        interval=units.parse_seconds(interval, where="--interval"), threads=threads,
    )  # fmt: skip
    failures(file.problem for file in read.failed or ())
    if as_json:
        print_json(read.to_json())
    else:
        for log in read.logs:
            print_log(out(), log)
            warn_of_log(log)
    if read.failed:
        raise typer.Exit(2)
