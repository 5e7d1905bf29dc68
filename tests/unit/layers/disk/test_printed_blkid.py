"""blkid: what is on block devices."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "blkid-composed" / "blkid.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_devices_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        found = things(given)
        assert (found["sda1"]["fstype"], found["sda1"]["uuid"]) == ("vfat", "E873-3EE6"), shape
        assert found["sda1"]["partlabel"] == "EFI System"
        assert (found["sda2"]["label"], found["sda2"]["block_size"]) == ("my root", 4096)
        assert found["sdb"]["fstype"] == "LVM2_member"
        assert found["mapper/vg1-lv1"]["fstype"] == "xfs"


def test_one_line_and_what_looks_alike() -> None:
    assert things(TEXT.split("\n")[2])["sdb"]["fstype"] == "LVM2_member"
    assert read('see /dev/sdb: TYPE="x" is odd\n') == []
    assert not [entry for entry in read(TEXT[:60]) if isinstance(entry, Unread)]
