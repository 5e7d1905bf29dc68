"""`iosonde settings`: what can be set on a host, what it is now, at boot, and may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import Trace
from iosonde.cli.output import out, print_json, write_message

if TYPE_CHECKING:
    from iosonde.records.stack import Scalar
    from iosonde.verbs.settings import HostSetting, HostSettings


def settings(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[HOST] [LAYER]",
            help="local (the default) or another host; and a layer by id, name, device or kind, "
            "or a setting.",
        ),
    ] = None,
    fixed: Annotated[
        bool, typer.Option("--all", "-a", help="Also those that iosonde does not set, with why.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema settings).")
    ] = False,
) -> None:
    """Show the settings of a host: value now, at boot, kept over a reboot, and what is allowed.

    A setting is named LAYER.NAME, for example loop0.nr_requests, or vm.dirty_ratio.
    """
    from iosonde.hosts.command import set_trace
    from iosonde.verbs import settings as verb

    set_trace(trace)
    shown = verb.settings(*words or (), tell=write_message)
    if as_json:
        print_json(shown.to_json())
    else:
        _print(shown, fixed=fixed)


def _print(shown: HostSettings, *, fixed: bool) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("setting", "value", "boot", "kept", "allowed", "needs", "risk")
    for title in (*columns, "why not") if fixed else columns:
        table.add_column(title, overflow="fold")
    for one in shown.settings:
        if one.settable or fixed:
            table.add_row(*_cells(one), *([one.why_not] if fixed else []))
    out().print(table)
    if any(one.tentative for one in shown.settings):
        out().print(
            "* changed by iosonde: `iosonde rollback` puts it back, `iosonde persist` keeps it"
        )


def _cells(one: HostSetting) -> list[str]:
    unit = f" {one.unit}" if one.unit and one.value is not None else ""
    mark = " *" if one.tentative else ""
    allowed = ", ".join(one.allowed) if isinstance(one.allowed, tuple) else str(one.allowed or "")
    return [
        one.full_name, f"{_value(one.value)}{unit}{mark}", _value(one.boot), one.kept, allowed,
        one.needs, one.risk,
    ]  # fmt: skip


def _value(value: Scalar) -> str:
    if value is None:
        return "?"
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
