"""`iosonde list`: the runs in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.listed import print_list
from iosonde.cli.options import Filters, StorePlace
from iosonde.cli.output import out, print_json_list, write_message

if TYPE_CHECKING:
    pass

_SHOWN = 50  # runs, unless --limit says how many


def list_runs(
    filters: Filters = None,
    sort: Annotated[
        str,
        typer.Option(
            metavar="KEY",
            help="created, study, name, state, host, target, headline or loops; -KEY: falling.",
        ),
    ] = "",
    limit: Annotated[
        int | None,
        typer.Option(min=0, help=f"The newest N runs; 0: all ({_SHOWN}; with --json all)."),
    ] = None,
    delete: Annotated[
        list[str] | None, typer.Option(help="As `iosonde rm RUN`; may be repeated.")
    ] = None,
    store: StorePlace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the runs whole as JSON, the newest first.")
    ] = False,
) -> None:
    """List the runs in the store, the newest last: what they reached, and what changed.

    What changed is the load, the target or a setting since the previous run of the same study.
    """
    from iosonde.verbs.listing import list_runs as verb

    most = (None if as_json else _SHOWN) if limit is None else limit or None
    listed = verb(
        filters=filters or (), sort=sort, limit=most, delete=delete or (), whole=as_json,
        store=store, tell=write_message,
    )  # fmt: skip
    if listed.rescued is not None:
        raise listed.rescued
    if as_json:
        print_json_list({"schema": listed.SCHEMA}, "runs", (run.to_json() for run in listed.runs))
    elif listed.lines:
        print_list(listed, newest_last=not sort)
    elif filters:
        out().print("no run fits the filters; `iosonde list` shows all")
    else:
        out().print("no runs yet; `iosonde run --load latency --target .` makes one")
