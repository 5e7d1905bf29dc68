from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.measure.combine import together
from iosonde.records.load import Histogram
from iosonde.records.run import Loop
from tests.unit.measure import build

CALM = {"read": Histogram((1e-4, 1e-3), (990, 10))}
STALLED = {"read": Histogram((1e-4, 1e-1), (90, 10))}


def _loop(index: int, iops: float, p99: float, histogram: dict[str, Histogram]) -> Loop:
    figures = {
        "read.iops": iops,
        "read.bandwidth": iops * 4096,
        "read.latency.mean": 1 / iops,
        "read.latency.max": p99 * 2,
        "read.latency.stdev": 1e-5,
        "read.latency.p99": p99,
        "cpu.user": 0.2,
        "elapsed": 60.0 + index,
    }
    return build.loop(index, figures, histograms=histogram)


def test_hosts_add_up_and_percentiles_are_merged() -> None:
    quick = build.trial([_loop(i, 1000, 1e-3, CALM) for i in range(3)], host="n1")
    slow = build.trial([_loop(i, 100, 1e-1, STALLED) for i in range(2)], host="n2")
    metrics = {metric.name: metric for metric in together([quick, slow])}
    assert metrics["read.iops"].loops == (1100.0, 1100.0)  # loops that both have finished
    assert metrics["read.bandwidth"].mean == 1100 * 4096
    assert metrics["read.latency.mean"].mean == pytest.approx(2 / 1100)  # weighted by I/Os
    assert metrics["read.latency.max"].mean == 0.2
    assert metrics["read.latency.p99"].loops == (1e-3, 1e-3)  # not 0.0505
    assert metrics["read.latency.p99"].merged == 1e-3
    assert metrics["cpu.user"].mean == pytest.approx(0.4)
    assert metrics["elapsed"].loops == (60.0, 61.0)
    assert "read.latency.stdev" not in metrics


def test_cpu_per_io_of_several_hosts_is_weighted_by_their_ios() -> None:
    def host(per_io: float, ios: int) -> Loop:
        made = _loop(0, 1000, 1e-3, CALM)
        figures = {**made.result.metrics, "cpu.system": 0.1, "cpu.per_io": per_io}
        issued = {"read": ios, "sync": 5000}
        return replace(made, result=replace(made.result, metrics=figures, issued=issued))

    trials = [build.trial([host(*pair)], host=str(pair)) for pair in ((1e-5, 1000), (4e-5, 2000))]
    metrics = {metric.name: metric for metric in together(trials)}
    assert metrics["cpu.per_io"].mean == pytest.approx(3e-5)


def test_without_histograms_there_is_no_percentile_of_several_hosts() -> None:
    trials = [build.trial([_loop(0, 1000, 1e-3, {})], host=host) for host in ("n1", "n2")]
    assert "read.latency.p99" not in {metric.name for metric in together(trials)}
    assert together([]) == ()
