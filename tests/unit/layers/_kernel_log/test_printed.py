"""Lines of the kernel's log: counted by device, and what looks like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.text.document import Document
from iosonde.text.find import FoundOutput, find

SAMPLES = Path(__file__).parents[3] / "outputs" / "kernel-log"


def _counted(text: str) -> dict[tuple[str, str, str], dict[str, object]]:
    counted: dict[tuple[str, str, str], dict[str, object]] = {}
    for output in find(Document("text", text.encode())):
        assert isinstance(output, FoundOutput)
        for thing in output.counters:
            assert thing.tool == "kernel log"
            counted[thing.host, thing.kind, thing.name] = dict(thing.values)
    return counted


def test_dmesg_of_a_drive_with_a_bad_sector() -> None:
    times = {"first": "86401.220145", "last": "86401.220145"}
    assert _counted((SAMPLES / "dmesg-sata.txt").read_text()) == {
        ("", "disk", "ata2.00"): {"link_exceptions": 1, **times},
        ("", "disk", "ata2"): {"link_resets": 1, "first": "86401.220188", "last": "86401.220188"},
        ("", "disk", "sdb"): {
            "medium_errors": 2, "buffer_errors": 1, "first": "86419.003149", "last": "86422.551873"
        },
    }  # fmt: skip


def test_messages_of_a_mirror_that_loses_a_member() -> None:
    counted = _counted((SAMPLES / "messages-md.txt").read_text())
    assert counted["db1", "md", "md0"]["others"] == ["sdc1"]
    assert counted["db1", "ext4", "md0"]["read_only_remounts"] == 1
    assert counted["db1", "host", ""]["others"] == ["jbd2/md0-8"]
    assert counted["db1", "disk", "sdc"]["first"] == "Nov  3 02:11:09"


@pytest.mark.parametrize("line", [
    "I/O error, dev sda, sector 2048 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 2",
    "I/O error, dev sda, sector 20480 op 0x9:(WRITE_ZEROES) flags 0x800 phys_seg 0 prio class 2",
    'printk(KERN_ERR "%s: I/O error, dev %s, sector %llu", ...);',
    "My log is full of “I/O error, dev sda, sector 2048” since yesterday.",
    "ata1.00: exception Emask is what libata prints when a port is frozen.",
    "operation not supported error, dev loop0, sector 0 op 0x9:(WRITE_ZEROES) flags 0x800",
    "INFO: task runner finished; no task was blocked for more than a second",
    "EXT4-fs (sda1): mounted filesystem with ordered data mode",
])  # fmt: skip
def test_what_looks_like_a_failure_and_is_none(line: str) -> None:
    assert _counted(f"{line}\n") == {}
    assert _counted(f"[  100.000000] {line}\n[  101.000000] sda: sda1 sda2\n") == {}


@pytest.mark.parametrize("before", [
    "", "[12345.678901] ", "<3>[12345.678901] ", "Nov  3 02:11:09 db1 kernel: ", "kernel: ",
    "[Mon Nov  3 02:11:09 2025] ", "2026-03-02T14:20:31+0100 web3 kernel: ", "> [   12.345678] ",
    "Mar 02 14:20:31 web3 kernel: [   12.345678] ",
])  # fmt: skip
def test_every_form_of_a_line(before: str) -> None:
    line = f"{before}I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1\n"
    for text in (line, f"The disk says:\n\n{line}\nWhat can I do?\n", line * 3):
        (values,) = _counted(text).values()
        assert values["io_errors"] == text.count("I/O error")


def test_a_log_with_other_outputs_in_it_swallows_none() -> None:
    log = "[    1.000000] Buffer I/O error on dev sda, logical block 1, async page read\n"
    mdstat = (
        "$ cat /proc/mdstat\nPersonalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n"
        "      1048512 blocks [2/2] [UU]\n\nunused devices: <none>\n"
    )
    outputs = list(find(Document("text", (log + mdstat + log).encode())))
    assert [output.tool for output in outputs] == ["kernel log", "mdstat", "kernel log"]
