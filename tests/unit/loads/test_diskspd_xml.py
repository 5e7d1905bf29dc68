"""diskspd in XML. Oracle: in the sample, bytes are counts times 8192, of 1.6 million in 50 s."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "diskspd-composed"
TEXT = (OUTPUTS / "result.xml").read_text()


def test_threads_are_summed_up() -> None:
    (trial,) = trials(TEXT)
    metrics = trial.loops[0].metrics
    assert metrics["read.iops"] + metrics["write.iops"] == 1_600_000 / 50
    assert metrics["read.bandwidth"] == metrics["read.iops"] * 8192
    assert metrics["write.latency.mean"] == pytest.approx(0.8e-3)
    assert metrics["read.latency.p99_9"] == pytest.approx(2e-3)
    assert (metrics["read.latency.min"], metrics["write.latency.max"]) == (5e-5, 0.011)
    assert (trial.host, trial.version, trial.target) == ("BOX9", "2.1.0", "E:\\frob.dat")
    assert trial.options == {
        "rw": "randrw", "bs": 8192, "iodepth": 16, "numjobs": 2, "rwmixread": 75, "direct": True,
    }  # fmt: skip
    assert trial.details["cpu_usage"] == 0.125
    assert trial.details["latency of both"] == {"mean": 0.0005, "stdev": 0.00015}
    assert trial.details["file_size"] == 10 * 2**30
    assert trial.details["latency percentiles"] == {
        "read": {"42": 0.00035}, "write": {"42": 0.0007},
    }  # fmt: skip


def test_a_time_span_alone() -> None:
    (trial,) = trials(TEXT[TEXT.index("  <TimeSpan>\n    <TestTime") :])
    assert trial.loops[0].metrics["read.iops"] == 24_000
    assert trial.options == {}


@pytest.mark.parametrize("at", ["    <Thread>", "<WriteCount>", "200000</WriteCount>"])
def test_of_one_that_is_cut_off_no_sum_is_made(at: str) -> None:
    cut = TEXT[: TEXT.rindex(at) + 3]
    assert trials(cut) == []
    assert [entry for entry in read(cut) if isinstance(entry, Unread)]


def test_of_a_thread_that_is_missing_no_sum_is_made() -> None:
    first, second = TEXT.index("    <Thread>"), TEXT.rindex("    <Thread>")
    assert trials(TEXT[:first] + TEXT[second:]) == []


def test_other_results_in_xml_are_none() -> None:
    assert trials("<Results>\n  <Row>7</Row>\n</Results>\n") == []
