"""`iosonde up`, `down` and `lab` as a user meets them, without any host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.conftest import Ended

STACKS = Path(__file__).parents[2] / "examples" / "stacks"


def test_the_plan_is_shown_without_touching_a_host(iosonde: Callable[..., Ended]) -> None:
    ended = iosonde("up", str(STACKS / "nvme-fabric.yaml"), "--dry-run")
    assert ended.status == 0, ended.stderr
    assert "mkfs.xfs -q -K -d su=65536,sw=3 '<lv>'" in ended.stdout
    assert "m1 on front: create the RAID 1 of 2 members" in ended.stdout
    assert "planned" in ended.stdout


def test_the_plan_as_json_keeps_to_its_schema(iosonde: Callable[..., Ended]) -> None:
    ended = iosonde("up", str(STACKS / "anvil.yaml"), "--dry-run", "--json")
    document = json.loads(ended.stdout)
    jsonschema.validate(document, schema("up"))
    hosts = [step["host"] for step in document["steps"] if step["layer"] == "r0"]
    assert set(hosts) == {"s1", "s2"}
    assert {step["state"] for step in document["steps"]} == {"planned"}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["up", "no.yaml"], 2, "cannot be read"),
        (["up", str(STACKS / "anvil.yaml"), "--host", "s9=local"], 2, "no host 's9'"),
        (["up", str(STACKS / "anvil.yaml"), "--host", "s1"], 2, "NAME=ADDRESS"),
        (["up", str(STACKS / "anvil.yaml")], 2, "iosonde lab up"),
        (["down", str(STACKS / "anvil.yaml")], 2, "iosonde lab up"),
        (["lab", "ssh", "n1"], 2, "there is no lab"),
        (["lab", "cut"], 2, "say which: iosonde lab cut NODE"),
        (["lab", "cuts", "n1"], 2, "did you mean 'cut'?"),
        (["lab", "explode", "n1"], 2, "known: up, list, ssh"),
        (["lab", "list", "--nodes", "3"], 2, "there is no option --nodes"),
        (["lab", "list", "n1"], 2, "unexpected extra argument"),
        (["lab", "cut", "n1", "--iops", "5"], 2, "there is no option --iops"),
        (["lab", "slow", "n1/d1", "--bandwidth", "3xx"], 2, "--bandwidth: '3xx' is not a size"),
        (["lab", "up", str(STACKS / "anvil.yaml"), "--bus", "nvme"], 2, "what --bus would"),
        (["trace", "describe", "x.log", "--seconds", "5s"], 2, "there is no option --seconds"),
        (["trace", "record", "/dev/sda", "--html", "x.html"], 2, "there is no option --html"),
        (["lab", "up", "--nodes", "2", "x.yaml"], 2, "a stack file or --nodes"),
        (["show", "lab:none/n1"], 2, "there is no lab"),
    ],
)
def test_a_mistake_is_one_sentence(
    iosonde: Callable[..., Ended], arguments: list[str], status: int, message: str,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("IOSONDE_LAB", str(tmp_path / "lab"))
    ended = iosonde(*arguments)
    assert (ended.status, message in ended.stderr) == (status, True), ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_study_of_a_stack_shows_its_trials(iosonde: Callable[..., Ended]) -> None:
    ended = iosonde("run", str(STACKS / "nvme-fabric-layers.yaml"), "--dry-run", "--json")
    assert ended.status == 0, ended.stderr
    trials = [trial["id"] for trial in json.loads(ended.stdout)["trials"]]
    assert trials == [f"4k writes@{layer}" for layer in ("a1", "na1", "m1", "lv", "fs")]
