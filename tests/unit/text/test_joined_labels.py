"""Outputs that lost their line breaks. Oracle: the same output with them says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.text.joined_labels import parted
from tests.growth import grows_faster
from tests.mangle import counters, states

OUTPUTS = Path(__file__).parents[2] / "outputs"
_SAMPLES = (
    "md-6.1/mdstat-busy.txt", "multipath-composed/ll.txt", "xfsprogs-6.1/mkfs.txt",
    "zfs-composed/list.txt", "zfs-composed/status.txt", "zfs-composed/zfs-get.txt",
)  # fmt: skip


def said(text: str) -> tuple[list[PrintedSubject], list[tuple[str, str, object]]]:
    """What outputs say, without where they stand."""
    subjects = [subject for state in states(text) for subject in state.subjects]
    every: list[PrintedCounters] = counters(text)
    return subjects, [(each.kind, each.name, each.values) for each in every]


@pytest.mark.parametrize("name", _SAMPLES)
def test_one_line_says_what_many_say(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    joined = " ".join(text.split())
    expected = said(text)
    assert expected[0] or expected[1]
    assert said(f"It says this:\n{joined}\nWhat is wrong?\n") == expected


def test_a_tree_is_left_alone_as_its_blanks_are_lost() -> None:
    line = " ".join((OUTPUTS / "lsblk-2.38/lsblk-i.txt").read_text().split())
    assert parted(line) is None


def test_a_command_in_front_and_two_outputs_in_one_line() -> None:
    made = " ".join((OUTPUTS / "xfsprogs-6.1/mkfs.txt").read_text().split())
    made = made[made.index("meta-data=") :]
    line = f"[root@db1 ~]# mkfs.xfs /dev/sdb {made} [root@db1 ~]# uptime up 3 days"
    parts = parted(line)
    assert parts
    first, *_, last = parts.lines
    assert (first, last) == ("[root@db1 ~]# mkfs.xfs /dev/sdb", "[root@db1 ~]# uptime up 3 days")


@pytest.mark.parametrize(
    "line",
    [
        "The pool: tank is what I named it, and its state: it was never as bad as on this day, "
        "since config: I changed nothing of it and errors: there were none at all",
        "lsblk -o NAME,MAJ:MIN,RM,SIZE,RO,TYPE,MOUNTPOINT prints NAME MAJ:MIN RM SIZE RO TYPE "
        "MOUNTPOINT as its head and below it the devices with what they are mounted on",
        "mkfs.xfs -f -d agcount=4 says meta-data=/dev/sdb1 isize=512 agcount=4, agsize=61039340 "
        "blks in its first line, and so on; I have not copied what stands below it",
        "| Filesystem | Size | Used | Avail | Use% | Mounted on | /dev/sda1 | 20G | 9G | 11G | 45% "
        "| / | and many more of these are in the table of the wiki",
        "Device tps kB_read/s and the others are columns of iostat, avg-cpu: is the line above, "
        "and what the first interval says is a mean since the boot of the host",
    ],
)
def test_prose_stays_as_it_is(line: str) -> None:
    assert parted(line) is None


@pytest.mark.parametrize(
    "unit",
    ["avg-cpu: %idle Device: tps r/s a 1 2 ", "NAME USED AVAIL REFER MOUNTPOINT a 1 2 3 / "],
)
def test_the_work_grows_with_the_line(unit: str) -> None:
    assert not grows_faster(parted, unit, 60)
