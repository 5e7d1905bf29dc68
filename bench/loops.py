"""What iosonde itself does for one loop of a trial, in a trial of 1,000 loops against one of 100.

Everything between the end of one loop and the start of the next that depends on how many there are:
store, flags, the stop rule, the estimate of the end. A loop carries what a buffered write of fio
does: a histogram and the seconds of a disk. Processor time, medians of three rounds.

And what goes by on the clock between one loop's load and the next, with all that is asked of the
host, against the load's own time in the same run.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from bench.figures import ROUNDS, medians
from iosonde.cli.progress import LineProgress, RunView
from iosonde.measure.estimate import Estimate
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.plan import make_plan
from iosonde.measure.run import run_plan
from iosonde.measure.stop import StopRule
from iosonde.measure.study import ProbePoint, Study
from iosonde.records.bench import BenchFigure
from iosonde.records.load import Demand, Histogram, Load, LoadResult, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, Series, Trial
from iosonde.store import open_store

FEW, MANY = 100, 1000
_DEMAND = Demand(reads=False, writes=True, size=2**30, seconds=30.0, direct=False, tools=())


def run(*, quick: bool) -> list[BenchFigure]:
    """A trial of each length; shorter ones with `quick`."""
    few, many = (20, 100) if quick else (FEW, MANY)
    cost = medians({"few": _cost(few), "many": _cost(many)} for _ in range(ROUNDS))
    return [
        BenchFigure(
            f"loops.one of {many:,}", cost["many"], "s", f"one of {few:,}",
            cost["few"] / cost["many"],
        ),
        *_between(3 if quick else 8),
    ]  # fmt: skip


def _between(count: int) -> list[BenchFigure]:
    """From the end of one loop's load to the begin of the next one's, with the real fio."""
    with tempfile.TemporaryDirectory() as folder:
        study = Study(
            targets=[ProbePoint(path=folder)], loops=count, seconds=1.0, size=8 * 2**20,
            loads=["fio --rw=randread --bs=4k --name=read"],
        )  # fmt: skip
        store = open_store(str(Path(folder) / "store.sqlite"))
        plan = make_plan(study, where="bench")
        progress = LineProgress(RunView())
        ended = asyncio.run(run_plan(plan, store, permissions=(), progress=progress))
        store.close()
    loops = ended.run.trials[0].loops
    gaps = [after.started - before.started - before.elapsed for before, after in pairwise(loops)]
    gap, load = statistics.median(gaps), statistics.median(each.elapsed for each in loops)
    return [BenchFigure("loops.between two", gap, "s", "the load of one second", load / gap)]


def _cost(count: int) -> float:
    """Seconds of the processor for each of so many loops."""
    study = Study(
        targets=[ProbePoint(path="/scratch/file")], loads=["fio --rw=write --name=write"],
        loops=count,
    )  # fmt: skip
    plan = make_plan(study, where="bench")
    ((planned,),) = plan.rounds
    trial = Trial(
        planned.id, "local", planned.probe.name, Target("local", "/scratch/file", TargetKind.FILE),
        Load("fio", "write", {}), "fio",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "store.sqlite"))
        run = store.begin("bench", plan.document(), created=time.time(), owner="").id
        store.add_trial(run, trial)
        chance = np.random.default_rng(1)
        loops = [_loop(index, chance) for index in range(count)]
        growing, rule = GrowingTrial(trial), StopRule.of(count, None)
        done = {trial.id: growing}
        estimate = Estimate(plan, done, lambda _: True)
        begun = time.process_time()
        for loop in loops:
            estimate.time_left(done)
            store.add_loop(run, trial.id, loop)
            if growing.add(loop, _DEMAND, None):
                store.mark(run, trial.id, flags=growing.flags, faults=growing.faults)
            rule.wants_more(growing.headlines, growing.spent)
        growing.look()
        spent = time.process_time() - begun
        store.close()
    return spent / count


def _loop(index: int, chance: np.random.Generator) -> Loop:
    """A loop of 30 seconds."""
    rates = tuple(map(float, chance.normal(1000, 50, 30)))
    rate = sum(rates) / len(rates)
    metrics = {"write.iops": rate, "write.bandwidth": rate * 4096}
    metrics |= {f"write.latency.p{q}": 0.001 * q for q in (50, 90, 95, 99)}
    values = tuple(float(value) for value in np.geomspace(1e-5, 1.0, 200))
    counts = tuple(map(int, chance.integers(0, 100, 200)))
    times = tuple(1e9 + 40.0 * index + second for second in range(30))
    return Loop(
        index, times[0], 30.0,
        LoadResult(metrics, dict.fromkeys(metrics, "1/s"), {"write": Histogram(values, counts)}),
        RawOutput(0, b"{}" * 1000, b""),
        series=(Series("diskstats", "vda", "write.iops", "1/s", times, rates),),
    )  # fmt: skip
