"""`iosonde rollback`: put back the settings that iosonde changed on a host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import OneHost, Trace
from iosonde.cli.output import out, print_json
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.change.settings_journal import PutBack
    from iosonde.records import Json


def rollback(
    host: OneHost = "local",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be put back; change nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema rollback).")
    ] = False,
) -> None:
    """Put back every setting that iosonde changed and nobody made permanent, the last one first.

    It works from the journal on the host alone. Without iosonde, `sh /var/lib/iosonde/rollback`
    there does the same.
    """
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    found = run_async(_roll_back(host, dry_run=dry_run), "`iosonde rollback` goes on.")
    if as_json:
        rows: list[Json] = [
            {"name": one.name, "state": one.state, "value": one.old or None,
             "found": one.now or None}
            for one in found
        ]  # fmt: skip
        print_json({"schema": "iosonde.rollback/1", "settings": rows})
        return
    for one in found:
        out().print(_sentence(one))
    if not found:
        out().print("nothing to put back")


async def _roll_back(name: str, *, dry_run: bool) -> list[PutBack]:
    from iosonde.change.settings_journal import PutBack, SettingsJournal
    from iosonde.change.settings_lock import locked, owner_name
    from iosonde.hosts import open_host

    host = await open_host(name)
    try:
        journal = await SettingsJournal.read(host)
        if dry_run:
            before: dict[str, str] = {}
            for batch in journal.in_force:
                for setting, value in batch.old.items() if batch.state != "kept" else ():
                    before.setdefault(setting, value)
            return [PutBack(one, "planned", before[one]) for one in reversed(before)]
        if not journal.batches:
            return []
        async with locked(host, owner_name()) as journal:
            return await journal.restore()
    finally:
        await host.close()


def _sentence(one: PutBack) -> str:
    other = f"; somebody else had made it {one.now}" if one.now else ""
    return {
        "back": f"{one.name}: {one.old} again{other}",
        "gone": f"{one.name}: its device is gone, or another one is in its place: left alone",
        "lost": f"batch {one.name} of changes ended with the last boot",
        "planned": f"{one.name}: would be {one.old} again",
    }[one.state]
