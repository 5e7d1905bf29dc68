"""Is a mean beyond a limit? Decided by an interval that holds however often one looks.

Loops go on until a requirement is decided, so that it is looked at after every loop, and each
look may be wrong. The level is therefore spent over the looks, the k-th of which gets 6/(π k)² of
it: all of them together are wrong in no more than the level (Bonferroni's inequality; the series
sums to 1). Each look is Student's t for a mean.

A single stall of seconds makes the interval of a latency so wide that its lower end stays below
zero for hundreds of loops. Rates and times are never below zero, and their mean is no less than the
mean of what they are up to a bound; whether it is above a limit is therefore asked of the values
cut off at ten times the limit, a bound that does not depend on them. Below a limit is asked of the
values as they are: a stall may well be what the requirement is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import Literal

from iosonde.statistics.estimates import summarise
from iosonde.statistics.student import student_t

LEVEL = 0.05
"""Probability that any requirement of a run is passed or refused wrongly."""


_BOUND = 10.0
"""Times the limit: values above it count as much towards being above the limit."""


def level_at(look: int, level: float) -> float:
    """The part of a level that one look may spend; `look` counts from 1."""
    return level * 6 / (pi * look) ** 2


def judge_limit(
    values: Sequence[float], limit: float, *, above: bool, look: int, level: float
) -> tuple[Literal["pass", "fail", "undecided"], float | None, tuple[float, float] | None]:
    """Whether the mean of a metric is beyond a limit.

    Args:
        values: one a loop.
        limit: in the unit of the values.
        above: whether the mean must be above the limit, and not below.
        look: how many times this requirement was looked at, this time included.
        level: probability of a wrong verdict granted to all looks together, to either side.

    Returns:
        The verdict, the mean and the interval that it was decided by; None where it is not known.
    """
    if not values:
        return "undecided", None, None
    metric = summarise("", "", values)
    if metric.stdev is None:
        return "undecided", metric.mean, None
    reach = student_t(1 - level_at(look, level), len(values) - 1)
    half = reach * metric.stdev / sqrt(len(values))
    low, high = _low(values, limit, reach), metric.mean + half
    if low > limit:
        return ("pass" if above else "fail"), metric.mean, (low, high)
    if high < limit:
        return ("fail" if above else "pass"), metric.mean, (low, high)
    return "undecided", metric.mean, (low, high)


def _low(values: Sequence[float], limit: float, reach: float) -> float:
    """The lower end of the mean's interval, of the values up to a bound."""
    bounded = [min(value, _BOUND * limit) for value in values] if limit > 0 else values
    metric = summarise("", "", bounded)
    return metric.mean - reach * (metric.stdev or 0.0) / sqrt(len(values))
