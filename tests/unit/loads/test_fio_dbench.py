"""The summary of the image that measures a volume of Kubernetes by fio.

Oracle: the figures of the sample, read by hand: k is 1000, MiB 2²⁰, and usec 10⁻⁶ seconds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "benchmarks-composed"
SUMMARY = (OUTPUTS / "fio-dbench.txt").read_text()
MIB = 1 << 20


def test_each_figure_is_of_a_load_of_its_own() -> None:
    assert [(trial.label, trial.options["rw"], dict(trial.loops[0].metrics))
            for trial in trials(SUMMARY)] == [
        ("random read", "randread", {"read.iops": 20500}),
        ("random write", "randwrite", {"write.iops": 4096}),
        ("random read bandwidth", "randread", {"read.bandwidth": 512 * MIB}),
        ("random write bandwidth", "randwrite", {"write.bandwidth": 1536 * MIB}),
        ("random read latency", "randread", {"read.latency.mean": pytest.approx(250.25e-6)}),
        ("sequential read", "read", {"read.bandwidth": 640 * MIB}),
        ("sequential write", "write", {"write.bandwidth": 320 * MIB}),
        ("mixed random reads and writes", "randrw", {"read.iops": 6000, "write.iops": 2000}),
    ]  # fmt: skip


def test_a_latency_that_is_no_volumes_is_not_taken_for_microseconds() -> None:
    """fio gave it in milliseconds: the script leaves the unit out."""
    names = [name for trial in trials(SUMMARY) for name in trial.loops[0].metrics]
    assert "write.latency.mean" not in names


def test_a_quick_run_has_its_first_line_alone_and_cut_figures_none() -> None:
    quick = "\n".join(SUMMARY.split("\n")[2:6])
    assert len(trials(quick)) == 4
    (cut,) = trials("= Dbench Summary =\nRandom Read/Write IOPS: /77.\n")
    assert cut.label == "random write"


def test_sambas_dbench_is_another() -> None:
    (other,) = read("Throughput 512.5 MB/sec  4 clients  4 procs  max_latency=12.345 ms\n")
    assert other.tool == "dbench"
