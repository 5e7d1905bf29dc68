"""Candidates put in force over a journal that is only simulated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from iosonde.change.applier import SettingsApplier, put_in_force
from iosonde.change.changed import Changed, ValueRefused
from iosonde.change.settings_journal import (
    JournalEntry,
    SettingsBatch,
    SettingsJournal,
    outcome_of,
)
from iosonde.errors import HostFailed
from iosonde.hosts.host import Completed, Host
from iosonde.settings.declared import LayerSetting
from iosonde.stack.settable import Settable


class Machine:
    """A host whose settings are a mapping; a scheduler brings its own depth."""

    name = "there"

    def __init__(self) -> None:
        self.values = {"scheduler": "none", "depth": "99", "merges": "0"}
        self.said: list[str] = []

    async def run(self, argv: Sequence[str], **_: object) -> Completed:
        """`cat FILE` reads a setting."""
        name = argv[-1].rpartition("/")[2]
        return Completed(tuple(argv), 0, self.values[name].encode(), b"", 0.0)

    async def read(self, path: str) -> bytes:
        return b"serial"

    def set(self, name: str, value: str) -> None:
        self.said.append(f"{name}={value}")
        if name == "scheduler" and value != self.values[name]:
            self.values["depth"] = "128"
        self.values[name] = value


class Journal:
    """What is done to a journal, in words."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.said = machine, list[str]()
        self.entries: dict[int, Sequence[JournalEntry]] = {}
        self.open: set[int] = set()

    @property
    def batches(self) -> dict[int, SettingsBatch]:
        """As the product's journal has them; the entries are the fake's own."""
        states = {number: "open" if number in self.open else "restored" for number in self.entries}
        return {
            number: SettingsBatch(number, "", 0.0, "", state) for number, state in states.items()
        }

    async def begin(self, owner: str, entries: Sequence[JournalEntry]) -> int:
        number = len(self.entries) + 1
        self.entries[number] = entries
        self.open.add(number)
        return number

    async def arm(self, number: int, seconds: float) -> str:
        self.said.append(f"arm {number} {seconds:g}")
        return "by a process"

    async def change(self, number: int, index: int, entry: JournalEntry) -> Changed:
        assert number in self.open, "nothing is changed outside of an open batch"
        assert self.entries[number][index - 1] == entry
        if entry.new == "bad":
            return outcome_of(entry, Completed((), 1, b"", b"dd: Invalid argument", 0.0), "there")
        self.machine.set(entry.name.rpartition(".")[2], entry.new)
        value = self.machine.values[entry.name.rpartition(".")[2]]
        return outcome_of(entry, Completed((), 0, value.encode(), b"", 0.0), "there")

    async def mark(self, word: str, numbers: Iterable[int]) -> None:
        assert word == "restored"
        self.open -= set(numbers)

    async def restore(self, number: int, why: str) -> list[object]:
        for entry in reversed(self.entries[number]):
            self.machine.values[entry.name.rpartition(".")[2]] = entry.old
        self.said.append(f"restore {number}")
        self.open.discard(number)
        return []


def setting(name: str, *disturbed: Settable) -> Settable:
    declared = LayerSetting(name, "sysfs", f"/sys/block/sda/queue/{name}")
    address = f"/sys/block/sda/queue/{name}"
    return Settable("there/disk:sda", "disk:sda", declared, address, "x", disturbed=disturbed)


DEPTH, MERGES = setting("depth"), setting("merges")
SCHEDULER = setting("scheduler", DEPTH)


async def force(*settings: Settable) -> tuple[SettingsApplier, Machine, Journal]:
    machine = Machine()
    journal = Journal(machine)
    made = SettingsApplier(cast("Host", machine), cast("SettingsJournal", journal), settings, "me")
    await made.learn()
    return made, machine, journal


def names(**values: str) -> dict[str, str]:
    return {f"disk:sda.{name}": value for name, value in values.items()}


