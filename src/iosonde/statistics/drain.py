"""Write caches that fill up inside a loop: the throughput falls once and stays down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.memory import unbiased
from iosonde.statistics.student import student_cdf
from iosonde.units import show, show_fraction, show_seconds

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

LEVEL = 0.0125
"""Nominal, of each of two tests: together at most 5 % of trials without a fall raise an alarm, by
simulation with a spread of the seconds up to 30 % and a memory up to 0.98."""
LEAST_FALL = 0.10
_STEP = 5  # seconds between the places looked at, and the least length of either side
_SHORTEST = 20  # seconds of a loop
_FEWEST = 4  # loops, for a test over them
_SIDE = 2.5  # what is left on each side of a fall is so much shorter than the loop (empirical)


@dataclass(frozen=True, slots=True)
class Fall:
    """A loop's throughput before and after it falls, `second` seconds into the loop."""

    loop: int
    second: int
    before: float
    after: float
    probability: float

    @property
    def share(self) -> float:
        """The fall as a fraction of what it was before."""
        return 1 - self.after / self.before


def falls(loops: Sequence[Sequence[float]] | Floats) -> tuple[Fall, ...]:
    """The loops within which the throughput falls by at least 10 % and stays there.

    Two tests share the level. Over the loops: the falls from first to second half of each loop
    are one sample per loop, which no memory of the seconds can spoil (Student's t, four loops or
    more). In single loops: the means before and after the likeliest place, with the seconds'
    memory taken off their number, corrected for the number of places and loops.

    Args:
        loops: one-second figures of a rate, per loop; loops shorter than 20 s are passed over.
    """
    import numpy as np

    long = [index for index, loop in enumerate(loops) if len(loop) >= _SHORTEST]
    if not long:
        return ()
    length = min(len(loops[index]) for index in long)
    seconds = np.array([loops[index][:length] for index in long], dtype=np.float64)
    together = _together(seconds)
    places, before, after = _split(seconds)
    alone = _alone(seconds, places, before, after)
    return tuple(
        Fall(index, int(place), float(high), float(low), min(float(chance), together))
        for index, place, high, low, chance in zip(long, places, before, after, alone, strict=True)
        if min(chance, together) <= LEVEL and low <= (1 - LEAST_FALL) * high
    )


def cache_drain(
    loops: Sequence[Sequence[float]], *, metric: str, unit: str, subject: str
) -> Finding | None:
    """`cache-drain`, where at least one loop falls.

    Args:
        loops: one-second figures, per loop.
        metric: what they are.
        unit: of the figures.
        subject: what the finding is about.
    """
    fallen = falls(loops)
    if not fallen:
        return None
    most = max(fallen, key=lambda fall: fall.share)
    where = f"{subject}, {metric}, loop {most.loop + 1} of {len(loops)}, one-second figures"
    return Finding(
        rule="cache-drain",
        severity="warning",
        subject=subject,
        message=(
            f"in {len(fallen)} of {len(loops)} loops the throughput falls and stays down; most in "
            f"loop {most.loop + 1}, after {show_seconds(most.second)}, by "
            f"{show_fraction(most.share)}: a write cache was full"
        ),
        evidence=(
            Evidence("before", most.before, unit, where),
            Evidence("after", most.after, unit, where),
            Evidence("seconds into the loop", most.second, "s", where),
            Evidence(
                "written until then",
                most.before * most.second,
                "B" if unit == "B/s" else "I/Os",
                where,
            ),
        ),
        remedy=f"judge the device behind the cache by the {show(most.after, unit)} after the fall: "
        "precondition with more than the cache holds, or measure longer loops",
        confirm="halve the block rate: the fall comes about twice as late",
    )


def _together(seconds: Floats) -> float:
    """Probability that the second halves of all loops lie so far below the first by chance."""
    import numpy as np

    count, length = seconds.shape
    steps = seconds[:, : length // 2].mean(axis=1) - seconds[:, length // 2 :].mean(axis=1)
    error = float(steps.std(ddof=1)) / np.sqrt(count) if count >= _FEWEST else 0.0
    return float(student_cdf(count - 1, -float(steps.mean()) / error)) if error > 0 else 1.0


def _split(seconds: Floats) -> tuple[Floats, Floats, Floats]:
    """For each loop the place that leaves the least residue, and the means on both sides."""
    import numpy as np

    length = seconds.shape[1]
    at = np.arange(_STEP, length - _STEP + 1, _STEP)
    until = np.cumsum(seconds, axis=1)
    left = until[:, at - 1] / at
    right = (until[:, -1:] - until[:, at - 1]) / (length - at)
    best = ((left - right) ** 2 * at * (length - at)).argmax(axis=1)
    rows = np.arange(len(seconds))
    return at[best], left[rows, best], right[rows, best]


def _alone(seconds: Floats, places: Floats, before: Floats, after: Floats) -> Floats:
    """Probability of each loop's fall, times the number of places and loops looked at."""
    import numpy as np

    count, length = seconds.shape
    first = np.arange(length)[None, :] < places[:, None]
    rest = seconds - np.where(first, before[:, None], after[:, None])
    power = float((rest**2).sum())
    looks = count * len(range(_STEP, length - _STEP + 1, _STEP))
    if power <= 1e-12 * float((seconds**2).sum()):
        return np.where(before > after, 0.0, 1.0)
    seen = float((rest[:, 1:] * rest[:, :-1]).sum()) / power
    rho = unbiased(seen, int(length / _SIDE))
    worth = (1 - rho) / (1 + rho)
    freedom = count * (length * worth - 2)
    if length * worth <= 2:
        return np.ones(count)
    spread = np.sqrt(power / (count * (length - 2)) / max(1 - 2 / (length * worth), 0.1))
    sizes = np.maximum(1, places * worth), np.maximum(1, (length - places) * worth)
    error = spread * np.sqrt(1 / sizes[0] + 1 / sizes[1])
    chances: Floats = student_cdf(max(freedom, 1.0), -(before - after) / error) * 2 * looks
    return chances
