from __future__ import annotations

import numpy as np
import pytest

from iosonde.statistics.drain import cache_drain, falls
from iosonde.statistics.estimates import summarise
from iosonde.statistics.steady import Trend, findings, steady_state, trend
from tests.unit.statistics import noise


def _trends(figures: noise.Floats) -> list[Trend]:
    return [seen for row in figures.tolist() if (seen := trend([row])) is not None]


@pytest.mark.parametrize("cv", [0.005, 0.035])
def test_steady_loops_raise_an_alarm_in_at_most_5_percent(cv: float) -> None:
    rng = np.random.default_rng(1)
    seen = _trends(noise.loops(rng, 6000, 5, cv))
    assert np.mean([fit.first_loop for fit in seen]) <= 0.035
    assert np.mean([fit.drifts for fit in seen]) <= 0.04
    assert np.mean([fit.first_loop or fit.drifts for fit in seen]) <= 0.0555  # 5 % and two errors


def test_a_first_loop_effect_is_named_as_such_and_not_as_drift() -> None:
    rng = np.random.default_rng(2)
    figures = noise.loops(rng, 1500, 5, 0.012)
    figures[:, 0] *= 1.10
    seen = _trends(figures)
    assert np.mean([fit.first_loop for fit in seen]) > 0.9
    assert np.mean([fit.drifts for fit in seen]) < 0.06
    assert np.median([fit.first for fit in seen]) == pytest.approx(0.1, abs=0.005)


def test_drift_is_named() -> None:
    rng = np.random.default_rng(3)
    figures = noise.loops(rng, 1500, 5, 0.012) * (1 - 0.03 * np.arange(5))
    seen = _trends(figures)
    assert np.mean([fit.drifts for fit in seen]) > 0.9
    assert np.median([fit.drift for fit in seen]) == pytest.approx(-0.127, abs=0.01)


def test_few_loops_say_nothing_and_equal_loops_raise_no_alarm() -> None:
    assert trend([[1.0, 2.0, 3.0]]) is None
    assert trend([[0.0] * 5]) is None
    equal = trend([[7.0] * 5])
    assert equal is not None
    assert not equal.first_loop
    assert not equal.drifts
    jump = trend([[8.0, 7.0, 7.0, 7.0, 7.0]])
    assert jump is not None
    assert jump.first_loop


def test_a_finding_shows_its_figures() -> None:
    metric = summarise("write.bandwidth", "B/s", [1.4e9, 1.2e9, 1.201e9, 1.199e9, 1.2e9])
    (finding,) = findings(metric, subject="certification at md0")
    assert finding.rule == "first-loop"
    assert "16.7 % above the mean of the other 4 (1.12 GiB/s)" in finding.message
    assert [evidence.what for evidence in finding.evidence] == [
        "first loop", "mean of the others", "probability by chance"
    ]  # fmt: skip
    falling = summarise("write.iops", "1/s", [1000, 961, 919, 882, 840])
    (drift,) = findings(falling, subject="x")
    assert drift.rule == "drift"
    assert "falls by 17" in drift.message


def test_steady_state_is_a_range_and_a_slope() -> None:
    assert steady_state([100, 101, 99, 100, 100]).reached
    assert steady_state([900, 300, 100, 101, 99, 100, 100]).reached  # the last five count
    assert not steady_state([100, 101, 99, 100]).reached  # four rounds
    wide = steady_state([110, 89, 110, 89.9, 100])
    assert wide.range == pytest.approx(21 / 99.78)
    assert not wide.reached
    rising = steady_state([94, 97, 100, 103, 106])
    assert rising.slope == pytest.approx(0.12)
    assert not rising.reached
    assert steady_state([95, 97.5, 100, 102.5, 105]).reached  # exactly 10 %
    assert not steady_state([]).reached


@pytest.mark.parametrize(("rho", "spread"), [(0.0, 0.05), (0.5, 0.3), (0.9, 0.05), (0.98, 0.05)])
def test_loops_without_a_fall_raise_an_alarm_in_at_most_5_percent(
    rho: float, spread: float
) -> None:
    rng = np.random.default_rng(4)
    calm = 1000 * np.exp(spread * noise.ar1(rng, 600 * 5, 60, rho)).reshape(600, 5, 60)
    assert np.mean([bool(falls(figures.tolist())) for figures in calm]) <= 0.06


def test_a_cache_that_fills_up_in_every_loop_is_seen_in_spite_of_memory() -> None:
    rng = np.random.default_rng(5)
    series = 1000 * np.exp(0.05 * noise.ar1(rng, 200 * 5, 60, 0.9)).reshape(200, 5, 60)
    series[:, :, 25:] *= 0.6
    seen = [falls(readings.tolist()) for readings in series]
    assert np.mean([len(drops) >= 4 for drops in seen]) > 0.95
    assert np.median([drops[0].second for drops in seen if drops]) == 25


def test_a_cache_that_fills_up_once_is_seen_where_seconds_are_independent() -> None:
    rng = np.random.default_rng(6)
    loops = (1e9 * (1 + 0.05 * rng.normal(size=(5, 60)))).tolist()
    loops[0][30:] = [value * 0.5 for value in loops[0][30:]]
    finding = cache_drain(loops, metric="write.bandwidth", unit="B/s", subject="x")
    assert finding is not None
    assert finding.rule == "cache-drain"
    assert "in 1 of 5 loops" in finding.message
    assert "after 30 s, by 5" in finding.message
    assert cache_drain([[1e9] * 60] * 5, metric="m", unit="B/s", subject="x") is None
    assert cache_drain([], metric="m", unit="B/s", subject="x") is None


def test_a_first_loop_before_which_nothing_came() -> None:
    """All later loops are 0: nothing can be said in shares of their mean."""
    metric = summarise("write.iops", "1/s", [900.0, 0.0, 0.0, 0.0, 0.0])
    assert all(finding.rule != "first-loop" for finding in findings(metric, subject="load"))
