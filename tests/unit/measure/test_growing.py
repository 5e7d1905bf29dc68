"""A trial that grows loop by loop: the cost of a loop, and that nothing is missed at the end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.loads.fio import Fio
from iosonde.measure import flags, growing, run, sheet
from iosonde.measure.estimate import Estimate
from iosonde.measure.growing import GROWTH, GrowingTrial
from iosonde.measure.plan import make_plan
from iosonde.measure.progress import TimeLeft, unwatched
from iosonde.measure.ready import StudyHosts
from iosonde.measure.study import Study
from iosonde.measure.trial import PreparedTrial
from iosonde.records.load import Demand
from iosonde.records.run import Loop, RunState, Trial
from iosonde.store import open_store
from tests.unit.measure import build

DEMAND = Demand(reads=True, writes=False, size=None, seconds=1.0, direct=True, tools=())
BUFFERED = replace(DEMAND, direct=False)


def read(index: int, rate: float = 1000.0) -> Loop:
    return build.loop(index, {"read.iops": rate, "read.bandwidth": rate * 4096})


def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many loops each computation of a trial's statistics went through, from now on."""
    sizes: list[int] = []
    whole = sheet.trial_sheet

    def counted(trial: Trial) -> Any:
        sizes.append(len(trial.loops))
        return whole(trial)

    monkeypatch.setattr(flags, "trial_sheet", counted)
    return sizes


@pytest.mark.parametrize("count", [100, 1000])
def test_statistics_go_through_a_few_loops_for_each_new_one(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    sizes = looked_at(monkeypatch)
    trial = GrowingTrial(build.trial([]))
    for index in range(count):
        trial.add(read(index), DEMAND, None)
    trial.look()
    assert sizes[-1] == count
    assert sum(sizes) <= count * (GROWTH / (GROWTH - 1) + 1)


def test_the_first_loops_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = looked_at(monkeypatch)
    trial = GrowingTrial(build.trial([]))
    for index in range(6):
        trial.add(read(index), DEMAND, None)
    assert sizes == [1, 2, 3, 4, 5, 6]


def test_at_the_end_the_flags_are_those_of_all_loops() -> None:
    rates = [1000.0 + i % 7 for i in range(110)] + [800.0 - i for i in range(9)]
    trial = GrowingTrial(build.trial([]))
    for index, rate in enumerate(rates):
        trial.add(read(index, rate), DEMAND, None)
    trial.look()
    assert trial.flags == flags.flags_of(trial.trial, DEMAND, None) == ("drift",)
    assert not trial.look()  # nothing came since


def test_what_is_kept_is_what_all_loops_give() -> None:
    before = build.trial([read(0, 1.0), read(1, 2.0)])
    trial = GrowingTrial(before)
    trial.add(read(2, 3.0), DEMAND, None)
    assert trial.headlines == [1.0, 2.0, 3.0]
    assert (trial.spent, trial.next_index, len(trial)) == (180.0, 3, 3)
    assert [loop.index for loop in trial.trial.loops] == [0, 1, 2]


def test_a_fault_is_kept_once_and_at_once() -> None:
    trial = GrowingTrial(build.trial([]))
    faulty = replace(read(0).result, faults=("short reads",))
    handed_on = [trial.add(replace(read(i), result=faulty), DEMAND, None) for i in range(3)]
    assert trial.faults == ("short reads",)
    assert handed_on == [True, False, False]


def test_thousands_of_faults_are_not_written_again_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(growing, "flags_of", lambda *_: ())
    trial, written = GrowingTrial(build.trial([])), 0
    for index in range(2000):
        result = replace(read(index).result, faults=(f"loop {index}: short reads",))
        if trial.add(replace(read(index), result=result), DEMAND, None):
            written += len(trial.faults)
    trial.look()
    assert len(trial.faults) == 2000
    assert written < 2000 * 10


def test_a_run_of_many_loops_costs_each_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The whole way of `run_plan`, with a load that takes no time."""
    sizes = looked_at(monkeypatch)

    async def nothing(*_: object, **__: object) -> None:
        return None

    async def ready(_: object, planned: Any, __: object, **___: object) -> Any:
        trial = build.trial([])
        bench = PreparedTrial(
            planned.id, LocalHost(), Fio(), trial.load, BUFFERED, trial.target, None, 1, (), (),
            False, "",
        )  # fmt: skip
        return bench, trial.capture, "fio"

    async def loop(bench: Any, index: int, **_: object) -> Loop:
        return read(index, 1000.0 + index % 3)

    for name in ("require_tools", "require_target"):
        monkeypatch.setattr(run, name, nothing)
    monkeypatch.setattr("iosonde.measure.run.measure_loop", loop)
    monkeypatch.setattr(StudyHosts, "make_ready", ready)
    study = Study(targets=[str(tmp_path / "a")], loads=["fio --rw=read --name=a"], loops=300)  # type: ignore[list-item]
    store = open_store(str(tmp_path / "store.sqlite"))
    try:
        outcome = asyncio.run(
            run.run_plan(make_plan(study, where="here"), store, permissions=(), progress=unwatched)
        )
    finally:
        store.close()
    assert outcome.run.state is RunState.FINISHED
    assert [loop.index for loop in outcome.run.trials[0].loops] == list(range(300))
    assert sum(sizes) <= 300 * (GROWTH / (GROWTH - 1) + 1)
    assert sizes[-1] == 300


def test_the_end_is_estimated_from_sums() -> None:
    study = Study(targets=["/x"], loads=["fio --rw=read --name=a"], loops=4, seconds=None)  # type: ignore[list-item]
    plan = make_plan(study, where="here")
    trial = GrowingTrial(replace(build.trial([read(0)]), id="a@/x"))
    clock = iter((0.0, 0.0, 60.0))
    estimate = Estimate(plan, {}, lambda _: True, lambda: next(clock))
    assert estimate.time_left({}) == TimeLeft(0.0, None)
    now = estimate.time_left({"a@/x": trial})
    assert now.left == pytest.approx(186.0)  # three more of a minute, and what is between
    assert not now.at_most
