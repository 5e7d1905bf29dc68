"""Tables of parted without what stands above them. Oracle: do_print() of parted/parted.c."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, read
from tests.unit.layers.partition.test_printed_parted import things

TEXT = (Path(__file__).parents[3] / "outputs/partitions-composed/rows.txt").read_text()


def test_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given, "partitions")
        assert named.keys() == {"sdx1", "sdx2", "nvme7n1p1"}, shape
        assert named["sdx1"]["size"] == 537000000, shape
        assert named["sdx1"]["flags"] == "boot, esp", shape
        assert named["sdx2"]["label"] == "root fs", shape
        assert named["sdx2"]["end_printed"] == "4295MB", shape
        assert named["nvme7n1p1"]["sectors"] == 4194304, shape
        assert "size" not in named["nvme7n1p1"], "nothing says how large a sector is"


def test_without_a_command_a_partition_has_its_number() -> None:
    table = TEXT.partition("(parted) print\n")[2].partition("\n\n")[0]
    named = things(table, "partitions")
    assert named.keys() == {"1", "2"}
    assert "below" not in named["1"]


def test_places_in_bytes_are_exact() -> None:
    text = (
        "Number  Start     End         Size        File system  Name  Flags\n"
        " 1      1048576B  538968063B  537919488B  ext4\n"
    )
    first = things(text, "partitions")["1"]
    assert (first["start"], first["size"], first["fstype"]) == (1048576, 537919488, "ext4")


@pytest.mark.parametrize("near_miss", [
    "Number  Start of the work is tomorrow\n 1 Anna\n",
    "Number  Start  End  Size  File system  Name  Flags\n\n\n",
    "Number  Start  End  Size\nnone  yet  to  come\n",
])  # fmt: skip
def test_what_looks_like_it(near_miss: str) -> None:
    assert things(near_miss, "partitions") == {}
    assert all(output.tool != "partitions" for output in read(near_miss))


FAT = (
    "Device         Boot  Start      End  Sectors  Size Id Type\n"
    "/dev/mmcblk3p1 *      4096   528383   524288  256M  c W95 FAT32 (LBA)\n"
    "/dev/mmcblk3p2      528384 30535679 30007296 14.3G 83 Linux\n"
)


def test_rows_of_fdisk_say_where_they_end_and_the_size_that_is_printed() -> None:
    for shape, given in mangled(FAT, wraps=False):
        named = things(given, "fdisk")
        assert named["mmcblk3p1"]["size"] == 256 << 20, shape
        assert named["mmcblk3p1"]["last_sector"] == 528383, shape
        assert named["mmcblk3p2"]["size"] == round(14.3 * 2**30), shape


def test_rows_of_an_old_fdisk_count_blocks_of_1_kib() -> None:
    cylinders = (
        "/dev/sdt1   *           1          26      208813+  83  Linux\n"
        "/dev/sdt2              27       38913   312359827+  8e  Linux LVM\n"
    )
    named = things(cylinders, "fdisk")
    assert named["sdt1"]["blocks"] == 208813
    assert (named["sdt2"]["first_cylinder"], named["sdt2"]["last_cylinder"]) == (27, 38913)
    assert named["sdt2"]["size"] == 312359827 * 1024 + 512
    sectors = "/dev/sdt1   *        2048      411647      204800   83  Linux\n"
    first = things(sectors, "fdisk")["sdt1"]
    assert (first["last_sector"], first["size"]) == (411647, 204800 * 1024)


@pytest.mark.parametrize("row", [
    "/dev/sdt2              27       38913   31235982   8e  Linux LVM\n",
    "/dev/sdt1        2048      411647      204801   83  Linux\n",
    "/dev/sdt1       7      7      8032   83  Linux\n",
])  # fmt: skip
def test_rows_whose_unit_is_open_say_nothing(row: str) -> None:
    assert things(row, "fdisk") == {}
