"""Stacks of processes. Oracle: the kernel's own, of this host."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "kernel-composed" / "stack.txt").read_text()


def test_what_processes_wait_for() -> None:
    first, second = counters(TEXT)
    assert (first.tool, first.kind, first.name) == ("process stack", "process", "4086")
    assert first.values["waits_in"] == "mddev_suspend.part.0"
    assert first.values["modules"] == ["md_mod"]
    assert (second.name, second.values["functions"]) == (
        "811", ["rpc_shutdown_client", "process_one_work"],
    )  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may read a stack")
def test_the_stack_of_a_process_that_sleeps() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        path = Path(f"/proc/{process.pid}/stack")
        try:
            for _ in range(100):
                text = path.read_text()
                if "nanosleep" in text:
                    break
                time.sleep(0.02)
        finally:
            process.kill()
    if not text:
        pytest.skip("this kernel shows no stacks")
    (record,) = counters(f"# cat {path}\n{text}")
    functions = [line.split()[1].partition("+")[0] for line in text.splitlines()]
    assert (record.name, record.values["functions"]) == (str(process.pid), functions)


def test_every_shape() -> None:
    expected = [(record.name, dict(record.values)) for record in counters(TEXT)]
    for shape, changed in mangled(TEXT, wraps=False):
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


_FRAMES = "[<0>] md_thread+0x122/0x160\n[<0>] kthread+0xe0/0x100\n[<0>] ret_from_fork+0x22/0x30\n"


@pytest.mark.parametrize(
    ("above", "pid", "about"),
    [
        ("#cat /proc/27457/stack", "27457", {}),
        ("comm jbd2/vdc-8 state D", "", {"comm": "jbd2/vdc-8", "state": "D"}),
        ("task: 123", "123", {}),
        ("PID: 123 (md0_raid6)", "123", {"comm": "md0_raid6"}),
        ("=== pid 123 ===", "123", {}),
        ("root      1187  0.0  0.0      0     0 ?        D    15:20   0:00 [iscsi_ttx]", "1187",
         {"state": "D", "comm": "iscsi_ttx"}),
        ("  32 ?        Ds     0:00 kworker/0:1+events", "32",
         {"state": "D", "comm": "kworker/0:1+events"}),
        ("1228 (xfsaild/dm-3):", "1228", {"comm": "xfsaild/dm-3"}),
        ("  32 D kworker/0:1", "32", {"state": "D", "comm": "kworker/0:1"}),
        ("2 tasks:", "", {}),
        ("Task 1", "", {}),
        ("process 12 is in D state", "", {}),
        ("It waits in the following, which I have seen 3 times:", "", {}),
        ("We use kernel 6", "", {}),
    ],
)  # fmt: skip
def test_whose_stack_the_line_above_says(above: str, pid: str, about: dict[str, str]) -> None:
    (row,) = counters(f"{above}\n{_FRAMES}", "process stack")
    values = {name: row.values[name] for name in ("comm", "state") if name in row.values}
    assert (row.name, values) == (pid, about)
    assert row.values["functions"] == ["md_thread", "kthread", "ret_from_fork"]


def test_a_stack_of_one_frame_below_its_command() -> None:
    text = "[root@arch ~]# cat /proc/24595/stack\n[<0>] reshape_request+0x416/0x9f0 [raid456]\n"
    (row,) = counters(f"{text}Where is that?\n")
    assert (row.name, row.values["functions"]) == ("24595", ["reshape_request"])


@pytest.mark.parametrize("text", [
    "It hangs in [<0>] mddev_suspend+0xd2/0x150 for minutes.\n",
    "[<0>] mddev_suspend+0xd2/0x150 [md_mod]\n",
    "[   12.3] [<ffffffff8109a0b7>] process_one_work+0x1c7/0x380\n" * 3,
])  # fmt: skip
def test_what_is_no_stack(text: str) -> None:
    assert not counters(text, "process stack")
