"""`time` of a command whose output stands between. Oracle: the shell's own times."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.mangle import counters, states, trials

TIMES = "\nreal\t{}m1.796s\nuser\t0m0.041s\nsys\t0m1.528s\n"


def test_the_command_stands_above_the_output_that_another_reads(tmp_path: Path) -> None:
    image = tmp_path / "disk.img"
    with image.open("wb") as file:
        file.truncate(8 << 20)
    command = f"/sbin/mke2fs -F {image}"
    done = subprocess.run(
        ["bash", "-c", f"time {command}"], capture_output=True, text=True, check=True
    )
    text = f"# time {command}\n{done.stdout}{done.stderr}"
    (trial,) = trials(text)
    minutes, seconds = re.findall(r"^real\t(\d+)m([\d.]+)s$", text, re.MULTILINE)[0]
    assert trial.command == command
    assert trial.loops[0].metrics["elapsed"] == pytest.approx(int(minutes) * 60 + float(seconds))
    assert [state.tool for state in states(text)] == ["mke2fs"]


def test_a_loop_s_times_are_all_of_its_command() -> None:
    of_loop = (
        "$ for x in {1..2}; do rm -rf t; time mkdir t; done\n" + TIMES.format(0) + TIMES.format(3)
    )
    assert [trial.command for trial in trials(of_loop)] == ["mkdir t; done"] * 2
    assert [trial.elapsed for trial in trials(of_loop)] == [(1.796,), (181.796,)]


def test_a_second_time_without_a_loop_is_of_no_command_that_is_known() -> None:
    text = "$ time ./both.sh\n" + TIMES.format(0) + "now the other\n" + TIMES.format(3)
    assert [trial.command for trial in trials(text)] == ["./both.sh"]
    assert [row.values["real"] for row in counters(text)] == [181.796]


def test_zsh_names_the_command_in_an_indented_block() -> None:
    text = '  bash -c "seq 9 | shuf >/dev/null"  0.18s user 0.03s system 104% cpu 0.196 total\n'
    (trial,) = trials(text)
    assert trial.command == 'bash -c "seq 9 | shuf >/dev/null"'
    assert trial.loops[0].metrics["elapsed"] == 0.196
