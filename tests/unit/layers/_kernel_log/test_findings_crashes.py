"""Crashes of the kernel: each said once, none that somebody asked for, and memory used wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.finding import Finding
from iosonde.verbs.explain import explain

NULL = "BUG: unable to handle kernel NULL pointer dereference at 0000000000000000"
OOPS = "Oops: 0002 [#1] SMP PTI"
KASAN = "BUG: KASAN: use-after-free in try_merge_free_space+0xc0/0x2e0"


def crashes(folder: Path, *messages: str) -> list[Finding]:
    """What is said of a log of these messages."""
    lines = [f"[  {10 + number}.100000] {message}" for number, message in enumerate(messages)]
    (folder / "log").write_text("\n".join(lines) + "\n")
    findings = explain(str(folder / "log")).findings
    return [finding for finding in findings if finding.rule == "kernel-crash"]


@pytest.mark.parametrize(
    ("messages", "counted"),
    [
        ((NULL, OOPS), "1 kernel crash (kernel NULL"),
        ((OOPS,), "1 oops (Oops: 0002)"),
        ((NULL, OOPS, OOPS), "2 oopses ("),
        ((NULL, OOPS, "Kernel panic - not syncing: Fatal exception"),
         "1 kernel crash, 1 kernel panic ("),
    ],
)  # fmt: skip
def test_a_crash_and_its_oops_are_one(
    tmp_path: Path, messages: tuple[str, ...], counted: str
) -> None:
    (said,) = crashes(tmp_path, *messages)
    assert said.message.startswith(f"The kernel's log counts {counted}")


@pytest.mark.parametrize("asked", ["sysrq: SysRq : Trigger a crash", "SysRq : Trigger a crash"])
def test_a_crash_that_somebody_asked_for_is_none(tmp_path: Path, asked: str) -> None:
    assert crashes(tmp_path, asked, NULL, OOPS, "Kernel panic - not syncing: Fatal") == []
    new = ("sysrq: Trigger a crash", "Kernel panic - not syncing: sysrq triggered crash")
    assert crashes(tmp_path, *new) == []


def test_a_crash_beside_one_that_somebody_asked_for(tmp_path: Path) -> None:
    asked = ("sysrq: Trigger a crash", "Kernel panic - not syncing: sysrq triggered crash")
    (said,) = crashes(tmp_path, NULL, OOPS, *asked)
    assert "counts 1 kernel crash (kernel NULL" in said.message
    (said,) = crashes(tmp_path, NULL, OOPS, "sysrq: SysRq : Trigger a crash", NULL, OOPS)
    assert "counts 2 kernel crashes" in said.message
    (said,) = crashes(tmp_path, "sysrq: SysRq : Emergency Sync", NULL)
    assert "counts 1 kernel crash" in said.message


def test_memory_that_the_kernel_used_wrongly(tmp_path: Path) -> None:
    (said,) = crashes(tmp_path, KASAN, "Read of size 8 at addr ffff8801ed10f030 by task mount/1291")
    assert said.severity == "error"
    assert "counts 1 kernel memory error (use-after-free)" in said.message
    assert "may be damaged" in said.message


@pytest.mark.parametrize(
    "line",
    [
        "BUG: KASAN: slab-out-of-bounds in kmalloc_oob_right+0x1a0/0x5b0 [kasan_test]",
        "BUG: KCSAN: data-race in tick_nohz_next_event / tick_sched_timer+0x1/0x2",
        "BUG: KASAN: null-ptr-deref in try_merge_free_space+0xc0/0x2e0",
        "kasan: KernelAddressSanitizer initialized",
    ],
)
def test_tests_of_kasan_races_and_null_pointers_are_no_misuse(tmp_path: Path, line: str) -> None:
    assert crashes(tmp_path, line) == []
