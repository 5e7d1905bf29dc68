"""Where a series of runs changed its level: by likelihood ratios over every split, night by night.

The series is gone through as it grew. After each point the points since the last change are split
in two at every place. The best split is a change where two levels are so much likelier than one
that the probability of it, times the number of splits (Bonferroni), is below `LEVEL`. So a change
that was seen once is seen for ever, whatever came later, and a rise that ended is two changes.
Logarithms are tested: a change is a factor. Neighbours may resemble each other (AR(1)): one level
and two levels are each taken with the correlation that suits them best, over the residuals of the
prediction from the point before, so that a series that wanders is not a series of changes. Short
series say little of their correlation, and two levels take most of it away: `_DOUBT` makes one
level with correlation likelier, and two levels with it less likely. The variance is that of the
points, and at least that of each run's own loops.

By simulation: docs/validation/trend.md.

Source: M. Robbins, C. Gallagher, R. Lund and A. Aue, "Mean shift testing in correlated data",
Journal of Time Series Analysis 32 (2011): tests of independent observations, applied to one-step
prediction residuals; the ratio of likelihoods as a t of Student: G. Casella and R. Berger,
"Statistical Inference" (2002), chapter 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import exp, expm1, log, sqrt

from iosonde.statistics.elementwise import squares
from iosonde.statistics.student import student_cdf, student_t

LEVEL = 0.008
"""Of each look; at most 5 of 100 series of 30 runs show a change, up to correlations of 0.8.

Chosen together with `_DOUBT`, by simulation with seeds that the published figures do not use.
"""
_SIDE = 2  # points on either side of a change, at the least
_FEWEST = 6  # points that are tested
_CORRELATIONS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.95)  # of neighbours, that are tried
_DOUBT = 2.0  # of a log likelihood, times the correlation
_ROUNDING = 1e-9  # of a figure
_MOST = 60.0  # of a logarithm: beyond, the probability is 0 anyway
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
    probability: float


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
    """The likeliest split, the standard error of its size, and how likely chance makes one."""
    count, mean = len(logs), _mean(logs)
    centred = [level - mean for level in logs]
    ratio, at = _likelihood_ratio(centred, floor)
    before, after = _mean(centred[:at]), _mean(centred[at:])
    rest = squares(level - before for level in centred[:at])
    rest += squares(level - after for level in centred[at:])
    variance = max(rest / (count - 2), floor) * (1 / at + 1 / (count - at))
    freedom = count - 3  # two levels and the correlation
    t = sqrt(freedom * expm1(min(ratio / count, _MOST)))
    chance = 2 * float(student_cdf(freedom, -t)) * (count - 2 * _SIDE + 1)
    error = sqrt(variance * _inflation(logs, at))
    return _Split(at, after - before, error, count - 2, chance)


def _likelihood_ratio(logs: Sequence[float], floor: float) -> tuple[float, int]:
    """Twice the logarithm of how much likelier two levels are than one, and where they part.

    Noise is AR(1) in both cases, each with the correlation that suits it best: a series that
    wanders is likely without any change.

    Args:
        logs: centred.
        floor: least variance of the noise.
    """
    fits = [(_DOUBT * memory, *_fits(logs, memory, floor)) for memory in _CORRELATIONS]
    same = max(fit + doubt for doubt, fit, _ in fits)
    parted, at = max(
        (fit - doubt, at)
        for doubt, _, by_place in fits for at, fit in enumerate(by_place, start=_SIDE)
    )  # fmt: skip
    return max(2 * (parted - same), 0.0), at


def _fits(logs: Sequence[float], memory: float, floor: float) -> tuple[float, list[float]]:
    """Log likelihoods of one level, and of two for each place where they may part.

    Residuals of the prediction from the point before are independent of each other, so that both
    are least-squares fits of them: by a constant, and by a constant and a step.
    """
    count, fresh, begin = len(logs), 1 - memory, sqrt(1 - memory**2)
    power = begin**2 + fresh**2 * (count - 1)
    rests = [begin * logs[0], *(now - memory * last for last, now in pairwise(logs))]
    level = (begin * rests[0] + fresh * sum(rests[1:])) / power
    rests = [rests[0] - begin * level, *(rest - fresh * level for rest in rests[1:])]
    squares = sum(rest * rest for rest in rests)
    whole = sum(rests)
    later = [total - whole for total in accumulate(rests)]  # minus what lies behind each
    least = floor * begin**2

    def fit(left: float) -> float:
        variance = max(left / count, least)
        return log(begin) - count / 2 * log(variance) - left / (2 * variance)

    by_place = []
    for at in range(_SIDE, count - _SIDE + 1):
        behind = count - 1 - at
        shared = fresh * (1 + fresh * behind)
        step = 1 + fresh**2 * behind - shared**2 / power
        along = rests[at] - fresh * later[at]
        by_place.append(fit(max(squares - along**2 / step, 0.0)))
    return fit(squares), by_place


def _mean(logs: Sequence[float]) -> float:
    return sum(logs) / len(logs)


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
