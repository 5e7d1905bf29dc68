"""`iosonde report`: stored runs as a page to share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, print_json
from iosonde.cli.stored import write_out
from iosonde.errors import UsageError
from iosonde.outputs import descriptor_of, require_output

if TYPE_CHECKING:
    from iosonde.records.comparison import ComparedSheets
    from iosonde.records.sheet import RunSheet


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
    from iosonde.report import FORMATS
    from iosonde.verbs.stored import campaigned, explained, load_sheets

    chosen = FORMATS.load(fmt)()
    place = output or Path("report" + chosen.suffix)
    sheets = [campaigned(explained(sheet, store), store) for sheet in load_sheets(runs, store)]
    require_output(place, "the report")
    written = chosen.serialize(sheets, _compared(sheets))
    write_out(written, place, "the report", binary=fmt == "png")
    if as_json:
        print_json({"schema": "iosonde.report/1", "file": str(place.resolve()), "format": fmt})
    elif descriptor_of(place) is None:
        err().print(f"report: {place.resolve()}")


def _compared(sheets: list[RunSheet]) -> ComparedSheets:
    """The later runs held against the first: headlines where trials match, and settings."""
    from iosonde.measure.comparison import compare, settings_differ
    from iosonde.records.comparison import ComparedSheets
    from iosonde.verbs.compare import compared_metric

    if len(sheets) < 2:
        return ComparedSheets()
    try:
        found = compare(sheets)
    except UsageError:
        return ComparedSheets(settings=settings_differ(sheets))
    answers = [answer for answer in found.answers if answer.headline]
    return ComparedSheets(tuple(map(compared_metric, answers)), found.settings, found.bar.margin)
