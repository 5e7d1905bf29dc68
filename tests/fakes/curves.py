"""A load matrix measured on a simulated array: the model's rates, but faster where it is deep."""

from __future__ import annotations

import random
from pathlib import Path

from iosonde.loads.named import declare_loads
from iosonde.records.load import Target, TargetKind
from iosonde.records.run import RunState, Trial
from iosonde.store.store import Store
from iosonde.verbs.predict import compare_with_runs, predict
from tests.unit.measure.build import loop

LOAD = (
    "--name=random --rw=randread --direct=1 --ioengine=libaio --bs={4k,64k} "
    "--iodepth={1,2,4,8,16,32,64}"
)
_DEEP, _FASTER, _NOISE, _LOOPS = 32, 1.35, 0.02, 5


def matrix_run(store: Store, stack: Path, layer: str, device: str) -> str:
    """Five loops of each point at a layer, held against the model; the run's id."""
    points = declare_loads({"fio": LOAD}, where="sample", directory=Path())
    predicted = predict(stack, LOAD, at=layer, devices=[device])
    run = store.begin("curves", {"study": {}}, created=1.0e9, owner="")
    chance = random.Random(1)
    for load, combination in zip(points, predicted.combinations, strict=True):
        time, depth = combination.time, load.matrix["iodepth"]
        assert time is not None
        assert isinstance(depth, int)
        loops = []
        for index in range(_LOOPS):
            rate = time.iops * chance.gauss(1, _NOISE) * (_FASTER if depth >= _DEEP else 1)
            figures = {
                "read.iops": rate, "read.bandwidth": rate * time.bandwidth / time.iops,
                "read.latency.mean": depth / rate, "read.latency.p99": 3 * depth / rate,
            }  # fmt: skip
            loops.append(loop(index, figures))
        target = Target("hv1", "/dev/md0", TargetKind.DEVICE)
        store.add_trial(
            run.id, Trial(f"{load.name}@{layer}", "hv1", layer, target, load, "fio", tuple(loops))
        )
    store.finish(run.id, RunState.FINISHED)
    compare_with_runs(stack, run.id, kept=store, at=layer, devices=[device])
    return run.id
