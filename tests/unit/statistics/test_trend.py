"""Changes of level in a series of runs, and how often they are seen where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from iosonde.statistics.trend import level_changes

CV = 0.012
NIGHTS = 30


def nights(seed: int, count: int = NIGHTS, memory: float = 0.0) -> NDArray[np.float64]:
    """Runs of one level; `memory` is the correlation of neighbours (AR(1))."""
    draw = np.random.default_rng(seed).standard_normal(count)
    noise = draw.copy()
    for at in range(1, count):
        noise[at] = memory * noise[at - 1] + (1 - memory**2) ** 0.5 * draw[at]
    values: NDArray[np.float64] = 9800.0 * np.exp(CV * noise)
    return values


def false_alarms(series: int, memory: float = 0.0) -> int:
    return sum(bool(level_changes(nights(seed, memory=memory).tolist())) for seed in range(series))


def found_within_three(series: int) -> int:
    """Steps of 5 % after 12 to 26 nights that are seen with the third night behind them."""
    found = 0
    for seed in range(series):
        at = 12 + seed % 15
        values = nights(1000 + seed, at + 3)
        values[at:] *= 1.05 if seed % 2 else 1 / 1.05
        found += any(change.at >= at - 2 for change in level_changes(values.tolist()))
    return found


def test_a_step_is_placed_and_measured() -> None:
    values = nights(3)
    values[18:] *= 0.95
    (change,) = level_changes(values.tolist())
    logs = np.log(values)
    reference = stats.ttest_ind(logs[18:], logs[:18]).confidence_interval(0.95)
    assert change.at == 18
    assert change.before == pytest.approx(stats.gmean(values[:18]))
    assert change.after == pytest.approx(stats.gmean(values[18:]))
    low, high = np.expm1([reference.low, reference.high])
    assert change.interval[0] <= low + 1e-12  # as wide, or wider where neighbours resemble
    assert change.interval[1] >= high - 1e-12
    assert change.interval[1] < -0.03


def test_one_run_behind_is_not_enough_and_an_end_is_a_change_too() -> None:
    values = nights(5)
    values[15:20] *= 1.06
    assert level_changes(values[:16].tolist()) == ()
    assert [change.at for change in level_changes(values.tolist())] == [15, 20]
    assert level_changes(values[:5].tolist()) == ()


def test_what_was_seen_is_seen_whatever_came_later() -> None:
    values = nights(7, 40)
    values[12:] *= 1.05
    values[24:] *= 1.05
    seen = [change.at for change in level_changes(values[:20].tolist())]
    assert seen == [12]
    assert [change.at for change in level_changes(values.tolist())] == [12, 24]


def test_the_spread_of_the_loops_counts_where_runs_happen_to_be_alike() -> None:
    values = [100.0] * 5 + [101.0] * 5
    assert [change.at for change in level_changes(values)] == [5]
    assert level_changes(values, [0.01] * 10) == ()
    assert level_changes(values, [None] * 10) == level_changes(values)
    assert level_changes([100.0] * 30) == ()
    with pytest.raises(ValueError, match="must be positive"):
        level_changes([1.0, 0.0])


def test_few_series_of_equal_runs_show_a_change() -> None:
    assert false_alarms(30) <= 4
    assert found_within_three(30) >= 25


def test_a_series_that_wanders_shows_few_changes() -> None:
    assert false_alarms(30, memory=0.6) <= 8  # a t test of independent runs sees 12


def test_levels_without_any_noise() -> None:
    (change,) = level_changes([100.0] * 6 + [50.0] * 6)
    assert change.at == 6
    assert (change.before, change.after, change.change) == pytest.approx((100, 50, -0.5))
    assert change.interval == pytest.approx((-0.5, -0.5))


@pytest.mark.long
def test_error_rates() -> None:
    """The figures of docs/use/trend.md."""
    series = 2000
    assert false_alarms(series) <= 0.05 * series
    assert found_within_three(series) >= 0.9 * series
    assert false_alarms(series, memory=0.4) <= 0.15 * series
    assert false_alarms(series, memory=0.8) <= 0.25 * series
