"""Puts candidates in force on one host, and what was there before back again.

Every candidate is a batch of its own in the host's journal, with the values from before the
campaign as the old ones, and it is never confirmed: the host puts it back by itself unless the
next one takes its place in time. So there is no moment at which a dead controller leaves a
candidate in force for longer than a loop and some patience.

A setting that disturbs others (a scheduler brings its own queue depth) is changed from what was
in force before the campaign, never from another candidate: else what a candidate is would depend
on who came before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from iosonde import kerneltext
from iosonde.change.changed import Changed
from iosonde.change.settings_journal import BESIDE, JournalEntry, SettingsJournal
from iosonde.change.tentative import WantedSetting, change, echo, entries_of
from iosonde.errors import HostFailed
from iosonde.hosts.host import Host
from iosonde.stack.settable import Settable

T = TypeVar("T")


class SettingsApplier:
    """The settings of a campaign on one host.

    Args:
        host: where.
        journal: of that host, locked.
        settings: all that the campaign may change there.
        owner: who, for the journal.
    """

    def __init__(
        self, host: Host, journal: SettingsJournal, settings: Sequence[Settable], owner: str
    ) -> None:
        self.host, self.journal, self._owner = host, journal, owner
        self._settings = {setting.name: setting for setting in settings}
        self._home: tuple[JournalEntry, ...] = ()
        self._open: list[int] = []  # batches of ours that are neither put back nor replaced
        self._now: dict[str, str] = {}

    async def learn(self) -> None:
        """Take down what is in force, with all that a change would disturb.

        Raises:
            HostFailed: a value cannot be read.
        """
        wanted = [WantedSetting(setting, str(setting.value)) for setting in self._settings.values()]
        self._home = await entries_of(self.host, wanted)
        self._now = dict(self.home_values)

    @property
    def home_values(self) -> Mapping[str, str]:
        """What was in force before, by the settings' own names."""
        return {entry.name: entry.old for entry in self._home if entry.name in self._settings}

    def at_home(self, values: Mapping[str, str]) -> bool:
        """Whether a candidate is what was in force before: then `back` puts it in force."""
        return dict(values) == dict(self.home_values)

    async def announce(self, values: Mapping[str, str], *, within: float) -> ArmedBatch:
        """Write a candidate into the journal and arm it; of the candidate nothing is changed yet.

        Raises:
            HostFailed: it cannot be reached.
        """
        different = [name for name, value in values.items() if self._now[name] != value]
        if any(self._settings[name].disturbed for name in different):
            await self.back()
            different = [name for name, value in values.items() if self._now[name] != value]
        entries = [self._entry(entry, values) for entry in self._home]
        number = await self.journal.begin(self._owner, entries)
        self._open.append(number)
        await self.journal.arm(number, within)
        await self.journal.mark("restored", self._open[:-1])  # their place is taken
        self._open = [number]
        shaken = {other.name for name in different for other in self._settings[name].disturbed}
        wanted = {*different, *shaken}
        todo = [
            (index, entry)
            for index, entry in enumerate(entries, 1)
            if entry.new != BESIDE and entry.name in wanted
        ]
        return ArmedBatch(self, number, todo, shaken=bool(shaken))

    def cuts(self, name: str) -> bool:
        """Whether a wrong value of a setting can cut the connection."""
        return self._settings[name].declared.risk == "cut"

    def note(self, made: Changed) -> Changed:
        """Take down what is in force after a change; the change, seen from the candidate before."""
        was, self._now[made.name] = self._now[made.name], made.after
        return _as_seen(made, was)

    def forget_what_is_over(self) -> None:
        """Put nothing back of batches that the host has ended before their first change."""
        batches = self.journal.batches
        self._open = [number for number in self._open if batches[number].state != "restored"]

    async def back(self) -> Sequence[Changed]:
        """Put back what was in force before the campaign; what that changed.

        Raises:
            HostFailed: something could not be put back; the message says what.
        """
        if not self._open:
            return ()
        while self._open:
            await self.journal.restore(self._open[-1], "the next candidate")
            self._open.pop()
        await self._require_home()
        changed = tuple(
            Changed(name, self._now[name], value, value, "changed", "")
            for name, value in self.home_values.items()
            if self._now[name] != value
        )
        self._now = dict(self.home_values)
        return changed

    async def _require_home(self) -> None:
        """Look whether all is as it was: what the host says of having put back is not believed.

        Raises:
            HostFailed: something is not, and is still there to be read.
        """
        wrong = [
            f"{entry.name} (is {value}, was {entry.old})"
            for entry, value in await self._seen(self._home)
            if value not in {entry.old, ""}
        ]
        if wrong:
            raise HostFailed(
                f"not put back: {'; '.join(wrong)}",
                where=self.host.name,
                hint="set it by hand; was the journal, or the script beside it, changed meanwhile?",
            )

    async def _seen(self, entries: Sequence[JournalEntry]) -> list[tuple[JournalEntry, str]]:
        """What the host says now; empty where it says nothing."""
        seen = await asyncio.gather(*(self.host.run(entry.look, check=False) for entry in entries))
        return [
            (entry, " ".join(kerneltext.decoded(done.stdout).split()))
            for entry, done in zip(entries, seen, strict=True)
        ]

    async def check(self) -> None:
        """See that the settings are still as they were set.

        Raises:
            HostFailed: one is not: somebody else changed it, or the host put all back by itself.
        """
        entries = [entry for entry in self._home if entry.name in self._settings]
        for entry, value in await self._seen(entries):
            if value != self._now[entry.name]:
                raise HostFailed(
                    f"{entry.name} was {self._now[entry.name]} when the loop began and is "
                    f"{value or 'gone'} after it",
                    where=self.host.name,
                    hint="somebody else changed it, or the loop took so long that the host put "
                    "all back by itself (--confirm SECONDS)",
                )

    async def apply(self, values: Mapping[str, str], *, within: float) -> Sequence[Changed]:
        """Leave a candidate in force, as `iosonde set` does: confirmed, until the next boot.

        Raises:
            HostFailed: the host refused it; nothing is changed then.
        """
        await self.back()
        wanted = [
            WantedSetting(self._settings[name], value)
            for name, value in values.items()
            if self.home_values[name] != value
        ]
        return await change(self.host, self.journal, wanted, owner=self._owner, confirm=within)

    def _entry(self, home: JournalEntry, values: Mapping[str, str]) -> JournalEntry:
        if home.name not in self._settings:
            return home
        value = values[home.name]
        return replace(home, new=value, do=self._settings[home.name].change(value))

    async def beside(self) -> tuple[Changed, ...]:
        """What the kernel made of settings that nobody varies."""
        entries = [entry for entry in self._home if entry.new == BESIDE]
        changes = [
            Changed(entry.name, entry.old, "", after, "beside", "")
            for entry, after in await self._seen(entries)
            if after not in {entry.old, ""}
        ]
        return tuple(changes)


