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
