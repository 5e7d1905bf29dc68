"""Changes settings of a host as one batch: all of them confirmed, or all put back.

The old values and the commands that put them back are in the host's journal before the first
change. From then on the host itself puts the batch back unless it is confirmed in time, so that a
controller that is killed or cut off leaves either all old values or all new ones.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.change.changed import Changed
from iosonde.change.settings_journal import (
    BESIDE,
    SCRIPT,
    JournalEntry,
    SettingsJournal,
)
from iosonde.config import CONFIRM_SECONDS
from iosonde.errors import FileMissing, HostFailed, IosondeError, UsageError
from iosonde.hosts.cleaning import made, to_the_end
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.stack.settable import Settable

_ECHO = 65536  # bytes that must come through before a change is confirmed: many full frames


@dataclass(frozen=True, slots=True)
class WantedSetting:
    """A setting of a host and the value it is to have."""

    setting: Settable
    value: str


Tell = Callable[[Changed], None]


def checked_confirm(seconds: float) -> float:
    """How long a host waits for a sign of life before it puts everything back.

    Raises:
        UsageError: too short to get through, or too long to be any use.
    """
    shortest, longest = CONFIRM_SECONDS
    if not shortest <= seconds <= longest:
        raise UsageError(
            f"expected {shortest:g} to {longest:g} seconds, got {seconds:g}", where="--confirm"
        )
    return seconds


async def entries_of(host: Host, wanted: Sequence[WantedSetting]) -> tuple[JournalEntry, ...]:
    """What the journal is to hold of a batch, with the values now.

    What disturbs the most others comes first, so that those keep what they are given; what would be
    disturbed without being asked for is put before all, so that it is put back last.

    Raises:
        HostFailed: a value cannot be read.
    """
    named = {request.setting.name for request in wanted}
    disturbed = {
        other.name: other
        for request in wanted
        for other in request.setting.disturbed
        if other.name not in named
    }
    ordered = sorted(wanted, key=lambda request: -len(request.setting.declared.disturbs))
    todo = [(setting, BESIDE) for setting in disturbed.values()]
    todo += [(request.setting, request.value) for request in ordered]
    entries = await asyncio.gather(*(_entry(host, setting, value) for setting, value in todo))
    return tuple(entries)


async def _entry(host: Host, setting: Settable, value: str) -> JournalEntry:
    look = setting.look
    done = await host.run(look, check=False)
    if done.status != 0:
        said = kerneltext.decoded(done.stderr).strip() or f"status {done.status}"
        raise HostFailed(f"cannot read {setting.name}: {said}", where=host.name)
    old = _one_line(done.stdout)
    device, its = setting.device, ""
    if device:
        with contextlib.suppress(FileMissing):
            its = kerneltext.decoded(await host.read(device)).strip()
        device = device if its else ""
    do = () if value == BESIDE else setting.change(value)
    undo, lasts = setting.change(old), setting.declared.lasts
    return JournalEntry(setting.name, old, value, look, do, undo, device, its, lasts)


def apart(
    entries: Sequence[JournalEntry], wanted: Sequence[WantedSetting]
) -> tuple[list[JournalEntry], list[JournalEntry]]:
    """What may change along with others, and what is to be changed.

    A setting that is already what it shall be is left alone, unless another one may disturb it.
    """
    shaken = {other.name for request in wanted for other in request.setting.disturbed}
    todo = [entry for entry in entries if entry.new != BESIDE]
    if all(entry.new == entry.old for entry in todo):
        return [], []
    beside = [entry for entry in entries if entry.new == BESIDE]
    return beside, [entry for entry in todo if entry.new != entry.old or entry.name in shaken]


def _one_line(text: bytes) -> str:
    return " ".join(kerneltext.decoded(text).split())


def _silently(_: Changed) -> None:
    """Tells nobody."""


async def change(
    host: Host,
    journal: SettingsJournal,
    wanted: Sequence[WantedSetting],
    *,
    owner: str,
    confirm: float,
    tell: Tell = _silently,
) -> tuple[Changed, ...]:
    """Change settings as one batch, read them back, and confirm.

    Args:
        host: where.
        journal: of that host, locked.
        wanted: what is to be; each setting once.
        owner: who, for the journal.
        confirm: seconds after which the host puts everything back by itself.
        tell: told of each setting.

    Raises:
        HostFailed: the host refused a value; nothing is changed then. Or it cannot be reached any
            more: then it puts everything back by itself.
    """
    entries = await entries_of(host, wanted)
    beside, todo = apart(entries, wanted)
    done = [
        Changed(entry.name, entry.old, entry.new, entry.old, "unchanged", quote(entry.do))
        for entry in entries
        if entry.new == entry.old and entry not in todo
    ]
    for same in done:
        tell(same)
    if not todo:
        return tuple(done)
    number = await made(
        journal.begin(owner, [*beside, *todo]),
        lambda number: journal.restore(number, "interrupted"),
    )
    try:
        await journal.arm(number, confirm)
        for index, entry in enumerate(todo, len(beside) + 1):
            done.append(await journal.change(number, index, entry))
            tell(done[-1])
        for entry in beside:
            after = _one_line((await host.run(entry.look, check=False)).stdout)
            if after not in {entry.old, ""}:  # a scheduler's own setting goes with it
                done.append(Changed(entry.name, entry.old, "", after, "beside", ""))
                tell(done[-1])
        await echo(host)
        await to_the_end(journal.confirm(number))
    except IosondeError as problem:
        raise await to_the_end(_put_back(journal, number, problem, confirm)) from None
    except asyncio.CancelledError:
        if not journal.batches[number].stays:
            with contextlib.suppress(IosondeError):
                await to_the_end(journal.restore(number, "interrupted"))
        raise
    return tuple(done)


async def echo(host: Host) -> None:
    """See that the connection still carries full frames, not only small ones.

    Raises:
        HostFailed: it does not.
    """
    done = await host.run(["head", "-c", str(_ECHO), "/dev/zero"], timeout=20.0)
    if len(done.stdout) != _ECHO:
        raise HostFailed("the connection loses data since the change", where=host.name)


async def _put_back(
    journal: SettingsJournal, number: int, problem: IosondeError, confirm: float
) -> IosondeError:
    """Put a batch back that failed; the problem, with what has become of the settings."""
    try:
        await journal.restore(number, "failed")
        advice = "nothing is changed: what had been set was put back"
    except IosondeError as worse:
        advice = (
            f"putting back failed too ({worse.message}); the host does so by itself "
            f"within {confirm:g} s of the change"
        )
    problem.hint = f"{problem.hint}; {advice}" if problem.hint else advice
    return problem


def commands(
    entries: Sequence[JournalEntry], wanted: Sequence[WantedSetting], confirm: float
) -> tuple[tuple[str, ...], ...]:
    """The commands of a batch in their order, as `--dry-run` shows them."""
    beside, todo = apart(entries, wanted)
    if not todo:
        return ()
    number = "N"
    return (
        ("sh", SCRIPT, "begin"),
        ("sh", SCRIPT, "arm", number, f"{confirm:.0f}"),
        *(
            ("sh", SCRIPT, "change", number, str(index), *entry.do)
            for index, entry in enumerate(todo, len(beside) + 1)
        ),
        ("sh", SCRIPT, "confirm", number),
    )
