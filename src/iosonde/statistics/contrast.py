"""The arithmetic of a comparison: the change of a metric, its error, and what drift explains.

All functions work on many comparisons at once (one per row), because their error rates are
tested by simulation. Method and its limits: docs/decisions/0022-verdicts.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.statistics.student import student_cdf, student_quantile

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Bools = NDArray[numpy.bool_]

DRIFT_LEVEL = 0.02
"""Below this probability the common slope of both trials' loops is taken for drift."""
DRIFT_DOUBT = 1.35
"""Standard errors by which a change must outlive the fitted slope even if that may be chance."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Changes of k metrics (or k simulated trials) from A to B, as logarithms of the ratio.

    `trend_p` is the probability of the loops' common slope under no drift, `carried` the change
    which that slope makes over the distance from A to B, `beyond` what is left of the change
    without it, in standard errors; `trend_freedom` their degrees of freedom.
    """

    change: Floats
    error: Floats
    freedom: Floats
    trend_p: Floats
    carried: Floats
    beyond: Floats
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
    """What k comparisons say. Bounds are logarithms of the ratio."""

    differs: Bools
    equivalent: Bools
    drifting: Bools
    """The change would count, but drift may explain it."""
    low: Floats
    high: Floats


def contrast(a: Floats, b: Floats, *, distance: float, inflate: float = 1.0) -> Contrast:
    """Welch's comparison of the mean logarithms, with the slope over loops beside it.

    Args:
        a: logarithms of A's figures, k rows × n loops, n ≥ 2.
        b: of B's, k rows × m loops, m ≥ 2.
        distance: from the middle of A to the middle of B, in loops; 0 where a drift cannot have
            gone on from one to the other.
        inflate: factor on the standard error for loops that remember each other.
    """
    import numpy as np

    n, m = a.shape[1], b.shape[1]
    change = b.mean(axis=1) - a.mean(axis=1)
    of_a, of_b = a.var(axis=1, ddof=1) / n, b.var(axis=1, ddof=1) / m
    together = of_a + of_b
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = together**2 / (of_a**2 / (n - 1) + of_b**2 / (m - 1))
    freedom = np.where(together > 0, freedom, n + m - 2)
    slope, error, left, trend_freedom = _slope(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        trend_p = np.where(error > 0, 2 * student_cdf(trend_freedom, -abs(slope) / error), 1.0)
        of_rest = np.sqrt(left * (1 / n + 1 / m) + (distance * error) ** 2)
        beyond = np.where(
            of_rest > 0, (change - distance * slope) / of_rest, np.copysign(np.inf, change)
        )
    return Contrast(
        change=change,
        error=inflate * np.sqrt(together),
        freedom=freedom,
        trend_p=trend_p if distance else np.ones_like(change),
        carried=distance * slope,
        beyond=beyond if distance else np.copysign(np.inf, change),
        trend_freedom=trend_freedom,
    )


def paired(a: Floats, b: Floats) -> Contrast:
    """The comparison of loops measured two by two at the same time: what they share cancels.

    Args:
        a: logarithms of A's figures, k rows × n loops, n ≥ 2.
        b: of B's, the same shape.
    """
    import numpy as np

    steps = b - a
    count = steps.shape[1]
    change = steps.mean(axis=1)
    return Contrast(
        change=change,
        error=steps.std(axis=1, ddof=1) / np.sqrt(count),
        freedom=np.full(len(change), float(count - 1)),
        trend_p=np.ones_like(change),
        carried=np.zeros_like(change),
        beyond=np.copysign(np.inf, change),
        trend_freedom=count - 1,
    )


def decide(contrasted: Contrast, bar: Bar) -> Decision:
    """Whether B differs from A, or is equivalent within the margin, or neither.

    Returns:
        Bounds of the 1 − level interval; for an equivalent metric those of the two one-sided
        tests, a 1 − 2 · level interval.
    """
    import numpy as np

    reach = np.maximum(
        student_quantile(contrasted.freedom, 1 - bar.level / 2) * contrasted.error, bar.floor
    )
    one_sided = np.maximum(
        student_quantile(contrasted.freedom, 1 - bar.level) * contrasted.error, bar.floor
    )
    strict = student_quantile(contrasted.trend_freedom, 1 - bar.level / 2)
    drifts = contrasted.trend_p <= DRIFT_LEVEL
    needed = np.where(drifts, strict, DRIFT_DOUBT)
    outlives = contrasted.beyond * np.copysign(1.0, contrasted.change) > needed
    lower, upper = np.log1p(-bar.margin), np.log1p(bar.margin)
    narrow = (contrasted.change - one_sided > lower) & (contrasted.change + one_sided < upper)
    shifted = drifts & ((contrasted.carried < lower) | (contrasted.carried > upper))
    equivalent = narrow & ~shifted
    excludes = abs(contrasted.change) > reach
    width = np.where(equivalent, one_sided, reach)
    return Decision(
        differs=excludes & outlives & ~equivalent,
        equivalent=equivalent,
        drifting=(excludes & ~outlives & ~equivalent) | (narrow & shifted),
        low=contrasted.change - width,
        high=contrasted.change + width,
    )


def _slope(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats, int]:
    """Common slope per loop, its standard error, the variance left, degrees of freedom."""
    import numpy as np

    n, m = a.shape[1], b.shape[1]
    at_a, at_b = np.arange(n) - (n - 1) / 2, np.arange(m) - (m - 1) / 2
    from_a, from_b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    power = float((at_a**2).sum() + (at_b**2).sum())
    slope = (from_a @ at_a + from_b @ at_b) / power
    freedom = n + m - 3
    left = (
        ((from_a - slope[:, None] * at_a) ** 2).sum(axis=1)
        + ((from_b - slope[:, None] * at_b) ** 2).sum(axis=1)
    ) / freedom
    return slope, np.sqrt(left / power), left, freedom
