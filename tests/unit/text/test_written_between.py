"""Runs of one load below one heading: of several set-ups, or the same one measured again."""

from __future__ import annotations

import pytest

from iosonde.explain.rules import noise
from iosonde.explain.series import series_of
from iosonde.text.written_between import is_repetition, written_between
from tests.unit.explain.cases import case_of, findings_named

HEAD = "# Results\n\n"
_DD = """\
1024+0 records in
1024+0 records out
1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, {} MB/s
"""
DD = [_DD.format(*figures) for figures in (("5.12345", 210), ("5.53456", 194), ("4.94567", 217))]
COMMAND = "$ dd if=/dev/zero of=/srv/t/file bs=1M count=1024 oflag=direct\n"
RUNS = [COMMAND + output for output in DD]
STATUS = [
    f"  WRITE: bw={rate}MiB/s ({rate}MB/s), io=1024MiB (1074MB), run=6104-6104msec\n"
    for rate in (168, 183, 174)
]
_FIO = """\
w: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, \
ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

w: (groupid=0, jobs=1): err= 0: pid=4711: Mon Aug  2 10:36:52 2021
  write: IOPS={0}, BW={0}MiB/s ({0}MB/s)(1024MiB/6009msec); 0 zone resets
    clat (usec): min=20, max=17200, avg=375.79, stdev=138.15

Run status group 0 (all jobs):
  WRITE: bw={0}MiB/s ({0}MB/s), {0}MiB/s-{0}MiB/s, io=1024MiB (1074MB), run=6009-6009msec
"""
FIO = [_FIO.format(rate) for rate in (168, 183, 174)]
FIO_COMMAND = "# fio --name=w --rw=write --bs=1M --size=1G --filename=/srv/t/file\n"


def fenced(text: str) -> str:
    return f"```\n{text}```\n\n"


def between(said: list[str], runs: list[str], *, inside: bool = False) -> str:
    """A page with each of some runs below what is said of it, in its fence or above it."""
    if inside:
        return HEAD + fenced(
            "".join(f"{text}\n{run}" for text, run in zip(said, runs, strict=True))
        )
    return HEAD + "".join(f"{text}\n\n{fenced(run)}" for text, run in zip(said, runs, strict=True))


def loops(text: str) -> list[int]:
    """How many loops each condition has."""
    return [
        len(condition.metric.loops) for series in series_of(case_of(text))
        for condition in series.conditions
    ]  # fmt: skip


@pytest.mark.parametrize("said", [
    ["The array is a RAID 0 of four disks:", "The array is a RAID 5 of four disks:",
     "The array is a RAID 10 of four disks:"],
    ["ext4:", "xfs:", "btrfs:"],
    ["RAID0\nINTEL SSDSC2KB960G7", "RAID1\nINTEL SSDSC2KB960G7", "JBOD\nINTEL SSDSC2KB960G7"],
    ["v5.10:", "v5.15:", "v6.1:"],
    ["- RAID 0", "- RAID 5", "- RAID 10"],
    ["**plain**", "**encrypted**", "**encrypted, no queue**"],
    ["SDR50 speed mode:", "SDR104 speed mode:", "DDR50 speed mode:"],
    ["The first array:", "The second array:", "The third array:"],
    ["First test: RAID 0", "Second test: RAID 5", "Third test: RAID 10"],
    ["RAID 0 of four disks:\n\nFirst test:", "RAID 5 of four disks:\n\nSecond test:",
     "RAID 10 of four disks:\n\nThird test:"],
    ["第一次测试 SSD：", "第二次测试 HDD：", "第三次测试 NVMe："],
    ["Once:", "The same again with caching:", "And again without the controller:"],
    ["4x SSD:", "8x SSD:", "2x SSD:"],
])  # fmt: skip
@pytest.mark.parametrize("runs", [RUNS, FIO, STATUS])
def test_what_stands_above_each_run_names_set_ups(said: list[str], runs: list[str]) -> None:
    assert loops(between(said, runs)) == [1, 1, 1]


