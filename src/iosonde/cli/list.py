"""`iosonde list`: the runs in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import out, print_json, write_message

if TYPE_CHECKING:
    from iosonde.store.store import RunLine

_COLOURS = {"finished": "green", "running": "cyan", "interrupted": "yellow", "failed": "red"}


def list_runs(
    store: StorePlace = None,
    delete: Annotated[
        list[str] | None, typer.Option(help="Delete this run and its loops; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the runs in the store, newest first; interrupted ones are shown as such."""
    from iosonde.verbs import stored

    listed = stored.list_runs(delete=delete or (), store=store, tell=write_message)
    if listed.rescued is not None:
        raise listed.rescued
    if as_json:
        print_json(listed.to_json())
    elif listed.lines:
        _print(listed.lines)
    else:
        out().print("no runs yet; `iosonde run --load latency --target .` makes one")


def _print(lines: tuple[RunLine, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None)
    for heading in ("run", "when", "study", "hosts", "state"):
        table.add_column(heading)
    for heading in ("trials", "loops"):
        table.add_column(heading, justify="right")
    for line in lines:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(line.created))
        state = Text(line.state.value, style=_COLOURS[line.state.value])
        table.add_row(
            line.id, when, line.study, ", ".join(line.hosts), state,
            str(line.trials), str(line.loops),
        )  # fmt: skip
    out().print(table)
