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


@pytest.mark.parametrize("text", [
    "It hangs in [<0>] mddev_suspend+0xd2/0x150 for minutes.\n",
    "[<0>] mddev_suspend+0xd2/0x150 [md_mod]\n",
    "[   12.3] [<ffffffff8109a0b7>] process_one_work+0x1c7/0x380\n" * 3,
])  # fmt: skip
def test_what_is_no_stack(text: str) -> None:
    assert not [record for record in counters(text) if record.tool == "process stack"]
