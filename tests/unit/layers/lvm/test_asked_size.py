"""Sizes that a command asks for. Oracle: lvcreate(8)'s units."""

from __future__ import annotations

import pytest

from iosonde.layers.lvm.asked_size import asked_size
from tests.mangle import subjects_in

GIB = 1 << 30


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("lvcreate -L 3G vg0 -n home", 3 * GIB),
        ("sudo /sbin/lvcreate -L3g -nhome vg0", 3 * GIB),
        ("lvcreate --size=512 --name home vg0", 512 << 20),
        ("lvcreate --size 8192s -n vg0/home", 4 << 20),
        ("lvcreate -V 10GiB -L 3G -T vg0/pool -n home", 10 * GIB),
        ("lvcreate -L 3GB -n home vg0", 3 * GIB),
        ("lvcreate -L 3G -n other vg0", None),
        ("lvcreate -s -L 1G -n home vg0/root", None),
        ("lvcreate --snapshot --size 1G --name home vg0/root", None),
        ("lvcreate -L 1G -sn home vg0/root", None),
        ("lvcreate -l 100%FREE -n home vg0", None),
        ("lvcreate -L +3G -n home vg0", None),
        ("lvcreate -L 3G -n home vg0; lvcreate -L 4G -n home vg1", None),
        ("lvextend -L 3G -n home vg0", None),
    ],
)
def test_sizes(command: str, size: int | None) -> None:
    assert asked_size(command, "home") == size


def _sizes(text: str) -> dict[str, object]:
    return {subject.name: subject.values.get("size") for subject in subjects_in(text)}


def test_with_the_answer() -> None:
    created = '# lvcreate -L 3G vg0 -n home\n  {}Logical volume "home" created.\n'
    assert _sizes(created.format("")) == {"mapper/vg0-home": 3 * GIB}
    rounded = created.format("Rounding up size to full physical extent 3.00 GiB\n  ")
    assert _sizes(rounded) == {"mapper/vg0-home": None}
