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

from functools import lru_cache
from typing import TYPE_CHECKING

from iosonde.statistics.contrast import Contrast

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

FEWEST_PAIRS = 4
"""Two in each order: a single pass of its order would be fitted exactly, so that a first loop that
is slow by a factor would pass for a change without any error."""
_LONGEST = 48  # pairs: from there on the factor hardly grows, and matrices do


def interleaved(a: Floats, b: Floats, a_first: Sequence[bool]) -> Contrast:
    """The comparison of loops measured in turns, without what drifts along a line.

    Args:
        a: logarithms of A's figures, k rows × n passes, n ≥ 4.
        b: of B's, the same shape.
        a_first: of each pass whether A's loop came before B's; see `are_enough`.

    Raises:
        ValueError: there are too few passes.
    """
    import numpy as np

    if not are_enough(a_first):
        raise ValueError("at least two pairs in each order")
    steps = b - a
    design = _design(a_first)
    inverse = np.linalg.inv(design.T @ design)
    fitted = steps @ design @ inverse
    left = steps - fitted @ design.T
    freedom = len(a_first) - 2
    variance = (left**2).sum(axis=1) / freedom
    change = fitted[:, 0]
    return Contrast(
        change=change,
        error=fading_factor(tuple(a_first)) * np.sqrt(variance * inverse[0, 0]),
        freedom=np.full(len(change), float(freedom)),
        trend_p=np.ones_like(change),
        carried=np.zeros_like(change),
        beyond=np.copysign(np.inf, change),
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
    import numpy as np

    a_first = a_first[:_LONGEST]
    if not are_enough(a_first):
        return 1.0
    count = len(a_first)
    design = _design(a_first)
    inverse = np.linalg.inv(design.T @ design)
    weights = (inverse @ design.T)[0]
    rest = np.eye(count) - design @ inverse @ design.T
    at = np.arange(count)
    first = np.where(a_first, 1.0, -1.0)
    to_step = np.zeros((count, 2 * count))
    to_step[at, 2 * at], to_step[at, 2 * at + 1] = -first, first
    moments = np.arange(2.0 * count)
    lags = abs(np.subtract.outer(moments, moments))
    worst = 1.0
    for speed in np.geomspace(1e-3, 20, 60):  # of fading, per loop
        for alike in (np.exp(-speed * lags), _means(speed, lags)):
            of_steps = to_step @ alike @ to_step.T
            seen = np.trace(rest @ of_steps) / (count - 2) * inverse[0, 0]
            worst = max(worst, float(weights @ of_steps @ weights / seen))
    return float(np.sqrt(worst))


def _design(a_first: Sequence[bool]) -> Floats:
    """Of each pass 1 for the change, and +1 or −1 for the order: n × 2."""
    import numpy as np

    return np.column_stack([np.ones(len(a_first)), np.where(a_first, 1.0, -1.0)])


def _means(speed: float, lags: Floats) -> Floats:
    """Correlations of the means of loops, one after the other, of a process that fades."""
    import numpy as np

    own = 2 * (speed - 1 + np.exp(-speed)) / speed**2
    apart = (1 - np.exp(-speed)) ** 2 / speed**2 * np.exp(-speed * (lags - 1))
    alike: Floats = np.where(lags == 0, 1.0, apart / own)
    return alike
