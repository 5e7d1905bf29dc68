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

PRIOR = 2.0
"""Degrees of freedom that the pooled variance may count beside a pair's own. With 8, one candidate
7.5 times as noisy as the others was picked wrongly in 7 to 11 % of races (docs/decisions/0121)."""
EFFECT = 2.0
"""Variance of the differences that the bounds are narrowest for, in variances of one block's."""


def slack(candidates: int) -> float:
    """By how much the bounds of a race are above the probability of a wrong pick, all in all.

    The probability ratio does not creep up to its limit, it jumps over it, and a race ends: in
    1,000 blocks the bound is passed by 0.4 to 0.6 of the probability that it allows. With more than
    two candidates the correction for their number gives away more: their differences to the best
    share its noise, and who is picked must have beaten all others too. By simulation of races whose
    best is ahead by just the margin, one candidate of which is 7.5 times as noisy as the others
    (docs/decisions/0121 and docs/decisions/0137).
    """
    return min(max(0.5 * candidates, 1.5), 4.0)


@dataclass(frozen=True, slots=True)
class Noise:
    """Variance of one loop's score within its block, and the degrees of freedom behind it."""

    variance: float
    freedom: float


@dataclass(frozen=True, slots=True)
class Differences:
    """All pairs of k candidates: [i, j] is i's mean score less j's; error and freedom likewise.

    `grain` is what the figures cannot resolve (grain.py): no bound is narrower.
    """

    change: Floats
    error: Floats
    freedom: Floats
    blocks: int
    grain: float = 0.0

    def reach(self, level: float, candidates: int = 2) -> Floats:
        """How far a true difference may lie above the one seen, with `level` for being wrong ever.

        Half the width of the confidence sequence of Student's t, for one of its two sides.

        Args:
            level: one-sided, corrected for the number of candidates.
            candidates: that the race began with.
        """
        import numpy as np

        width = self.error * reach(self.freedom, self.blocks, level * slack(candidates))
        return np.maximum(width, self.grain)


def reach(freedom: Floats, blocks: int, level: float) -> Floats:
    """Half-width of the t confidence sequence in standard errors; infinite where nothing is known.

    The probability ratio of a mean of N(0, EFFECT · variance) against none, with the variance
    integrated out, stays below 1 / (2 · level) for ever with probability 1 − 2 · level (Ville);
    solved for t.

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
    raised = np.exp((0.5 * np.log(grown) - np.log(2 * level)) * 2 / (freedom + 1))
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

    ordered = sorted((figures for figures in series if len(figures) > 1), key=len, reverse=True)
    squares, freedom = 0.0, 0
    total = np.array(ordered[0]) if ordered else np.zeros(0)
    for others, figures in enumerate(ordered[1:], start=1):
        count = len(figures)
        contrast = np.array(figures) - total[:count] / others
        squares += float(((contrast - contrast.mean()) ** 2).sum()) * others / (others + 1)
        freedom += count - 1
        total = total[:count] + np.array(figures)
    return Noise(squares / freedom if freedom else 0.0, float(freedom))


def differences(
    scores: Floats, noise: Noise, *, before: Noise | None = None, grain: float = 0.0
) -> Differences:
    """Every pair's difference, its standard error from its own spread moderated by all others'.

    The pair's own part is taken out of the pooled variance, so that nothing counts twice.

    Args:
        scores: k candidates × n blocks, n ≥ 2.
        noise: of all candidates, these included.
        before: of each pair's own differences, as measured earlier in other blocks.
        grain: of the figures, as a difference of scores.

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
    before = before or Noise(0.0, 0.0)
    degrees = weight + before.freedom + count - 1
    moderated = weight * left / max(others, 1.0) + before.variance * before.freedom + squares
    # A candidate's difference to itself is 0 and never asked for.
    error = np.sqrt(np.maximum(moderated / degrees, np.finfo(float).tiny) / count)
    freedom = np.full_like(error, degrees)
    return Differences(means[:, None] - means[None, :], error, freedom, count, grain)
