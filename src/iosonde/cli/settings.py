"""`iosonde settings`: what can be set on a host, what it is now, at boot, and may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import Trace
from iosonde.cli.output import out, print_json, write_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from iosonde.records.stack import Scalar
    from iosonde.verbs.settings import HostSetting, HostSettings


_WHOLE = {"setting", "needs", "risk"}  # columns whose texts are never broken
_ALLOWED, _VALUE = 18, 16  # fewest, and most, columns of the terminal
_NARROW = {"allowed": 10, "value": 12}  # where the terminal is too narrow for these
_SPARE = ("needs", "risk")  # go first, where even so it is too narrow


def settings(
    arguments: Annotated[
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
    shown = verb.settings(*arguments or (), tell=write_message)
    if as_json:
        print_json(shown.to_json())
    else:
        _print(shown, fixed=fixed)


def _print(shown: HostSettings, *, fixed: bool) -> None:
    """A row each; columns without any text are left out, and and no name is broken."""
    from rich.table import Table

    columns = ("setting", "value", "at boot", "kept", "allowed", "needs", "risk", "why not")
    rows = [_cells(setting) for setting in shown.settings if setting.settable or fixed]
    used = [place for place in range(len(columns)) if place < 2 or any(row[place] for row in rows)]
    least = {"allowed": _ALLOWED, "value": _VALUE} | {
        columns[place]: max(len(text) for text in (columns[place], *(row[place] for row in rows)))
        for place in used if columns[place] in _WHOLE
    }  # fmt: skip
    if _needed(least) > out().width:
        least |= _NARROW
    for spare in _SPARE:
        if spare in least and _needed(least) > out().width:
            del least[spare]
            used.remove(columns.index(spare))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place in used:
        name = columns[place]
        table.add_column(
            name, overflow="fold", no_wrap=name in _WHOLE,
            min_width=least["allowed"] if name == "allowed" else None,
            max_width=least["value"] if name == "value" else None,
        )  # fmt: skip
    out().print(_answer(shown, len(rows)))
    for row in rows:
        table.add_row(*(row[place] for place in used))
    out().print(table)
    if any(setting.tentative for setting in shown.settings):
        out().print(
            "* changed by iosonde: `iosonde rollback` puts it back, `iosonde persist` keeps it"
        )


def _needed(widths: Mapping[str, int]) -> int:
    """Columns of the terminal, with two between columns of the table."""
    return sum(widths.values()) + 2 * (len(widths) - 1)


def _answer(shown: HostSettings, count: int) -> str:
    """How many settings are shown, and how many of them are not as at boot."""
    changed = sum(setting.boot not in {None, setting.value} for setting in shown.settings)
    tentative = sum(setting.tentative for setting in shown.settings)
    parts = [f"{count} setting{'s' * (count != 1)}"]
    parts += [f"{changed} not as at boot"] if changed else []
    parts += [f"{tentative} changed by iosonde (*)"] if tentative else []
    return "; ".join(parts)


def _cells(setting: HostSetting) -> list[str]:
    """What is as at boot, needs nothing and risks nothing has no text there."""
    unit = f" {setting.unit}" if setting.unit and setting.value is not None else ""
    mark = " *" if setting.tentative else ""
    allowed = (
        ", ".join(setting.allowed)
        if isinstance(setting.allowed, tuple)
        else str(setting.allowed or "")
    )
    return [
        setting.full_name,
        f"{_value(setting.value)}{unit}{mark}",
        "" if setting.boot == setting.value else _value(setting.boot),
        setting.kept,
        allowed,
        "" if setting.needs == "nothing" else setting.needs,
        "" if setting.risk == "none" else setting.risk,
        setting.why_not,
    ]


def _value(value: Scalar) -> str:
    if value is None:
        return "?"
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
