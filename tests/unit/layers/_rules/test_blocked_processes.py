"""Processes in D: several at once, or one again and again, and not one for a moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._rules.blocked_processes import RULES
from iosonde.verbs.explain import explain

HEAD = "$ ps aux\nUSER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"


def _ps(*rows: tuple[int, str, str]) -> str:
    return HEAD + "".join(
        f"root      {pid:6d}  0.0  0.0   5000   900 ?        {state:4} 10:02   0:00 {command}\n"
        for pid, state, command in rows
    )


LS, MYSQL, CP = (31, "D+", "ls /mnt"), (32, "Dsl", "/usr/sbin/mysqld"), (33, "D", "cp a b")
IDLE = (34, "S", "sleep 9")


@pytest.mark.parametrize(("text", "said"), [
    (_ps(LS, MYSQL, CP, IDLE),
     "3 processes are in uninterruptible sleep (D), mostly for I/O: ls /mnt (31), "),
    ("\n".join([_ps(LS, IDLE)] * 3), "1 process is in uninterruptible sleep (D), mostly for I/O"),
])  # fmt: skip
def test_processes_that_wait(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "text").write_text(text)
    (finding,) = explain(str(tmp_path / "text")).findings
    assert finding.rule == RULES[0].name
    assert said in finding.message


@pytest.mark.parametrize("text", [
    _ps(LS, MYSQL, IDLE),
    _ps((2, "D", "[kworker/u16:2]"), (3, "D", "[jbd2/sda1-8]"), (4, "D", "[xfsaild/sdb]"), LS),
    _ps((5, "I", "[kworker/0:0]"), IDLE, (6, "R+", "ps aux")),
])  # fmt: skip
def test_a_moment_of_a_process_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "text").write_text(text)
    assert explain(str(tmp_path / "text")).findings == ()
