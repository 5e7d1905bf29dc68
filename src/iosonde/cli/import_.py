"""`iosonde import`: every tool output in any text becomes a trial, a state or counters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, print_error, write_message
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.verbs.import_ import ImportedTexts


def import_files(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Text, Markdown, HTML, mail, PDF; - reads a pipe."),
    ],
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 2 where something could not be read.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what is found; keep nothing in the store.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Import a text again that is in the store already.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema import).")
    ] = False,
) -> int:
    """Find the outputs of fio, hdparm, iozone and many other tools in texts, and keep them.

    Each file becomes a run in the store, its trials labelled by the heading above them. What was
    recognised but could not be read is listed with its lines; so is a file that could not be read
    at all, and the exit code is then 2.
    """
    from iosonde.cli.imported import JsonWriter, TableWriter
    from iosonde.verbs.import_ import import_into

    writer = JsonWriter() if as_json else TableWriter()
    failed = list[UsageError]()
    try:
        imported = import_into(
            writer, *files, dry_run=dry_run, again=again, store=store, tell=write_message,
            warn=failed.append,
        )  # fmt: skip
        writer.end(imported)
    finally:
        for problem in failed:
            print_error(problem, as_json=False)
    if imported.rescued is not None:
        raise imported.rescued
    if imported.failed:
        return 2
    if strict and imported.unread:
        _refuse(imported, as_json=as_json)
        return 2
    return 0


def _refuse(imported: ImportedTexts, *, as_json: bool) -> None:
    """With --json the object is out already and lists what could not be read."""
    first, number = imported.unread[0], imported.counts.unread
    said = f"an output of {first.tool} could not be read: {first.reason}"
    if number > 1:
        said = f"{number} outputs could not be read; the first: {first.tool}, {first.reason}"
    if not as_json:
        hint = "leave out --strict to take what can be read"
        raise UsageError(said, where=str(first.place), hint=hint)
    err().print(f"iosonde: {first.place}: {said}")
