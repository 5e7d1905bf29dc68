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
