"""`dmsetup deps`, `dmsetup targets`, answers of dmraid."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in, unread_in

PLACE = Path(__file__).parents[3] / "outputs"
DEPS = (PLACE / "dmsetup-composed" / "deps.txt").read_text()
ANSWERS = (PLACE / "dmraid-composed" / "answers.txt").read_text()


def _below(text: str) -> list[tuple[str, object]]:
    return [(thing.name, thing.values["stands_on"]) for thing in subjects_in(text, "dmsetup deps")]


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(DEPS, wraps=False)), ids=lambda each: each[:20]
)
def test_what_devices_stand_on(shape: str, text: str) -> None:
    assert _below(text) == [
        ("pond-reed", "8:3"), ("pond-newt", "8:17 8:33"), ("pond-newt", "sdb1 sdc1"),
    ], shape  # fmt: skip
    (targets,) = subjects_in(text, "dmsetup targets")
    assert targets.values == {
        "dm_target.crypt": "1.24.0", "dm_target.thin-pool": "1.23.0",
        "dm_target.striped": "1.6.0", "dm_target.linear": "1.4.0", "dm_target.error": "1.6.0",
    }  # fmt: skip


def test_a_count_that_does_not_fit_says_nothing() -> None:
    text = "pond-newt: 3 dependencies\t: (8, 17) (8, 33)\n"
    assert not _below(text)
    assert unread_in(text)


def test_programs_that_depend_on_each_other_are_none() -> None:
    assert not _below("npm: 3 dependencies : left-pad\n")
    assert not subjects_in("linear           v1.4.0\n", "dmsetup targets")


@pytest.mark.parametrize(("shape", "text"), list(mangled(ANSWERS)), ids=lambda each: each[:20])
def test_sets_that_dmraid_switched(shape: str, text: str) -> None:
    assert [
        (thing.name, thing.values["active"]) for thing in subjects_in(text, "dmraid answers")
    ] == [
        ("isw_cbafgdheje_Data", True), ("isw_cbafgdheje_Root", True),
        ("isw_cbafgdheje_Swap", False),
    ], shape  # fmt: skip
