"""What figures cannot resolve: loops that all show one number do not prove a noise of nothing.

A figure that is rounded, or counted in steps, repeats itself exactly. Then its spread says nothing
of how exact it is, and no number of loops makes it more exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from math import expm1, log1p
from statistics import pstdev

from iosonde.statistics.direction import percentile_of
from iosonde.statistics.verdict import GRAIN

FINEST = 1e-4
"""Of any figure, as a fraction: a loop of 5 s is timed to half a millisecond."""


def grain(metric: str, figures: Iterable[Sequence[float]]) -> float:
    """The least half-width of an interval for the difference of two scores.

    Where the loops of a candidate spread over several steps, their mean is finer than a step, and
    the rounding is part of the spread; else it is a step, half of one for each of the two.

    Args:
        metric: by the contract's names; percentiles come from fio's bins, 1/64 wide.
        figures: of each candidate, above 0.
    """
    coarsest = FINEST
    for loops in figures:
        if len(loops) < 2:
            continue
        step, spread, middle = _step(loops), pstdev(loops), min(loops)
        if spread < step / 2:
            coarsest = max(coarsest, log1p(step / middle))
        if percentile_of(metric) and spread < GRAIN / 2 * middle:
            coarsest = max(coarsest, GRAIN)
    return coarsest


def _step(loops: Sequence[float]) -> float:
    """The step that figures come in; 0 where none repeats.

    The least step seen; where there is none, the last decimal, but no more than a bin of fio's: no
    source of figures is known to be coarser.
    """
    seen = sorted(set(loops))
    if len(seen) == len(loops):
        return 0.0
    if len(seen) > 1:
        return min(b - a for a, b in pairwise(seen))
    exponent = Decimal(repr(seen[0])).normalize().as_tuple().exponent
    return min(float(10.0 ** min(int(exponent), 0)), expm1(GRAIN) * seen[0])
