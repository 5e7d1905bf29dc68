"""Runs of three kinds with simulated figures: in turns, night after night, a replayed trace."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from iosonde.loads.load import REPLAYED
from iosonde.loads.replay import RESULT, Replay
from iosonde.measure.plan import make_plan
from iosonde.measure.study import Study
from iosonde.records.load import Load, RawOutput, Target, TargetKind
from iosonde.records.run import Loop, RunState, Trial
from iosonde.records.stack import Json
from iosonde.store.store import Store
from iosonde.verbs.predict import compare_with_runs
from tests.unit.measure import build

_NOISE, _LOOPS = 0.01, 8


def interleaved_run(store: Store) -> str:
    """Two schedulers in turns, eight pairs: no more IOPS, but a better tail; the run's id."""
    arms = ["sda.scheduler=mq-deadline", "sda.scheduler=bfq"]
    study = {"interleave": arms, "targets": ["/srv/data"], "loads": ["latency"]}
    plan = make_plan(Study.model_validate(study), where="sample")
    run = store.begin("schedulers in turns", plan.document(), created=1.73e9, owner="")
    chance = random.Random(2)
    for place, (part, rate, tail) in enumerate(
        zip(plan.rounds, (9800, 9780), (2.4e-3, 1.7e-3), strict=True)
    ):
        loops = [
            build.loop(
                at, _figures(rate * chance.gauss(1, _NOISE), tail * chance.gauss(1, 3 * _NOISE)),
                started=1.73e9 + 61.0 * (2 * at + (place ^ (at % 2))),
            )
            for at in range(_LOOPS)
        ]  # fmt: skip
        trial = build.trial(
            loops, ident=part[0].id, probe=part[0].probe.name, name="latency", host="db1"
        )
        store.add_trial(run.id, trial)
    store.finish(run.id, RunState.FINISHED)
    return run.id


def _figures(rate: float, tail: float) -> dict[str, float]:
    return {
        "read.iops": rate, "read.bandwidth": 4096 * rate, "read.latency.mean": 1 / rate,
        "read.latency.p99": tail,
    }  # fmt: skip


def nightly_runs(store: Store, study: str, nights: int = 30) -> None:
    """A run a night of two loads; from the 20th on one of them is 6 % slower."""
    chance = random.Random(3)
    for night in range(nights):
        run = store.begin(study, {}, created=1.73e9 + 86400 * night, owner="", tags=("nightly",))
        for name, rate, later in (("random-read", 9800, 0.94), ("random-write", 4200, 1.0)):
            level = rate * (later if night >= 19 else 1.0) * chance.gauss(1, _NOISE)
            way = name.partition("-")[2]
            loops = [
                build.loop(at, {f"{way}.iops": level * chance.gauss(1, _NOISE / 2)})
                for at in range(5)
            ]
            store.add_trial(
                run.id, build.trial(loops, name=name, host="db1", probe="/srv/data", ident=name)
            )
        store.finish(run.id, RunState.FINISHED)


def replayed_run(store: Store, stack: Path, layer: str, device: str) -> str:
    """Two loops of a trace replayed at a disk, held against its model; the run's id."""
    run = store.begin("replay app.blktrace", {}, created=1.73e9, owner="")
    loops = [_replayed(at) for at in range(2)]
    spec: dict[str, Json] = {"direct": True, "in_flight": 128, "length": 60.0, "digest": "sample"}
    target = Target("hv1", "/dev/sdb", TargetKind.DEVICE)
    load = Load("replay", "app.blktrace", spec)
    store.add_trial(
        run.id, Trial(f"app.blktrace@{layer}", "hv1", layer, target, load, "replay", tuple(loops))
    )
    store.finish(run.id, RunState.FINISHED)
    compare_with_runs(stack, run.id, kept=store, at=layer, devices=[device])
    return run.id


def _replayed(index: int) -> Loop:
    """A minute of requests, 40 a second, at a disk that serves one at a time in 4 to 18 ms."""
    chance = random.Random(10 + index)
    trace = random.Random(9)  # the trace is the same in every loop
    times, offsets, ops, free = [], [], [], 0.0
    took, late, at = [], [], 0.0
    while (at := at + trace.expovariate(40.0)) < 60.0:
        times.append(at)
        offsets.append(4096 * trace.randrange(1 << 24))
        ops.append(int(trace.random() < 0.3))
        late.append(abs(chance.gauss(0, 2e-4)))
        free = max(free, at + late[-1]) + chance.uniform(0.004, 0.018)
        took.append(free - at - late[-1])
    count = len(times)
    asked = [_nanoseconds(times, "<u8"), np.array(offsets, "<u8"), np.full(count, 4096, "<u4"),
             np.array(ops, "u1")]  # fmt: skip
    went = [_nanoseconds(late, "<i8"), _nanoseconds(took, "<i8"), np.zeros(count, "<u2")]
    raw = RawOutput(0, b"", b"", {
        REPLAYED: b"iosonde requests 1 %d 0 0\n" % count + _packed(asked),
        RESULT: b"iosonde replayed 1 %d\n" % count + _packed(went),
    })  # fmt: skip
    loop = build.loop(index, {}, started=1.73e9 + 61.0 * index)
    return replace(loop, result=Replay().parse(raw), raw=raw)


def _nanoseconds(seconds: Sequence[float], kind: str) -> np.ndarray:
    return (np.array(seconds) * 1e9).astype(kind)


def _packed(columns: Sequence[np.ndarray]) -> bytes:
    return b"".join(column.tobytes() for column in columns)
