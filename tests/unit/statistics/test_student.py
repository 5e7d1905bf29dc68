"""Student's t of the core beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from iosonde.statistics.student import student_cdf, student_quantile, student_t

FREEDOM = np.array([0.7, 1, 2, 3.4, 4, 9, 30, 119.5, 1e4])[:, None]


def test_probabilities_are_those_of_scipy() -> None:
    t = np.array([-60.0, -8, -2.5, -1e-4, 0, 0.3, 2.776, 40])
    assert student_cdf(FREEDOM, t) == pytest.approx(stdtr(FREEDOM, t), rel=1e-8, abs=1e-300)


def test_quantiles_are_those_of_scipy() -> None:
    probability = np.array([1e-6, 0.0125, 0.3, 0.5, 0.9, 0.975, 0.9999])
    expected = stdtrit(FREEDOM, probability)
    assert student_quantile(FREEDOM, probability) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("freedom", "t"), [(0, 1), (-3, 1), (np.nan, 1), (3, np.nan)])
def test_without_degrees_of_freedom_there_is_no_probability(freedom: float, t: float) -> None:
    assert np.isnan(student_cdf(freedom, t))


def test_shapes_broadcast_and_infinity_is_certain() -> None:
    assert student_cdf(3, [[0.0], [np.inf], [-np.inf]]).tolist() == [[0.5], [1.0], [0.0]]


def test_a_single_quantile_is_that_of_the_array() -> None:
    assert student_t(0.975, 4) == student_quantile(4, 0.975) == pytest.approx(2.776, abs=5e-4)
