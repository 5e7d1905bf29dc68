"""The verdict on one metric of two trials: better, worse, equivalent or undecided, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, expm1, fsum, log

from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.finding import Evidence, Finding
from iosonde.records.run import Metric
from iosonde.statistics.contrast import Bar, Contrast, contrast, decide, paired
from iosonde.statistics.direction import higher_is_better, percentile_of
from iosonde.statistics.forecast import more_loops
from iosonde.statistics.interleaved import FEWEST_PAIRS, are_enough, interleaved
from iosonde.units import show_fraction

DRIFT = "drift over the loops may explain the change"
"""Why a verdict is undecided that loops in turns would decide."""
FIRST_GOAL = 5
"""Loops that a trial of one loop is advised to make: with one, no spread is known."""
GRAIN = log(1 + 1 / 64)
"""Width of a bin of fio's latency histogram (logarithm), the grain of its percentiles.
Source: fio 3.x, stat.h, FIO_IO_U_PLAT_BITS 6."""

_MOST_FACTOR = 999.5  # from here on it is shown as over 1,000
_MOST = 700.0
"""Logarithm of a ratio from which on it is no float any more."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of how two trials were measured.

    Args:
        distance: between their middles in loops, if drift may go on from one to the other; 0 if
            not; None: unknown, B is taken to follow A at once.
        inflation: factor on the standard error, from the memory of the seconds (memory.py).
        simultaneous: the loops were measured two by two at the same time.
        a_first: the loops were taken in turns: of each pair whether A's came first; None: not.
    """

    distance: float | None = None
    inflation: float = 1.0
    simultaneous: bool = False
    a_first: tuple[bool, ...] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and what it rests on. `reason` says in words why it is undecided, else empty."""

    verdict: Verdict
    level: float
    reason: str = ""


def typical(metric: Metric) -> float:
    """The figure of a metric that changes are computed from.

    The geometric mean of its loops, as verdicts compare logarithms; the mean where a loop reached
    zero, which has none.
    """
    if len(set(metric.loops)) == 1:
        return metric.loops[0]
    if min(metric.loops) <= 0:
        return fsum(metric.loops) / len(metric.loops)
    return exp(fsum(map(log, metric.loops)) / len(metric.loops))


def compared(a: Metric, b: Metric) -> tuple[float, float]:
    """The two figures whose ratio is the change of a verdict; see `typical`."""
    if min(*a.loops, *b.loops) > 0:
        return typical(a), typical(b)
    return a.mean, b.mean


