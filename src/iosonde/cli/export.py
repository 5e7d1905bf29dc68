"""`iosonde export`: stored runs in any format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.stored import load_sheets, write_out

_BINARY = {"parquet", "png"}


def export(
    runs: Annotated[list[str], typer.Argument(metavar="ID…", help="Runs, or `last`.")],
    fmt: Annotated[
        str, typer.Option("--format", "-f", help="csv, json, parquet, markdown …")
    ] = "json",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write (standard output).")
    ] = None,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Write stored runs in a format that other tools read."""
    from iosonde.report import FORMATS

    chosen = FORMATS.load("json" if as_json else fmt)()
    written = chosen.serialize(load_sheets(runs, store))
    write_out(written, output, binary=chosen.name in _BINARY)
