"""diskpart and wmic. Oracle: powers of 1024, columns under their names, Win32_DiskDrive."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

OUTPUTS = Path(__file__).parents[3] / "outputs" / "windows-composed"
LISTS, DRIVES = ((OUTPUTS / name).read_text() for name in ("diskpart.txt", "wmic.txt"))
GIB = 1 << 30


def things(text: str) -> list[tuple[str, str, dict[str, Scalar]]]:
    return [(s.kind, s.name, dict(s.values)) for state in states(text) for s in state.subjects]


def test_lists_of_diskpart_in_every_shape() -> None:
    for shape, text in mangled(LISTS, wraps=False):
        disks, volumes, partitions = (
            {name: values for each, name, values in things(text) if each == kind}
            for kind in ("disk", "mount", "partition")
        )
        assert disks == {
            "PhysicalDrive0": {"number": 0, "operational_status": "Online", "size": 476 * GIB,
                               "free": 1 << 20, "partition_style": "GPT"},
            "PhysicalDrive1": {"number": 1, "operational_status": "Online", "size": 7452 * GIB,
                               "free": 0, "dynamic": True, "partition_style": "GPT"},
            "PhysicalDrive2": {"number": 2, "operational_status": "No Media", "size": 0, "free": 0},
            "PhysicalDrive3": {"number": 3, "operational_status": "Offline", "size": 1863 * GIB,
                               "free": 200 * GIB},
        }, shape  # fmt: skip
        assert list(volumes) == ["D:", "C:", "volume 2", "E:"], shape
        assert volumes["E:"] == {
            "number": 3, "letter": "E", "label": "Data Disk", "type": "NTFS", "layout": "Mirror",
            "size": 7452 * GIB, "volume_status": "Failed Rd",
        }, shape  # fmt: skip
        assert volumes["C:"]["info"] == "Boot", shape
        assert partitions["partition 2"] == {
            "number": 2, "partition_type": "Dynamic Data", "size": 7452 * GIB,
            "offset": 129 << 20,
        }, shape  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "broken"), [("476 GB  1024 KB", "476GB  1024 KB"), ("1863 GB   200 GB", "1863 GB")]
)
def test_a_row_whose_cells_are_not_whole_is_unread(whole: str, broken: str) -> None:
    text = LISTS.partition("DISKPART> list volume")[0].replace(whole, broken)
    assert len(things(text)) == 3
    assert [output.tool for output in read(text) if isinstance(output, Unread)] == ["diskpart"]


def test_drives_of_wmic() -> None:
    drives = things(DRIVES)
    assert drives[0] == ("disk", "PhysicalDrive0", {
        "index": 0, "number": 0, "model": "ACME SSD 860 EVO 1TB", "serial": "S3Z9NB0K1",
        "size": 1000202273280, "operational_status": "OK",
    })  # fmt: skip
    assert (drives[1][1], drives[1][2]["health_passed"]) == ("PhysicalDrive1", False)
    assert (drives[2][1], "size" in drives[2][2], "serial" in drives[2][2]) == (
        "PhysicalDrive2", False, False,
    )  # fmt: skip
    assert drives[3] == ("disk", "PhysicalDrive1", {
        "firmware": "SN04", "partitions": 2, "number": 1,
    })  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Use `wmic diskdrive get status` to see whether it is OK\n\nThat is all.\n",
        "Disk ###  Status\n\nwas all it said.\n",
        "DISKPART> select disk 1\n\nDisk 1 is now the selected disk.\n",
    ],
)
def test_what_is_no_list(text: str) -> None:
    assert not things(text)
