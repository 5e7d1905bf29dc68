"""`iosonde export`: stored runs in any format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import kerneltext
from iosonde.cli.options import StorePlace
from iosonde.cli.stored import write_out
from iosonde.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.records.sheet import RunSheet

_BINARY = {"parquet", "png"}


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
    from iosonde.report import FORMATS
    from iosonde.verbs.stored import load_sheets

    if raw:
        _export_raw(load_sheets(runs, store), output)
        return
    chosen = FORMATS.load("json" if as_json else fmt)()
    written = chosen.serialize(load_sheets(runs, store))
    write_out(written, output, "the export", binary=chosen.name in _BINARY)


def _export_raw(sheets: Sequence[RunSheet], output: Path | None) -> None:
    """The bytes as they were; a terminal gets them as visible text."""
    from iosonde.outputs import descriptor_of
    from iosonde.report.raw import raw_outputs

    written = raw_outputs([sheet.run for sheet in sheets])
    if descriptor_of(output or "-") == 1 and sys.stdout.isatty():
        written = visible(kerneltext.decoded(written), lines=True).encode()
    write_out(written, output, "the raw output", binary=False)
