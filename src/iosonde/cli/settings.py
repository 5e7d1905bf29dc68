"""`iosonde settings`: what can be set on a host, what it is now, at boot, and may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import Trace
from iosonde.cli.output import err, out, print_json
from iosonde.errors import HostFailed, PermissionMissing, UsageError
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.records import Json, Scalar
    from iosonde.stack.settable import Allowed, Settable


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

    set_trace(trace)
    known, before, tentative = run_async(_read(words or []))
    if as_json:
        print_json(document(known, before, tentative))
    else:
        _print(known, before, tentative, fixed=fixed)


def _place(words: Sequence[str]) -> tuple[str, str, bool]:
    """The host, the layer, and whether the one word that was given may be the one or the other."""
    if len(words) > 2:
        raise UsageError(f"expected a host and a layer, got {len(words)} words")
    if len(words) == 2:
        return words[0], words[1], False
    host = words[0] if words else "local"
    if host == "local" or host.startswith(("lab:", "ssh:", "recording:")):
        return host, "", False
    return "local", host, True


async def _read(
    words: Sequence[str],
) -> tuple[Sequence[Settable], Mapping[str, str], frozenset[str]]:
    """The settings asked for, what they were at boot, and those that are changed."""
    from iosonde.stack.settable import called, of_layer

    name, layer, perhaps_host = _place(words)
    known, before, tentative = await _of_host(name)
    some = [one for one in known if not layer or of_layer(one, layer) or layer in called(one)]
    if some:
        return some, before, tentative
    names = ", ".join(dict.fromkeys(one.title or one.layer for one in known))
    if not perhaps_host:
        raise UsageError(f"there is no layer {layer!r} on {name}", hint=f"there are {names}")
    try:
        return await _of_host(layer)
    except HostFailed as problem:
        message = f"{problem.message}, and no layer of this host is called so"
        hint = f"{problem.hint}; this host's layers are {names}"
        raise HostFailed(message, where=problem.where, hint=hint) from problem


async def _of_host(name: str) -> tuple[Sequence[Settable], Mapping[str, str], frozenset[str]]:
    from iosonde.change.settings_journal import SettingsJournal
    from iosonde.hosts import open_host
    from iosonde.stack.settable import settable

    if name.startswith("recording:"):
        raise UsageError("a recording has no settings to change", hint="`iosonde show -s` has them")
    host = await open_host(name)
    try:
        known = await settable(host)
        try:
            journal = await SettingsJournal.read(host)
        except PermissionMissing:
            err().print("which of them iosonde has changed is known to root alone")
            return known, {}, frozenset()
        return known, await journal.at_boot(), journal.tentative
    finally:
        await host.close()


def _boot(one: Settable, before: Mapping[str, str]) -> Scalar:
    """The value before iosonde's first change in this boot."""
    from iosonde.settings.mechanism import value_of

    return value_of(before[one.name]) if one.name in before else one.value


def document(
    known: Sequence[Settable], before: Mapping[str, str], tentative: frozenset[str]
) -> dict[str, Json]:
    """The object of the contract, `iosonde.settings/1`."""
    rows: list[Json] = [
        {
            "layer": one.layer, "name": one.declared.name, "value": one.value,
            "boot": _boot(one, before), "kept": one.kept or None,
            "allowed": allowed_document(one.allowed), "unit": one.declared.unit or None,
            "needs": one.declared.needs, "risk": one.declared.risk,
            "unsafe": list(one.declared.unsafe), "settable": not one.why_not,
            "why_not": one.why_not or None, "tentative": one.name in tentative,
            "mechanism": one.declared.mechanism or None, "address": one.address or None,
        }
        for one in known
    ]  # fmt: skip
    return {"schema": "iosonde.settings/1", "settings": rows}


def allowed_document(allowed: Allowed) -> Json:
    """The words, or the limits; null where nothing is known."""
    if allowed.words:
        return list(allowed.words)
    if allowed.low is None and allowed.high is None:
        return None
    return {"low": allowed.low, "high": allowed.high}


def _print(
    known: Sequence[Settable],
    before: Mapping[str, str],
    tentative: frozenset[str],
    *,
    fixed: bool,
) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("setting", "value", "boot", "kept", "allowed", "needs", "risk")
    for title in (*columns, "why not") if fixed else columns:
        table.add_column(title, overflow="fold")
    for one in known:
        if one.why_not and not fixed:
            continue
        unit = f" {one.declared.unit}" if one.declared.unit and one.value is not None else ""
        mark = " *" if one.name in tentative else ""
        cells = [
            one.name, f"{_shown(one.value)}{unit}{mark}", _shown(_boot(one, before)), one.kept,
            str(one.allowed), one.declared.needs, one.declared.risk,
        ]  # fmt: skip
        table.add_row(*cells, *([one.why_not] if fixed else []))
    out().print(table)
    if tentative:
        out().print(
            "* changed by iosonde: `iosonde rollback` puts it back, `iosonde persist` keeps it"
        )


def _shown(value: Scalar) -> str:
    if value is None:
        return "?"
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
