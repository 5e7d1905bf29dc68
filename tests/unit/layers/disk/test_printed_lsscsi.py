"""lsscsi: one disk a row; sizes are of 1000, as its -s prints them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from iosonde.layers.disk.printed_lsscsi import Lsscsi
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes
from iosonde.text.search import Span, hits
from tests.mangle import mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "lsscsi-composed"


def disks(text: str) -> dict[str, Mapping[str, Scalar]]:
    return {disk.name: disk.values for state in states(text) for disk in state.subjects}


def test_disks_in_every_shape() -> None:
    for shape, given in mangled((SAMPLES / "list-s.txt").read_text(), wraps=False):
        rows = disks(given)
        assert list(rows) == ["sda", "sdb", "sr0", "4:0:2:0", "nvme0n1"], shape
        assert (rows["sr0"]["type"], rows["4:0:2:0"]["type"]) == ("cd/dvd", "enclosu"), shape
        assert rows["sda"] == {
            "hctl": "0:0:0:0", "vendor": "ATA", "model": "EXAMPLE SSD 1TB", "firmware": "EX1B",
            "size": 10**12,
        }  # fmt: skip
        assert rows["nvme0n1"]["model"] == "EXAMPLE NVME 2TB"


def test_transports() -> None:
    rows = disks((SAMPLES / "list-t.txt").read_text())
    assert (rows["sda"]["transport"], rows["sdc"]["transport"]) == ("sata", "iscsi")
    assert rows["sda"]["address"] == "5000aaaa0000bbbb"
    assert rows["sdc"]["address"] == "iqn.2024-02.com.example:san1,t,0x1"


OPTIONS = """# lsscsi -gds
[7:0:0:0]    disk    ATA      HERON 5000AAKS-2 12.0  /dev/sdo [8:224]  /dev/sg7 [21:7]  500GB
[8:0:0:0]    cd/dvd  HERON    24D5MT           1.00  /dev/sr1[11:1]   /dev/sg8[21:8]       -
# lsscsi -wi
[9:0:0:0]    disk    ATA      HERON 3500320AS  SD15  0x5000c5000a1b2c3d  /dev/sdp  35000c5000a1b2c3d
# lsscsi -l
[9:0:1:0]    disk    HERON    ST600MM0006      0004  /dev/sdq
  state=running queue_depth=254 scsi_level=7 type=0 device_blocked=0 timeout=30
"""


def test_columns_of_options() -> None:
    for shape, given in mangled(OPTIONS, wraps=False):
        rows = disks(given)
        assert rows["sdo"]["maj_min"] == "8:224", shape
        assert (rows["sdo"]["generic"], rows["sdo"]["size"]) == ("/dev/sg7", 500 * 10**9), shape
        assert rows["sr1"]["maj_min"] == "11:1", shape
        assert rows["sdp"]["wwn"] == "0x5000c5000a1b2c3d", shape
        assert rows["sdp"]["scsi_id"] == "35000c5000a1b2c3d", shape
        assert rows["sdp"]["firmware"] == "SD15", shape
        if shape != "with blank lines":
            assert (rows["sdq"]["queue_depth"], rows["sdq"]["state"]) == (254, "running"), shape


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
    assert list(rows) == ["12:0:0:0", "sdf", "12:0:4:0"]
    assert rows["12:0:4:0"]["type"] == "enclosu"
    assert (rows["sdf"]["type"], rows["sdf"]["zoned"]) == ("zbc", "host-managed")
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
