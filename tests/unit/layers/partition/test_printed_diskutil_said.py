"""What diskutil says while it erases, unmounts and ejects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states, subjects_in, trials

SAMPLE = (
    Path(__file__).parents[3] / "outputs" / "macos-composed" / "diskutil-said.txt"
).read_text()  # fmt: skip
TOOL = "diskutil messages"


def test_each_disk_in_every_shape() -> None:
    for shape, given in mangled(SAMPLE, wraps=False):
        said = [(each.name, dict(each.values)) for each in subjects_in(given, TOOL)]
        assert said == [
            ("disk6", {"erased": True}),
            ("disk6s2", {
                "format": "MS-DOS (FAT)", "label": "WILLOW", "fat": "FAT32",
                "sectors": 30_117_888,
                "clusters": 1_882_368, "cluster_size": 8192,
            }),
            ("disk6", {"unmounted": True}),
            ("disk7", {
                "unmounted": False, "error": "at least one volume could not be unmounted",
            }),
            ("disk8s1", {"label": "ALDER", "mounted": True}),
            ("disk6", {"ejected": True}),
        ], shape  # fmt: skip


def test_its_words_are_kept_and_head_no_measurement() -> None:
    given = (
        "**diskutil unmountDisk /dev/disk6**\n\n```\n"
        "Unmount of all volumes on disk6 was successful\n```\n\n"
        "**sudo dd if=a.iso of=/dev/rdisk6 bs=1m**\n\n```\n2008+0 records in\n2008+0 records out\n"
        "2105540608 bytes transferred in 150.111800 secs (14026483 bytes/sec)\n```\n"
    )
    (state,) = [state for state in states(given) if state.tool == TOOL]
    assert state.messages == ("Unmount of all volumes on disk6 was successful",)
    (trial,) = trials(given)
    assert "Unmount" not in trial.command


@pytest.mark.parametrize("text", [
    "The unmount of all volumes on disk2 was successful after a second try.\n",
    "If the disk is busy, Disk Utility says so on disk2.\n",
    "Writing to Disk disk2 takes a while\n",
    "Finished erase\n",
])  # fmt: skip
def test_near_misses_are_none(text: str) -> None:
    assert not subjects_in(text, TOOL)
