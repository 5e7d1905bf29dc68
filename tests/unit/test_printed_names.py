"""Which devices an output speaks of. Oracle: its lines, read by eye."""

from __future__ import annotations

import pytest

from iosonde.printed_names import bare_name, names_in, whole_device
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Json


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("/dev/md0", "md0"), ("/dev/mapper/vg-lv", "vg-lv"), ("mapper/vg-lv", "vg-lv"),
        ("/srv", "/srv"), ("/devel", "/devel"), ("tank/home", "tank/home"),
    ],
)  # fmt: skip
def test_a_device_has_one_name(name: str, bare: str) -> None:
    assert bare_name(name) == bare


def test_values_name_devices_and_other_paths_are_none() -> None:
    mounts = PrintedState(
        "mount",
        (
            PrintedSubject("mount", "/", {"device": "/dev/mapper/vg-root", "rw": True}),
            PrintedSubject("mount", "/srv", {"device": "nas:/dev", "note": "see /srv/dev/sdz"}),
        ),
    )
    assert list(names_in(mounts)) == ["/", "vg-root", "/srv"]


def test_messages_name_devices() -> None:
    values: dict[str, Json] = {
        "messages": ["added /dev/sdb, /dev/md/3.", {"message": "/dev/sdc: gone"}, 7]
    }
    counted = PrintedCounters("mdadm", "md", "/dev/md0", values)
    assert set(names_in(counted)) == {"md0", "sdb", "md/3", "sdc"}


def test_only_the_first_part_of_a_long_output_is_looked_at() -> None:
    disks = tuple(PrintedSubject("disk", f"d{at}", {}) for at in range(1000))
    assert len(list(names_in(PrintedState("lsblk", disks)))) == 64


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("sda1", "sda"), ("nvme0n1p2", "nvme0n1"), ("loop0p1", "loop0"), ("md5p12", "md5"),
        ("sda", ""), ("md50", "md"), ("/srv/1", ""), ("sda1234", ""), ("7", ""),
    ],
)  # fmt: skip
def test_the_device_of_a_partition(name: str, whole: str) -> None:
    assert whole_device(name) == whole