@pytest.mark.parametrize("said", [
    ["# now as raid0", "# now as raid5", "# now as raid10"],
    ["// before", "// after", "// after a reboot"],
    ["--- local ---", "--- nfs ---", "--- nfs, async ---"],
    ["$ echo local\nlocal", "$ echo remote\nremote", '$ echo "other rack"\nother rack'],
    ["$ ./setup.sh raid0", "$ ./setup.sh raid5", "$ ./setup.sh raid10"],
    ["$ sudo blkdiscard /dev/md0", "$ vi /etc/exports", "$ swapoff -a"],
    ["mkfs.ext4 /dev/md0", "mkfs.xfs -f /dev/md0", "mkfs.btrfs -f /dev/md0"],
    ["# mount -o nobarrier /dev/md0 /srv/t", "# mount -o noatime /dev/md0 /srv/t",
     "# mount -o sync /dev/md0 /srv/t"],
    ["# mdadm --create /dev/md0 -l 0 -n 4 /dev/sd[b-e]",
     "# mdadm -C /dev/md0 -l 5 -n 4 /dev/sd[b-e]", "# mdadm -C /dev/md0 -l 10 -n 4 /dev/sd[b-e]"],
    ["# echo none > /sys/block/sdb/queue/scheduler", "# echo bfq > /sys/block/sdb/queue/scheduler",
     "# echo kyber > /sys/block/sdb/queue/scheduler"],
    ["# zfs set compression=off tank", "# zfs set compression=lz4 tank", "# zfs set sync=off tank"],
    ["$ sysctl -w vm.dirty_ratio=5", "$ sysctl vm.dirty_ratio=20", "$ sysctl vm.dirty_ratio=40"],
    ["# systemctl stop tuned", "# systemctl start tuned", "# systemctl restart irqbalance"],
])  # fmt: skip
@pytest.mark.parametrize("runs", [RUNS, [FIO_COMMAND + output for output in FIO]])
def test_comments_and_commands_between_runs_make_set_ups(said: list[str], runs: list[str]) -> None:
    assert loops(between(said, runs, inside=True)) == [1, 1, 1]


def test_a_line_with_a_date_names_a_set_up() -> None:
    said = ["2023/03/07 11:40 cloud disk", "2023/03/08 00:05 local disk", "2023/03/09 local, locks"]
    text = HEAD + fenced("\n".join(f"{a}\n{b}" for a, b in zip(said, STATUS, strict=True)))
    assert loops(text) == [1, 1, 1]


@pytest.mark.parametrize("text", [
    HEAD + fenced("".join(RUNS)),
    HEAD + "".join(map(fenced, RUNS)),
    HEAD + fenced("".join(FIO_COMMAND + output for output in FIO)),
    between(["Run 1:", "Run 2:", "Run 3:"], RUNS),
    between(["Run 1", "Run 2", "Run 3"], RUNS),
    between(["1st pass", "2nd pass", "3rd pass"], RUNS),
    between(["First test:", "Second test:", "Third test:"], RUNS),
    between(["第一次测试：", "第二次测试：", "第三次测试："], RUNS),
    between(["第一次测试：", "第二次测试：", "第三次测试："], RUNS, inside=True),
    between(["1-й тест", "2-й тест", "3-й тест"], RUNS),
    between(["Erster Test:", "Zweiter Test:", "Dritter Test:"], RUNS),
    between(["First try:", "Second try:", "And a third one:"], FIO),
    between(["# run 1", "# run 2", "# run 3"], RUNS, inside=True),
    between(["#1", "#2", "#3"], RUNS),
    between(["1.", "2.", "3."], RUNS),
    between(["Writing with dd:"] * 3, RUNS),
    between(["Once:", "and again:", "Repeated once more, to be sure of it."], RUNS),
    between(["Output:", "Output:", "Output:"], RUNS),
    between(["$ sync; rm -f /srv/t/file", "$ sleep 60", "rm /srv/t/file"], RUNS, inside=True),
    between(["$ sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'"] * 3, RUNS, inside=True),
    between(["$ ./clean.sh"] * 3, RUNS, inside=True),
    between(["$ date\nMon Aug  2 10:31:52 CEST 2021", "$ date\nMon Aug  2 10:32:52 CEST 2021",
             "$ df -h /srv\n/dev/sdb1 916G 1.1G 868G 1% /srv"], RUNS, inside=True),
])  # fmt: skip
def test_repetitions_stay_one_condition(text: str) -> None:
    assert loops(text) == [3]