async def put(
    made: SettingsApplier, values: dict[str, str]
) -> tuple[Sequence[Changed], Sequence[Changed]]:
    """A candidate of a host that is alone."""
    return await put_in_force([(made, values)], within=70)


async def test_each_candidate_is_a_batch_with_the_values_from_before_the_campaign() -> None:
    made, machine, journal = await force(MERGES)
    await put(made, names(merges="1"))
    changed, _ = await put(made, names(merges="2"))
    assert [(change.before, change.after, change.state) for change in changed] == [
        ("1", "2", "changed")
    ]
    assert [entry.old for batch in journal.entries.values() for entry in batch] == ["0", "0"]
    assert journal.open == {2}  # the first one's place is taken only when the second is armed
    assert journal.said == ["arm 1 70", "arm 2 70"]
    await made.back()
    assert (machine.values["merges"], journal.open) == ("0", set())


async def test_what_was_in_force_before_needs_no_batch() -> None:
    made, machine, journal = await force(MERGES)
    assert await put(made, names(merges="0")) == ([], [])
    await put(made, names(merges="1"))
    (changed,), _ = await put(made, names(merges="0"))
    assert (changed.before, changed.after) == ("1", "0")
    assert len(journal.entries) == 1
    assert machine.values["merges"] == "0"


async def test_what_disturbs_others_is_changed_from_home_and_what_it_does_is_put_back() -> None:
    made, machine, journal = await force(SCHEDULER, MERGES)
    _, beside = await put(made, names(scheduler="bfq", merges="1"))
    assert [(changed.name, changed.before, changed.after) for changed in beside] == [
        ("disk:sda.depth", "99", "128")
    ]
    await put(made, names(scheduler="kyber", merges="1"))
    assert journal.said == ["arm 1 70", "restore 1", "arm 2 70"]
    await put(made, names(scheduler="kyber", merges="2"))
    assert "restore 2" not in journal.said
    await made.back()
    assert machine.values == {"scheduler": "none", "depth": "99", "merges": "0"}


async def test_what_is_disturbed_is_set_again_where_it_is_varied() -> None:
    made, machine, _ = await force(SCHEDULER, DEPTH)
    await put(made, names(scheduler="bfq", depth="99"))
    assert machine.values == {"scheduler": "bfq", "depth": "99", "merges": "0"}
    assert machine.said == ["scheduler=bfq", "depth=99"]


async def test_a_value_that_is_refused_is_told_and_home_is_reached_from_there() -> None:
    made, machine, _ = await force(SCHEDULER, DEPTH)
    with pytest.raises(ValueRefused, match="refuses 'bad'"):
        await put(made, names(scheduler="bfq", depth="bad"))
    await made.back()
    assert machine.values == {"scheduler": "none", "depth": "99", "merges": "0"}


async def test_a_value_that_somebody_else_has_changed_meanwhile_is_noticed() -> None:
    made, machine, _ = await force(MERGES)
    await put(made, names(merges="1"))
    await made.check()
    machine.values["merges"] = "0"
    with pytest.raises(HostFailed, match="was 1 when the loop began and is 0"):
        await made.check()


async def test_what_the_host_says_of_having_put_back_is_not_believed() -> None:
    made, machine, journal = await force(MERGES)
    await put(made, names(merges="1"))
    journal.entries[1] = ()  # somebody has replaced the journal
    with pytest.raises(HostFailed, match=r"not put back: disk:sda\.merges \(is 1, was 0\)"):
        await made.back()
    assert machine.values["merges"] == "1"


async def test_the_host_makes_another_value_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, machine, _ = await force(MERGES)
    monkeypatch.setattr(machine, "set", lambda name, value: machine.values.update({name: "64"}))
    (changed,), _ = await put(made, names(merges="70"))
    assert (changed.state, changed.wanted, changed.after) == ("rounded", "70", "64")


def test_settables_here_are_of_the_real_class() -> None:
    assert cast("Any", replace(MERGES, why_not="")).name == "disk:sda.merges"
