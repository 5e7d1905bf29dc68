"""ps. Oracle: the kernel's own states of this host, and rows as procps prints them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "ps-composed"
AUX, BROKEN = ((OUTPUTS / f"{name}.txt").read_text() for name in ("aux", "elf-wrapped"))
Rows = list[dict[str, object]]


def processes(text: str) -> Rows:
    (record,) = counters(text)
    assert record.tool == "ps"
    return cast("Rows", record.values["processes"])


def test_processes_of_ps_aux() -> None:
    rows = processes(AUX)
    assert [(row["pid"], row["state"]) for row in rows] == [
        (1, "Ss"), (612, "R"), (613, "D"), (9120, "Ds"), (44021, "Ds+"),
    ]  # fmt: skip
    assert rows[1]["cpu_seconds"] == 1543 * 60 + 40
    assert rows[3] == {
        "pid": 9120, "user": "postgres", "state": "Ds", "cpu": 0.035, "memory": 0.12,
        "virtual": 4 << 30, "resident": 2 << 30, "cpu_seconds": 727,
        "terminal": "?", "started": rows[3]["started"],
        "command": "postgres: checkpointer",
    }  # fmt: skip


def test_rows_that_a_mail_broke_have_their_whole_command() -> None:
    rows = processes(BROKEN)
    assert [(row["pid"], row["state"], row["waits_in"]) for row in rows] == [
        (1249, "D", "wait_w"), (4086, "D", "mddev_"), (4102, "S", "pipe_r"),
    ]  # fmt: skip
    assert str(rows[0]["command"]).endswith("-f --pid-file=/run/mdadm/mdadm.pid")
    assert rows[2]["command"] == "grep --color=auto  D"


@pytest.mark.parametrize("options", [["aux"], ["-ef"], ["-elf"], ["-eo", "pid,stat,wchan,args"]])
def test_what_ps_prints_here(options: list[str]) -> None:
    text = subprocess.run(["ps", *options], capture_output=True, text=True, check=True).stdout
    rows = {row["pid"]: row for row in processes(text)}
    assert len(rows) == len(text.splitlines()) - 1
    stat = Path("/proc/1/stat").read_text().rpartition(")")[2].split()
    state = rows[1].get("state", stat[0])
    assert str(state)[0] in "SRD"
    if "parent" in rows[1]:
        assert rows[1]["parent"] == int(stat[1])
    assert os.getpid() in rows


@pytest.mark.parametrize("text", [AUX, AUX.split("\n", 1)[1]])
def test_every_shape(text: str) -> None:
    expected = processes(text)
    for shape, changed in mangled(text, wraps=False):
        assert processes(changed) == expected, shape


@pytest.mark.parametrize("text", [
    "PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
    "  7 root      20   0       0      0      0 R 100.0   0.0 164:00.85 kworker\n",  # top
    "The PID and PPID of each CMD are shown.\n",
    "ada pts/1 2025-10-02 11:02 (192.0.2.7)\n",  # who
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not counters(text, "ps")


@pytest.mark.parametrize(("drawn", "command"), [
    (r"\_ [jbd2/sdq1-8]", "[jbd2/sdq1-8]"), ("_ [jbd2/sdq1-8]", "[jbd2/sdq1-8]"),
    (r"|   \_ fio a.fio", "fio a.fio"), ("_start -a", "_start -a"),
    ("/bin/sh -c _ x", "/bin/sh -c _ x"),
])  # fmt: skip
def test_what_forest_draws_is_no_part_of_a_command(drawn: str, command: str) -> None:
    row = f"root      2114  0.0  0.0      0     0 ?        S    May19   0:10  {drawn}\n"
    head = "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"
    (process,) = processes(f"{head}\n{row}")
    assert process["command"] == command
