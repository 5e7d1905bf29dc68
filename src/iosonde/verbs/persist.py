"""Settings kept over a reboot, in the host's own configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from iosonde.change.keep import Keeping, differs, keeping, undoing, write
from iosonde.change.settings_journal import SettingsJournal
from iosonde.change.settings_lock import locked, owner_name
from iosonde.contract import VerbResult
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.stack.settable import Settable, kept_now, settable
from iosonde.verbs.signals import run_async


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of the host's configuration."""

    path: str
    action: Literal["write", "remove"]
    diff: str
    """As `diff -u` shows it."""


@dataclass(frozen=True, slots=True)
class KeptSetting:
    """A setting that is kept."""

    name: str
    value: str
    note: str | None
    """What the user should know; null: nothing."""


@dataclass(frozen=True, slots=True)
class KeptSettings(VerbResult):
    """What keeps settings over a reboot, in which files."""

    SCHEMA = "iosonde.persist/1"
    done: bool
    """false: --diff, nothing was changed."""
    files: tuple[KeptFile, ...]
    settings: tuple[KeptSetting, ...]


def persist(
    host: str = "local", *, diff: bool = False, undo: bool = False, study: str = ""
) -> KeptSettings:
    """Keep every setting that iosonde changed, in the host's own configuration.

    Args:
        host: where.
        diff: change nothing; the record says what would change in which file.
        undo: take away all that iosonde keeps there; `rollback` then puts it back again.
        study: reason, written into each file as a comment.

    Raises:
        Refused: one of them cannot be kept; the message names it.
    """
    kept = run_async(
        _persist(host, study, diff=diff, undo=undo),
        "`iosonde persist` goes on, `--undo` takes away what was written.",
    )
    return KeptSettings(
        not diff,
        tuple(
            KeptFile(file.path, "remove" if file.after is None else "write", file.diff)
            for file in kept.files
        ),
        tuple(
            KeptSetting(name, value, kept.notes.get(name)) for name, value in kept.values.items()
        ),
    )


async def _persist(name: str, study: str, *, diff: bool, undo: bool) -> Keeping:
    host = await open_host(name)
    try:
        if diff:
            return Keeping(files=await undoing(host)) if undo else (await _keeping(host, study))[0]
        async with locked(host, owner_name(study)) as journal:
            await journal.settle()
            kept = [batch.number for batch in journal.in_force if batch.state == "kept"]
            changed = [batch.number for batch in journal.in_force if batch.state != "kept"]
            if undo:
                what = Keeping(files=await undoing(host))
                await write(host, what.files)
                await journal.mark("tentative", kept)
                return what
            what, settings = await _keeping(host, study)
            await write(host, what.files)
            await journal.mark("kept", changed)
            await _look(host, what, settings)
            return what
    finally:
        await host.close()


async def _keeping(host: Host, study: str) -> tuple[Keeping, tuple[Settable, ...]]:
    """What would keep the changes, and the settings of the host."""
    settings = await settable(host)
    return await keeping(host, await SettingsJournal.read(host), settings, study), settings


async def _look(host: Host, what: Keeping, settings: Sequence[Settable]) -> None:
    """Read the configuration back: something else there may set the same."""
    kept = [setting for setting in settings if setting.name in what.values]
    for name, other in differs(what.values, await kept_now(host, kept)).items():
        note = f"the configuration as a whole sets it to {other or 'nothing'} at boot"
        what.notes[name] = f"{what.notes[name]}; {note}" if name in what.notes else note
