"""How much the loops of a trial remember each other, judged by the seconds inside them.

If the figure of one second still shows a minute later, the means of neighbouring loops are alike,
their spread is too small for what it is used for, and a t test sees differences where there are
none. Five loops cannot show that themselves; their seconds can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

_SHORTEST = 20  # seconds of a loop, for an estimate worth having
_STEPS = 399  # of the table of expectations
_LARGEST = 0.995  # beyond, one second's figure cannot be told from drift


def memory(loops: Sequence[Sequence[float]]) -> float:
    """Lag-1 autocorrelation of the seconds, pooled over loops, 0–0.995.

    Each loop is centred on its own mean, so that loops at different levels do not pass for
    memory. Centring makes short series look forgetful; the estimate is put through the inverse
    of its own expectation, which is exact for an AR(1).

    Args:
        loops: one-second figures of each loop; loops shorter than 20 s are passed over.
    """
    long = [loop for loop in loops if len(loop) >= _SHORTEST]
    if not long:
        return 0.0
    length = min(len(loop) for loop in long)
    power = products = whole = 0.0
    for loop in long:
        seconds = [float(value) for value in loop[-length:]]
        mean = sum(seconds) / length
        centred = [value - mean for value in seconds]
        whole += sum(value * value for value in seconds)
        power += sum(value * value for value in centred)
        products += sum(a * b for a, b in pairwise(centred))
    if power <= 1e-12 * whole:
        return 0.0
    return unbiased(products / power, length)


def unbiased(seen: float, length: int) -> float:
    """The autocorrelation, 0–0.995, that shows as `seen` in centred loops of `length` seconds."""
    table = _expectations(length)
    if seen <= table[0]:
        return 0.0
    if seen >= table[-1]:
        return _LARGEST
    at = bisect_right(table, seen) - 1
    share = (seen - table[at]) / (table[at + 1] - table[at])
    return (at + share) * _LARGEST / _STEPS


@lru_cache(maxsize=64)
def _expectations(length: int) -> tuple[float, ...]:
    """What is seen in loops of `length` seconds, at equal steps from 0 to 0.995; ascending."""
    return tuple(_expected(step * _LARGEST / _STEPS, length) for step in range(_STEPS + 1))


def loop_correlation(rho: float, seconds: int, gap: float) -> float:
    """Correlation of the means of neighbouring loops, if their seconds are AR(1) with `rho`.

    Args:
        rho: lag-1 autocorrelation of one-second figures, 0 ≤ rho < 1.
        seconds: length of a loop.
        gap: seconds between the end of a loop and the beginning of the next.
    """
    if rho <= 0:
        return 0.0
    fade = 1 - rho**seconds
    own = seconds * (1 + rho) / (1 - rho) - 2 * rho * fade / (1 - rho) ** 2
    return float(rho ** (1 + gap) * (fade / (1 - rho)) ** 2 / own)


def inflation(count: int, correlation: float) -> float:
    """By how much the standard error of the mean of `count` loops exceeds s / √n.

    Args:
        count: loops.
        correlation: of the means of neighbouring loops; it fades geometrically over further ones.
    """
    if count < 2 or correlation <= 0:
        return 1.0
    shared = sum((1 - lag / count) * correlation**lag for lag in range(1, count))
    of_mean = 1 + 2 * shared  # variance of the mean, in units of that of independent loops
    of_spread = (count - of_mean) / (count - 1)  # what s² makes of the true variance
    return sqrt(of_mean / of_spread)


def _expected(rho: float, length: int) -> float:
    """Expectation of the estimate for a centred AR(1) series (ratio of the expectations)."""
    fade = 1 - rho**length
    of_mean = ((1 + rho) / (1 - rho) - 2 * rho * fade / (length * (1 - rho) ** 2)) / length
    edge = fade / (1 - rho) / length
    products = (length - 1) * (rho + of_mean) - 2 * length * of_mean + 2 * edge
    return products / (length * (1 - of_mean))
