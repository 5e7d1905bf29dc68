"""`iosonde baseline`: runs that others are held against."""

from __future__ import annotations

import time
from shlex import join
from typing import Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import out, print_json, print_next
from iosonde.errors import UsageError


def baseline(
    action: Annotated[
        str, typer.Argument(metavar="[set|list|remove]", help="What to do (list).")
    ] = "list",
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Of the baseline.")] = "",
    run: Annotated[
        str, typer.Argument(metavar="[RUN]", help="With set: the run that becomes it (last).")
    ] = "last",
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the baselines as JSON.")] = False,
) -> None:
    """Keep runs under names that others are held against: `compare --baseline NAME [RUN…]`.

    A baseline stays in the store: `rm` and `prune` leave it. Set again, the name is another run's.
    """
    from iosonde.cli.table import TableColumn, fitted
    from iosonde.verbs import baseline as verb
    from iosonde.visible import visible

    if action == "list" and name:
        raise UsageError(
            "`list` shows all baselines and takes no name", hint="iosonde baseline list"
        )
    if action == "remove" and run != "last":
        raise UsageError("one baseline is removed at a time", hint="iosonde baseline remove NAME")
    made = verb.baseline(action, name, run, store=store)
    if made.rescued is not None:
        raise made.rescued
    if as_json:
        print_json(made.to_json())
        return
    if action == "remove":
        out().print(f"baseline {visible(name)} is removed")
    if made.baselines:
        if action == "set":
            at = next((kept.run for kept in made.baselines if kept.name == name), run)
            out().print(f"baseline {visible(name)} is run {at} now")
        columns = [TableColumn(heading) for heading in ("baseline", "run", "when", "study")]
        out().print(
            fitted(
                columns,
                [
                    [baseline.name, baseline.run, _day(baseline.created), visible(baseline.study)]
                    for baseline in made.baselines
                ],
            )
        )
        if action != "remove":
            of = name if action == "set" else made.baselines[-1].name
            print_next(join(["iosonde", "compare", "--baseline", of]))
    else:
        out().print("no baselines; `iosonde baseline set NAME RUN` makes one")


def _day(created: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(created))
