"""Later parts of what a command printed have the host and the command of the prompt above."""

from __future__ import annotations

import pytest

from iosonde.records.printed import PrintedState
from tests.mangle import counters, states, trials

MAP = """\
mpath{0} (360000000000000000e0000000000000{0}) dm-{1} HP,HSV210
size=50G features='1 queue_if_no_path' hwhandler='0' wp=rw
`-+- policy='round-robin 0' prio=50 status=active
  `- 0:0:0:{1} sd{0} 8:16 active ready running
"""
MAPS = [MAP.format(letter, number) for number, letter in enumerate("abc", 2)]
DISK = """\
Disk /dev/sd{}: 232.89 GiB, 250059350016 bytes, 488397168 sectors
Units: sectors of 1 * 512 = 512 bytes
Sector size (logical/physical): 512 bytes / 512 bytes
I/O size (minimum/optimal): 512 bytes / 512 bytes
"""
ARRAY = """\
/dev/md{}:
           Version : 1.2
        Raid Level : raid1
        Array Size : 1953382336 (1862.89 GiB 2000.26 GB)
      Raid Devices : 2
     Total Devices : 2
             State : clean

    Number   Major   Minor   RaidDevice State
       0       8        1        0      active sync   /dev/sda1
       1       8       17        1      active sync   /dev/sdb1
"""
PARTS = {
    "multipath -ll": "".join(MAPS),
    "fdisk -l": "\n\n".join(map(DISK.format, "abc")),
    "mdadm --detail /dev/md0 /dev/md1": "".join(map(ARRAY.format, "01")),
}


def hosts(text: str) -> list[tuple[str, str]]:
    """Host and command of each state."""
    return [(state.host, state.command) for state in states(text)]


@pytest.mark.parametrize("command", PARTS)
def test_every_part_is_of_the_prompt_above_the_first(command: str) -> None:
    parts = hosts(f"root@db1:~# {command}\n{PARTS[command]}root@db1:~# \n")
    assert len(parts) > 1
    assert set(parts) == {("db1", command)}


@pytest.mark.parametrize("mark", ["> ", ">> ", "    "])
def test_parts_that_somebody_quoted(mark: str) -> None:
    text = "".join(f"{mark}{line}\n" for line in f"[root@db1 ~]# multipath -ll\n{MAPS[0]}{MAPS[1]}"
                   .splitlines())  # fmt: skip
    assert [host for host, _ in hosts(text)] == ["db1", "db1"]


@pytest.mark.parametrize(
    "between",
    [
        "\n\n\n",  # more blank lines than a tool prints
        "And the same on the other node:\n\n",
        "db2:\n",
        "\nNode 2\n\n",
        "```\n```\n",
        "root@db2:~#\n",
        "# second server\n",
    ],
)
def test_what_stands_below_something_else_is_of_nobody(between: str) -> None:
    first, second = hosts(f"root@db1:~# multipath -ll\n{MAPS[0]}{between}{MAPS[1]}")
    assert first == ("db1", "multipath -ll")
    assert second == ("", "")


def test_what_is_quoted_less_deep_is_of_another_mail() -> None:
    quoted = "".join(f"> {line}\n" for line in f"root@db1:~# multipath -ll\n{MAPS[0]}".splitlines())
    assert [host for host, _ in hosts(quoted + MAPS[1])] == ["db1", ""]


def test_a_prompt_of_its_own_is_kept() -> None:
    text = f"root@db1:~# multipath -ll\n{MAPS[0]}root@db2:~# multipath -ll\n{MAPS[1]}"
    assert [host for host, _ in hosts(text)] == ["db1", "db2"]


def test_another_tool_is_of_the_command_only_where_it_calls_that() -> None:
    size = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 100000 500 99500 1% /\n"

    def last(command: str) -> PrintedState:
        return states(f"root@db1:~# {command}\n{MAPS[0]}{size}")[-1]

    assert last("multipath -ll; df").host == "db1"
    assert last("multipath -ll").host == ""


def test_lines_that_nothing_reads_may_stand_between() -> None:
    text = (
        "root@db1:~# mdadm --assemble --scan --verbose\n"
        "mdadm: no recogniseable superblock on /dev/sdf4\n"
        "mdadm: No super block found on /dev/sdf2 (Expected magic a92b4efc, got\n"
        "00000000)\n"
        "mdadm: no recogniseable superblock on /dev/sdf\n"
    )
    assert {(each.host, each.kind) for each in counters(text)} == {("db1", "host")}
    assert len(counters(text)) == 2


def test_a_later_measurement_has_the_host_and_no_command() -> None:
    rate = " Timing cached reads:   9636 MB in  2.00 seconds = 4820.51 MB/sec\n"
    text = f"root@db1:~# hdparm -T /dev/sda /dev/sdb\n\n/dev/sda:\n{rate}\n/dev/sdb:\n{rate}"
    assert [trial.host for trial in trials(text)] == ["db1", "db1"]
