"""Outputs in one line. Oracle: what is read of the same output in its own lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find_and_tell
from iosonde.text.joined_lines import laid_out
from iosonde.text.sound import BREAKS_LOST
from tests.mangle import counters, read, states, trials

_OUTPUTS = Path(__file__).parents[2] / "outputs"
_DF = (
    "Filesystem     1K-blocks    Used Available Use% Mounted on\n"
    "/dev/sda1       20511312 9437184  10009152  49% /\n"
    "/dev/sdb1      102685624 1048576  96377816   2% /srv/data\n"
)


def said(text: str) -> object:
    """What is read of a text; blanks within values are those of the text."""
    state = [
        (subject.kind, subject.name, dict(subject.values))
        for each in states(text)
        for subject in each.subjects
    ]
    loops = [[loop.metrics for loop in each.loops] for each in trials(text)]
    counted = [(each.kind, each.name, dict(each.values)) for each in counters(text)]
    return state, loops, counted


def unread(text: str) -> list[Unread]:
    outputs = find_and_tell(of_bytes("text", text.encode()), lambda output: output, rest=True)
    return [output for output in outputs if isinstance(output, Unread)]


@pytest.mark.parametrize(
    "name",
    [
        "coreutils-9.1/df-hT.txt",
        "coreutils-9.1/df-i.txt",
        "sysstat-12.6/iostat-x.txt",
        "vmstat-4.0.2/vmstat-w.txt",
        "lsblk-2.38/lsblk.txt",
        "lsblk-2.38/lsblk-i.txt",
        "lvm-2.03.16/pvs.txt",
        "lvm-2.03.16/vgs.txt",
        "zfs-composed/list.txt",
        "blkid-composed/blkid.txt",
        "util-linux-2.38.1/mount.txt",
        "fio-2.1.3/random-write.out",
        "net-tools-2.10/ifconfig-a.txt",
        "iproute2-6.1/ip-addr.txt",
        "iproute2-6.1/ip-s-link.txt",
        "multipath-composed/ll.txt",
        "lsscsi-composed/list-t.txt",
        "bcache-6.1/cache.txt",
        "linux-2.6.18-nfs/sysctl.txt",
    ],
)
def test_it_says_what_its_lines_say(name: str) -> None:
    text = (_OUTPUTS / name).read_text()
    assert said(" ".join(text.split("\n"))) == said(text) != ([], [], [])
    assert said(" ".join(text.split())) == said(text)
    assert said(f"See: {' '.join(text.split())}") == said(text)


def test_a_tree_of_which_all_blanks_are_lost() -> None:
    line = (
        "NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT sda 8:0 0 10G 0 disk ├─sda1 8:1 0 4G 0 part "
        "│ └─md0 9:0 0 4G 0 raid1 │ └─vg-a 253:0 0 4G 0 lvm /a └─sda2 8:2 0 6G 0 part [SWAP] "
        "sdb 8:16 0 4G 0 disk └─sdb1 8:17 0 4G 0 part"
    )
    made = laid_out(line)
    assert made is not None
    assert [each.split(" 8:")[0].split(" 9:")[0].split(" 253:")[0] for each in made.lines[1:]] == [
        "sda", "├─sda1", "│ └─md0", "│   └─vg-a", "└─sda2", "sdb", "└─sdb1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "behind",
    ["Any idea why?", "102685624 1048576", "my disk /dev/sdc1 102685624 1 2 3% /x"],
)
def test_a_table_whose_end_is_not_certain_is_unread(behind: str) -> None:
    text = f"{' '.join(_DF.split())} {behind}"
    assert said(text) == ([], [], [])
    assert [each.tool for each in unread(text)] == ["df"]


def test_what_stands_behind_a_table_is_unread_unless_it_is_prose() -> None:
    text = (
        "avg-cpu: %user %nice %system %iowait %steal %idle 1.00 0.00 2.00 3.00 0.00 94.00 "
        "Device tps kB_read/s kB_wrtn/s kB_read kB_wrtn sda 45.23 512.45 234.12 512345 234567"
    )
    assert said(f"{text} Any idea why?") == said(text) != ([], [], [])
    assert not unread(f"{text} Any idea why?")
    cut = f"{text} sdb 12.34 89.23"
    assert said(cut) == said(text)
    assert [(each.tool, each.reason) for each in unread(cut)] == [("iostat", BREAKS_LOST)]


def test_a_command_behind_a_table_begins_another_output() -> None:
    text = f"{' '.join(_DF.split())} root@nas:~# uname -r 6.1.0-18-amd64"
    made = laid_out(text)
    assert made is not None
    assert made.lines[-1].startswith("root@nas:~# ")
    assert said(text) != ([], [], [])


def test_an_output_that_is_not_laid_out_is_not_lost_in_silence() -> None:
    text = " ".join((_OUTPUTS / "cryptsetup-2.6/luks2.txt").read_text().split())
    assert [(each.tool, each.reason) for each in unread(text)] == [
        ("cryptsetup luksDump", BREAKS_LOST)
    ]


def test_a_value_that_holds_other_lines_is_none() -> None:
    text = " ".join((_OUTPUTS / "megacli-8/lines-battery.txt").read_text().split())
    outputs = read(text)
    assert not any(isinstance(output, FoundOutput) for output in outputs)
    assert [output.reason for output in outputs if isinstance(output, Unread)] == [BREAKS_LOST]


@pytest.mark.parametrize(
    "line",
    [
        "Set node.session.auth.username = me and node.session.auth.password = secret in the file, "
        "then log in again.",
        "/dev/sda1 on /boot type ext4 (rw,relatime,stripe=4,data=ordered,journal_checksum,discard)",
        "fio --name=a --rw=randread --bs=4k --size=4G --runtime=60 --direct=1 --iodepth=32 "
        "--ioengine=libaio --numjobs=4 --filename=/dev/sdb --group_reporting 12 13 14",
        '{"a": "Filesystem 1K-blocks Used Available Use% Mounted on /dev/sda1 1 2 3 4% /"}',
    ],
)
def test_lines_that_are_one(line: str) -> None:
    assert laid_out(line) is None or line.startswith("{")
    assert not unread(line)
    assert of_bytes("text", line.encode()).data == line.encode()
