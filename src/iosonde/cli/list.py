"""`iosonde list`: the runs in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import out, print_json

if TYPE_CHECKING:
    from iosonde.store.store import RunLine

_COLOURS = {"finished": "green", "running": "cyan", "interrupted": "yellow", "failed": "red"}


def list_runs(
    store: StorePlace = None,
    delete: Annotated[
        list[str] | None, typer.Option(help="Forget this run and its loops; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the runs in the store, newest first; interrupted ones are shown as such."""
    from iosonde.cli.stored import load_sheets
    from iosonde.report.json import runs_document
    from iosonde.store import open_store

    kept = open_store(store)
    try:
        for run in delete or []:
            kept.delete(run)
        lines = kept.runs()
    finally:
        kept.close()
    if as_json:
        print_json(runs_document(load_sheets([line.id for line in lines], store)))
        return
    if not lines:
        out().print("no runs yet; `iosonde run --load latency --target .` makes one")
        return
    _print(lines)


def _print(lines: tuple[RunLine, ...]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None)
    for heading in ("run", "when", "study", "hosts", "state"):
        table.add_column(heading)
    for heading in ("trials", "loops"):
        table.add_column(heading, justify="right")
    for line in lines:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.created))
        state = f"[{_COLOURS[line.state.value]}]{line.state.value}[/]"
        table.add_row(
            line.id, when, escape(line.study), escape(", ".join(line.hosts)), state,
            str(line.trials), str(line.loops),
        )  # fmt: skip
    out().print(table)
