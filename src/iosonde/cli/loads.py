"""`iosonde loads`: the bundled loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import out, print_json, styled, write_text

if TYPE_CHECKING:
    from iosonde.records.load import Demand, Load
    from iosonde.records.stack import Json


def loads(
    name: Annotated[
        str | None, typer.Argument(help="Print this load's file, to copy and change.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the loads that come with iosonde, or print one so that it can be copied and changed."""
    from iosonde.loads import LOADS
    from iosonde.loads.named import named_load, names, text_of

    wanted = (name,) if name else names()
    found = [named_load(each) for each in wanted]
    demands = [LOADS.load(load.engine)().demand(load) for load in found]
    if as_json:
        rows: list[Json] = [_row(*pair) for pair in zip(found, demands, strict=True)]
        print_json({"schema": "iosonde.loads/1", "loads": rows})
    elif name:
        write_text(text_of(name))
    else:
        _print(found, demands)


def _row(load: Load, demand: Demand) -> dict[str, Json]:
    return {
        "name": load.name,
        "engine": load.engine,
        "about": load.about,
        "reads": demand.reads,
        "writes": demand.writes,
        "size": demand.size,
        "seconds": demand.seconds,
        "direct": demand.direct,
        "spec": dict(load.spec),
    }


def _print(found: list[Load], demands: list[Demand]) -> None:
    from rich.table import Table

    from iosonde import units

    table = Table(box=None, pad_edge=False)
    for heading in ("load", "does", "size"):
        table.add_column(heading, no_wrap=True)
    table.add_column("about")
    for load, demand in zip(found, demands, strict=True):
        does = "+".join(
            word for word, yes in (("reads", demand.reads), ("writes", demand.writes)) if yes
        )
        size = units.show_bytes(demand.size) if demand.size else "device"
        table.add_row(styled("[bold]{}[/bold]", load.name), does, size, load.about)
    out().print(table)
    out().print("\n`iosonde loads NAME` prints one to copy and change.")
