"""`iosonde set`: change settings of a host, all of them or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import ReadOnly, Trace, checked_confirm
from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.change.settings_journal import SettingsJournal
    from iosonde.change.tentative import Changed, Wanted
    from iosonde.hosts.host import Host
    from iosonde.records import Json
    from iosonde.stack.settable import Settable


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

    set_trace(trace)
    checked_confirm(confirm)
    pairs = [_pair(value) for value in values]
    told = _Told(as_json=as_json)
    run_async(_set(host, pairs, confirm, told, dry_run=dry_run), lambda: told.advice)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UsageError(
            f"{text!r} names no setting and its value",
            hint="write LAYER.NAME=VALUE, for example sda.scheduler=none",
        )
    return name, value


async def _set(
    name: str, pairs: Sequence[tuple[str, str]], confirm: float, told: _Told, *, dry_run: bool
) -> None:
    from iosonde.change.settings_lock import locked, owner_name
    from iosonde.hosts import open_host

    host = await open_host(name)
    try:
        if dry_run:
            await _plan(host, await _wanted(host, pairs, told), confirm, told)
            return
        owner = owner_name()
        async with locked(host, owner) as journal:
            await _settled(journal)
            wanted = await _wanted(host, pairs, told)
            from iosonde.change.tentative import change

            before = journal.last
            try:
                await change(host, journal, wanted, owner=owner, confirm=confirm, tell=told)
            finally:
                told.stays = journal.last > before and journal.batches[journal.last].stays
            told.end()
    finally:
        await host.close()


async def _settled(journal: SettingsJournal) -> None:
    """Say what the host put back because nobody had confirmed it, or a reboot had ended it."""
    for one in await journal.settle():
        if one.state == "lost":
            err().print(f"batch {one.name} of changes ended with the last boot")
        else:
            other = f"; somebody else had made it {one.now}" if one.now else ""
            err().print(
                f"{one.name}: an earlier change was never confirmed; put back to {one.old}{other}",
            )


async def _wanted(host: Host, pairs: Sequence[tuple[str, str]], told: _Told) -> list[Wanted]:
    from iosonde.change.tentative import Wanted
    from iosonde.stack.settable import find, settable

    known = await settable(host)
    chosen: dict[str, Wanted] = {}
    for name, value in pairs:
        one = find(known, name)
        if one.name in chosen:
            raise UsageError("named twice", where=one.name)
        words = one.checked(value)
        _warn(one, words)
        chosen[one.name] = Wanted(one, words)
    told.settings = {one.setting.name: one.setting for one in chosen.values()}
    return list(chosen.values())


def _warn(one: Settable, value: str) -> None:
    if value in one.declared.unsafe:
        err().print(
            f"{one.name}={value} trades safety of data for speed: a power failure may lose writes",
        )


async def _plan(host: Host, wanted: Sequence[Wanted], confirm: float, told: _Told) -> None:
    from iosonde.change.tentative import Changed, commands, entries_of
    from iosonde.hosts.command import quote

    entries = await entries_of(host, wanted)
    for argv in commands(entries, wanted, confirm):
        told.commands.append(quote(argv))
    for one in entries:
        if one.do:
            told(Changed(one.name, one.old, one.new, one.old, "planned", quote(one.do)))
    told.end()


class _Told:
    """Changes as they are made: a line each, or one object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.commands: list[str] = []
        self.settings: dict[str, Settable] = {}
        self.stays = False
        """Whether the changes are confirmed."""
        self._changes: list[Changed] = []

    @property
    def advice(self) -> str:
        """What an interrupted change has come to."""
        if self.stays:
            return "all changes are in force; `iosonde rollback` puts them back."
        return "nothing is changed: what had been set was put back."

    def __call__(self, change: Changed) -> None:
        self._changes.append(change)
        if not self.as_json:
            out().print(f"{change.name}: {_sentence(change)}{self._when(change)}")

    def _when(self, change: Changed) -> str:
        """What must happen yet; a mechanism whose value lasts has connected anew itself."""
        one = self.settings.get(change.name)
        later = one and one.declared.needs == "reconnect" and not one.declared.lasts
        return " (from the next connection on)" if later and change.state != "unchanged" else ""

    def end(self) -> None:
        """Print the object, or what would be run."""
        if self.as_json:
            rows: list[Json] = [
                {
                    "name": one.name, "before": one.before, "wanted": one.wanted or None,
                    "after": one.after, "state": one.state, "command": one.command or None,
                }
                for one in self._changes
            ]  # fmt: skip
            plan: list[Json] = [*self.commands]
            print_json({"schema": "iosonde.set/1", "changes": rows, "commands": plan})
            return
        for line in self.commands:
            out().print(f"  {line}")


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
