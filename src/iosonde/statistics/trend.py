"""Where a series of runs changed its level: by t tests over every split, night after night.

The series is gone through as it grew. After each point the points since the last change are split
in two at every place, and the split with the largest t is a change where its probability, times the
number of splits (Bonferroni), is below `LEVEL`. So a change that was seen once is seen for ever,
whatever came later, and a rise that ended is two changes. Logarithms are tested: a change is a
factor. The variance is that of the points, and at least that of each run's own loops; it is larger
where neighbours resemble each other (AR(1), shrunken to 0 in short series).

By simulation (tests/unit/statistics/test_trend.py): docs/use/trend.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import exp, log, sqrt

from iosonde.statistics.student import student_cdf, student_t

LEVEL = 0.005
"""Of each look; fewer than 5 of 100 series of 30 equal runs show any change."""
_SIDE = 2  # points on either side of a change, at the least
_FEWEST = 6  # points that are tested
_ROUNDING = 1e-9  # of a figure
_PRIOR = 10.0  # points that speak for no correlation of neighbours


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A change of level; figures in the unit of the series.

    Args:
        at: index of the first point behind it.
        before: geometric mean of the points before it, since the change before.
        after: the same behind it, up to the next.
        change: `after` against `before`, as a fraction.
        interval: of `change`, 95 %.
    """

    at: int
    before: float
    after: float
    change: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Split:
    at: int
    size: float
    error: float
    freedom: int
    places: int

    @property
    def probability(self) -> float:
        t = abs(self.size) / self.error
        return 2 * float(student_cdf(self.freedom, -t)) * self.places


def level_changes(
    values: Sequence[float], errors: Sequence[float | None] = ()
) -> tuple[LevelChange, ...]:
    """The changes of level in a series, the first one first.

    Args:
        values: one a run, in their order; positive.
        errors: standard error of each as a fraction of it, from the run's own loops; None: not
            known.

    Raises:
        ValueError: a value is not positive.
    """
    if any(value <= 0 for value in values):
        raise ValueError("levels are compared by their ratio: values must be positive")
    logs = [log(value) for value in values]
    own = [error for error in errors if error is not None]
    floor = max(_ROUNDING**2, sum(error * error for error in own) / len(own) if own else 0.0)
    bounds = [0]
    for end in range(1, len(logs) + 1):
        if end - bounds[-1] >= _FEWEST:
            split = _best_split(logs[bounds[-1] : end], floor)
            if split.probability < LEVEL:
                bounds.append(bounds[-1] + split.at)
    return tuple(_changes(logs, bounds, floor))


def _changes(logs: Sequence[float], bounds: list[int], floor: float) -> list[LevelChange]:
    """What was seen early is placed by all points between its neighbours."""
    changes = []
    edges = [*bounds, len(logs)]
    for number in range(1, len(bounds)):
        start, end = edges[number - 1], edges[number + 1]
        split = _best_split(logs[start:end], floor)
        edges[number] = start + split.at
        before = _mean(logs[start : edges[number]])
        reach = student_t(0.975, split.freedom) * split.error
        changes.append(LevelChange(
            edges[number], exp(before), exp(before + split.size), exp(split.size) - 1,
            (exp(split.size - reach) - 1, exp(split.size + reach) - 1),
        ))  # fmt: skip
    return changes


def _best_split(logs: Sequence[float], floor: float) -> _Split:
    """The split with the largest t, with its standard error."""
    count, mean = len(logs), _mean(logs)
    until = list(accumulate(level - mean for level in logs))
    places = range(_SIDE, count - _SIDE + 1)
    # t grows with what a split explains of the squares, so the largest is looked for by that.
    shares = [until[left - 1] ** 2 * (1 / left + 1 / (count - left)) for left in places]
    explained = max(shares)
    at = places[shares.index(explained)]
    apart = 1 / at + 1 / (count - at)
    rest = max(sum((level - mean) ** 2 for level in logs) - explained, 0.0)
    error = sqrt(max(rest / (count - 2), floor) * apart * _inflation(logs, at))
    return _Split(at, -until[at - 1] * apart, error, count - 2, len(places))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _inflation(logs: Sequence[float], at: int) -> float:
    """By how much a mean's variance is larger where neighbours resemble each other.

    (1 + ρ) / (1 − ρ), with ρ the lag-1 correlation around both levels, corrected for its bias in
    short series and shrunken to 0.

    Source: M. G. Kendall, "Note on bias in the estimation of autocorrelation", Biometrika 41
    (1954).
    """
    levels = _mean(logs[:at]), _mean(logs[at:])
    left = [level - levels[index >= at] for index, level in enumerate(logs)]
    power, count = sum(rest * rest for rest in left), len(left)
    if power <= 0:
        return 1.0
    rho = sum(a * b for a, b in pairwise(left)) / power
    rho = (rho + (1 + 3 * rho) / count) * count / (count + _PRIOR)
    rho = min(max(rho, 0.0), 0.9)
    return (1 + rho) / (1 - rho)
