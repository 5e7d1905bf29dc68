"""`iosonde persist`: keep changed settings over a reboot, and take that back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import OneHost, Trace
from iosonde.cli.output import err, out, print_json
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.change.keep import Keeping
    from iosonde.hosts.host import Host
    from iosonde.records import Json
    from iosonde.stack.settable import Settable


def persist(
    host: OneHost = "local",
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what would change in which file; change nothing.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Remove all that iosonde keeps on that host.")
    ] = False,
    study: Annotated[str, typer.Option(help="Reason, written into each file as a comment.")] = "",
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema persist).")
    ] = False,
) -> None:
    """Keep every setting that `iosonde set` changed, in the host's own configuration.

    Files of iosonde's own in udev's rules, sysctl.d, modprobe.d and nfs.conf.d; options of lines of
    fstab. `rollback` does not put back what is kept; after --undo it does.
    """
    from iosonde.hosts.command import set_trace

    set_trace(trace)
    found = run_async(
        _persist(host, study, diff=diff, undo=undo),
        "`iosonde persist` goes on, `--undo` takes away what was written.",
    )
    if as_json:
        files: list[Json] = [
            {"path": one.path, "action": "remove" if one.after is None else "write",
             "diff": one.diff}
            for one in found.files
        ]  # fmt: skip
        settings: list[Json] = [
            {"name": name, "value": value, "note": found.notes.get(name)}
            for name, value in found.values.items()
        ]
        print_json(
            {"schema": "iosonde.persist/1", "done": not diff, "files": files, "settings": settings}
        )
        return
    _print(found, diff=diff, undo=undo)


async def _persist(name: str, study: str, *, diff: bool, undo: bool) -> Keeping:
    from iosonde.change.keep import Keeping, undoing, write
    from iosonde.change.settings_lock import locked, owner_name
    from iosonde.hosts import open_host

    host = await open_host(name)
    try:
        if diff:
            return Keeping(files=await undoing(host)) if undo else (await _keeping(host, study))[0]
        async with locked(host, owner_name(study)) as journal:
            await journal.settle()
            kept = [one.number for one in journal.in_force if one.state == "kept"]
            changed = [one.number for one in journal.in_force if one.state != "kept"]
            if undo:
                found = Keeping(files=await undoing(host))
                await write(host, found.files)
                await journal.mark("tentative", kept)
                return found
            found, known = await _keeping(host, study)
            await write(host, found.files)
            await journal.mark("kept", changed)
            await _look(host, found, known)
            return found
    finally:
        await host.close()


async def _keeping(host: Host, study: str) -> tuple[Keeping, tuple[Settable, ...]]:
    """What would keep the changes, and the settings of the host."""
    from iosonde.change.keep import keeping
    from iosonde.change.settings_journal import SettingsJournal
    from iosonde.stack.settable import settable

    known = await settable(host)
    return await keeping(host, await SettingsJournal.read(host), known, study), known


async def _look(host: Host, found: Keeping, known: Sequence[Settable]) -> None:
    """Read the configuration back: something else there may set the same."""
    from iosonde.change.keep import differs
    from iosonde.stack.settable import kept_now

    kept = [one for one in known if one.name in found.values]
    for name, other in differs(found.values, await kept_now(host, kept)).items():
        note = f"the configuration as a whole sets it to {other or 'nothing'} at boot"
        found.notes[name] = f"{found.notes[name]}; {note}" if name in found.notes else note


def _print(found: Keeping, *, diff: bool, undo: bool) -> None:
    for one in found.files:
        if diff:
            out().print(one.diff, end="")
        else:
            word = "taken away" if one.after is None else "written"
            out().print(f"{one.path}: {word}")
    for name, note in found.notes.items():
        err().print(f"{name}: {note}")
    if not found.files:
        out().print("nothing is kept by iosonde" if undo else "nothing to keep")
    elif undo and not diff:
        out().print("the values of now stay until the next boot, or `iosonde rollback`")
