"""`iosonde rollback`: put back the settings that iosonde changed on a host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import OneHost, Trace
from iosonde.cli.output import out, print_json

if TYPE_CHECKING:
    from iosonde.change.settings_journal import PutBack


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
    from iosonde.verbs import settings as verb

    set_trace(trace)
    restored = verb.rollback(host, dry_run=dry_run)
    if as_json:
        print_json(restored.to_json())
        return
    for put_back in restored.settings:
        out().print(_sentence(put_back))
    if not restored.settings:
        out().print("nothing to put back")


def _sentence(put_back: PutBack) -> str:
    other = f"; somebody else had made it {put_back.now}" if put_back.now else ""
    return {
        "back": f"{put_back.name}: {put_back.old} again{other}",
        "gone": f"{put_back.name}: its device is gone, or another one is in its place: left alone",
        "lost": f"batch {put_back.name} of changes ended with the last boot",
        "planned": f"{put_back.name}: would be {put_back.old} again",
    }[put_back.state]
