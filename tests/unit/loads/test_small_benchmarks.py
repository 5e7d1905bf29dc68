"""elbencho, vdbench, kbench and programs that print a few rates.

Oracle: the samples' own arithmetic: requests times their size are the bytes, means are means.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import cast

import pytest

from iosonde.records.printed import PrintedTrial
from tests.mangle import counters, mangled, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "benchmarks-composed"
VDBENCH, FILES, ELBENCHO, KBENCH, ROWS, LISTS = (
    (OUTPUTS / f"{name}.txt").read_text()
    for name in ("vdbench", "vdbench-files", "elbencho", "kbench", "speed-rows", "rate-lists")
)


def figures(trial: PrintedTrial) -> dict[str, float]:
    return dict(trial.loops[0].metrics)


def test_vdbench_says_its_average_without_the_first_interval() -> None:
    (trial,) = trials(VDBENCH)
    metrics = figures(trial)
    assert metrics["read.iops"] * 8192 == metrics["read.bandwidth"]
    options = {"rw": "read", "bs": 8192, "numjobs": 4, "runtime": 4}
    assert (trial.label, trial.options) == ("rd7", options)
    average = cast("dict[str, float]", trial.details["avg_2-4"])
    assert (average["cpu% sys+u"], average["queue depth"]) == (10.8, 4)
    assert average["i/o rate"] == metrics["read.iops"]
    assert trial.details["date"] == "Mar 04, 2025"
    assert metrics["read.latency.max"] == 18.5e-3
    cut = VDBENCH[: VDBENCH.index("14:02:04.060")]
    (alone,) = trials(cut)
    assert fmean(loop.metrics["read.iops"] for loop in alone.loops) == metrics["read.iops"]
    intervals = alone.details["intervals"]
    assert isinstance(intervals, list)
    assert len(intervals) == 4


def test_a_mixed_run_of_vdbench_has_both_ways_apart() -> None:
    mixed = VDBENCH.replace(
        " 100.00    2.841    2.841    0.000", "  75.00    2.841    2.500    4.000"
    )
    (trial,) = trials(mixed)
    metrics = figures(trial)
    assert (metrics["read.iops"], metrics["write.iops"]) == (1056, 352)
    assert (metrics["read.latency.mean"], metrics["write.latency.mean"]) == (2.5e-3, 4e-3)
    assert "read.bandwidth" not in metrics


def test_vdbench_s_report_of_files_has_reads_and_writes_and_the_other_operations() -> None:
    (trial,) = trials(FILES)
    metrics = figures(trial)
    for way, mean in (("read", 2e-3), ("write", 4e-3)):
        assert metrics[f"{way}.iops"] * 4096 == metrics[f"{way}.bandwidth"]
        assert metrics[f"{way}.latency.mean"] == mean
    options = {"rw": "rw", "bs": 4096, "numjobs": 8, "runtime": 4}
    assert (trial.label, trial.options) == ("rd1", options)
    assert trial.details["create"] == {"rate": 50.0, "latency": 0.25e-3}
    assert (trial.details["cpu_total"], "mkdir" in trial.details) == (0.135, False)
    assert len(cast("list[object]", trial.details["intervals"])) == 4
    (alone,) = trials(FILES[: FILES.index("02:06:12.031")])
    assert fmean(loop.metrics["read.iops"] for loop in alone.loops) == metrics["read.iops"]


def test_a_run_of_vdbench_without_reads_and_writes_is_counters() -> None:
    made = FILES.replace("960.0  2.000  320.0  4.000", "  0.0  0.000    0.0  0.000")
    assert not trials(made)
    (row,) = counters(made, "vdbench")
    assert (row.name, row.kind) == ("rd1", "operations")
    assert row.values["open"] == {"rate": 50.0, "latency": 0.125e-3}


@pytest.mark.parametrize(("shape", "text"), list(mangled(FILES)))
def test_torn_reports_of_files_have_these_figures_or_none(shape: str, text: str) -> None:
    for trial in trials(text):
        assert figures(trial)["read.iops"] in {960.0, 768.0}, shape


@pytest.mark.parametrize("text", [
    FILES.replace(" 0.063\n", "\n"),  # columns without names
    FILES[: FILES.index("02:06:09.045")],
    "Interval and ReqstdOps are columns of vdbench\n",
])  # fmt: skip
def test_no_figures_of_vdbench_are_guessed(text: str) -> None:
    assert not trials(text)
    assert not counters(text, "vdbench")


def test_elbencho_says_what_was_done_when_the_last_thread_was() -> None:
    write, again = trials(ELBENCHO)
    assert figures(write)["write.iops"] * 2**20 == figures(write)["write.bandwidth"]
    assert write.elapsed == (64.0,)
    assert figures(write)["write.bandwidth"] * 64 == 131072 * 2**20
    assert figures(write)["write.latency.p99_9"] == pytest.approx(57344e-6)
    assert again.options == {
        "rw": "read", "bs": 2**20, "size": 8 * 2**30, "numjobs": 16, "direct": True,
    }  # fmt: skip
    (removed,) = counters(ELBENCHO)
    assert (removed.name, removed.values["Files/s"]) == ("RMFILES", {"first": 20, "last": 20})
    without_head = ELBENCHO[ELBENCHO.index("WRITE  ") :]
    assert [figures(trial) for trial in trials(without_head)] == [figures(write), figures(again)]


TABLE = ELBENCHO[ELBENCHO.index("OPERATION") : ELBENCHO.index("READ ")]
SWEEP = "Working on {} with 56 threads...\n"
NOTE = "NOTE: File size is not a multiple of block size times number of I/O threads.\n"


def test_a_sweep_of_elbencho_names_the_files_of_each_table() -> None:
    paths = ["/data/sweep/1048576x1KiB", "/data/sweep/2x512GiB", "./1x1024GiB"]
    text = "".join(SWEEP.format(path) + NOTE + TABLE for path in paths)
    every = trials(text)
    assert [trial.target for trial in every] == paths
    assert [trial.label for trial in every] == ["WRITE 1048576x1KiB", "WRITE 2x512GiB",
                                                "WRITE 1x1024GiB"]  # fmt: skip
    assert {trial.options["numjobs"] for trial in every} == {56}


@pytest.mark.parametrize(
    "above",
    [
        SWEEP.format("/data/a") + TABLE,  # of the table above
        "We are Working on /data/a with 56 threads...\n",
        SWEEP.format("/data/a") + "\n" * 6,
        "",
    ],
)
def test_a_table_without_a_line_of_a_sweep_above_it_has_no_files(above: str) -> None:
    last = trials(above + TABLE)[-1]
    assert (last.target, last.label) == ("", "WRITE")


def test_kbench_has_a_load_of_each_kind() -> None:
    every = {str(trial.options["rw"]): figures(trial) for trial in trials(KBENCH)}
    assert list(every) == ["randread", "randwrite", "read", "write"]
    for way, figure in (("randread", 40960), ("randwrite", 20480), ("read", 81920)):
        plain = way.removeprefix("rand")
        assert every[way][f"{plain}.iops"] == figure
        assert every[way][f"{plain}.bandwidth"] == figure * 4096
    assert every["write"]["write.latency.mean"] == pytest.approx(0.5e-3)


COMPARED = (OUTPUTS / "kbench-compared.txt").read_text()


def test_kbench_compares_two_volumes() -> None:
    every = {trial.label: trial for trial in trials(COMPARED)}
    assert len(every) == 8
    first, second = every["Plain random read"], every["Spread random read"]
    assert (figures(first)["read.iops"], figures(second)["read.iops"]) == (80000, 60000)
    assert first.options == {"rw": "randread", "size": 30 * 2**30}
    assert first.details["cpu_idle"] == {"iops": 0.8, "bandwidth": 0.9, "latency": 0.85}
    assert second.details["cpu_idle"] == {"iops": 0.5, "bandwidth": 0.75, "latency": 0.7}
    change = second.details["change against Plain"]
    assert isinstance(change, dict)
    assert change["iops"] == 60000 / 80000 - 1
    assert change["latency.mean"] == 3.0
    assert change["cpu_idle"] == {"iops": -0.3, "bandwidth": -0.15, "latency": -0.15}
    assert every["Plain sequential write"].details["quick_mode"] == "disabled"


def test_kbench_of_a_mode_that_measures_one_direction() -> None:
    text = (
        "=========================\nFIO Benchmark Summary\nFor: disk7\nCPU Idleness Profiling: "
        "disabled\nSize: 9g\nMode: random-read-iops\n=========================\n"
        "IOPS (Read/Write)\n        Random:                 51,200 / \n    Sequential:      / \n"
    )
    (trial,) = trials(text)
    assert figures(trial) == {"read.iops": 51200}
    assert (trial.label, trial.options["size"]) == ("disk7 random read", 9 * 2**30)
    assert trial.details["mode"] == "random-read-iops"
    old = text.replace("Size: 9g\nMode: random-read-iops", "SIZE: 9g\nQUICK MODE: DISABLED")
    assert trials(old)[0].details["quick_mode"] == "disabled"


def test_rows_of_speeds_are_reads_and_writes() -> None:
    every = trials(ROWS)
    assert [trial.options["rw"] for trial in every[::2]] == ["read"] * 2 + ["randread"] * 2
    assert every[5].options == {"rw": "randwrite", "bs": 4096, "iodepth": 32, "numjobs": 16}
    assert figures(every[6]) == {"read.bandwidth": 40.5e6}
    assert figures(every[7]) == {"write.bandwidth": 80.5e3}


def test_lists_of_rates() -> None:
    bonnie, uring, nas = trials(LISTS)
    assert figures(bonnie) == pytest.approx(
        {"write.bandwidth": 1048.58e6, "read.bandwidth": 2097.15e6}
    )
    assert bonnie.details == {"iops": 32000}
    assert [loop.metrics["read.iops"] for loop in uring.loops] == [1.02e6, 1.05e6]
    assert uring.loops[1].metrics["read.bandwidth"] == 512 * 2**20
    assert uring.options["bs"] == 512
    assert nas.averages["write.bandwidth"] == pytest.approx(
        fmean(loop.metrics["write.bandwidth"] for loop in nas.loops)
    )
    assert nas.target == "N:"


@pytest.mark.parametrize(
    "text",
    [
        "interval        i/o   MB/sec is how vdbench heads 1024**2 bytes\n",
        "WRITE Throughput MiB/s : is a line of elbencho\n",
        "FIO Benchmark Summary says IOPS (Read/Write) of both\n",
        "Name  READ  WRITE\nthe first   12MB/s and then 13MB/s\nthe second 12MB/s\n",
        "Sequential Write MB/s: fast\nIOS/call=32/31 is good\n",
        "Running a 400MB file write on N: takes long\n",
    ],
)
def test_prose_about_them_is_no_result(text: str) -> None:
    assert not trials(text)
    assert not counters(text)
