"""The order of a load matrix: no drift looks like an effect, and a resumed run keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from iosonde.measure.plan import Plan, make_plan, plan_again
from iosonde.measure.study import Study
from iosonde.measure.turns import blocks, order

LOAD = {"fio": {"rw": "randread", "size": "1m", "bs": ["4k", "64k"], "iodepth": [1, 2, 4, 8]}}


def planned(seed: int = 1) -> Plan:
    study = Study.model_validate(
        {"targets": ["/a", "/b"], "loads": [LOAD, "latency", "iops"], "seed": seed}
    )
    return make_plan(study, where="test")


def test_points_at_a_place_are_a_block_and_other_loads_are_alone() -> None:
    sizes = [len(block) for block in blocks(planned().rounds)]
    assert sizes == [8, 8, 1, 1, 1, 1]


def test_a_pass_has_every_point_once_in_an_order_of_its_own() -> None:
    block = blocks(planned().rounds)[0]
    passes = [tuple(part[0].id for part in order(block, 1, number)) for number in range(6)]
    assert all(sorted(pass_) == sorted(part[0].id for part in block) for pass_ in passes)
    assert len(set(passes)) == 6
    assert passes[1] == passes[0][::-1]
    assert order(block, 2, 0) != order(block, 1, 0)


def test_the_stored_plan_has_the_same_order() -> None:
    plan = planned(seed=7)
    again = plan_again(json.loads(json.dumps(plan.document())))
    assert again.rounds == plan.rounds
    assert again.study.seed == 7


def test_a_drift_does_not_look_like_an_effect() -> None:
    """A rate that falls by 1 % a loop: means of points stay within 1 % over ten passes.

    Trial after trial, as other loads are measured, the last point would be 70 % below the first.
    """
    (block, *_) = blocks(planned().rounds)
    drifted: dict[str, list[float]] = {}
    parts = [part for number in range(10) for part in order(block, 1, number)]
    for moment, part in enumerate(parts):
        drifted.setdefault(part[0].id, []).append(1 - 0.01 * moment)
    means = [float(np.mean(values)) for values in drifted.values()]
    assert max(means) - min(means) < 1e-9


def test_a_matrix_of_a_stack_is_measured_layer_by_layer(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "stack: s\nhosts: {h: {at: local}}\n"
        "layers: {d: {kind: disk, host: h, size: 64 MiB}, f: {kind: ext4, of: d, mount: /mnt/f}}\n"
    )
    (tmp_path / "study.yaml").touch()
    study = Study(stack="s.yaml", at=["d", "f"], loads=[LOAD])
    plan = make_plan(study, where=str(tmp_path / "study.yaml"))
    assert [len(block) for block in blocks(plan.rounds)] == [8, 8]
