from __future__ import annotations

import numpy as np
import pytest

from iosonde.statistics.memory import inflation, loop_correlation, memory
from tests.unit.statistics import noise


@pytest.mark.parametrize("rho", [0.3, 0.8, 0.95])
def test_memory_is_found_without_the_bias_of_short_loops(rho: float) -> None:
    rng = np.random.default_rng(1)
    series = noise.seconds(rng, 300, rho, 0.0166)
    assert np.mean([memory(record.tolist()) for record in series]) == pytest.approx(rho, abs=0.02)


def test_loops_at_different_levels_are_no_memory() -> None:
    rng = np.random.default_rng(2)
    loops = [[level + rng.normal() for _ in range(60)] for level in (900, 1000, 1100, 1000, 950)]
    assert memory(loops) < 0.2


def test_short_or_constant_loops_say_nothing() -> None:
    assert memory([[1.0, 2.0, 3.0]]) == 0.0
    assert memory([[5.5] * 60] * 5) == 0.0
    assert memory([]) == 0.0


def test_the_correlation_of_loops_follows_from_that_of_their_seconds() -> None:
    rng = np.random.default_rng(3)
    means = noise.seconds(rng, 20_000, 0.98, 0.0166).mean(axis=2)
    seen = np.corrcoef(means[:, 0], means[:, 1])[0, 1]
    assert loop_correlation(0.98, 60, 1.0) == pytest.approx(seen, abs=0.02)
    assert loop_correlation(0.0, 60, 1.0) == 0.0


def test_inflation_is_what_the_standard_error_lacks() -> None:
    rng = np.random.default_rng(4)
    series = noise.ar1(rng, 40_000, 5, 0.5)
    truth = series.mean(axis=1).std()
    claimed = np.sqrt((series.var(axis=1, ddof=1) / 5).mean())
    assert inflation(5, 0.5) == pytest.approx(truth / claimed, rel=0.02)
    assert inflation(5, 0.0) == inflation(1, 0.9) == 1.0
