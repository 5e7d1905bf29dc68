"""`lsscsi -v`: the directories below each device are a part of the list."""

from __future__ import annotations

import pytest

from iosonde.text.find import FoundOutput
from tests.mangle import read

ROW = "[0:0:{0}:0]    disk    ATA      Example 4000  T3D0  /dev/sd{1}\n"
DIR = (
    "  dir: /sys/bus/scsi/devices/0:0:{0}:0{gap}"
    "[/sys/devices/pci0000:00/0000:00:1f.2/host0/target0:0:{0}/0:0:{0}:0]\n"
)


@pytest.mark.parametrize("gap", ["  ", "\n  "])
def test_a_list_with_directories_is_one(gap: str) -> None:
    rows = (ROW.format(at, name) + DIR.format(at, gap=gap) for at, name in enumerate("abc"))
    text = f"root@db1:~# lsscsi -v\n{''.join(rows)}"
    (output,) = read(text)
    assert isinstance(output, FoundOutput)
    assert output.place.last_line == text.count("\n")
    assert [thing.name for thing in output.states[0].subjects] == ["sda", "sdb", "sdc"]


@pytest.mark.parametrize("below", ["  dir: is what it says\n", "  [0:0] and so on\n"])
def test_another_line_below_a_device_is_none_of_it(below: str) -> None:
    (output,) = read(f"{ROW.format(0, 'a')}{below}")
    assert isinstance(output, FoundOutput)
    assert (output.place.first_line, output.place.last_line) == (1, 1)
