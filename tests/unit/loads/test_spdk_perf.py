"""SPDK's perf. Oracle: the sums of its rows, sizes times requests, and its source's format."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read, trials, unread_in

SAMPLE = Path(__file__).parents[2] / "outputs" / "benchmarks-composed" / "spdk-perf.txt"
TEXT = SAMPLE.read_text()
TABLE = TEXT[TEXT.index("====") :]


def test_a_run_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        (trial,) = trials(given)
        figures = trial.loops[0].metrics
        assert figures["read.iops"] == 96000.0, shape
        assert figures["read.bandwidth"] == 96000 * 8192, shape
        assert figures["read.latency.mean"] == pytest.approx(665.67e-6), shape
        assert (figures["read.latency.min"], figures["read.latency.max"]) == pytest.approx(
            (81.5e-6, 12.04e-3)
        ), shape


def test_what_it_was_and_what_each_core_did() -> None:
    (trial,) = trials(TEXT)
    assert trial.options == {"rw": "randread", "bs": 8192, "iodepth": 32, "runtime": 20}
    assert trial.target == "TCP 10.9.8.7"
    cores = trial.details["cores"]
    assert isinstance(cores, list)
    rows = [core for core in cores if isinstance(core, dict)]
    assert sum(row["iops"] for row in rows) == trial.loops[0].metrics["read.iops"]  # type: ignore[misc]
    mean = sum(row["iops"] * row["latency.mean"] for row in rows) / 96000  # type: ignore[misc,operator]
    assert mean == pytest.approx(trial.loops[0].metrics["read.latency.mean"], rel=1e-5)
    assert trial.loops[0].metrics["read.latency.p99_9"] == pytest.approx(4200.5e-6)


HEAD = "Device Information           :       IOPS      MiB/s    Average        min        max"


@pytest.mark.parametrize("head", [HEAD, HEAD.replace(" : ", "   ")])
def test_the_device_is_that_of_the_row_and_no_part_of_the_head(head: str) -> None:
    row = "SPDK bdev Controller (SPDK01  ) from core 2:  500.00  1.95  665.67  81.50  4831.55\n"
    (kept,) = counters(f"{head}\n{row}")
    cores = kept.values["cores"]
    assert isinstance(cores, list)
    (core,) = cores
    assert isinstance(core, dict)
    assert core["device"] == "SPDK bdev Controller (SPDK01  )"


@pytest.mark.parametrize("text", [TABLE, TEXT.replace("-w randread", "-w randrw -M 70")])
def test_without_a_direction_the_figures_are_kept(text: str) -> None:
    assert not trials(text)
    (kept,) = counters(text)
    assert (kept.tool, kept.values["iops"]) == ("spdk perf", 96000.0)
    assert kept.values["latency.max"] == pytest.approx(12.04e-3)


def test_the_head_of_older_versions_and_one_core() -> None:
    old = TEXT.replace("MiB/s ", "MB/s  ").replace("-o 8192", "-s 8192")
    row = next(line for line in old.split("\n") if "from core  1" in line)
    alone = "\n".join(line for line in old.split("\n") if line != row and "Total" not in line)
    (trial,) = trials(alone)
    assert trial.options["bs"] == 8192
    assert trial.loops[0].metrics["read.bandwidth"] == 500 * 2**20


def test_two_runs_below_each_other() -> None:
    second = TEXT.replace("randread", "randwrite").replace("96000.00", "95000.00")
    assert [
        (name, value)
        for trial in trials(TEXT + second)
        for name, value in trial.loops[0].metrics.items()
        if name.endswith("iops")
    ] == [("read.iops", 96000.0), ("write.iops", 95000.0)]


def test_a_cut_before_the_sum_is_not_guessed() -> None:
    cut = TEXT[: TEXT.index("Total")]
    (entry,) = unread_in(cut)
    assert "sum" in entry.reason


@pytest.mark.parametrize(
    "text",
    [
        "Device Information : IOPS of each device, and nothing else\nsda : many\n",
        "The packet came from core 7: 10.00 20.00 in all.\n",
        "perf: 3 samples from core  0: 64000.00 500.00 499.25\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not trials(text)
    assert all(entry.tool != "spdk perf" or isinstance(entry, Unread) for entry in read(text))
