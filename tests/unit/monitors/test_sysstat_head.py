"""The line that sysstat prints first. Oracle: what the samples of a real sysstat say themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, subjects_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "sysstat-12.6"
HEADED = ("iostat-dk", "iostat-x", "mpstat", "pidstat-d", "sar-b", "sar-d", "sar-u")


@pytest.mark.parametrize("name", HEADED)
def test_kernel_host_and_date_of_every_tool(name: str) -> None:
    text = (OUTPUTS / f"{name}.txt").read_text()
    line = next(line for line in text.splitlines() if line.startswith("Linux"))
    _, kernel, node, date, *_ = line.split()
    for shape, given in mangled(text, wraps=False):
        (host,) = subjects_in(given)
        assert host.kind == "host"
        assert dict(host.values) == {
            "kernel_release": kernel, "nodename": node.strip("()"), "date": date,
            "architecture": "x86_64", "cpus": 2,
        }, shape  # fmt: skip


def test_a_head_without_architecture_and_none() -> None:
    table = "10:00:01        all      1.00      0.00      2.00      3.00      0.00     94.00\n"
    head = "10:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    (host,) = subjects_in(f"Linux 2.6.18-8.el5 (db01) \t11/21/2008\n\n{head}{table}")
    assert host.values == {
        "kernel_release": "2.6.18-8.el5", "nodename": "db01", "date": "11/21/2008",
    }  # fmt: skip
    for above in (
        "",
        "Linux is what runs (here) today\n\n",
        f"Linux 6.1 (a) 11/21/26\n\nso:\n{head}",
    ):
        assert subjects_in(f"{above}{head}{table}") == [], above


def test_averages_alone_name_no_host() -> None:
    text = (
        "Average:      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
        "Average:       42      2912   20.00    1.00    0.00    0.00   21.00     -  collector\n"
        "Average:        0      3335    0.99    0.99    0.00    0.00    1.98     -  agent\n"
    )
    rows = counters(text)
    assert [(row.name, row.host, row.values["time"]) for row in rows] == [
        ("2912", "", "Average"), ("3335", "", "Average"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", HEADED)
def test_its_host_is_that_of_all_below_it(name: str) -> None:
    text = (OUTPUTS / f"{name}.txt").read_text()
    assert {row.host for row in counters(text)} == {"vm"}
    assert {row.host for row in counters(f"root@db1:~# {name.partition('-')[0]} 1\n{text}")} == {
        "db1"
    }


def test_tables_below_each_other_have_the_host_of_the_line_above_the_first() -> None:
    text = (OUTPUTS / "sar-tables.txt").read_text()
    assert {row.host for row in counters(text)} == {"nas2"}
    _, *below = text.split("\n\n")
    assert {row.host for row in counters("\n\n".join(below[1:]))} == {""}
    said = text.replace("\n\n", "\n\nOn the other one, without its first line:\n\n")
    assert {row.host for row in counters(said)} == {""}
