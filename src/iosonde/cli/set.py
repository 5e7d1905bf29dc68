"""`iosonde set`: change settings of a host, all of them or none."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import ReadOnly, Trace
from iosonde.cli.output import out, print_json, print_next, write_message

if TYPE_CHECKING:
    from iosonde.change.changed import Changed

_IN_FORCE = {"changed", "rounded", "beside"}


def set_values(
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="LAYER.NAME=VALUE…", help="Settings to change; `iosonde settings` lists them."
        ),
    ],
    host: Annotated[str, typer.Option(metavar="HOST", help="Where.")] = "local",
    confirm: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Seconds until the host restores unconfirmed settings."
        ),
    ] = 60.0,
    dry_run: ReadOnly = False,
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema set).")
    ] = False,
) -> None:
    """Change settings of a host until its next boot: all that are named, or none.

    The old values are in a journal on the host before the first change. What the host makes of a
    value is read back. `iosonde rollback` puts everything back, `iosonde persist` keeps it.
    """
    from iosonde.hosts.command import set_trace
    from iosonde.verbs import settings as verb

    set_trace(trace)
    changed = verb.set_settings(
        *values, host=host, confirm=confirm, dry_run=dry_run, tell=write_message,
        progress=_ignore if as_json else _print,
    )  # fmt: skip
    if as_json:
        print_json(changed.to_json())
        return
    for line in changed.commands:
        out().print(f"  {line}", soft_wrap=True)
    if not dry_run and any(change.state in _IN_FORCE for change in changed.changes):
        where = [] if host == "local" else [shlex.quote(host)]
        print_next(*(" ".join(["iosonde", verb, *where]) for verb in ("rollback", "persist")))


def _ignore(change: Changed) -> None:
    del change


def _print(change: Changed) -> None:
    when = " (from the next connection on)" if change.waits else ""
    out().print(f"{change.name}: {_sentence(change)}{when}")


def _sentence(change: Changed) -> str:
    before, wanted, after = change.before, change.wanted, change.after
    return {
        "changed": f"{before} → {after}",
        "unchanged": f"is {after} already",
        "rounded": f"{before} → {after}: the host made that of {wanted}",
        "ignored": f"still {after}: the host accepted {wanted} and did not take it",
        "beside": f"{before} → {after}, changed by the kernel along with another",
        "planned": f"{before} → {wanted}",
    }[change.state]
