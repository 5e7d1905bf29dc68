"""Changes of level in a series of runs, and how often they are seen where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from iosonde.statistics.trend import level_changes
from tests.trend_rates import false_alarms, nights, steps_seen


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
    values[12:] *= 1.08
    values[24:] *= 1.08
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
    assert false_alarms(30) <= 2
    assert false_alarms(30, memory=0.6) <= 4  # a t test of independent runs sees 12
    assert steps_seen(10, before=30, behind=3) >= 8


def test_levels_without_any_noise() -> None:
    (change,) = level_changes([100.0] * 6 + [50.0] * 6)
    assert change.at == 6
    assert (change.before, change.after, change.change) == pytest.approx((100, 50, -0.5))
    assert change.interval == pytest.approx((-0.5, -0.5))


@pytest.mark.long
@pytest.mark.parametrize("memory", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_at_most_five_of_a_hundred_series_show_a_change(memory: float) -> None:
    series = 600
    assert false_alarms(series, memory) <= 0.05 * series + 2 * (0.05 * 0.95 * series) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize(("before", "least"), [(12, 0.4), (20, 0.7), (40, 0.9)])
def test_steps_are_seen_within_three_runs(before: int, least: float) -> None:
    assert steps_seen(200, before, behind=3) >= least * 200
