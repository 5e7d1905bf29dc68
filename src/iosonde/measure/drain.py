"""Write caches that fill up inside a loop: the throughput falls once and stays down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from iosonde.measure.statistics import effective_size
from iosonde.records import Evidence, Finding
from iosonde.units import show, show_fraction, show_seconds

LEVEL = 0.05
"""Of a trial, for all its loops and all places of the fall together."""
LEAST_FALL = 0.10
_STEP = 5  # seconds between the places looked at, and the least length of either side
_SHORTEST = 20  # seconds of a loop


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

    For each place on a grid of five seconds the means of the two sides are compared by Student's
    t with the effective number of samples of each side: seconds that remember each other count
    for less. The most probable place is kept; its probability is multiplied by the number of
    places and loops looked at (Bonferroni).

    Args:
        loops: one-second figures of a rate, per loop; loops shorter than 20 s are passed over.
    """
    long = {index: loop for index, loop in enumerate(loops) if len(loop) >= _SHORTEST}
    found = []
    for index, loop in long.items():
        fall = _steepest(index, loop)
        if fall is None:
            continue
        places = len(range(_STEP, len(loop) - _STEP + 1, _STEP))
        if fall.probability * places * len(long) <= LEVEL and fall.share >= LEAST_FALL:
            found.append(fall)
    return tuple(found)


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
    found = falls(loops)
    if not found:
        return None
    most = max(found, key=lambda fall: fall.share)
    where = f"{subject}, {metric}, loop {most.loop + 1} of {len(loops)}, one-second figures"
    return Finding(
        rule="cache-drain",
        severity="warning",
        subject=subject,
        message=(
            f"in {len(found)} of {len(loops)} loops the throughput falls and stays down; most in "
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


def _steepest(index: int, loop: Sequence[float]) -> Fall | None:
    """The place where the two sides differ most, judged at the place of the least residue."""
    places = range(_STEP, len(loop) - _STEP + 1, _STEP)
    place = min(places, key=lambda at: _residue(loop[:at]) + _residue(loop[at:]))
    left, right = loop[:place], loop[place:]
    before, after = sum(left) / len(left), sum(right) / len(right)
    if after >= before:
        return None
    counts = effective_size(left), effective_size(right)
    freedom = sum(counts) - 2
    if freedom < 1:
        return None
    spread = sqrt((_residue(left) + _residue(right)) / (len(loop) - 2))
    error = spread * sqrt(1 / counts[0] + 1 / counts[1])
    return Fall(index, place, before, after, _chance(after - before, error, freedom))


def _residue(side: Sequence[float]) -> float:
    mean = sum(side) / len(side)
    return sum((value - mean) ** 2 for value in side)


def _chance(step: float, error: float, freedom: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(step) / error)) if error > 0 else 0.0
