"""blockdev, sdparm, sg_get_lba_status. Oracle: sizes said twice; a descriptor ends at the next."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.layers.disk.printed_blockdev import Blockdev, LbaStatus, Sdparm
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "commands-composed"
TEXT = (OUTPUTS / "blockdev.txt").read_text()
TOOLS = {Blockdev.tool, Sdparm.tool}


def _disks(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, *TOOLS)]


def _blocks(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, LbaStatus.tool)]


def test_a_report_and_single_questions_agree() -> None:
    disks = _disks(TEXT)
    assert [name for name, _ in disks] == ["sdq", "sdq1", "dm-9", "sdq", "sg9"]
    report, asked = disks[0][1], disks[3][1]
    assert asked == {
        "logical_block_size": 512, "physical_block_size": 4096, "size": report["size"],
        "read_only": False, "read_ahead_kb": report["read_ahead_kb"],
    }  # fmt: skip
    assert disks[1][1] == {
        "read_only": True, "read_ahead_kb": 512, "logical_block_size": 4096, "block_size": 512,
        "size": 100 << 20, "start": 1 << 20,
    }  # fmt: skip
    assert "start" not in disks[2][1]


def test_sizes_of_an_old_report_are_sectors() -> None:
    """Its partitions begin behind the disk's end otherwise."""
    old = (
        "RO    RA   SSZ   BSZ   StartSec     Size    Device\n"
        "rw  8192   512  4096          0  976773120  /dev/sdq\n"
        "rw   256   512   512    1975992  974797128  /dev/sdq1\n"
    )
    assert [(name, disk["size"], disk["read_ahead_kb"]) for name, disk in _disks(old)] == [
        ("sdq", 976773120 * 512, 4096), ("sdq1", 974797128 * 512, 128),
    ]  # fmt: skip
    odd = "RO RA SSZ BSZ StartSec Size Device\nrw 256 512 4096 0 1893741569 /dev/md10\n"
    assert _disks(odd)[0][1]["size"] == 1893741569 * 512


def test_fields_of_mode_pages() -> None:
    assert _disks(TEXT)[4][1] == {
        "vendor": "HERON", "model": "POND 2000", "firmware": "A1b2", "awre": 1, "awre_default": 1,
        "wce": 0, "wce_default": 1,
    }  # fmt: skip


def test_descriptors_follow_each_other_without_a_gap() -> None:
    rows = re.findall(r"LBA: (0x\w+)  blocks: (\d+)", TEXT)
    end = int(rows[-1][0], 16) + int(rows[-1][1])
    (blocks,) = _blocks(TEXT)
    assert blocks == {"descriptors": 3, "mapped_blocks": 4096, "deallocated_blocks": 16773120}
    assert sum(int(count) for _, count in rows) == end


@pytest.mark.parametrize(
    "text",
    [
        "# blockdev --getss /dev/sdq\nblockdev: cannot open /dev/sdq: Permission denied\n",
        "# blockdev --getss --getsz /dev/sdq\n512\n",
        "# blockdev --setra 256 /dev/sdq\n512\n",
        "Set the WCE bit  1  [cha: y] of the Caching mode page:\n",
        "RO RA SSZ BSZ StartSec are its columns\n",
        "The descriptor LBA: 0x0 says blocks: 3\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _disks(text) == []
    assert _blocks(text) == []


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        if shape == "with blank lines":  # single numbers stand no longer below each other
            assert _disks(changed)[:3] == _disks(TEXT)[:3]
            continue
        assert _disks(changed) == _disks(TEXT), shape
        if shape != "behind times":  # `TIME descriptor LBA:` is a host and a program of a log
            assert _blocks(changed) == _blocks(TEXT), shape


def test_rows_alone() -> None:
    assert _blocks("descriptor LBA: 0x0  blocks: 9  anchored\n") == [
        {"descriptors": 1, "anchored_blocks": 9}
    ]
