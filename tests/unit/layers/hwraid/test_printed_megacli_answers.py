"""What MegaCli says of the caches of virtual drives, and answers where it changed something."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain
from tests.mangle import mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "megacli-8"
POLICIES, ANSWERS = ((PLACE / f"{name}.txt").read_text() for name in ("policies", "answers"))


def said(text: str) -> list[dict[tuple[str, str], dict[str, object]]]:
    """By output: what each device says, without its own place."""
    places = {"controller", "volume"}
    return [
        {
            (each.kind, each.name): {n: v for n, v in each.values.items() if n not in places}
            for each in state.subjects
        }
        for state in states(text)
    ]


def test_policies_of_virtual_drives() -> None:
    caches, disks, changed = said(POLICIES)
    assert caches == {
        ("hwraid", "c0/v0"): {
            "write_policy": "write_back", "read_ahead": True, "io_policy": "direct",
        },
        ("hwraid", "c0/v1"): {
            "write_policy": "write_back_always", "read_ahead": False, "io_policy": "cached",
        },
        ("hwraid", "c0/v2"): {
            "write_policy": "write_through", "read_ahead": False, "io_policy": "direct",
        },
    }  # fmt: skip
    assert disks == {
        ("hwraid", "c0/v0"): {"disk_cache": "default"},
        ("hwraid", "c0/v1"): {"disk_cache": "disabled"},
    }
    assert changed == {("hwraid", "c0/v1"): {"write_policy": "write_through"}}


@pytest.mark.parametrize(("bad", "policy"), [
    (", Write Cache OK if bad BBU", "write_back_always"), ("", "write_back"),
])  # fmt: skip
def test_what_happens_without_a_battery_is_known_only_where_it_is_said(
    bad: str, policy: str
) -> None:
    line = f"Adapter 1-VD 0: Cache Policy:WriteBack, ReadAheadNone, Direct{bad}\n"
    ((output),) = said(line)
    assert output["hwraid", "c1/v0"]["write_policy"] == policy


def test_only_a_cache_that_outlives_its_battery_is_found_unsafe(tmp_path: Path) -> None:
    text = tmp_path / "caches.txt"
    text.write_text(POLICIES.partition("[root@db1 ~]# MegaCli64 -LDSetProp")[0])
    findings = explain(str(text)).findings
    assert [(finding.rule, finding.subject) for finding in findings] == [
        ("unsafe-cache", "db1: c0/v1")
    ]


def test_answers() -> None:
    assert said(ANSWERS) == [
        {("controller", "c0"): {"foreign_configurations": 2}},
        {
            ("hwraid", "c1/v3"): {"created": True}, ("disk", "e32/s7"): {"hot_spare": True},
            ("controller", "c1"): {"configured": True},
        },
        {("hwraid", "c1/v0"): {"initialization": False},
         ("hwraid", "c1/v3"): {"initialization": False}},
        {("disk", "e32/s5"): {"rebuilding": False}},
        {("disk", "e32/s1"): {"changed_to": "jbod"}},
        {("controller", "c1"): {"jbod": False}},
    ]  # fmt: skip


def test_progress_at_its_begin_is_progress() -> None:
    (state,) = states(
        "Background Initialization on VD #4 (target id #4) Complete 0% in 0 Minutes.\n"
    )
    assert state.tool == "MegaCli progress"


@pytest.mark.parametrize("text", [POLICIES, ANSWERS], ids=["policies", "answers"])
def test_mail_leaves_them_as_they_are(text: str) -> None:
    whole = said(text)
    for name, changed in mangled(text):
        assert said(changed) == whole, name


@pytest.mark.parametrize("line", [
    "The initialization on VD #0 is not in progress, I was told.",
    "There are 2 foreign configurations, so I cleared them.",
])  # fmt: skip
def test_sentences_are_no_answers(line: str) -> None:
    assert not states(line + "\n")
