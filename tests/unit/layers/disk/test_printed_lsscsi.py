"""lsscsi: one disk a row; sizes are of 1000, as its -s prints them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from iosonde.layers.disk.printed_lsscsi import Lsscsi
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes
from iosonde.text.find import Span, hits
from tests.mangle import mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "lsscsi-composed"


def disks(text: str) -> dict[str, Mapping[str, Scalar]]:
    return {disk.name: disk.values for state in states(text) for disk in state.subjects}


def test_disks_in_every_shape() -> None:
    for shape, given in mangled((SAMPLES / "list-s.txt").read_text(), wraps=False):
        rows = disks(given)
        assert list(rows) == ["sda", "sdb", "nvme0n1"], shape
        assert rows["sda"] == {
            "hctl": "0:0:0:0", "vendor": "ATA", "model": "EXAMPLE SSD 1TB", "firmware": "EX1B",
            "size": 10**12,
        }  # fmt: skip
        assert rows["nvme0n1"]["model"] == "EXAMPLE NVME 2TB"


def test_transports() -> None:
    rows = disks((SAMPLES / "list-t.txt").read_text())
    assert (rows["sda"]["transport"], rows["sdc"]["transport"]) == ("sata", "iscsi")


def test_prose_is_none() -> None:
    assert read("[1:0:0:0] disk is the one that fails.") == []


def test_odd_types_and_units_do_not_end_a_list() -> None:
    text = (
        "[1:0:0:0]    disk    ACME     2105             0     /dev/sdi\n"
        "[14:0:-1:0]  type??? nullnull nullnullnullnull null  -\n"
        "[14:0:1:0]   disk    ATA      ACME HDD         HPG0  /dev/sda\n"
    )
    assert [s.name for state in states(text) for s in state.subjects] == ["sdi", "sda"]


def test_a_drive_without_a_node_is_named_by_its_address() -> None:
    rows = disks(
        "# lsscsi\n[12:0:0:0]   disk    ATA      ACME HDD 9       W232  -\n"
        "[12:0:3:0]   zbc     ATA      ACME ZONED      W803  /dev/sdf\n"
        "[12:0:4:0]   enclosu ACME     EXPANDER        0128  -\n"
    )
    assert list(rows) == ["12:0:0:0", "sdf"]
    assert rows["12:0:0:0"]["model"] == "ACME HDD 9"


def test_a_log_that_says_disk_behind_its_time_is_not_even_tried() -> None:
    row = "[1:0:0:0]    disk    ATA      ACME HDD         HPG0  /dev/sda\n"
    text = f"[  532.906645] disk again full\n{row}[4:0] disk one\n".encode()
    tried = [
        number
        for number, _, output in hits(of_bytes("log", text), Span(0, 1, len(text)))
        if isinstance(output, Lsscsi)
    ]
    assert tried == [2, 3]
