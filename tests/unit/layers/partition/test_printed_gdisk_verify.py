"""What gdisk finds wrong with a GPT. Oracle: the sentences of the sample."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.partition.printed_gdisk_verify import GdiskVerify
from iosonde.records.stack import Scalar
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "partitions-composed" / "sgdisk-v.txt").read_text()


def _disks(text: str) -> dict[str, dict[str, Scalar]]:
    return {disk.name: dict(disk.values) for disk in subjects_in(text, GdiskVerify.tool)}


def test_a_disk_with_problems_and_one_without() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        if shape == "with blank lines":
            continue
        disks = _disks(given)
        assert disks["sdq"]["gpt_problems"] == 2, shape
        first, second = str(disks["sdq"]["problems"]).split(" · ")
        assert first.endswith("reside at the end of the disk."), shape
        assert second == "The CRC for the backup partition table is invalid.", shape
        assert disks["sdr"] == {
            "gpt_problems": 0, "free_sectors": 2014, "free_segments": 1,
            "largest_free_sectors": 2014,
        }, shape  # fmt: skip


def test_other_problems_are_none_of_it() -> None:
    assert not _disks("Identified 2 problems!\n")
    assert not _disks("$ lint\nfoo.c: bad\n\nIdentified 2 problems!\n")
    assert not _disks("No problems found. Everything is fine.\n")
