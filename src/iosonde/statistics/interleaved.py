"""The comparison of two trials whose loops were taken in turns (A B, B A, A B …).

Each pass gives one step from A to B. A drift adds to the steps whose A came first and takes away
from the others, so the steps are fitted by two terms: the change, and the order within the pass.
What drifts along a line is in the second alone.

Noise that fades (a cache, a neighbour: an AR(1)) makes steps of neighbouring passes alike, since in
A B B A the two loops of B are closer to each other than to their own A. However slowly it
fades, that makes the error at most a little larger than independent steps would have it; the
largest such factor is always applied, so nothing need be known of the noise.

Method and its limits: docs/decisions/0170-loops-in-turns.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, sqrt

from iosonde.statistics.contrast import Contrast
from iosonde.statistics.elementwise import Figure, squares, with_sign_of

FEWEST_PAIRS = 4
"""Two in each order: a single pass of its order would be fitted exactly, so that a first loop that
is slow by a factor would pass for a change without any error."""
_LONGEST = 48  # pairs: from there on the factor hardly grows
_SPEEDS = 60  # of fading that are tried, from 0.001 to 20 per loop


@dataclass(frozen=True, slots=True)
class _OrderFit:
    """The least squares of steps by two terms: 1 for the change, ±1 for the order of the pass."""

    signs: tuple[float, ...]
    """Of each pass +1 where A's loop came first, else −1."""

    @property
    def total(self) -> float:
        return sum(self.signs)

    @property
    def determinant(self) -> float:
        """Of the matrix of normal equations, [[n, total], [total, n]]."""
        return len(self.signs) ** 2 - self.total**2

    def weight(self, at: int) -> float:
        """Of a pass in the change."""
        return (len(self.signs) - self.total * self.signs[at]) / self.determinant

    def leverage(self, a: int, b: int) -> float:
        """What a step of pass b makes of the fitted step of pass a."""
        signs, count = self.signs, len(self.signs)
        return (
            count * (1 + signs[a] * signs[b]) - self.total * (signs[a] + signs[b])
        ) / self.determinant


def interleaved(a: Sequence[Figure], b: Sequence[Figure], a_first: Sequence[bool]) -> Contrast:
    """The comparison of loops measured in turns, without what drifts along a line.

    Args:
        a: logarithms of A's figures, n passes, n ≥ 4.
        b: of B's, as many.
        a_first: of each pass whether A's loop came before B's; see `are_enough`.

    Raises:
        ValueError: there are too few passes.
    """
    if not are_enough(a_first):
        raise ValueError("at least two pairs in each order")
    steps = [of_b - of_a for of_a, of_b in zip(a, b, strict=True)]
    fit = _OrderFit(_signs(a_first))
    count = len(steps)
    plain = sum(steps)
    turned = sum(sign * step for sign, step in zip(fit.signs, steps, strict=True))
    change = (count * plain - fit.total * turned) / fit.determinant
    order = (count * turned - fit.total * plain) / fit.determinant
    left = squares(
        step - change - sign * order for sign, step in zip(fit.signs, steps, strict=True)
    )
    freedom = count - 2
    variance = left / freedom * (count / fit.determinant)
    return Contrast(
        change=change,
        error=fading_factor(tuple(a_first)) * variance**0.5,
        freedom=float(freedom),
        trend_p=1.0,
        carried=0.0,
        beyond=with_sign_of(change, inf),
        trend_freedom=freedom,
    )


def are_enough(a_first: Sequence[bool]) -> bool:
    """Whether there are two passes in each order, at the least."""
    return min(sum(a_first), len(a_first) - sum(a_first)) >= FEWEST_PAIRS // 2


@lru_cache(maxsize=64)
def fading_factor(a_first: tuple[bool, ...]) -> float:
    """By how much noise that fades can make the error exceed that of independent steps, ≥ 1.

    The largest over all speeds of fading, for loops that follow each other at once (means of a
    fading process) and for ones with a pause between them (single moments of it).

    Args:
        a_first: of each pass whether A's loop came before B's.
    """
    a_first = a_first[:_LONGEST]
    if not are_enough(a_first):
        return 1.0
    fit = _OrderFit(_signs(a_first))
    count, signs = len(a_first), fit.signs
    # The covariance of two steps is the product of their signs and a function of their distance,
    # so that what weights and residues make of it is summed by distance once.
    claimed, seen = [0.0] * count, [0.0] * count
    for i in range(count):
        for j in range(count):
            sign = signs[i] * signs[j]
            claimed[abs(i - j)] += fit.weight(i) * fit.weight(j) * sign
            seen[abs(i - j)] += ((i == j) - fit.leverage(i, j)) * sign
    worst = 1.0
    for number in range(_SPEEDS):
        speed = 1e-3 * (20 / 1e-3) ** (number / (_SPEEDS - 1))  # of fading, per loop
        for alike in (_moments(speed, 2 * count), _means(speed, 2 * count)):
            of_steps = [
                2 * alike[2 * apart] - alike[2 * apart + 1] - alike[abs(2 * apart - 1)]
                for apart in range(count)
            ]
            truth = sum(map(float.__mul__, claimed, of_steps))
            estimate = sum(map(float.__mul__, seen, of_steps)) / (count - 2)
            worst = max(worst, truth / (estimate * count / fit.determinant))
    return sqrt(worst)


def _signs(a_first: Sequence[bool]) -> tuple[float, ...]:
    return tuple(1.0 if first else -1.0 for first in a_first)


def _moments(speed: float, count: int) -> list[float]:
    """Correlations of moments that are 0, 1, 2 … loops apart, of a process that fades."""
    return [exp(-speed * apart) for apart in range(count)]


def _means(speed: float, count: int) -> list[float]:
    """The same of the means of loops that follow each other at once."""
    own = 2 * (speed - 1 + exp(-speed)) / speed**2
    first = (1 - exp(-speed)) ** 2 / speed**2 / own
    return [1.0, *(first * exp(-speed * (apart - 1)) for apart in range(1, count))]
