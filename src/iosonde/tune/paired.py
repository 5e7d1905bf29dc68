"""Differences between candidates measured in the same blocks, and how far they may be trusted.

In every block each candidate alive is measured once, in random order, so what a block shares
cancels in the difference of two of its scores, and memory from one loop to the next favours
nobody. The bounds hold at all numbers of blocks together, so one may look after every block and
stop when one likes. Formulae and sources: docs/tune-search.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

PRIOR = 8.0
"""Degrees of freedom that the pooled variance may count beside a pair's own."""
EFFECT = 2.0
"""Variance of the differences that the bounds are narrowest for, in variances of one block's."""

SLACK = 1.6
"""By how much Ville's bound is above the probability that it bounds. The ratio does not creep up to
its limit, it jumps over it, and a race ends: in 1,000 blocks the bound is passed by 0.4 to 0.6 of
the probability that it allows (tests/unit/tune/test_paired.py simulates it)."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Variance of one loop's score within its block, and the degrees of freedom behind it."""

    variance: float
    freedom: float


@dataclass(frozen=True, slots=True)
class Differences:
    """All pairs of k candidates: [i, j] is i's mean score less j's; error and freedom likewise."""

    change: Floats
    error: Floats
    freedom: Floats
    blocks: int

    def reach(self, level: float) -> Floats:
        """How far a true difference may lie above the one seen, with `level` for being wrong ever.

        Half the width of the confidence sequence of Student's t, for one of its two sides.
        """
        return self.error * reach(self.freedom, self.blocks, level)


def reach(freedom: Floats, blocks: int, level: float) -> Floats:
    """Half-width of the t confidence sequence in standard errors; infinite where nothing is known.

    The probability ratio of a mean of N(0, EFFECT · variance) against none, with the variance
    integrated out, stays below 1 / (2 · level) for ever with probability 1 − 2 · level (Ville);
    solved for t. SLACK gives back what the inequality is too wide by.

    Args:
        freedom: degrees of freedom of the error.
        blocks: number of differences in each mean.
        level: one-sided.

    Source:
        T. L. Lai, "On confidence sequences", Annals of Statistics 4 (1976); H. Wang and A. Ramdas,
        "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance",
        Sequential Analysis 43 (2024).
    """
    import numpy as np

    grown = 1 + blocks * EFFECT
    raised = np.exp((0.5 * np.log(grown) - np.log(2 * SLACK * level)) * 2 / (freedom + 1))
    room = 1 - raised / grown
    squared = freedom * (raised - 1) / np.maximum(room, 1e-12)
    width: Floats = np.where(room > 1e-12, np.sqrt(squared), np.inf)
    return width


def pooled(series: Sequence[Sequence[float] | Floats]) -> Noise:
    """The noise of all candidates together, eliminated ones included.

    Helmert's contrasts within blocks: each candidate against the mean of those with at least as
    many blocks. They are uncorrelated, so their sums of squares and degrees of freedom add up. For
    complete blocks it is the residual of the two-way table.

    Args:
        series: scores per candidate, from the first block on, without gaps.
    """
    import numpy as np

    ordered = sorted((one for one in series if len(one) > 1), key=len, reverse=True)
    squares, freedom = 0.0, 0
    total = np.array(ordered[0]) if ordered else np.zeros(0)
    for others, one in enumerate(ordered[1:], start=1):
        count = len(one)
        contrast = np.array(one) - total[:count] / others
        squares += float(((contrast - contrast.mean()) ** 2).sum()) * others / (others + 1)
        freedom += count - 1
        total = total[:count] + np.array(one)
    return Noise(squares / freedom if freedom else 0.0, float(freedom))


def differences(scores: Floats, noise: Noise) -> Differences:
    """Every pair's difference, its standard error from its own spread moderated by all others'.

    The pair's own part is taken out of the pooled variance, so that nothing counts twice.

    Args:
        scores: k candidates × n blocks, n ≥ 2.
        noise: of all candidates, these included.

    Source:
        G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential
        expression", Statistical Applications in Genetics and Molecular Biology 3 (2004).
    """
    import numpy as np

    count = scores.shape[1]
    means = scores.mean(axis=1)
    centred = scores - means[:, None]
    products = centred @ centred.T
    own = np.diag(products)
    squares = np.maximum(own[:, None] + own[None, :] - 2 * products, 0.0)
    others = max(noise.freedom - (count - 1), 0.0)
    weight = min(PRIOR, others)
    left = np.maximum(2 * noise.variance * noise.freedom - squares, 0.0)
    moderated = (weight * left / max(others, 1.0) + squares) / (weight + count - 1)
    # A candidate's difference to itself is 0 and never asked for.
    error = np.sqrt(np.maximum(moderated, np.finfo(float).tiny) / count)
    freedom = np.full_like(error, weight + count - 1)
    return Differences(means[:, None] - means[None, :], error, freedom, count)