def test_of_which_load_lines_of_the_run_status_are_is_not_known() -> None:
    assert loops(HEAD + fenced("".join(STATUS))) == [1, 1, 1]
    assert loops(HEAD + fenced("".join(FIO_COMMAND + status for status in STATUS))) == [3]


def test_headings_above_the_same_heading_tell_runs_apart() -> None:
    text = "".join(
        f"# {name}\n\n## Writing\n\n{fenced(run)}"
        for name, run in zip(("Local", "NFS", "SMB"), RUNS, strict=True)
    )
    (series,) = series_of(case_of(text))
    assert [condition.label for condition in series.conditions] == [
        "Writing", "Writing after “# NFS”", "Writing after “# SMB”",
    ]  # fmt: skip


def test_what_was_said_of_one_section_does_not_hold_for_the_next() -> None:
    text = f"# A\n\n{fenced(RUNS[0])}With a cache:\n\n{fenced(RUNS[1])}# B\n\n{fenced(RUNS[2] * 2)}"
    labels = [
        condition.label for series in series_of(case_of(text)) for condition in series.conditions
    ]
    assert labels == ["A", "A after “With a cache:”", "B"]


def test_no_order_is_claimed_among_set_ups_of_one_run_each() -> None:
    (finding,) = findings_named(
        noise.RULES, case_of(between(["ext4:", "xfs:", "btrfs:"], RUNS)), "within-noise"
    )
    assert finding.message.startswith("3 of 3 results are of one run each")


@pytest.mark.parametrize(("text", "again"), [
    ("Run 2:", True), ("second try", True), ("and again", True), ("3rd iteration", True),
    ("again on the same disk", True), ("Noch einmal:", True),
    ("second disk", False), ("The third array:", False), ("again with caching", False),
    ("Second test:", True), ("第二次测试：", True), ("第2次", True), ("**2-й тест**", True),
    ("Zweiter Test", True), ("2. Messung:", True), ("Deuxième test", True), ("2回目", True),
    ("Second test: RAID 5", False), ("第二次测试 NVMe", False), ("2-й тест, RAID 5", False),
    ("Zweiter Test mit Cache", False), ("第二块硬盘", False), ("second test disk", False),
    ("4x SSD", False), ("It runs on RAID 5 now.", False), ("same test on the NAS", False),
])  # fmt: skip
def test_what_says_that_a_run_is_the_same(text: str, again: bool) -> None:
    assert is_repetition(text) is again


@pytest.mark.parametrize("lines", [
    ["From: ann@example.org", "Date: Mon, 2 Aug 2021 10:00:00 +0200"], ["real    0m5.123s"],
    ["$ cat notes", "The array is a RAID 5 of four disks"], ["Copy code"], ["```"],
    ["$ for i in 1 2 3; do sync; done"], ["$ sudo umount /srv"],
    ["$ rm -fv /srv/a", "removed `/srv/a'"], ["$ mkdir -v b", "mkdir: created directory 'b'"],
])  # fmt: skip
def test_what_nobody_wrote_of_the_next_run(lines: list[str]) -> None:
    assert written_between(lines) == []


def test_a_person_s_words_that_begin_like_those_of_rm() -> None:
    assert written_between(["$ sync", "removed one drive of the mirror"])


def test_lines_of_other_outputs_are_nobody_s() -> None:
    lines = ["", "The write cache is off:", ""]
    assert written_between(lines) == ["The write cache is off:"]
    assert written_between(lines, outputs={1}) == []
