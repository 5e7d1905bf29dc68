"""mpstat -N, -T and -I. Oracle: the sample's shares sum up to one, its rates to the first table."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters

OUTPUTS = Path(__file__).parents[2] / "outputs"
TEXT = (OUTPUTS / "sysstat-12.6" / "mpstat-tables.txt").read_text()
NODES, TOPOLOGY, INTERRUPTS = TEXT.split("$ ")[1:]


def test_nodes() -> None:
    every = counters(f"$ {NODES}")
    assert [row.name for row in every] == ["", "node0", "node1"]
    for row in every:
        shares = [value for name, value in row.values.items() if name.startswith("cpu_")]
        assert sum(cast("list[float]", shares)) == pytest.approx(1)
    assert every[1].values["cpu_iowait"] == 0.25


def test_topology_has_no_place_of_all_cpus() -> None:
    every = counters(f"$ {TOPOLOGY}")
    assert [row.name for row in every] == ["", "cpu0", "cpu1"]
    assert "core" not in every[0].values
    assert (every[0].values["cpu_user"], every[0].values["cpu_idle"]) == (0.2, 0.59)
    assert [row.values["core"] for row in every[1:]] == [4, 5]
    assert [row.values["node"] for row in every[1:]] == [0, 1]
    assert every[2].values["time"] == "08:15:04"


def test_interrupts_and_softirqs() -> None:
    total, *every = counters(f"$ {INTERRUPTS}")
    assert (total.name, total.values["interrupts"]) == ("", 700)
    of_hardware = [row for row in every if "LOC/s" in row.values]
    rates = [rate for row in of_hardware for rate in row.values.values() if isinstance(rate, float)]
    assert sum(rates) == 700
    assert [row.values["BLOCK/s"] for row in every if "BLOCK/s" in row.values] == [40, 3]
    assert {row.name for row in every} == {"cpu0", "cpu1"}


def test_a_table_of_as_many_columns_right_below() -> None:
    """As `mpstat -A` prints them: neither a node nor an interrupt is one of the table above."""
    cpus, nodes = (
        f"08:15:01  {key}  %usr  %nice  %sys  %iowait  %irq  %soft  %steal  %guest  %gnice  %idle\n"
        f"08:15:02    0  {share}  0.00  0.00  0.00  0.00  0.00  0.00  0.00  0.00  50.00\n\n"
        for key, share in ((" CPU", "50.00"), ("NODE", "25.00"))
    )
    hard, soft = (
        f"08:15:01  CPU  {names}\n08:15:02    0  {rates}\n\n"
        for names, rates in (("LOC/s  RES/s", "7.00  8.00"), ("HI/s  TIMER/s", "1.00  2.00"))
    )
    rows = [(row.name, row.values) for row in counters(cpus + nodes + hard + soft)]
    assert [name for name, _ in rows] == ["cpu0", "node0", "cpu0", "cpu0"]
    assert [rows[0][1]["cpu_user"], rows[1][1]["cpu_user"]] == [0.5, 0.25]
    assert rows[2][1] == {"time": "08:15:02", "LOC/s": 7, "RES/s": 8}
    assert rows[3][1] == {"time": "08:15:02", "HI/s": 1, "TIMER/s": 2}


def test_a_torn_row_is_left_out() -> None:
    torn = f"$ {INTERRUPTS}".replace("     120.00 ", "     1x0.00 ")
    assert [row.name for row in counters(torn) if "LOC/s" in row.values] == ["cpu1"]


@pytest.mark.parametrize("text", [
    "proc/s intr/s\n1 2\n",
    "08:15:05     CPU    intr/s and more\n08:15:06  all  7\n",
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not [row for row in counters(text) if row.tool == "mpstat"]
