"""`iosonde export`: stored runs in any format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from iosonde import kerneltext
from iosonde.cli.options import StorePlace
from iosonde.cli.stored import require_file_for_binary
from iosonde.outputs import descriptor_of, write_output
from iosonde.visible import visible


def export(
    runs: Annotated[list[str], typer.Argument(metavar="ID…", help="Runs, or `last`.")],
    fmt: Annotated[
        str, typer.Option("--format", "-f", help="csv, json, parquet, markdown …")
    ] = "json",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File to write; - (the default) is standard output."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write what the loads printed, loop by loop.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Write stored runs in a format that other tools read."""
    from iosonde.verbs import stored

    place, form = output or "-", "json" if as_json else fmt
    if not raw:
        require_file_for_binary(form, place)
    content = stored.export(*runs, format=form, raw=raw, store=store).content
    if raw and descriptor_of(place) == 1 and sys.stdout.isatty():
        content = visible(kerneltext.decoded(content), lines=True).encode()
    write_output(place, content, "the raw output" if raw else "the export")
