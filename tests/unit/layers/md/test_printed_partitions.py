"""Partition tables that mdadm shows. Oracle: partitions that follow each other on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "mdadm-parts" / "partitions.txt").read_text()


def _disks(text: str) -> dict[str, dict[str, int | str]]:
    return {
        subject.name: cast("dict[str, int | str]", dict(subject.values))
        for subject in subjects_in(text)
        if subject.kind == "disk"
    }


def test_partitions_of_each_disk() -> None:
    disks = _disks(TEXT)
    assert disks["sdq"]["partition_table"] == "gpt"
    old = disks["sdr"]
    assert (old["partition_table"], old["partition_0_type"]) == ("dos", "fd")
    end = cast("int", old["partition_0_start"]) + cast("int", old["partition_0_size"])
    assert end == old["partition_2_start"]
    assert old["partition_0_start"] == 1 << 20


def test_mdadm_prints_start_and_length_of_a_gpt_the_other_way_round() -> None:
    table = (
        "/dev/sdc:\n    GPT Magic : 5452415020494645\n GPT Revision : 65536\n"
        "  Partition[00] :         2048 sectors at      1024000\n"
        "  Partition[01] :      1026048 sectors at      8192000\n"
    )
    disk = _disks(table)["sdc"]
    end = cast("int", disk["partition_00_start"]) + cast("int", disk["partition_00_size"])
    assert end == disk["partition_01_start"]


def test_a_row_without_a_magic_number_is_of_another_tool() -> None:
    assert not read("Partition[0] :   4294967295 sectors at            1 (type ee)\n")
    assert not _disks("MBR Magic : something else\n")


def test_a_mail_that_joined_a_device_with_its_first_line() -> None:
    joined = TEXT.replace(":\n   MBR", ":   MBR")
    assert joined != TEXT
    assert _disks(joined) == _disks(TEXT)


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _disks(text) == _disks(TEXT), shape
