"""Settings of arms put in force and back, over a host and a journal that are only simulated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from iosonde.errors import HostFailed, UsageError
from iosonde.measure import arms
from iosonde.measure.arms import SettingsInTurns
from iosonde.measure.plan import PlannedTrial, make_plan
from iosonde.measure.study import Study
from tests.unit.change.test_applier import MERGES, SCHEDULER, Journal, Machine


class Locked(Journal):
    async def settle(self) -> tuple[object, ...]:
        return ()


async def opened(
    monkeypatch: pytest.MonkeyPatch, *values: str
) -> tuple[SettingsInTurns, Machine, Locked, list[PlannedTrial]]:
    machine = Machine()
    journal = Locked(machine)

    @asynccontextmanager
    async def locked(*_: object) -> AsyncIterator[Locked]:
        journal.said.append("locked")
        yield journal
        journal.said.append("free")

    async def settable(_: object) -> tuple[object, ...]:
        return (MERGES, SCHEDULER)

    monkeypatch.setattr(arms, "locked", locked)
    monkeypatch.setattr(arms, "settable", settable)
    study = Study.model_validate(
        {"interleave": list(values), "targets": "there:/mnt/a", "loads": ["latency"]}
    )
    trials = [part[0] for part in make_plan(study, where="test").rounds]
    hosts: Any = {"there": machine}
    turns = SettingsInTurns(hosts, "study", lambda _: None)
    await turns.open(trials)
    return turns, machine, journal, trials


async def test_each_loop_has_its_settings_and_all_is_put_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, machine, journal, (a, b) = await opened(monkeypatch, "sda.merges=1", "sda.merges=2")
    for trial, value in ((a, "1"), (b, "2"), (b, "2"), (a, "1")):
        await turns.put(trial, 30.0)
        assert machine.values["merges"] == value
        assert await turns.problem(trial) is None
    assert "arm 1 120" in journal.said  # confirm (60 s) and two loops
    assert machine.said == ["merges=1", "merges=2", "merges=1"]
    await turns.close()
    assert (machine.values["merges"], journal.open, journal.said[-1]) == ("0", set(), "free")


async def test_what_an_arm_does_not_name_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, machine, _, (a, b) = await opened(monkeypatch, "sda.merges=1", "sda.scheduler=bfq")
    await turns.put(a, 1.0)
    assert (machine.values["merges"], machine.values["scheduler"]) == ("1", "none")
    await turns.put(b, 1.0)
    assert (machine.values["merges"], machine.values["scheduler"]) == ("0", "bfq")
    await turns.close()
    assert machine.values == {"scheduler": "none", "depth": "99", "merges": "0"}


async def test_a_change_by_somebody_else_is_the_loops_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, machine, _, (a, _) = await opened(monkeypatch, "sda.merges=1", "sda.merges=2")
    await turns.put(a, 1.0)
    machine.values["merges"] = "7"
    problem = await turns.problem(a)
    assert problem is not None
    assert "was 1 when the loop began and is 7" in str(problem)


async def test_a_value_that_the_host_changes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    turns, machine, _, (a, _) = await opened(monkeypatch, "sda.merges=70", "sda.merges=2")
    monkeypatch.setattr(machine, "set", lambda name, _: machine.values.update({name: "64"}))
    with pytest.raises(HostFailed, match="the host made 64 of 70"):
        await turns.put(a, 1.0)


async def test_a_setting_that_is_not_there_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match=r"no setting 'sda\.merge'"):
        await opened(monkeypatch, "sda.merge=1", "sda.merges=2")
