"""Where latency begins to rise steeply: the knee of a load's response curve.

A load that keeps N I/Os in flight is a closed queueing network. Its rate X(N) is bounded by
N / D, with D the time of one I/O when it is alone, and by 1 / Dmax, with Dmax the time that each
I/O keeps the busiest part of the path. The two lines cross at N* = D / Dmax. Below it more in
flight give more rate at the same latency, beyond it each adds Dmax to the latency of all: that is
the knee. No curve is fitted and nothing depends on where the measured range ends, as the largest
distance from the chord would (V. Satopää et al., "Finding a 'Kneedle' in a Haystack", 2011).

D is 1 / X(1). Dmax is not seen, but bounded from both sides at every N: X(N) <= 1 / Dmax, and in a
separable network X(N) >= N / (D + (N - 1) Dmax), which one of equally busy parts attains. So

    X(N) / X(1)  <=  N*  <=  (N - 1) / (N - X(N) / X(1)) * X(N) / X(1)

Source:
    E. D. Lazowska, J. Zahorjan, G. S. Graham, K. C. Sevcik, "Quantitative System Performance"
    (1984), chapter 5: 5.2 asymptotic bounds and N*, 5.4 balanced system bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from random import Random

from iosonde.statistics.elementwise import squares
from iosonde.statistics.student import student_t

_RESAMPLES = 400
_PLATEAU = 0.97
"""Share of the highest rate from which on a point is one of those that have reached the limit."""


@dataclass(frozen=True, slots=True)
class KneePosition:
    """The knee, in I/Os in flight.

    `at` is the lower bound: the knee where the highest measured rate is the limit. `interval` holds
    both bounds and what the loops scatter, at 95 %; None with one loop. Its upper end may be
    infinite: then, or where it lies beyond the most in flight, the knee is not in what was
    measured.
    """

    at: float
    bounds: tuple[float, float]
    interval: tuple[float, float] | None


def find_knee(in_flight: Sequence[int], rates: Sequence[Sequence[float]]) -> KneePosition:
    """The knee of a curve.

    Args:
        in_flight: I/Os in flight at each point, ascending, the first 1.
        rates: of each pass over the points, in their order, in 1/s; all above 0.

    Raises:
        ValueError: fewer than two points, or none with one I/O in flight.
    """
    if len(in_flight) < 2 or in_flight[0] != 1:
        raise ValueError("a knee needs a point with one I/O in flight, and one with more")
    low, high = _bounds(in_flight, _means(rates))
    count = len(rates)
    if count < 2:
        return KneePosition(low, (low, high), None)
    chance = Random(1)  # noqa: S311 - resampling, with the same figures each time
    several = [
        _bounds(in_flight, _means(chance.choices(rates, k=count))) for _ in range(_RESAMPLES)
    ]
    reach = student_t(0.975, count - 1) * sqrt(count / (count - 1))
    lowest = low * exp(-reach * _scatter([bound for bound, _ in several]))
    highest = high * exp(reach * _scatter([bound for _, bound in several])) if high < inf else inf
    return KneePosition(low, (low, high), (max(lowest, 1.0), highest))


def _means(passes: Sequence[Sequence[float]]) -> list[float]:
    """The mean rate of each point over passes."""
    return [sum(point) / len(passes) for point in zip(*passes, strict=True)]


def _bounds(depths: Sequence[int], rates: Sequence[float]) -> tuple[float, float]:
    """Both bounds of the knee. The upper one is taken where the rate has reached its limit.

    Where the rate falls beyond a certain depth, the network is not separable there: such points
    say nothing.
    """
    gains = [rate / rates[0] for rate in rates]
    least = _PLATEAU * max(gains)
    inside = [
        (depth, gain) for depth, gain in zip(depths, gains, strict=True)
        if gain >= least and depth > 1
    ]  # fmt: skip
    if not inside:  # one I/O in flight is the fastest
        return 1.0, 1.0
    # The highest alone would be too high by what it scatters.
    limit = sum(gain for _, gain in inside) / len(inside)
    bounds = [
        (depth - 1) / (depth - gain) * gain if depth > gain else inf for depth, gain in inside
    ]
    return max(limit, 1.0), max(min(bounds), limit, 1.0)


def _scatter(bounds: Sequence[float]) -> float:
    """Standard deviation of the logarithms; infinite where one of them is."""
    if inf in bounds:
        return inf
    logs = [log(bound) for bound in bounds]
    mean = sum(logs) / len(logs)
    return sqrt(squares(logarithm - mean for logarithm in logs) / (len(logs) - 1))