class ArmedBatch:
    """A candidate that is in the journal of a host and armed there, to be changed in two steps.

    What can cut the connection comes last, so that both ends of a link can have it together:
    between the two a link carries less than one of its ends sends.
    """

    def __init__(
        self,
        applier: SettingsApplier,
        number: int,
        todo: Sequence[tuple[int, JournalEntry]],
        *,
        shaken: bool,
    ) -> None:
        self._applier, self._number, self._shaken = applier, number, shaken
        self._most = [numbered for numbered in todo if not applier.cuts(numbered[1].name)]
        self._last = [numbered for numbered in todo if applier.cuts(numbered[1].name)]
        self.done: list[Changed] = []

    async def change(self, *, cuts: bool) -> None:
        """Change what can cut the connection, or what cannot.

        After what can it is seen that the connection still carries full frames.

        Raises:
            ValueRefused: the host refused a value.
            HostFailed: the host has put the batch back already, or cannot be reached.
        """
        todo = self._last if cuts else self._most
        for index, entry in todo:
            try:
                made = await self._applier.journal.change(self._number, index, entry)
            except HostFailed:
                self._applier.forget_what_is_over()
                raise
            self.done.append(self._applier.note(made))
        if cuts and todo:
            await echo(self._applier.host)

    async def beside(self) -> Sequence[Changed]:
        """What the kernel has changed along."""
        return await self._applier.beside() if self._shaken else ()


async def put_in_force(
    wanted: Sequence[tuple[SettingsApplier, Mapping[str, str]]], *, within: float
) -> tuple[Sequence[Changed], Sequence[Changed]]:
    """Put a candidate in force on its hosts; what had to be changed, and what the kernel changed.

    Every host has it in its journal before the first one changes anything. What can cut the
    connection comes last, on all of them at the same time.

    Args:
        wanted: each host with the values of all settings of the campaign there.
        within: seconds after which the hosts put everything back by themselves.

    Raises:
        ValueRefused: a host does not take a value; call `back` of all of them.
        HostFailed: one cannot be reached, or has put all back already.
    """
    back = [applier for applier, values in wanted if applier.at_home(values)]
    away = [(applier, values) for applier, values in wanted if applier not in back]
    ready = [await applier.announce(values, within=within) for applier, values in away]
    await together(batch.change(cuts=False) for batch in ready)
    homeward = [applier.back() for applier in back]
    ended = await together([*homeward, *(batch.change(cuts=True) for batch in ready)])
    beside = [change for batch in ready for change in await batch.beside()]
    home = [change for changes in ended[: len(back)] if changes for change in changes]
    return [*home, *(change for batch in ready for change in batch.done)], beside


async def together(running: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All to their end, then the first of what went wrong."""
    done = await asyncio.gather(*running, return_exceptions=True)
    for outcome in done:
        if isinstance(outcome, BaseException):
            raise outcome
    return [ended for ended in done if not isinstance(ended, BaseException)]


def _as_seen(made: Changed, was: str) -> Changed:
    """A change as seen from the candidate before, not from before the campaign."""
    if made.state in {"changed", "unchanged"}:
        return replace(made, before=was, state="unchanged" if made.after == was else "changed")
    # The kernel rounded it, or kept what it had.
    return replace(made, before=was, state="ignored" if made.after == was else "rounded")
