"""stress-ng and MMTests. Oracle: rates are counts over seconds, changes those of the values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.mangle import counters, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs"
HDD, FAILED = (
    (OUTPUTS / "stress-ng-composed" / f"{name}.txt").read_text() for name in ("hdd", "failed")
)
KERNELS = (OUTPUTS / "mmtests-composed" / "two-kernels.txt").read_text()


def test_a_stressor_with_exponents() -> None:
    rest = "info:  [9] dispatching hogs: 1 hdd\nstress-ng: metrc: [9] "
    rest += "stressor       bogo ops real time"
    text = (
        f"stress-ng: {rest}  usr time  sys time   bogo ops/s     bogo ops/s\n"
        "stress-ng: metrc: [9] hdd               20000 2.000e+00 4.400e-01 3.700e-01  1.00000e+04"
        "    2.46914e+04\n"
    )
    hdd, _ = counters(text)
    assert hdd.values["operations_per_second"] == 10000.0
    assert (hdd.values["seconds"], hdd.values["user_seconds"]) == (2.0, 0.44)


def test_a_stressor_with_its_metrics() -> None:
    hdd, whole = counters(HDD)
    assert (hdd.tool, hdd.kind, hdd.name) == ("stress-ng", "stressor", "hdd")
    values = cast("dict[str, float]", hdd.values)
    assert values["operations_per_second"] == values["operations"] / values["seconds"]
    cpu = values["user_seconds"] + values["system_seconds"]
    assert values["operations_per_cpu_second"] == values["operations"] / cpu
    assert values["cpu"] == cpu / 4 / values["seconds"]
    assert values["rss"] == 5000 * 1024
    assert hdd.values["metrics"] == {
        "MB/sec read rate (harmonic mean of 4 instances)": 250.5,
        "MB/sec write rate (harmonic mean of 4 instances)": 125.25,
    }
    assert whole.values["seconds"] == whole.values["completed_in_seconds"] == 60.12
    assert whole.values["cpu_available_seconds"] == 60.12 * 8
    assert (whole.values["seconds_per_stressor"], whole.values["hogs.hdd"]) == (60, 4)
    assert (whole.values["passed.hdd"], whole.values["failed"]) == (4, 0)
    assert hdd.command.startswith("stress-ng --hdd 4")
    assert hdd.host == ""  # the program's own name stands before every line


def test_metrics_whose_table_was_cut_off() -> None:
    what = "MB/sec write rate (harmonic mean of 1 instance)"
    line = f"stress-ng: metrc: [7] iomix     512.25 {what}\n"
    (iomix,) = counters(f"$ stress-ng --iomix 1 -t 9 -M\n...\n{line}...\n")
    assert iomix.values == {"metrics": {what: 512.25}}
    assert counters(line.replace("metrc", "info")) == []  # any sentence may stand in an info


def test_times_and_loads_of_a_run() -> None:
    text = HDD.replace(
        "    480.96s available CPU time\n",
        "    480.96s available CPU time\n"
        "stress-ng: info:  [4212]      20.00s user time   (  4.16%)\n"
        "stress-ng: info:  [4212] load average: 1.25 0.50 0.10\n",
    )
    *_, whole = counters(text)
    assert whole.values["cpu_user_seconds"] == 20
    assert whole.values["cpu_user"] == 0.0416
    assert whole.values["load_average"] == [1.25, 0.5, 0.1]


def test_what_failed() -> None:
    iomix, whole = counters(FAILED)
    assert iomix.values["operations_per_second"] == 500 / 10
    assert whole.values["hogs.iomix"] == 2
    failures = ["iomix: write failed, errno=5 (Input/output error)"]
    assert whole.values["failures"] == failures


def test_kernels_compared() -> None:
    (table,) = counters(KERNELS)
    assert table.tool == "mmtests"
    assert table.values["kernels"] == ["6.1.0-rc3-vanilla", "6.1.0-rc3-batchflush-v2"]
    single, eight, many, spread = cast("list[dict[str, Any]]", table.values["metrics"])
    assert (single["metric"], spread["metric"]) == ("Hmean 1", "CoeffVar 1")
    for row in (single, eight, many):
        before, after = row["values"]
        assert row["changes"] == [0, pytest.approx(after / before - 1)]
    assert spread["changes"] == [0, -0.2]  # more of it is worse
    assert eight["significant"] == [False, True]
    assert "significant" not in many
    totals = cast("dict[str, list[float]]", table.values["totals"])
    assert totals["Duration Elapsed"] == [600.1, 600.2]


@pytest.mark.parametrize("text", [HDD, FAILED, KERNELS])
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    for shape, changed in mangled(text, wraps=False):
        if "underscores" in shape:
            continue
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


def test_rows_without_their_head_have_no_names() -> None:
    rows = KERNELS[KERNELS.index("Hmean     1") : KERNELS.index("CoeffVar")]
    (table,) = counters(rows)
    assert set(table.values) == {"metrics"}


@pytest.mark.parametrize("text", [
    "Lost 12 of 400 ( 0.00%) and 13 of 500 ( 1.00%)\n",
    "Hmean  1  250.00 (   0.00%)\n",
    "stress-ng: info:  [1] dispatching hogs: 4 hdd\n",
    "The stressor       bogo ops of stress-ng: what are they?\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert counters(text) == []
