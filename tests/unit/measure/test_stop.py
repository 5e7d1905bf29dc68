from __future__ import annotations

import numpy as np
import pytest

from iosonde.measure.stop import FEWEST, StopRule
from iosonde.statistics.estimates import summarise


def test_a_fixed_count() -> None:
    rule = StopRule.of(3, None)
    assert rule.wants_more([], 0)
    assert rule.wants_more([1.0, 2.0], 120)
    assert not rule.wants_more([1.0, 2.0, 9.0], 180)


def test_until_the_interval_is_narrow() -> None:
    rule = StopRule(5, halfwidth=0.02, max_seconds=600)
    assert rule.wants_more([1000.0] * (FEWEST - 1), 240)  # never on fewer than five
    assert not rule.wants_more([1000, 1001, 999, 1000, 1000], 300)
    assert rule.wants_more([1000, 1100, 900, 1000, 1000], 300)


def test_time_ends_it_too_but_not_before_one_loop() -> None:
    rule = StopRule(5, halfwidth=0.0001, max_seconds=600)
    noisy = [1000.0, 1100.0] * 5
    assert rule.wants_more(noisy[:9], 540)
    assert not rule.wants_more(noisy, 600)
    assert not rule.wants_more(noisy[:9], 560)  # another loop would not fit
    assert StopRule(5, halfwidth=0.02, max_seconds=10).wants_more([], 0)


def test_until_steady_state() -> None:
    rule = StopRule(5, steady=True, max_seconds=6000)
    falling = [900.0, 600, 400, 300, 250]
    assert rule.wants_more(falling, 300)
    assert not rule.wants_more([*falling, 248, 252, 250, 249], 540)


@pytest.mark.parametrize(
    ("cv", "least"), [(0.005, 0.94), (0.012, 0.94), (0.0166, 0.935), (0.035, 0.905)]
)
def test_coverage_of_an_interval_looked_at_after_every_loop(cv: float, least: float) -> None:
    """Stated in docs/use/statistics.md: looking costs at most three points of the 95 %."""
    rng = np.random.default_rng(1)
    rule = StopRule(5, halfwidth=0.02, max_seconds=3600)
    trials, covered = 1500, 0
    for row in (1000 * (1 + cv * rng.normal(size=(trials, 61)))).tolist():
        count = 5
        while rule.wants_more(row[:count], 60.0 * count):
            count += 1
        low, high = summarise("x", "1/s", row[:count]).ci95 or (0, 0)
        covered += low <= 1000 <= high
    assert covered / trials >= least
