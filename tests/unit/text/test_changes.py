"""What was changed between two runs: what sets something, and what shows it or begins alike."""

from __future__ import annotations

import pytest

from iosonde.explain.rules import noise
from iosonde.explain.series import series_of
from iosonde.text.changes import CHANGED, changes_in, put_in_force
from tests.mangle import trials
from tests.unit.explain.cases import case_of, findings_named

RUN = """\
root@db1:/mnt# dd if=/dev/zero of=test bs=1M count=1000 oflag=direct
1000+0 records in
1000+0 records out
1048576000 bytes (1.0 GB) copied, {} s, {} MB/s
"""
FIRST, SECOND, THIRD = (
    RUN.format(*figures) for figures in (("10.1234", 104), ("9.12345", 115), ("9.56789", 110))
)


@pytest.mark.parametrize(("line", "name", "value"), [
    ("echo noop > /sys/block/sda/queue/scheduler", "sys.block.sda.queue.scheduler", "noop"),
    ("# echo 512 > /sys/block/sda/queue/nr_requests", "sys.block.sda.queue.nr_requests", "512"),
    ("echo 5 | sudo tee /proc/sys/vm/dirty_ratio", "vm.dirty_ratio", "5"),
    ("sudo sysctl -w vm.dirty_ratio=5", "vm.dirty_ratio", "5"),
    ("$ blockdev --setra 4096 /dev/sda", "blockdev --setra /dev/sda", "4096"),
    ("hdparm -W0 -A1 /dev/sda", "hdparm -W -A /dev/sda", "0 1"),
    ("tune2fs -o journal_data_writeback /dev/sdb1", "tune2fs", ""),
    ("mount -o remount,nobarrier /srv", "mount", ""),
    ("cd /mnt/other && ls", "cd", "cd /mnt/other"),
    ("mdadm --grow /dev/md0 --bitmap=none", "mdadm", ""),
])  # fmt: skip
def test_commands_that_set_something(line: str, name: str, value: str) -> None:
    settings: dict[str, str] = {}
    put_in_force(changes_in([line]).commands, settings)
    assert list(settings) == [name]
    assert settings[name] == value or not value


@pytest.mark.parametrize("line", [
    "echo 3 > /proc/sys/vm/drop_caches", "sync; umount /srv; mount /srv", "sysctl vm.dirty_ratio",
    "sysctl -a", "hdparm -tT /dev/sda", "blockdev --getra /dev/sda", "mount | grep /srv",
    "tune2fs -l /dev/sda1", "mdadm --detail /dev/md0", "ethtool -S eth0", "rm test", "",
    "echo done > /tmp/log", "/dev/sda1 on / type ext4 (rw)", "From: someone", "Results:",
    "The second run of it was slower.", "before         738734    0.44",
    "after: (g=1): rw=randread, bs=(R) 8192B-8192B, ioengine=psync, iodepth=1",
])  # fmt: skip
def test_what_shows_begins_alike_or_says_nothing_of_a_change(line: str) -> None:
    changes = changes_in([line])
    assert (changes.commands, changes.sentences()) == ((), ())


@pytest.mark.parametrize("line", [
    "and with barrier=0 it is faster:", "Without the battery:", "After a reboot",
    "I enabled the write cache of the controller.", "On the other array:",
    "And the same again with caching:",
])  # fmt: skip
def test_sentences_about_the_next_run(line: str) -> None:
    changes = changes_in([line])
    assert (changes.commands, changes.sentences()) == ((), (line,))


@pytest.mark.parametrize("between", [
    "root@db1:/mnt# echo noop > /sys/block/sda/queue/scheduler\n",
    "root@db1:/mnt# mount -o remount,nobarrier /mnt\n", "\nand with nobarrier it is faster:\n\n",
])  # fmt: skip
def test_runs_between_which_something_was_set_are_no_repetitions(between: str) -> None:
    (series,) = series_of(case_of(FIRST + between + SECOND + THIRD))
    assert [len(condition.metric.loops) for condition in series.conditions] == [1, 2]
    assert "after “" in series.conditions[1].label
    (said,) = findings_named(noise.RULES, case_of(FIRST + between + SECOND), "within-noise")
    assert said.message.startswith("2 of 2 results are of one run each")


def test_runs_of_two_folders_are_no_repetitions() -> None:
    (series,) = series_of(case_of(FIRST + SECOND.replace(":/mnt#", ":/srv#")))
    assert [condition.label for condition in series.conditions] == [
        "test on db1", "test on db1 after “cd /srv”",
    ]  # fmt: skip


@pytest.mark.parametrize("between", [
    "", "\n", "root@db1:/mnt# sync; echo 3 > /proc/sys/vm/drop_caches\n", "\nand once more:\n\n",
    "root@db1:/mnt# cat /sys/block/sda/queue/scheduler\n[mq-deadline] none\n",
])  # fmt: skip
def test_runs_without_a_change_are_repetitions(between: str) -> None:
    (series,) = series_of(case_of(FIRST + between + SECOND))
    assert [len(condition.metric.loops) for condition in series.conditions] == [2]


def test_a_setting_that_comes_back_is_the_same_condition() -> None:
    text = "".join(
        f"root@db1:/mnt# echo {value} > /sys/block/sda/queue/scheduler\n{run}"
        for value, run in (("none", FIRST), ("bfq", SECOND), ("none", THIRD))
    )
    (series,) = series_of(case_of(text))
    assert [len(condition.metric.loops) for condition in series.conditions] == [2, 1]


def test_the_trial_says_what_was_changed_before_it() -> None:
    first, second = trials(FIRST + "# sysctl -w vm.dirty_ratio=5\n" + SECOND)
    assert CHANGED not in first.details
    assert second.details[CHANGED] == ["sysctl -w vm.dirty_ratio=5"]
    same = "Running it with 1 MiB:\n"
    assert all(CHANGED not in trial.details for trial in trials(same + FIRST + same + SECOND))
