from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from iosonde.statistics import estimates as statistics
from iosonde.statistics.student import student_t


def test_a_summary_agrees_with_scipy() -> None:
    values = [1149.5, 1133.9, 1158.8, 1141.3, 1153.6]
    metric = statistics.summarise("write.bandwidth", "B/s", values)
    low, high = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert metric.mean == pytest.approx(1147.42)
    assert metric.median == 1149.5
    assert metric.stdev == pytest.approx(np.std(values, ddof=1))
    assert metric.cv == pytest.approx(np.std(values, ddof=1) / 1147.42)
    assert metric.ci95 == pytest.approx((low, high))
    assert statistics.halfwidth(metric) == pytest.approx((high - low) / 2 / 1147.42)


def test_one_loop_has_no_spread() -> None:
    metric = statistics.summarise("write.iops", "1/s", [900.0])
    assert (metric.stdev, metric.cv, metric.ci95) == (None, None, None)
    assert statistics.halfwidth(metric) is None


def test_a_metric_that_is_always_zero_has_no_cv() -> None:
    metric = statistics.summarise("cpu.user", "cores", [0.0, 0.0])
    assert (metric.stdev, metric.cv, metric.ci95) == (0.0, None, (0.0, 0.0))


def test_no_loops_are_refused() -> None:
    with pytest.raises(ValueError, match=r"write.iops has no loops"):
        statistics.summarise("write.iops", "1/s", [])


def test_the_interval_covers_the_truth_in_95_of_100_cases() -> None:
    rng = np.random.default_rng(1)
    truth, runs, covered = 1000.0, 40_000, 0
    for cv in (0.005, 0.035):
        samples = rng.normal(truth, cv * truth, (runs, 5))
        reach = student_t(0.975, 4) * samples.std(axis=1, ddof=1) / np.sqrt(5)
        covered += int((abs(samples.mean(axis=1) - truth) <= reach).sum())
    assert covered / (2 * runs) == pytest.approx(0.95, abs=0.005)
    # The vectorised interval above is the one that summarise gives.
    metric = statistics.summarise("x", "s", samples[0].tolist())
    assert metric.ci95 is not None
    assert metric.ci95[1] - metric.mean == pytest.approx(reach[0])
