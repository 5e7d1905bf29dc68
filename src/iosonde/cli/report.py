"""`iosonde report`: stored runs as a page to share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, out, print_json, styled
from iosonde.cli.stored import require_file_for_binary
from iosonde.outputs import descriptor_of


def report(
    runs: Annotated[list[str], typer.Argument(metavar="ID…", help="Runs, or `last`.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write (report.html); - is standard output."),
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", "-f", help="html, markdown, svg or png.")
    ] = "html",
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say as JSON where the report was written.")
    ] = False,
) -> None:
    """Write a report: one self-contained page with stack, settings, loops, latencies and series.

    Of several runs the first is the baseline that the others are compared with.
    """
    from iosonde.verbs import report as verb

    require_file_for_binary(fmt, output or "report")
    written = verb.report(*runs, output=output, format=fmt, store=store)
    if as_json:
        print_json(written.to_json())
    elif output is None or descriptor_of(output) is None:
        out().print(styled("[bold]{}[/bold]", written.answer.replace("`", "")))
        err().print(f"report: {written.file}")
