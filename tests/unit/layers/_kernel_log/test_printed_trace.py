"""Call traces. Oracle: the frames as they stand in the text, and what looks alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, read

OUTPUTS = Path(__file__).parents[3] / "outputs" / "kernel-composed"
HUNG, OOPS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("trace", "oops"))


def traces(text: str) -> list[PrintedCounters]:
    return [row for row in counters(text) if row.tool == "kernel trace"]


def sure(text: str) -> list[str]:
    """The functions of a trace in which the kernel is sure of them, by a pattern of this test."""
    return re.findall(r"^(?:\[[ .\d]+\])? {1,2}(\w[\w.]+)\+0x", text, re.MULTILINE)


def test_the_functions_of_an_oops() -> None:
    (trace,) = traces(OOPS)
    assert trace.values["functions"] == sure(OOPS)


def test_a_warning_says_in_which_process() -> None:
    text = OOPS.split("\n", 5)[5].replace(
        "CPU: 3 PID: 2207 Comm: kworker/3:1H Tainted: G           OE      6.1.0-21-amd64",
        "WARNING: at block/mq-deadline.c:77\n"
        "CPU: 3 PID: 2207 Comm: kworker/3:1H Not tainted 6.1.90",
    )
    (trace,) = traces(text)
    assert trace.values["at"] == "dd_dispatch_request"
    assert trace.values["title"] == "WARNING: at block/mq-deadline.c:77"
    assert (trace.name, trace.values["pid"], trace.values["cpu"]) == ("kworker/3:1H", 2207, 3)
    assert (trace.values["kernel"], trace.values["tainted"]) == ("6.1.90", "Not tainted")


def test_a_hung_task_of_which_the_log_s_own_line_was_cut_off() -> None:
    text = HUNG.split("\n", 3)[3]
    (trace,) = traces(text)
    assert trace.values["functions"] == sure(HUNG)
    assert (trace.name, trace.values["state"], trace.values["pid"]) == ("md7_raid6", "D", 911)
    bare = re.sub(r"(?m)^\[[ .\d]+\] ", "", text)
    assert traces(bare)[0].values == trace.values


def test_old_frames_with_their_addresses() -> None:
    text = (
        "Call Trace:\n [<ffffffff8104f1c1>] ? wake_up+0x31/0x50\n"
        " [<ffffffffa0123456>] raid5d+0x4a1/0x6f0 [raid456]\n"
        " [<ffffffff81070f9f>] kthread+0xcf/0xe0\n"
    )
    (trace,) = traces(text)
    assert trace.values["functions"] == ["raid5d", "kthread"]


def test_two_traces_are_two() -> None:
    assert len(traces(OOPS + OOPS.replace("2207", "2208"))) == 2


@pytest.mark.parametrize("text", [
    "Call Trace: of the hang is below, but I lost it.\n",
    "RIP: 0010:foo+0x1/0x2 is where it stops\n",
    "#0  0x00007f2b in raise () from /lib/libc.so.6\n#1  main () at a.c:3\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert [entry for entry in read(text) if not isinstance(entry, Unread)] == []


@pytest.mark.parametrize("prefix", [
    "Dec 17 22:58:05 (none) user.info kernel: ",
    "2024-05-06T07:08:09+02:00 host kernel: ",
    "node7 kernel: ",
    "kern  :info  : [Mon May  6 07:08:09 2024] ",
    "[Mo Mai 6 07:08:09 2024] ",
    "Mär 17 22:58:05 host kernel: ",
    "",
])  # fmt: skip
def test_speeds_of_raid6_and_xor_whatever_stands_before_them(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in (
        "raid6: sse2x4   gen() 10998 MB/s", "raid6: .... xor() 7614 MB/s, rmw enabled",
        "raid6: using algorithm sse2x4 gen() 10998 MB/s",
    ))  # fmt: skip
    (log,) = [row for row in counters(text) if row.tool == "kernel log"]
    assert log.values["raid6_speeds"] == ["sse2x4   gen() 10998 MB/s", ".... xor() 7614 MB/s"]
    assert log.values["raid6_algorithm"] == ["sse2x4 gen() 10998 MB/s"]
