"""The arithmetic of a comparison: the change of a metric, its error, and what drift explains.

All functions take a figure per loop. It may be an array of many simulated comparisons, by which
error rates are tested (`elementwise`). Method and its limits: docs/decisions/0022-verdicts.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log1p, sqrt

from iosonde.statistics.elementwise import (
    Condition,
    Figure,
    largest,
    negated,
    ratio,
    squares,
    where,
    with_sign_of,
)
from iosonde.statistics.student import student_cdf, student_quantile

DRIFT_LEVEL = 0.02
"""Below this probability the common slope of both trials' loops is taken for drift."""
DRIFT_DOUBT = 1.35
"""Standard errors by which a change must outlive the fitted slope even if that may be chance."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The change of a metric from A to B, as the logarithm of the ratio.

    `trend_p` is the probability of the loops' common slope under no drift, `carried` the change
    which that slope makes over the distance from A to B, `beyond` what is left of the change
    without it, in standard errors; `trend_freedom` their degrees of freedom.
    """

    change: Figure
    error: Figure
    freedom: Figure
    trend_p: Figure
    carried: Figure
    beyond: Figure
    trend_freedom: int


@dataclass(frozen=True, slots=True)
class Bar:
    """What a comparison is held against.

    Args:
        level: probability of a wrong verdict granted to it, after correction.
        margin: fraction of A within which a change does not matter.
        floor: the least half-width of an interval, for figures with a coarse grain (logarithm).
    """

    level: float = 0.05
    margin: float = 0.02
    floor: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """What a comparison says. Bounds are logarithms of the ratio."""

    differs: Condition
    equivalent: Condition
    drifting: Condition
    """The change would count, but drift may explain it."""
    low: Figure
    high: Figure


def contrast(
    a: Sequence[Figure], b: Sequence[Figure], *, distance: float, inflate: float = 1.0
) -> Contrast:
    """Welch's comparison of the mean logarithms, with the slope over loops beside it.

    Args:
        a: logarithms of A's figures, n loops, n ≥ 2.
        b: of B's, m loops, m ≥ 2.
        distance: from the middle of A to the middle of B, in loops; 0 where a drift cannot have
            gone on from one to the other.
        inflate: factor on the standard error for loops that remember each other.
    """
    n, m = len(a), len(b)
    mean_a, mean_b = mean(a), mean(b)
    change = mean_b - mean_a
    of_a = squares(loop - mean_a for loop in a) / (n - 1) / n
    of_b = squares(loop - mean_b for loop in b) / (m - 1) / m
    together = of_a + of_b
    welch = ratio(together * together, of_a * of_a / (n - 1) + of_b * of_b / (m - 1))
    slope, error, left, trend_freedom = _slope(a, b)
    trend_p = where(error > 0, 2 * student_cdf(trend_freedom, -ratio(abs(slope), error)), 1.0)
    of_rest = (left * (1 / n + 1 / m) + (distance * error) ** 2) ** 0.5
    beyond = where(
        of_rest > 0, ratio(change - distance * slope, of_rest), with_sign_of(change, inf)
    )
    return Contrast(
        change=change,
        error=inflate * together**0.5,
        freedom=where(together > 0, welch, float(n + m - 2)),
        trend_p=trend_p if distance else 1.0,
        carried=distance * slope,
        beyond=beyond if distance else with_sign_of(change, inf),
        trend_freedom=trend_freedom,
    )


def paired(a: Sequence[Figure], b: Sequence[Figure]) -> Contrast:
    """The comparison of loops measured two by two at the same time: what they share cancels.

    Args:
        a: logarithms of A's figures, n loops, n ≥ 2.
        b: of B's, as many.
    """
    steps = [of_b - of_a for of_a, of_b in zip(a, b, strict=True)]
    count = len(steps)
    change = mean(steps)
    spread = (squares(step - change for step in steps) / (count - 1)) ** 0.5
    return Contrast(
        change=change,
        error=spread / sqrt(count),
        freedom=float(count - 1),
        trend_p=1.0,
        carried=0.0,
        beyond=with_sign_of(change, inf),
        trend_freedom=count - 1,
    )


def decide(contrasted: Contrast, bar: Bar) -> Decision:
    """Whether B differs from A, or is equivalent within the margin, or neither.

    Returns:
        Bounds of the 1 − level interval; for an equivalent metric those of the two one-sided
        tests, a 1 − 2 · level interval.
    """
    reach = largest(
        student_quantile(contrasted.freedom, 1 - bar.level / 2) * contrasted.error, bar.floor
    )
    one_sided = largest(
        student_quantile(contrasted.freedom, 1 - bar.level) * contrasted.error, bar.floor
    )
    strict = student_quantile(contrasted.trend_freedom, 1 - bar.level / 2)
    drifts = contrasted.trend_p <= DRIFT_LEVEL
    needed = where(drifts, strict, DRIFT_DOUBT)
    outlives = contrasted.beyond * with_sign_of(contrasted.change, 1.0) > needed
    lower, upper = log1p(-bar.margin), log1p(bar.margin)
    narrow = (contrasted.change - one_sided > lower) & (contrasted.change + one_sided < upper)
    shifted = drifts & ((contrasted.carried < lower) | (contrasted.carried > upper))
    equivalent = narrow & negated(shifted)
    excludes = abs(contrasted.change) > reach
    width = where(equivalent, one_sided, reach)
    return Decision(
        differs=excludes & outlives & negated(equivalent),
        equivalent=equivalent,
        drifting=(excludes & negated(outlives) & negated(equivalent)) | (narrow & shifted),
        low=contrasted.change - width,
        high=contrasted.change + width,
    )


def mean(figures: Sequence[Figure]) -> Figure:
    """The mean over loops."""
    return sum(figures) / len(figures)


def _slope(a: Sequence[Figure], b: Sequence[Figure]) -> tuple[Figure, Figure, Figure, int]:
    """Common slope per loop, its standard error, the variance left, degrees of freedom."""
    points = [
        (at - (len(trial) - 1) / 2, loop - middle)
        for trial, middle in ((a, mean(a)), (b, mean(b)))
        for at, loop in enumerate(trial)
    ]
    power = sum(at * at for at, _ in points)
    slope = sum(rise * at for at, rise in points) / power
    freedom = len(points) - 3
    left = squares(rise - slope * at for at, rise in points) / freedom
    return slope, (left / power) ** 0.5, left, freedom
