"""xfs_db, xfs_logprint. Oracle: the tools count the same free blocks and the same log."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.xfs.printed_db import XfsFreeSpace, XfsLog, XfsSuperblock
from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "xfsprogs-6.1"
TEXT = (OUTPUTS / "xfs-db.txt").read_text()


def _subjects(text: str, tool: str) -> list[tuple[str, dict[str, object]]]:
    return [(subject.name, dict(subject.values)) for subject in subjects_in(text, tool)]


def _free(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(row.name, dict(row.values)) for row in counters(text, XfsFreeSpace.tool)]


def test_a_superblock() -> None:
    ((name, values),) = _subjects(TEXT, XfsSuperblock.tool)
    assert (name, values["fname"], values["uuid"]) == (
        "vdq3", "pond", "5adadad6-a50d-4d25-a963-c7920cbb2d2c",
    )  # fmt: skip
    assert values["size"] == 512 << 20
    assert values["blocks"] == int(str(values["allocation_groups"])) * int(str(values["agblocks"]))
    assert values["inodesize"] == int(str(values["block_size"])) // int(str(values["inopblock"]))
    assert (values["versionnum"], values["icount"], values["ifree"]) == ("0xb4a5", 64, 61)


def test_free_space_and_log_agree_with_the_superblock() -> None:
    ((_, superblock),) = _subjects(TEXT, XfsSuperblock.tool)
    ((name, free),) = _free(TEXT)
    rows = free["histogram"]
    assert isinstance(rows, list)
    assert name == "vdq3"
    assert sum(row["blocks"] for row in rows) == free["free_blocks"] == superblock["fdblocks"]
    assert sum(row["extents"] for row in rows) == free["free_extents"]
    assert free["average_free_extent_blocks"] == pytest.approx(
        int(str(free["free_blocks"])) / int(str(free["free_extents"])), rel=1e-5
    )
    ((_, log),) = _subjects(TEXT, XfsLog.tool)
    assert log["log_size"] == superblock["log_size"]
    assert (log["log_tail"], log["log_head"], log["log_state"]) == (2, 2, "clean")


def test_newer_columns() -> None:
    text = (
        "   from      to extents   blocks    pct blkcdf extcdf\n"
        "      1       1      10       10   1.00   1.00  50.00\n"
        "    512    1023      10      990  99.00 100.00 100.00\n"
    )
    ((_, free),) = _free(text)
    assert free == {"histogram": [
        {"from": 1, "to": 1, "extents": 10, "blocks": 10, "share": 0.01},
        {"from": 512, "to": 1023, "extents": 10, "blocks": 990, "share": 0.99},
    ]}  # fmt: skip


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT):
        for tool in (XfsSuperblock.tool, XfsLog.tool):
            assert _subjects(changed, tool) == _subjects(TEXT, tool), shape
        assert _free(changed) == _free(TEXT), shape


def test_some_fields_and_totals_alone() -> None:
    asked = "# xfs_db -r -c 'sb 0' -c 'p fdblocks' /dev/vdq3\nfdblocks = 114656\n"
    assert _subjects(asked, XfsSuperblock.tool) == [("vdq3", {"fdblocks": 114656})]
    ((_, free),) = _free("total free extents 21\ntotal free blocks 114656\n")
    assert free == {"free_extents": 21, "free_blocks": 114656}


@pytest.mark.parametrize(
    "text",
    [
        "\tfdblocks = 5;\n\tifree = mp->m_sb.sb_ifree;\n",
        "fdblocks = 114656\n",
        "so the total free blocks 114656 are wrong\n",
        "log tail: 2 head: 2\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _subjects(text, XfsSuperblock.tool) == _subjects(text, XfsLog.tool) == []
    assert _free(text) == []
