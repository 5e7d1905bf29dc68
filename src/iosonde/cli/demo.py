"""`iosonde demo`: a first measurement, and a page of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import ReadOnly, StorePlace
from iosonde.cli.output import err, write_message

_PAGE = "iosonde-demo.html"


def demo(
    place: Annotated[
        str, typer.Argument(metavar="[DIR]", help="Where: a directory, or HOST:DIR.")
    ] = ".",
    report: Annotated[
        Path | None,
        typer.Option(help=f"Write the HTML report here ({_PAGE}, where [report] is installed)."),
    ] = None,
    store: StorePlace = None,
    dry_run: ReadOnly = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
) -> int:
    """Measure a scratch file in a directory in under two minutes, and write a page of it."""
    from iosonde.cli.measuring import (
        completion_code,
        resume_options,
        show_commands,
        watched,
    )
    from iosonde.cli.result import show_result
    from iosonde.errors import UsageError
    from iosonde.extras import require_extra
    from iosonde.outputs import require_output
    from iosonde.verbs import demo as verb

    if dry_run:
        return show_commands(verb.demo_commands(place, store=store), as_json=as_json)
    missing: UsageError | None = None
    try:
        require_extra("report")
    except UsageError as problem:
        if report is not None:
            raise
        missing = problem
    page = None if missing else report or Path(_PAGE)
    if page is not None:
        require_output(page, "the report")
    again = resume_options(store, None, in_container=False)
    with watched(again) as progress:
        measured = verb.demo(place, store=store, progress=progress, tell=write_message)
    show_result(measured, page, everything=False, as_json=as_json, store=store)
    if missing is not None:
        err().print(f"no page was written: {missing}. To have one: {missing.hint}")
    return completion_code(measured, again)
