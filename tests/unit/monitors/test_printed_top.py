"""Rows of top that a mail broke, and what of them is said first."""

from __future__ import annotations

import pytest

from iosonde.printed_summary import counters_in_short
from tests.mangle import counters

HEAD = """\
top - 16:16:14 up  4:49,  1 user,  load average: 1.01, 1.02, 1.00
Tasks: 290 total,   2 running, 186 sleeping,   0 stopped,   0 zombie
%Cpu(s):  1.5 us, 26.9 sy,  0.0 ni, 71.6 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st

  PID USER      PR  NI    VIRT    RES    SHR S %CPU %MEM     TIME+ COMMAND
  360 root      20   0       0      0      0 R {cpu}  0.0 283:13.38{end}kworker/u8:2+fl
    1 root      20   0   43784   5592   3936 S  0.0  0.1   0:08.64 systemd
"""


@pytest.mark.parametrize("end", [" ", "\n"])
def test_a_command_that_a_mail_put_on_the_next_line(end: str) -> None:
    (top,) = counters(HEAD.format(cpu="99.9", end=end), "top")
    processes = top.values["processes"]
    assert isinstance(processes, list)
    commands = [row["command"] for row in processes if isinstance(row, dict)]
    assert commands == ["kworker/u8:2+fl", "systemd"]


def test_the_process_that_takes_a_processor_is_said_first() -> None:
    (busy,) = counters(HEAD.format(cpu="99.9", end=" "), "top")
    assert counters_in_short(busy.values).startswith(
        "kworker/u8:2+fl 99.9 % of a CPU, cpu system 26.9 %, cpu user 1.5 %, "
    )
    (idle,) = counters(HEAD.format(cpu="19.9", end=" "), "top")
    assert counters_in_short(idle.values).startswith("cpu system 26.9 %, cpu user 1.5 %, ")
