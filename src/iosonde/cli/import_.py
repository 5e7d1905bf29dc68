"""`iosonde import`: every tool output in any text becomes a trial, a state or counters."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, out, print_error, write_message
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iosonde.verbs.explain import Explanation
    from iosonde.verbs.imported_records import ImportedTexts

_EXPLAINED = 500  # outputs for which `explain` is asked as well: about a second


def import_files(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE…", help="Text, Markdown, HTML, mail, PDF; - reads a pipe."),
    ] = None,
    *,
    kinds: Annotated[
        bool, typer.Option("--kinds", help="List the kinds of output that are read, and end.")
    ] = False,
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
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="List every setting and counter, and what is kept as printed."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema import).")
    ] = False,
) -> int:
    """Find the outputs of fio, hdparm, iozone and many other tools in texts, and keep them.

    Each file becomes a run in the store, its trials labelled by the heading above them. What was
    recognised but could not be read is listed with its lines; so is a file that could not be read
    at all, and the exit code is then 2.
    """
    if kinds:
        return _print_kinds()
    if not files:
        raise UsageError("say which files to read", hint="iosonde import FILE…; - reads a pipe")
    from iosonde.cli.imported import JsonWriter, TableWriter
    from iosonde.verbs.import_ import import_into

    writer = JsonWriter() if as_json else TableWriter(verbose=verbose)
    failed = list[UsageError]()
    try:
        imported = import_into(
            writer, *files, dry_run=dry_run, again=again, store=store, tell=write_message,
            warn=failed.append,
        )  # fmt: skip
        if isinstance(writer, TableWriter):
            writer.end(imported, _explained(imported, files, store))
        else:
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


def _explained(
    imported: ImportedTexts, files: Sequence[str], store: str | None
) -> Explanation | None:
    """What `explain` says of the runs, or of the texts where none was kept.

    None of very many outputs, which take long, and of a pipe that was not kept: it is read once.
    """
    from iosonde.verbs.explain import explain

    if imported.counts.outputs > _EXPLAINED or imported.rescued or imported.failed:
        return None
    if imported.runs:
        return explain(*(run.run for run in imported.runs), store=store)
    again = all(Path(file).is_file() or Path(file).is_dir() for file in files)
    return explain(*files, store=store) if again else None


def _print_kinds() -> int:
    from iosonde.text.search import tool_names

    names = tool_names()
    out().print(f"{len(names)} kinds of output are read:")
    for line in textwrap.wrap(", ".join(names), out().width):
        out().print(line)
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
