"""Profiles of tuned."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "tuned.conf.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_a_profile_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        values = things(given)["store"]
        assert (values["disk.elevator"], values["disk.readahead"]) == ("none", ">4096"), shape
        assert (values["sysctl.vm.dirty_ratio"], values["sysctl.vm.swappiness"]) == (15, 1)
        assert values["main.include"] == "throughput-performance"


def test_other_files_and_an_empty_one() -> None:
    assert not unread_in("[disk]\ntype=x\n")
    (entry,) = read("[main]\n[sysctl]\n\nnothing\n")
    assert isinstance(entry, Unread)
    assert entry.reason == "its sections are empty"
