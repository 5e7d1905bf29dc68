"""The latency of fsync, fdatasync and sync_file_range, which fio counts in its own ways."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from iosonde.loads.fio.result import find_document
from tests.fio_result import read_document
from tests.mangle import trials

OUTPUTS = Path(__file__).parents[3] / "outputs" / "fio-3.33-normal"
CALLS = {"commit": 206, "fsync": 395, "range": 5632, "mixed": 1763}
"""Printed among short I/Os by fio 3.33, but for fsync."""


def document_of(name: str) -> dict[str, Any]:
    document = find_document((OUTPUTS / f"{name}.out").read_text())
    assert document is not None
    return dict(document)


@pytest.mark.parametrize("name", CALLS)
def test_every_kind_of_sync_has_its_latency(name: str) -> None:
    document = document_of(name)
    result = read_document(json.dumps(document))
    stat = document["jobs"][0]["sync"]["lat_ns"]
    assert result.issued["sync"] == stat["N"] == CALLS[name]
    for ours, theirs in (("mean", "mean"), ("min", "min"), ("max", "max"), ("stdev", "stddev")):
        assert result.metrics[f"sync.latency.{ours}"] == pytest.approx(stat[theirs] * 1e-9)
    assert result.metrics["sync.latency.p99"] == stat["percentile"]["99.000000"] * 1e-9
    assert result.units["sync.latency.mean"] == "s"


def test_a_write_and_its_sync_take_the_time_that_the_rate_leaves() -> None:
    """One job, one in flight, a sync after each write: both together are the time of an I/O."""
    metrics = read_document(json.dumps(document_of("commit"))).metrics
    both = metrics["write.latency.mean"] + metrics["sync.latency.mean"]
    assert both == pytest.approx(1 / metrics["write.iops"], rel=0.02)
    assert metrics["write.latency.mean"] < 0.05 * metrics["sync.latency.mean"]


@pytest.mark.parametrize("bins", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_before_3_18_the_calls_are_counted_by_bins_or_strays(name: str, bins: bool) -> None:
    """fio 3.4 to 3.17 print neither "N" nor, for fdatasync, a total."""
    document = document_of(name)
    job = document["jobs"][0]
    stat = job["sync"]["lat_ns"]
    if bins:
        stat["bins"] = {"90000": CALLS[name] - 1, "180000": 1}
    del stat["N"]
    result = read_document(json.dumps(document))
    assert result.issued["sync"] == CALLS[name]
    assert result.metrics["sync.latency.mean"] == pytest.approx(stat["mean"] * 1e-9)


def test_jobs_are_weighted_by_their_calls() -> None:
    document = document_of("commits")
    stats = [job["sync"]["lat_ns"] for job in document["jobs"]]
    total = sum(stat["N"] for stat in stats)
    result = read_document(json.dumps(document))
    assert result.issued["sync"] == total
    mean = sum(stat["mean"] * stat["N"] for stat in stats) / total * 1e-9
    assert result.metrics["sync.latency.mean"] == pytest.approx(mean)


@pytest.mark.parametrize("name", ["write", "read", "trim"])
def test_a_load_without_syncs_has_no_latency_of_them(name: str) -> None:
    """Near miss: `write` ends with one fsync (end_fsync), of which fio takes no latency."""
    result = read_document(json.dumps(document_of(name)))
    assert "sync" not in result.issued
    assert not [metric for metric in result.metrics if metric.startswith("sync.")]


@pytest.mark.parametrize("name", ["commit", "fsync", "range", "mixed"])
def test_in_text_syncs_are_no_short_reads(name: str) -> None:
    text = (OUTPUTS / f"{name}.out").read_text()
    (printed_trial,) = [trial for trial in trials(text) if "date" in trial.details]
    assert printed_trial.loops[0].issued["sync"] == CALLS[name]
    assert "short" not in printed_trial.details
    printed = re.search(r"sync \(usec\): min=.*avg= *([\d.]+)", text)
    assert printed
    assert printed_trial.loops[0].metrics["sync.latency.mean"] == pytest.approx(
        float(printed[1]) * 1e-6
    )


def test_in_text_short_reads_beside_fsyncs_stay_short_reads() -> None:
    """Near miss: a mixed load with fsync, whose calls are counted where they belong."""
    text = (OUTPUTS / "fsync.out").read_text()
    text = text.replace("total=0,1580,0,395 short=0,0", "total=1580,1580,0,395 short=3,0")
    (printed_trial,) = [trial for trial in trials(text) if "date" in trial.details]
    assert printed_trial.loops[0].issued == {"read": 1580, "write": 1580, "sync": 395}
    assert printed_trial.details["short"] == {"read": 3, "write": 0, "trim": 0}


def test_cpu_per_io_counts_no_syncs() -> None:
    result = read_document(json.dumps(document_of("fsync")))
    cores = result.metrics["cpu.user"] + result.metrics["cpu.system"]
    used = cores * result.metrics["elapsed"]
    assert result.metrics["cpu.per_io"] == pytest.approx(used / result.issued["write"])
