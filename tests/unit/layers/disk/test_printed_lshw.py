"""lshw: the nodes of disks and controllers."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lshw-composed" / "disk.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_nodes_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        assert values_by_name["nvme0"]["model"] == "ACME FAST 1TB", shape
        assert (values_by_name["nvme0"]["driver"], values_by_name["nvme0"]["firmware"]) == (
            "nvme",
            "1.2.3",
        )
        space = values_by_name["nvme0n1"]
        assert space["size"] == 10**12
        assert (space["logical_block_size"], space["physical_block_size"]) == (512, 4096)
        assert (values_by_name["sda"]["size"], values_by_name["sda"]["serial"]) == (
            2 * 10**12,
            "WXYZ0001",
        )


def test_a_node_whose_head_is_cut_off_and_other_nodes() -> None:
    cut = TEXT.split("\n", 1)[1]
    assert things(cut)["nvme0"]["model"] == "ACME FAST 1TB"
    assert things("  *-memory\n       description: System Memory\n       size: 8GiB\n") == {}
    (entry,) = read("  *-disk\n\nnothing\n")
    assert isinstance(entry, Unread)


SHORT = """# lshw -short -C disk -C storage
H/W path        Device      Class          Description
======================================================
/0/100/1f.2     scsi0       storage        9 Series SATA Controller
/0/100/1f.2/0   /dev/sda    disk           500GB Samsung SSD 870
/0/100/1f.2/1   /dev/sdb    disk           1TB ST1000DX002-2DV1
/0/100/1f.2/1/1 /dev/sdb1   volume         931GiB EXT4 volume
"""


def test_short_rows() -> None:
    expected = {
        "scsi0": {"path": "/0/100/1f.2", "model": "9 Series SATA Controller"},
        "sda": {"path": "/0/100/1f.2/0", "size": 500 * 10**9, "model": "Samsung SSD 870"},
        "sdb": {"path": "/0/100/1f.2/1", "size": 10**12, "model": "ST1000DX002-2DV1"},
        "sdb1": {"path": "/0/100/1f.2/1/1", "size": 931 << 30, "model": "EXT4 volume"},
    }
    assert things(SHORT) == expected
    rows = SHORT.splitlines(keepends=True)
    assert things("".join(rows[:1] + rows[3:])) == expected  # as grep leaves them


def test_short_rows_of_other_nodes_are_none_of_storage() -> None:
    assert not things("/0/100/2        /dev/fb0    display        UHD Graphics 630\n")


def test_the_row_of_the_machine_has_no_path() -> None:
    (state,) = states(
        "$ sudo lshw -short\n\nH/W path        Device      Class       Description\n"
        "===================================================\n"
        "                            system      STORE7\n"
        "/0                          bus         B7\n"
        "/0/1/0.0.0      /dev/sdq    disk        500GB ST7\n"
    )
    assert [thing.name for thing in state.subjects] == ["sdq"]
