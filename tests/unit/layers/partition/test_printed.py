"""Partition tables: three tools printed the same disk, and agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "partitions-2.38"


def text(name: str) -> str:
    return (PLACE / f"{name}.txt").read_text()


def starts(given: str) -> list[Scalar]:
    return [
        thing.values.get("start") for state in states(given) for thing in state.subjects
        if thing.kind == "partition"
    ]  # fmt: skip


@pytest.mark.parametrize("tool", ["fdisk-gpt", "parted-s", "sgdisk"])
def test_three_tools_agree(tool: str) -> None:
    for shape, given in mangled(text(tool), wraps=False):
        assert starts(given) == [2048 * 512, 204800 * 512], shape


def test_where_the_figure_is_rounded_there_is_no_start() -> None:
    assert starts(text("parted")) == [None, None]


def test_what_is_off_the_grid() -> None:
    given = text("fdisk-dos").replace("512 bytes / 512 bytes\nI/O", "512 bytes / 4096 bytes\nI/O")
    aligned = [
        thing.values["aligned_to_sector"] for state in states(given) for thing in state.subjects
        if thing.kind == "partition"
    ]  # fmt: skip
    assert aligned == [True, False]


@pytest.mark.parametrize(
    "near_miss",
    [
        'fdisk_info(cxt, _("Disk %s: %s, %ju bytes, %ju sectors"),',
        "Disk /dev/sda: the disk with the system on it\n\nIt has 3 partitions.",
        "Sector size (logical/physical) should be 512/4096 for such drives.",
        "mount: Disk /dev/sdb1: wrong fs type",
    ],
)
def test_sources_and_prose_are_no_tables(near_miss: str) -> None:
    assert read(near_miss) == []


def test_the_disks_model_and_its_old_geometry() -> None:
    text = (
        "Disk /dev/sdx: 10.7 GB, 10737418240 bytes\n255 heads, 63 sectors/track, 1305 cylinders\n"
        "Units = cylinders of 16065 * 512 = 8225280 bytes\n"
    )
    ((disk,),) = [state.subjects for state in states(text)]
    assert (disk.values["heads"], disk.values["cylinders"]) == (255, 1305)
    new = (
        "Disk /dev/sdy: 3.64 TiB, 4000787030016 bytes, 7814037168 sectors\n"
        "Disk model: EXAMPLE WD40-68C \nUnits: sectors of 1 * 512 = 512 bytes\n"
        "Sector size (logical/physical): 512 bytes / 4096 bytes\n"
    )
    ((disk,),) = [state.subjects for state in states(new)]
    assert disk.values["model"] == "EXAMPLE WD40-68C"
