"""How many more loops would decide a comparison: a power calculation over what is still open."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from iosonde.statistics.contrast import Bar, Contrast
from iosonde.statistics.student import student_cdf, student_t

CHANCE = 0.8
"""Probability of a decision that a forecast promises."""
_MOST = 2000  # loops; more than that is no advice


def more_loops(contrasted: Contrast, loops: tuple[int, int], bar: Bar) -> int | None:
    """The fewest further loops of each trial that decide with a chance of 80 %.

    The chance is taken over what the data leave open: the final change is spread around the
    present one by the present error and the noise of the loops to come, as Student's t with the
    present degrees of freedom.

    Args:
        contrasted: one contrast.
        loops: of A and of B so far.
        bar: what it is held against.

    Returns:
        None where not even 2000 loops would.
    """
    if not float(contrasted.error):
        return None
    return next((more for more in _steps() if chance(contrasted, loops, bar, more) >= CHANCE), None)


def chance(contrasted: Contrast, loops: tuple[int, int], bar: Bar, more: int) -> float:
    """Probability that `more` loops of each decide."""
    change, error, freedom = (
        float(x) for x in (contrasted.change, contrasted.error, contrasted.freedom)
    )
    count = 2 / (1 / loops[0] + 1 / loops[1])  # both trials as if of equal size
    final = error * sqrt(count / (count + more))
    later = freedom * (count + more - 1) / (count - 1)
    moves = error * sqrt(more / (count + more))
    reach = max(student_t(1 - bar.level / 2, later) * final, bar.floor)
    one_sided = max(student_t(1 - bar.level, later) * final, bar.floor)
    room = log(1 + bar.margin) - one_sided

    def below(bound: float) -> float:
        return float(student_cdf(freedom, (bound - change) / moves))

    outside = below(-reach) + 1 - below(reach)
    if room <= 0:
        return outside
    if room >= reach:
        return 1.0
    return outside + below(room) - below(-room)


def _steps() -> Sequence[int]:
    """1, 2, 3 … and then steps of about 5 %, up to the most that is worth saying."""
    steps, at = [], 1
    while at <= _MOST:
        steps.append(at)
        at = max(at + 1, round(at * 1.05))
    return steps