def judge(
    a: Metric,
    b: Metric,
    *,
    bar: Bar | None = None,
    circumstances: Circumstances | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Judgement:
    """Compare one metric of two trials.

    Args:
        a: the baseline's.
        b: the candidate's, of the same name.
        bar: level and margin; its floor is raised to the grain of the figures.
        circumstances: how the trials were measured.
        names: what A and B are called in the verdict.
    """
    bar = bar or Bar()
    bar = replace(bar, floor=max(bar.floor, _grain(a, b)))
    fewest = min(len(a.loops), len(b.loops))
    undecided = Verdict(a.name, *names, Outcome.UNDECIDED, None, None)
    if not a.mean and any((*a.loops, *b.loops)):
        return Judgement(undecided, bar.level, "the baseline is zero, so no ratio exists")
    if fewest < 2:
        before, after = compared(a, b)
        change = after / before - 1 if before else 0.0
        advised = replace(undecided, change=change, more_loops=FIRST_GOAL - fewest)
        return Judgement(advised, bar.level, "one loop has no spread")
    if (
        circumstances
        and circumstances.a_first is not None
        and not are_enough(circumstances.a_first)
    ):
        before, after = compared(a, b)
        seen = replace(
            undecided, change=after / before - 1 if before else 0.0,
            more_loops=max(FEWEST_PAIRS - fewest, 1),
        )  # fmt: skip
        return Judgement(seen, bar.level, "in turns, two pairs in each order are the fewest")
    contrasted, logarithmic = _contrast(a, b, circumstances or Circumstances())
    if fewest < 3 and not contrasted.error and contrasted.change:
        before, after = compared(a, b)
        seen = replace(undecided, change=after / before - 1, more_loops=FIRST_GOAL - fewest)
        return Judgement(seen, bar.level, "two equal loops do not prove a spread of zero")
    back = _share if logarithmic else float
    return _decided(
        contrasted, bar, replace(undecided, change=back(float(contrasted.change))), (a, b)
    )


def _share(logarithm: float) -> float:
    """A change as a fraction, from the logarithm of a ratio; finite where that is beyond floats."""
    return expm1(min(logarithm, _MOST))


def _grain(a: Metric, b: Metric) -> float:
    """What the figures cannot resolve: a bin, for percentiles whose loops hardly leave theirs.

    Where the loops spread over several bins, their mean is finer than a bin, and the rounding is
    part of the spread.
    """
    spread = min(a.cv or 0.0, b.cv or 0.0)
    return GRAIN if percentile_of(a.name) and spread < GRAIN / 2 else 0.0


def _decided(
    contrasted: Contrast, bar: Bar, verdict: Verdict, metrics: tuple[Metric, Metric]
) -> Judgement:
    decision = decide(contrasted, bar)
    loops = (len(metrics[0].loops), len(metrics[1].loops))
    back = _share if min(*metrics[0].loops, *metrics[1].loops) > 0 else float
    verdict = replace(verdict, interval=(back(float(decision.low)), back(float(decision.high))))
    if decision.equivalent:
        return Judgement(replace(verdict, outcome=Outcome.EQUIVALENT), bar.level)
    if decision.differs:
        good = (contrasted.change > 0) == higher_is_better(verdict.metric)
        outcome = Outcome.BETTER if good else Outcome.WORSE
        return Judgement(replace(verdict, outcome=outcome), bar.level)
    if decision.drifting:
        return Judgement(verdict, bar.level, DRIFT)
    more = more_loops(contrasted, loops, bar)
    if more is None:
        coarse = "fio's histogram is too coarse for so small a change"
        return Judgement(
            verdict, bar.level, coarse if bar.floor else "too many loops would be needed"
        )
    wide = replace(verdict, more_loops=more)
    return Judgement(wide, bar.level, "the spread of the loops is too wide")


def within_noise(judgement: Judgement) -> Finding | None:
    """`within-noise`: a change was seen, but its interval holds zero; None for other verdicts."""
    verdict = judgement.verdict
    if verdict.interval is None or verdict.change is None:
        return None
    low, high = verdict.interval
    if verdict.outcome in {Outcome.BETTER, Outcome.WORSE} or not low <= 0 <= high:
        return None
    where = f"{verdict.baseline} against {verdict.candidate}, {verdict.metric}"
    return Finding(
        rule="within-noise",
        severity="note",
        subject=f"{verdict.candidate}: {verdict.metric}",
        message=(
            f"a change of {_size_words(verdict.change)} is within the noise: "
            f"{_size_words(low)} to {_size_words(high)}"
        ),
        evidence=(
            Evidence("change", verdict.change, "fraction", where),
            Evidence("interval, low", low, "fraction", where),
            Evidence("interval, high", high, "fraction", where),
        ),
        remedy=f"{verdict.more_loops} more loops of each would do" if verdict.more_loops else "",
        confirm="repeat both trials, in turns",
    )


def _size_words(change: float) -> str:
    """A fraction; from twice as much on, the factor."""
    if change < 1:
        return show_fraction(change)
    factor = 1 + change
    return f"a factor of {factor:.3g}" if factor < _MOST_FACTOR else "a factor over 1,000"


def _contrast(a: Metric, b: Metric, circumstances: Circumstances) -> tuple[Contrast, bool]:
    """The contrast, and whether it is one of logarithms (else of fractions of A's mean).

    Figures that reach zero have no logarithm; the error of their ratio is taken to first order.
    """
    logarithmic = min(*a.loops, *b.loops) > 0
    if logarithmic:
        left, right = [log(loop) for loop in a.loops], [log(loop) for loop in b.loops]
    else:
        base = a.mean or 1.0
        share = b.mean / base
        left = [1 + share * (loop / base - 1) for loop in a.loops]
        right = [loop / base for loop in b.loops]
        if not a.mean:  # all zero, both: no change
            left = [0.0] * len(a.loops)
    if circumstances.a_first is not None:
        return interleaved(left, right, circumstances.a_first), logarithmic
    if circumstances.simultaneous and len(a.loops) == len(b.loops):
        return paired(left, right), logarithmic
    distance = circumstances.distance
    if distance is None:
        distance = (len(a.loops) + len(b.loops)) / 2
    return contrast(left, right, distance=distance, inflate=circumstances.inflation), logarithmic
