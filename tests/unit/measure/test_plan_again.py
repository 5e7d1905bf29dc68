"""A plan that was stored is the plan that goes on: the same trials at the same places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.measure.plan import Plan, make_plan, plan_again
from iosonde.measure.study import Study
from iosonde.tune.campaign.declare import TuneStudy

STACK = """\
stack: halls
hosts: {s1: {at: root@storage1}, s2: {}}
layers:
  a: {kind: disk, host: s1, size: 64 MiB}
  b: {kind: disk, host: s1, size: 64 MiB}
  c: {kind: disk, host: s2, size: 64 MiB}
  r: {kind: md, level: 1, of: [a, b]}
  fs: {kind: ext4, of: r, mount: /mnt/r}
"""
TWO = ["latency", "iops"]
REMOTE = [{"host": "box", "path": "/srv/a"}, {"host": "lab:halls/s2", "path": "/dev/vdb"}]
PLACES: dict[str, dict[str, Any]] = {
    "targets": {"targets": ["a", "/b"]},
    "a named target": {"targets": {"path": "a", "name": "ours"}},
    "targets on other hosts": {"targets": REMOTE},
    "a layer": {"stack": "halls.yaml", "at": "r"},
    "a layer of another host": {"stack": "halls.yaml", "at": "c"},
    "several layers": {"stack": "halls.yaml", "at": ["r", "a", "c"]},
    "every layer": {"stack": "halls.yaml", "at": "every layer"},
    "a rehearsed stack": {"stack": "halls.yaml", "at": ["a", "fs"], "rehearse": True},
    "a stack with other values": {"stack": "halls.yaml", "at": "r", "set": {"r.level": 0}},
    "simultaneous": {"targets": ["a", *REMOTE], "simultaneous": True},
}


def planned(directory: Path, **keys: Any) -> Plan:
    (directory / "halls.yaml").write_text(STACK)
    file = directory / "study.yaml"
    file.touch()
    return make_plan(Study(**keys), where=str(file))


def again(plan: Plan) -> Plan:
    """By the store's way: as text."""
    return plan_again(json.loads(json.dumps(plan.document())))


@pytest.mark.parametrize("loads", [TWO[:1], TWO], ids=["one load", "a matrix"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_it_is_the_same_wherever_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: dict[str, Any], loads: list[str]
) -> None:
    plan = planned(tmp_path, loads=loads, **place)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert again(plan) == plan
    assert again(again(plan)) == plan


def test_of_a_load_of_several_hosts_together(tmp_path: Path) -> None:
    fio = {"fio": "fio --name mix --rw randrw --bs 4k --ioengine libaio"}
    plan = planned(tmp_path, targets=["a", *REMOTE], loads=[fio], together=True)
    assert again(plan) == plan
    assert len(plan.rounds) == 1


def test_of_a_search_at_a_layer_of_the_lab(tmp_path: Path) -> None:
    (tmp_path / "halls.yaml").write_text(STACK)
    declared = TuneStudy.model_validate({
        "stack": "halls.yaml", "at": ["a", "r"], "load": "latency", "rehearse": True,
        "vary": {"a.nr_requests": [4, 8]}, "goal": {"maximise": "read.iops"}, "strategy": "staged",
    })  # fmt: skip
    (tmp_path / "tune.yaml").touch()
    plan = make_plan(declared.plain(), where=str(tmp_path / "tune.yaml"))
    assert again(plan) == plan
    assert {trial.probe.host for part in plan.rounds for trial in part} == {"lab:halls/s1"}


def test_a_target_on_another_host_needs_an_absolute_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs an absolute path"):
        planned(tmp_path, targets=[{"host": "box", "path": "a"}], loads=TWO)


def test_targets_and_a_stack_do_not_mix(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be measured in one study"):
        planned(tmp_path, targets=["a"], stack="halls.yaml", at=["r"], loads=TWO)
