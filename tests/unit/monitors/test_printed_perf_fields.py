"""perf stat -x, -I. Oracle: the metric behind a count is it, divided by the processors' time."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled

TEXT = (
    Path(__file__).parents[2] / "outputs" / "tracers-composed" / "perf-stat-fields.txt"
).read_text()


def test_counts_of_each_interval() -> None:
    (row,) = counters(TEXT)
    assert row.values["time"] == [1.00025, 2.0005]
    assert row.values["cpu-clock"] == [4.0005, 4.00025]
    assert row.values["cpu-cycles"] == [None, None]
    (faults, _), (clock, _) = (
        cast("list[float]", row.values[name]) for name in ("major-faults", "cpu-clock")
    )
    assert faults / clock == pytest.approx(3.0, rel=1e-3)
    assert row.command.startswith("perf stat -a -x,")


def test_without_intervals() -> None:
    (row,) = counters(
        "12,,page-faults,4000250000,100.00,,\n3.25,msec,task-clock,3250000,100.00,,\n"
    )
    assert row.values == {"page-faults": [12], "task-clock": [0.00325]}


def test_every_shape() -> None:
    expected = [dict(row.values) for row in counters(TEXT)]
    assert expected
    for shape, changed in mangled(TEXT.rstrip(), wraps=False):
        assert [dict(row.values) for row in counters(changed)] == expected, shape


@pytest.mark.parametrize("text", [
    "perf stat -e cpu-cycles,instructions,page-faults,context-switches sleep 1\n",
    "12,,page-faults,often\n",
])  # fmt: skip
def test_others(text: str) -> None:
    assert counters(text) == []
