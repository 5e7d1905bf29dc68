"""Studies that go on to a steady state, on a simulated SSD: the window, its figures, resuming.

The window is compared with what a plain script finds in the same figures, written from the text of
the standard alone.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.explain.gather import of_run
from iosonde.explain.judge import findings
from iosonde.hosts.local import LocalHost
from iosonde.loads.fio import Fio
from iosonde.measure import run
from iosonde.measure.plan import Plan, make_plan
from iosonde.measure.progress import ProgressEvent, RunWarning
from iosonde.measure.ready import StudyHosts
from iosonde.measure.sheet import sheet
from iosonde.measure.study import Study
from iosonde.measure.trial import PreparedTrial
from iosonde.records.load import Target, TargetKind
from iosonde.records.run import Loop, Run, RunState
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Capture, StackLayer
from iosonde.sentences import window_sentence
from iosonde.store import open_store
from tests.fakes.ssd import STEADY_IOPS, SimulatedSsd

TARGET = "/dev/nvme0n1"
MATRIX: dict[str, Any] = {
    "rw": "randrw", "ioengine": "libaio", "direct": True, "rwmixread": [65, 0],
    "bs": ["64k", "4k"], "iodepth": 32,
}  # fmt: skip
STEADY: dict[str, Any] = {
    "steady": True, "passes": 25, "track": {"bs": "4k", "rwmixread": 0}, "metric": "iops",
}  # fmt: skip


class Warnings:
    """A progress that keeps what it is warned of."""

    def __init__(self) -> None:
        self.warned: list[str] = []

    def __call__(self, event: ProgressEvent) -> None:
        if isinstance(event, RunWarning):
            self.warned.append(event.sentence)


class Bench:
    """Runs plans on a simulated SSD, without processes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, store: str) -> None:
        self.ssd = SimulatedSsd()
        self.prepared: list[bool] = []
        self.progress = Warnings()
        self.stop_after = 10**9
        self._place = store
        self._loops = 0

        async def nothing(*_: object, **__: object) -> None:
            return None

        monkeypatch.setattr(run, "require_tools", nothing)
        monkeypatch.setattr(run, "require_target", nothing)
        monkeypatch.setattr("iosonde.measure.run.measure_loop", self._loop)
        monkeypatch.setattr(StudyHosts, "make_ready", self._ready())

    def _ready(self) -> Callable[..., Any]:
        async def ready(hosts: Any, planned: Any, *_: object, kept: bool = False) -> Any:
            engine = Fio()
            target = Target("local", TARGET, TargetKind.DEVICE)
            self.prepared.append(not kept)
            wanted = hosts._study.prepare
            if not kept and wanted.discard:
                self.ssd.purge()
            if not kept:
                self.ssd.fill(wanted.precondition)
            bench = PreparedTrial(
                planned.id, LocalHost(), engine, planned.load, engine.demand(planned.load), target,
                None, self.ssd.capacity, (), (), False, "",
            )  # fmt: skip
            layer = StackLayer(
                "local/disk:nvme0n1", "disk", "local", TARGET, self.ssd.capacity,
                facts={"kernel_name": "nvme0n1", "model": "Simulated", "logical_block_size": 512},
            )  # fmt: skip
            return bench, Capture(taken=1.0, hosts=(), layers=(layer,)), "fio"

        return ready

    async def _loop(self, bench: Any, index: int, *, seconds: float, **_: object) -> Loop:
        self._loops += 1
        if self._loops > self.stop_after:
            raise asyncio.CancelledError
        load = bench.load
        block = int(load.matrix.get("bs", 4096))
        reads = float(load.matrix.get("rwmixread", 0)) / 100
        depth = Fio().in_flight(load) or 1
        return self.ssd.loop(index, block=block, reads=reads, depth=depth, seconds=seconds)

    def run(self, plan: Plan, resume: str = "") -> Run:
        store = open_store(self._place)
        try:
            old = store.resume(resume, owner="") if resume else None
            doing = run.run_plan(
                plan,
                store,
                permissions=(),
                progress=self.progress,
                resume=old,
            )
            return asyncio.run(doing).run
        finally:
            store.close()

    def last(self) -> Run:
        store = open_store(self._place)
        try:
            return store.load(max(store.runs(), key=lambda line: line.created).id)
        finally:
            store.close()


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """One for all tests, in memory: a loop's commit waits for no disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
        yield f"{place}/store.sqlite"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, store: str) -> Bench:
    return Bench(monkeypatch, store)


def study(**keys: Any) -> Study:
    whole: dict[str, Any] = {
        "targets": [TARGET], "seconds": 60, "order": "declared", "until": STEADY,
        "prepare": {"discard": True, "precondition": 2},
        "loads": [{"name": "matrix", "fio": MATRIX}], **keys,
    }  # fmt: skip
    return Study.model_validate(whole)


def plain_window(values: Sequence[float]) -> tuple[int, int] | None:
    """First and last round of the first window of five that is steady, as PTS 2.0.2, 3.1 has it."""
    for end in range(5, len(values) + 1):
        ys = values[end - 5 : end]
        average = sum(ys) / 5
        xs = [1.0, 2.0, 3.0, 4.0, 5.0]
        slope = (5 * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)) / (
            5 * sum(x * x for x in xs) - sum(xs) ** 2
        )
        if max(ys) - min(ys) <= 0.2 * average and abs(slope * 4) <= 0.1 * average:
            return end - 4, end
    return None


def tracked(whole: Run, name: str) -> list[float]:
    trial = next(sample for sample in whole.trials if sample.load.name == name)
    return [
        sum(loop.result.metrics.get(f"{way}.iops", 0.0) for way in ("read", "write"))
        for loop in trial.loops
    ]


def point(whole: RunSheet, name: str) -> Mapping[str, float]:
    trial = next(form for form in whole.trials if form.trial.load.name == name)
    return {metric.name: metric.mean for metric in trial.metrics}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_window_is_that_of_a_plain_script(bench: Bench, seed: int) -> None:
    bench.ssd = SimulatedSsd(seed=seed, noise=0.05, fresh=3.0, length=4.0)
    whole = bench.run(make_plan(study(), where="here"))
    values = tracked(whole, "matrix rwmixread=0 bs=4k")
    (window,) = sheet(whole).windows
    assert window.reached
    assert (window.first, window.last) == plain_window(values)
    assert window.last == len(values) > 5  # it had a cliff to go over, and ended at once
    assert {len(trial.loops) for trial in whole.trials} == {len(values)}
    assert bench.progress.warned == []


def test_figures_are_those_of_the_window_alone(bench: Bench) -> None:
    bench.ssd = SimulatedSsd(fresh=3.0, length=4.0)
    whole = bench.run(make_plan(study(), where="here"))
    result = sheet(whole)
    (window,) = result.windows
    values = tracked(whole, "matrix rwmixread=0 bs=4k")
    mean = sum(values[window.first - 1 : window.last]) / 5
    assert point(result, "matrix rwmixread=0 bs=4k")["write.iops"] == pytest.approx(mean)
    assert mean < sum(values) / len(values)
    assert all(len(trial.metrics[0].loops) == 5 for trial in result.trials)
    assert "first-loop" not in {flag for trial in result.trials for flag in trial.trial.flags}


def test_without_a_steady_state_it_ends_and_says_so(bench: Bench) -> None:
    bench.ssd = SimulatedSsd(noise=0.3, fresh=0.0)
    until = {**STEADY, "passes": 7}
    whole = bench.run(make_plan(study(until=until), where="here"))
    assert plain_window(tracked(whole, "matrix rwmixread=0 bs=4k")) is None
    (window,) = sheet(whole).windows
    assert (window.reached, window.first, window.last) == (False, 3, 7)
    assert len(bench.progress.warned) == 1
    assert "not steady within 7 passes" in bench.progress.warned[0]


def test_passes_go_in_the_order_that_is_declared(bench: Bench) -> None:
    whole = bench.run(make_plan(study(), where="here"))
    began = sorted(
        (loop.started, trial.load.name) for trial in whole.trials for loop in trial.loops
    )
    names = [trial.load.name for trial in whole.trials]
    assert [name for _, name in began][: 2 * len(names)] == names * 2


def test_a_resumed_run_goes_on_without_purging_again(bench: Bench) -> None:
    bench.ssd = SimulatedSsd(fresh=3.0, length=4.0)
    plan = make_plan(study(), where="here")
    bench.stop_after = 20
    with pytest.raises(asyncio.CancelledError):
        bench.run(plan)
    stopped = bench.last()
    assert stopped.state is RunState.INTERRUPTED
    bench.stop_after = 10**9
    written = bench.ssd.written
    whole = bench.run(plan, resume=stopped.id)
    assert bench.prepared == [True, False]
    assert bench.ssd.written > written
    (window,) = sheet(whole).windows
    assert (window.first, window.last) == plain_window(tracked(whole, "matrix rwmixread=0 bs=4k"))


def test_a_throttle_during_the_study_is_found_by_name(bench: Bench) -> None:
    cool = bench.run(make_plan(study(), where="here"))
    assert "temperature-throttling" not in {flag for trial in cool.trials for flag in trial.flags}
    bench.ssd = SimulatedSsd(throttle_at=600)
    hot = bench.run(make_plan(study(), where="here"))
    flagged = {trial.load.name for trial in hot.trials if "temperature-throttling" in trial.flags}
    assert "matrix rwmixread=0 bs=4k" in flagged
    raised_findings = [
        finding
        for finding in findings(of_run(sheet(hot), ()))
        if finding.rule == "temperature-throttling"
    ]
    assert len(raised_findings) >= len(flagged)
    assert [window.alarms for window in sheet(cool).windows] == [()]
    (window,) = sheet(hot).windows
    assert window.alarms == ("temperature-throttling",)
    assert window_sentence(window).endswith(", flagged temperature-throttling")
    rates = tracked(hot, "matrix rwmixread=0 bs=4k")
    assert rates[-1] < 0.7 * STEADY_IOPS


def test_writes_go_on_until_the_capacity_is_written_so_often(bench: Bench) -> None:
    job = {"rw": "randwrite", "ioengine": "libaio", "direct": True, "bs": "4k", "iodepth": 32}
    wanted = study(
        until={"written": 2, "max_seconds": "24h"}, prepare={"discard": True},
        loads=[{"name": "saturation", "fio": job}],
    )  # fmt: skip
    whole = bench.run(make_plan(wanted, where="here"))
    (trial,) = whole.trials
    written = [loop.result.metrics["write.bandwidth"] * 60 for loop in trial.loops]
    assert sum(written) >= 2 * bench.ssd.capacity > sum(written[:-1])
    assert sheet(whole).windows == ()


def test_a_loop_that_fails_ends_the_matrix(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from iosonde.errors import LoadFailed

    measured = bench._loop

    async def failing(ready: Any, index: int, **more: Any) -> Loop:
        if ready.load.matrix == {"bs": 4096, "rwmixread": 0} and index == 2:
            raise LoadFailed("fio ended with status 1", where="local")
        return await measured(ready, index, **more)

    monkeypatch.setattr("iosonde.measure.run.measure_loop", failing)
    whole = bench.run(make_plan(study(), where="here"))
    assert whole.state is RunState.FAILED
    assert max(len(trial.loops) for trial in whole.trials) == 3  # not 25


def test_blocks_smaller_than_the_sectors_are_left_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads = [{"name": "matrix", "fio": {**MATRIX, "bs": ["4k", "512"]}}]
    assert len(bench.run(make_plan(study(loads=loads), where="here")).trials) == 4
    ready = StudyHosts.make_ready

    async def sectors(*of: Any, **more: Any) -> Any:
        prepared, capture, command = await ready(*of, **more)
        layer = replace(capture.layers[0], facts={"logical_block_size": 4096})
        return prepared, replace(capture, layers=(layer,)), command

    monkeypatch.setattr(StudyHosts, "make_ready", sectors)
    whole = bench.run(make_plan(study(loads=loads), where="here"))
    assert {trial.load.matrix["bs"] for trial in whole.trials} == {4096}
    assert any("sectors of 4 KiB" in message for message in bench.progress.warned)


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ({"steady": True, "passes": 25, "track": {"bs": "8k"}}, "no point of matrix has bs=8k"),
        ({"steady": True, "track": {"bs": "4k"}}, "give `passes` too"),
        ({"halfwidth": "2%", "written": 4}, "`written` stands alone"),
        ({"passes": 25, "halfwidth": "2%"}, "`passes` goes with `steady: true`"),
        ({"steady": True, "passes": 4}, "greater than or equal to 5"),
    ],
)
def test_what_cannot_be_tracked_is_refused(
    bench: Bench, until: dict[str, Any], message: str
) -> None:
    with pytest.raises((UsageError, ValueError), match=message):
        bench.run(make_plan(study(until=until), where="here"))
