"""Copies of btrfs's superblock. Oracle: their lines, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.btrfs.printed_recover import BtrfsRecover
from tests.mangle import mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "recover.txt").read_text()


def _facts(text: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (subject.name, dict(subject.values)) for subject in subjects_in(text, BtrfsRecover.tool)
    ]


def test_good_and_bad_ones() -> None:
    assert _facts(TEXT) == [
        ("sdq1", {
            "superblocks_recovered": True, "good_superblocks": 3, "bad_superblocks": 1,
            "devices": 2, "below": "sdq1 sdr1", "device_1": "/dev/sdq1", "device_2": "/dev/sdr1",
            "good_superblock_places": "sdq1 65536, sdq1 67108864, sdr1 65536",
            "bad_superblock_places": "sdr1 67108864",
        })
    ]  # fmt: skip
    valid = TEXT.replace(
        "Recovered bad superblocks successful", "All supers are valid, no need to recover"
    )
    assert _facts(valid)[0][1]["superblocks_recovered"] is False


def test_without_a_superblock_it_is_unread_and_a_list_of_devices_is_another_tool_s() -> None:
    (unread,) = read("Before Recovering:\n\nwhat to do?\n")
    assert "no superblock follows" in str(unread)
    assert not read("All Devices:\n\tDevice: id = 1, name = /dev/sdq1\n\nScanning\n")


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    if shape == "with blank lines":
        return  # the list of devices stands apart there
    assert _facts(text) == _facts(TEXT), shape
