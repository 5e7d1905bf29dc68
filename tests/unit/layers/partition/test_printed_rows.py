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
