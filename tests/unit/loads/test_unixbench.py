"""UnixBench and the Phoronix Test Suite. Oracle: an index is ten times result over baseline."""

from __future__ import annotations

from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled, unread_in

OUTPUTS = Path(__file__).parents[2] / "outputs" / "benchmarks-composed"
UNIXBENCH, PHORONIX = ((OUTPUTS / f"{name}.txt").read_text() for name in ("unixbench", "phoronix"))


def _values(row: PrintedCounters) -> dict[str, float]:
    return cast("dict[str, float]", row.values)


def test_scores_indices_and_their_mean() -> None:
    *tests, whole = counters(UNIXBENCH, "UnixBench")
    assert len(tests) == 12
    for test in tests:
        values = _values(test)
        scale = {"bandwidth": 1 / 1024, "operations_per_second": 1.0, "mwips": 1.0}
        name = next(name for name in scale if name in values)
        per_minute = 60 if test.name.startswith("Shell") else 1
        result = values[name] * scale[name] * per_minute
        assert values["index"] == pytest.approx(10 * result / values["baseline"], rel=2e-4)
    mean = exp(fmean(log(_values(test)["index"]) for test in tests))
    assert whole.values["index"] == pytest.approx(mean, rel=1e-4)
    assert (whole.values["cpus"], whole.values["copies"], whole.host) == (1, 1, "heron")


def test_two_runs_are_two() -> None:
    second = UNIXBENCH.split("Run: ")[1].replace(
        "1 CPU in system; running 1 parallel copy", "4 CPUs in system; running 4 parallel copies"
    )
    rows = counters(UNIXBENCH + "Benchmark Run: " + second, "UnixBench")
    assert [row.values["copies"] for row in rows if not row.name] == [1, 4]


def test_an_index_of_a_part() -> None:
    text = (
        "System Benchmarks Partial Index              BASELINE       RESULT    INDEX\n"
        "System Call Overhead                          15000.0    3000000.0   2000.0\n"
        "                                                                   ========\n"
        "System Benchmarks Index Score (Partial Only)                         2000.0\n"
    )
    call, whole = counters(text, "UnixBench")
    assert call.values == {"index": 2000.0, "baseline": 15000.0}
    assert whole.values == {"index_of_part": 2000.0}


def test_each_figure_of_a_test_has_its_unit_and_results() -> None:
    speed, rate = counters(PHORONIX, "phoronix-test-suite")
    assert (speed.name, speed.values["unit"], rate.values["unit"]) == (
        "pts/fio-1.14.1", "MB/s", "IOPS",
    )  # fmt: skip
    for row in (speed, rate):
        results = cast("list[float]", row.values["results"])
        assert fmean(results) == row.values["average"]
        assert str(row.values["options"]).startswith("Type: Random Read")
    assert speed.values["deviation"] == pytest.approx(0.0074)


def test_a_test_without_a_result_says_nothing() -> None:
    text = PHORONIX.partition("    Average")[0]
    assert not counters(text, "phoronix-test-suite")
    assert unread_in(text)


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(UNIXBENCH, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    assert counters(text, "UnixBench")[-1].values == counters(UNIXBENCH)[-1].values, shape
    assert len(counters(text, "UnixBench")) == 13


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(PHORONIX, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled_results(shape: str, text: str) -> None:
    given = [row.values for row in counters(text, "phoronix-test-suite")]
    assert given == [row.values for row in counters(PHORONIX)], shape
