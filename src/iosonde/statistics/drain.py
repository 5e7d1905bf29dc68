"""Write caches that fill up inside a loop: the throughput falls once and stays down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf, sqrt

from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.elementwise import squares
from iosonde.statistics.memory import unbiased
from iosonde.statistics.student import student_cdf
from iosonde.units import show, show_fraction, show_seconds

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


def falls(loops: Sequence[Sequence[float]]) -> tuple[Fall, ...]:
    """The loops within which the throughput falls by at least 10 % and stays there.

    Two tests share the level. Over the loops: the falls from first to second half of each loop
    are one sample per loop, which no memory of the seconds can spoil (Student's t, four loops or
    more). In single loops: the means before and after the likeliest place, with the seconds'
    memory taken off their number, corrected for the number of places and loops.

    Args:
        loops: one-second figures of a rate, per loop; loops shorter than 20 s are passed over.
    """
    long = [index for index, loop in enumerate(loops) if len(loop) >= _SHORTEST]
    if not long:
        return ()
    length = min(len(loops[index]) for index in long)
    seconds = [[float(second) for second in loops[index][:length]] for index in long]
    together = _together(seconds)
    splits = [_split(loop) for loop in seconds]
    alone = _alone(seconds, splits)
    return tuple(
        Fall(index, split.place, split.before, split.after, min(chance, together))
        for index, split, chance in zip(long, splits, alone, strict=True)
        if min(chance, together) <= LEVEL and split.after <= (1 - LEAST_FALL) * split.before
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


@dataclass(frozen=True, slots=True)
class _Split:
    """A loop in two parts, and the mean of each."""

    place: int
    before: float
    after: float


def _together(seconds: Sequence[Sequence[float]]) -> float:
    """Probability that the second halves of all loops lie so far below the first by chance."""
    count, half = len(seconds), len(seconds[0]) // 2
    if count < _FEWEST:
        return 1.0
    steps = [_mean(loop[:half]) - _mean(loop[half:]) for loop in seconds]
    mean = _mean(steps)
    error = sqrt(squares(step - mean for step in steps) / (count - 1) / count)
    return float(student_cdf(count - 1, -mean / error)) if error > 0 else 1.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _split(loop: Sequence[float]) -> _Split:
    """The place that leaves the least residue, the first of equal ones."""
    length, until = len(loop), list(accumulate(loop))
    best, most = _Split(_STEP, 0.0, 0.0), -inf
    for at in range(_STEP, length - _STEP + 1, _STEP):
        before = until[at - 1] / at
        after = (until[-1] - until[at - 1]) / (length - at)
        explained = (before - after) ** 2 * at * (length - at)
        if explained > most:
            best, most = _Split(at, before, after), explained
    return best


def _alone(seconds: Sequence[Sequence[float]], splits: Sequence[_Split]) -> list[float]:
    """Probability of each loop's fall, times the number of places and loops looked at."""
    count, length = len(seconds), len(seconds[0])
    rests = [
        [*(second - split.before for second in loop[: split.place]),
         *(second - split.after for second in loop[split.place :])]
        for loop, split in zip(seconds, splits, strict=True)
    ]  # fmt: skip
    power = sum(rest * rest for loop in rests for rest in loop)
    looks = count * len(range(_STEP, length - _STEP + 1, _STEP))
    if power <= 1e-12 * sum(second * second for loop in seconds for second in loop):
        return [0.0 if split.before > split.after else 1.0 for split in splits]
    seen = sum(a * b for loop in rests for a, b in pairwise(loop)) / power
    rho = unbiased(seen, int(length / _SIDE))
    worth = (1 - rho) / (1 + rho)
    freedom = count * (length * worth - 2)
    if length * worth <= 2:
        return [1.0] * count
    spread = sqrt(power / (count * (length - 2)) / max(1 - 2 / (length * worth), 0.1))
    chances = []
    for split in splits:
        sizes = max(1.0, split.place * worth), max(1.0, (length - split.place) * worth)
        error = spread * sqrt(1 / sizes[0] + 1 / sizes[1])
        t = -(split.before - split.after) / error
        chances.append(float(student_cdf(max(freedom, 1.0), t)) * 2 * looks)
    return chances
