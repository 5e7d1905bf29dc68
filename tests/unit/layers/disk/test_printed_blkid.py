"""blkid: what is on block devices."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "blkid-composed" / "blkid.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_devices_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        values_by_name = things(given)
        assert (values_by_name["sda1"]["fstype"], values_by_name["sda1"]["uuid"]) == (
            "vfat",
            "E873-3EE6",
        ), shape
        assert values_by_name["sda1"]["partlabel"] == "EFI System"
        assert (values_by_name["sda2"]["label"], values_by_name["sda2"]["block_size"]) == (
            "my root",
            4096,
        )
        assert values_by_name["sdb"]["fstype"] == "LVM2_member"
        assert values_by_name["mapper/vg1-lv1"]["fstype"] == "xfs"


def test_one_line_and_what_looks_alike() -> None:
    assert things(TEXT.split("\n")[2])["sdb"]["fstype"] == "LVM2_member"
    assert read('see /dev/sdb: TYPE="x" is odd\n') == []
    assert not unread_in(TEXT[:60])


def test_a_line_that_a_mail_broke_between_two_pairs() -> None:
    whole = things(TEXT)
    broken = TEXT.replace(" TYPE=", "\nTYPE=")
    assert broken != TEXT
    assert things(broken) == whole
    apart = TEXT.split("\n")[2] + '\n\nTYPE="ext2"\n'  # of what, nobody knows
    assert things(apart)["sdb"]["fstype"] == "LVM2_member"


def test_a_whole_disk_whose_topology_stands_first() -> None:
    line = '/dev/sdq: MINIMUM_IO_SIZE="4096" PHYSICAL_SECTOR_SIZE="4096" PTTYPE="gpt"\n'
    assert things(line)["sdq"] == {
        "minimum_io_size": 4096, "physical_sector_size": 4096, "pttype": "gpt",
    }  # fmt: skip
    assert read('of /dev/sdq: MINIMUM_IO_SIZE="4096" is right\n') == []
