"""`iosonde report`: stored runs as a page to share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.output import err, print_json
from iosonde.cli.stored import load_sheets, write_out


def report(
    runs: Annotated[list[str], typer.Argument(metavar="ID…", help="Runs, or `last`.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write (report.html).")
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", "-f", help="html, markdown, svg or png.")
    ] = "html",
    store: Annotated[str | None, typer.Option(help="Store: a file or a PostgreSQL URL.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say as JSON where the report was written.")
    ] = False,
) -> None:
    """Write a report: one self-contained page with stack, settings, loops, latencies and series."""
    from iosonde.report import FORMATS

    chosen = FORMATS.load(fmt)()
    place = output or Path("report" + chosen.suffix)
    write_out(chosen.serialize(load_sheets(runs, store)), place, binary=False)
    if as_json:
        print_json({"schema": "iosonde.report/1", "file": str(place.resolve()), "format": fmt})
    else:
        err().print(f"report: {place.resolve()}", markup=False)
