"""Whether the loops of a trial are repetitions of one thing: first-loop effect, drift, steadiness.

Method, and what five loops can show: docs/decisions/0021-statistics-of-few-loops.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from iosonde.records.finding import Evidence, Finding
from iosonde.records.run import Metric
from iosonde.statistics.elementwise import squares
from iosonde.statistics.student import student_cdf
from iosonde.units import show, show_fraction

LEVEL = 0.045
"""Nominal, of a trial's two tests together: false alarms in at most 5 % of steady trials. The tests
choose between each other's samples, which costs the half percent (by simulation)."""
_FEWEST = 4  # loops; below, a spread without the first loop says nothing

ROUNDS = 5
RANGE_LIMIT = 0.20
SLOPE_LIMIT = 0.10


@dataclass(frozen=True, slots=True)
class Trend:
    """What happens over the loops of one or several trials. Shares are fractions of the mean.

    `first` is how far the first loop lies above the others' mean, `first_p` its probability
    under steady loops; `drift` the change from the first to the last loop considered by the
    fitted line (without the first where that stands out), `drift_p` likewise.
    """

    first: float
    first_p: float
    drift: float
    drift_p: float

    @property
    def first_loop(self) -> bool:
        """The first loop does not belong to the others. Holm's correction over the two tests."""
        return self.first_p <= LEVEL / 2 or (self.first_p <= LEVEL and self.drift_p <= LEVEL / 2)

    @property
    def drifts(self) -> bool:
        """The loops go steadily up or down."""
        return self.drift_p <= LEVEL / 2 or (self.drift_p <= LEVEL and self.first_p <= LEVEL / 2)


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The last five rounds against the criterion. Shares are fractions of their mean."""

    reached: bool
    range: float
    slope: float
    """Rise or fall of the fitted line over the window."""


def trend(trials: Sequence[Sequence[float]]) -> Trend | None:
    """Test for a first-loop effect and for drift, over one trial or several like it.

    The first loop is held against the prediction interval of the others (Student's t), the drift
    against zero slope of a straight line (t test of the regression). Several trials are pooled:
    common effect, common relative spread. They must be independent: hosts measured at the same
    time are not, average them first.

    Args:
        trials: figure per loop, all trials with the same number of loops.

    Returns:
        None with fewer than four loops, or where a mean is 0.
    """
    figures = [[float(figure) for figure in trial] for trial in trials]
    means = [_mean(trial) for trial in figures]
    if len(figures[0]) < _FEWEST or not all(means):
        return None
    relative = [
        [figure / mean for figure in trial] for trial, mean in zip(figures, means, strict=True)
    ]
    first, first_p = _first(relative)
    kept = [trial[1:] for trial in relative] if first_p <= LEVEL / 2 else relative
    drift, drift_p = _drift(kept)
    return Trend(first, first_p, drift, drift_p)


def _first(relative: Sequence[Sequence[float]]) -> tuple[float, float]:
    trials, count = len(relative), len(relative[0])
    levels = [_mean(trial[1:]) for trial in relative]
    ahead = _mean([trial[0] - level for trial, level in zip(relative, levels, strict=True)])
    freedom = trials * (count - 2)
    power = squares(
        figure - level
        for trial, level in zip(relative, levels, strict=True) for figure in trial[1:]
    )  # fmt: skip
    error = sqrt(power / freedom) * sqrt((1 + 1 / (count - 1)) / trials)
    return ahead, _two_sided(ahead, error, freedom)


def _drift(relative: Sequence[Sequence[float]]) -> tuple[float, float]:
    trials, count = len(relative), len(relative[0])
    steps = [at - (count - 1) / 2 for at in range(count)]
    centred = [[figure - _mean(trial) for figure in trial] for trial in relative]
    power = trials * sum(step * step for step in steps)
    slope = (
        sum(figure * step for trial in centred for figure, step in zip(trial, steps, strict=True))
        / power
    )
    freedom = trials * (count - 1) - 1
    left = squares(
        figure - slope * step
        for trial in centred for figure, step in zip(trial, steps, strict=True)
    )  # fmt: skip
    error = sqrt(left / freedom) / sqrt(power)
    return slope * (count - 1), _two_sided(slope, error, freedom)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _two_sided(effect: float, error: float, freedom: int) -> float:
    """Probability of so large an effect by chance; figures without any spread prove nothing."""
    if error < 1e-12:
        return 1.0 if abs(effect) < 1e-9 else 0.0
    return float(2 * student_cdf(freedom, -abs(effect) / error))


def steady_state(rounds: Sequence[float]) -> SteadyState:
    """SNIA's criterion over the last five rounds.

    Range (largest − smallest) at most 20 % of the mean, and the straight line fitted to them
    rises or falls by at most 10 % of the mean from the first to the fifth.

    Args:
        rounds: figure per round, oldest first; fewer than five are never steady.

    Source:
        SNIA Solid State Storage Performance Test Specification, definition of steady state.
    """
    window = list(rounds)[-ROUNDS:]
    mean = sum(window) / len(window) if window else 0.0
    if len(window) < ROUNDS or not mean:
        return SteadyState(reached=False, range=float("inf"), slope=float("inf"))
    reach = (max(window) - min(window)) / abs(mean)
    middle = (ROUNDS - 1) / 2
    rise = sum((i - middle) * value for i, value in enumerate(window))
    slope = rise / sum((i - middle) ** 2 for i in range(ROUNDS)) * (ROUNDS - 1) / abs(mean)
    # Figures exactly at a limit are inside it, whatever the last bit says.
    inside = reach <= RANGE_LIMIT + 1e-12 and abs(slope) <= SLOPE_LIMIT + 1e-12
    return SteadyState(reached=inside, range=reach, slope=slope)


def findings(metric: Metric, *, subject: str) -> tuple[Finding, ...]:
    """`first-loop` and `drift` of a trial's metric, with the figures they rest on."""
    seen = trend([metric.loops])
    if seen is None:
        return ()
    where = f"{subject}, {metric.name}, {len(metric.loops)} loops"
    noted = []
    if seen.first_loop and any(metric.loops[1:]):
        noted.append(_first_loop(metric, seen, subject, where))
    if seen.drifts:
        noted.append(_drifting(metric, seen, subject, where))
    return tuple(noted)


def _first_loop(metric: Metric, seen: Trend, subject: str, where: str) -> Finding:
    rest = sum(metric.loops[1:]) / (len(metric.loops) - 1)
    way = "above" if seen.first > 0 else "below"
    return Finding(
        rule="first-loop",
        severity="warning",
        subject=subject,
        message=(
            f"the first loop lies {show_fraction(abs(metric.loops[0] / rest - 1))} {way} the mean "
            f"of the other {len(metric.loops) - 1} ({show(rest, metric.unit)}): "
            "a cache was still empty, or a device fresh"
        ),
        evidence=(
            Evidence("first loop", metric.loops[0], metric.unit, where),
            Evidence("mean of the others", rest, metric.unit, where),
            Evidence("probability by chance", seen.first_p, "fraction", where),
        ),
        remedy="prepare the device first, or measure one loop more and leave out the first",
        confirm="repeat the trial at once: without the effect its first loop lies among the others",
    )


def _drifting(metric: Metric, seen: Trend, subject: str, where: str) -> Finding:
    way = "rises" if seen.drift > 0 else "falls"
    return Finding(
        rule="drift",
        severity="warning",
        subject=subject,
        message=f"{metric.name} {way} by {show_fraction(abs(seen.drift))} over the loops",
        evidence=(
            Evidence("change over the loops", seen.drift, "fraction", where),
            Evidence("probability by chance", seen.drift_p, "fraction", where),
        ),
        remedy="precondition the device, wait for background work to end, or ask for steady state",
        confirm="measure twice as many loops: the last five should no longer go one way",
    )
