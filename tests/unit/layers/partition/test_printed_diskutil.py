"""`diskutil list` of macOS."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states

SAMPLE = (
    Path(__file__).parents[3] / "outputs" / "macos-composed" / "diskutil-list.txt"
).read_text()  # fmt: skip


def test_all_disks_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        things = {
            subject.name: subject
            for state in states(given)
            if state.tool == "diskutil list"
            for subject in state.subjects
        }
        assert list(things) == [
            "disk0", "disk0s1", "disk0s2", "disk1", "disk1s1", "disk1s2", "disk1s4", "disk4",
            "disk4s1",
        ], shape  # fmt: skip
        first, data = things["disk0"].values, things["disk1s1"].values
        assert (first["size"], first["unpartitioned"]) == (751_300_000_000, 150_900_000_000), shape
        assert first["traits"] == "internal, physical"
        assert (data["type"], data["label"]) == ("APFS Volume", "Kiwi HD - Data")
        assert (data["size"], data["disk"]) == (402_700_000_000, "disk1")
        assert things["disk1"].values["physical_stores"] == "disk0s2"


@pytest.mark.parametrize("text", [
    "   #:  TYPE NAME   SIZE  IDENTIFIER\n   0:  a thing  12 GB  disk0\n",
    "/dev/disk0 is the internal disk.\nTYPE NAME  is a column.\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not any(state.tool == "diskutil list" for state in states(text))
