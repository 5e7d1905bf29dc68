"""Processes that the kernel killed for memory: how many, which, why, and what they held."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

NEW = (
    "[  10.100000] fio invoked oom-killer: gfp_mask=0x6200ca(GFP_HIGHUSER_MOVABLE), order=0\n"
    "[  10.200000] Out of memory: Killed process 2345 (ceph-osd) total-vm:7554756kB, "
    "anon-rss:6291456kB, file-rss:0kB, shmem-rss:0kB, UID:64045 pgtables:12kB oom_score_adj:0\n"
    "[  90.200000] Out of memory: Killed process 2399 (ceph-osd) total-vm:7554756kB, "
    "anon-rss:5291456kB, file-rss:0kB, shmem-rss:0kB, UID:64045 pgtables:12kB oom_score_adj:0\n"
)
OLD = (
    "[  10.100000] Out of memory: Kill process 999 (mysqld) score 912 or sacrifice child\n"
    "[  10.100100] Killed process 999 (mysqld) total-vm:2048kB, anon-rss:1024kB, file-rss:0kB\n"
)
LIMIT = (
    "Jan 12 03:11:01 nas kernel: Memory cgroup out of memory: Killed process 43 (smbd) "
    "total-vm:123456kB, anon-rss:65536kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB\n"
)


@pytest.mark.parametrize(("text", "severity", "said", "remedy"), [
    (NEW, "error", "killed 2 processes (ceph-osd) from 10.2 to 90.2 for lack of memory: ",
     "the report above the line"),
    (NEW, "error", "One of them held 6 GiB of its own.", "or add memory; see that"),
    (OLD, "error", "killed a process (mysqld) at 10.1 for lack of memory: ", "add memory"),
    (OLD, "error", "It held 1 MiB of its own.", "add memory"),
    (OLD.splitlines(keepends=True)[1], "error", "killed a process (mysqld) at", "add memory"),
    (LIMIT, "warning", "(smbd) at Jan 12 03:11:01 since a limit of its control group was reached",
     "where a control group has reached its limit, raise that"),
    (NEW.splitlines(keepends=True)[0], "error",
     "to kill processes for lack of memory once at 10.1, asked for memory by (fio)", "add memory"),
])  # fmt: skip
def test_a_kill_is_said_with_its_process_and_its_cause(
    tmp_path: Path, text: str, severity: str, said: str, remedy: str
) -> None:
    (tmp_path / "log").write_text(text)
    (finding,) = explain(str(tmp_path / "log")).findings
    assert (finding.rule, finding.severity) == ("out-of-memory", severity)
    assert said in finding.message
    assert remedy in finding.remedy


def test_a_limit_of_a_group_is_no_lack_of_the_hosts_memory(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(LIMIT)
    (finding,) = explain(str(tmp_path / "log")).findings
    assert "add memory" not in finding.remedy


@pytest.mark.parametrize("line", [
    "[   10.1] oom_reaper: reaped process 2345 (fio), now anon-rss:0kB, file-rss:0kB",
    "[   10.1] Memory: 16284084K/16693752K available (14339K kernel code, 2400K rwdata)",
    "Jan 12 03:11:01 nas systemd[1]: Listening on Userspace Out-Of-Memory (OOM) Killer Socket.",
    "[   10.1] EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)",
])  # fmt: skip
def test_what_only_speaks_of_memory_is_no_kill(tmp_path: Path, line: str) -> None:
    (tmp_path / "log").write_text(f"{line}\n")
    assert explain(str(tmp_path / "log")).findings == ()


def test_hung_tasks_do_not_name_what_was_killed(tmp_path: Path) -> None:
    line = "[    9.500000] INFO: task nfsd:77 blocked for more than 122 seconds.\n"
    (tmp_path / "log").write_text(line + NEW)
    memory, hung = explain(str(tmp_path / "log")).findings
    assert (memory.rule, hung.rule) == ("out-of-memory", "hung-tasks")
    assert "ceph-osd" not in hung.message
