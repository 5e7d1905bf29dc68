"""What each layer costs: trials of the same load at several probe points, from the bottom up.

Each is held against the first, the base, and against the one before it, of those that one request
passes: a member of one array and another array have nothing to do with each other.

Rates are compared as ratios of means on logarithms, times as differences of means, both by Welch's
t with 95 % confidence; with one loop a change is given without an interval, and says so.

Source:
    B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34 (1947).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt

from iosonde.errors import UsageError
from iosonde.explain.series import by_load, words_of_load
from iosonde.measure.metrics import CPU_PER_IO
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.run import Metric
from iosonde.records.sheet import SYNC_LATENCY, Gain, Waterfall, WaterfallStep
from iosonde.statistics.student import student_t

_MEMORY = "page-cache"


def waterfalls(
    case: EvidenceSet, findings: Sequence[Finding] = (), order: Sequence[str] = ()
) -> tuple[Waterfall, ...]:
    """The waterfalls of a case: one for each load that was measured at two or more places.

    Args:
        case: trials of own runs stand in the order of the layers below them, imported ones in
            that of their text.
        findings: of the same case; what casts doubt on a step is noted there.
        order: words of labels or targets, from the bottom up: only the trials that they name, in
            this order.

    Raises:
        UsageError: a word of `order` names no trial.
    """
    _check(order, case)
    doubted = {
        figure.where
        for finding in findings
        if finding.rule == _MEMORY
        for figure in finding.evidence
    }
    groups: dict[tuple[str, str, str], list[TrialEvidence]] = {}
    for trial in case.trials:
        if trial.headline and trial.metrics:
            load = trial.heading if trial.stands_on else ""
            key = trial.source, f"{trial.tool} {load}".strip(), trial.headline
            groups.setdefault(key, []).append(trial)
    built = []
    for (source, load, headline), trials in groups.items():
        loads = by_load(trials)
        for alike in loads:
            subject = f"{load} ({words_of_load(alike)})" if len(loads) > 1 else load
            ordered, stack = _ordered(alike, order)
            paths = _paths(ordered) if stack and not order else [ordered]
            for steps in paths:
                if len(steps) < 2 or not (order or len({_place(step) for step in steps}) > 1):
                    continue
                which = f", up to {steps[-1].label}" if len(paths) > 1 else ""
                name = f"{subject} of {source}{which if stack else ', in the order of the text'}"
                timed = _timed(steps, headline)
                built.append(
                    Waterfall(name, headline, timed, _steps(steps, headline, timed, doubted))
                )
    return tuple(built)


def _paths(trials: Sequence[TrialEvidence]) -> list[list[TrialEvidence]]:
    """The ways that a request takes through the places of some trials, each from the bottom up.

    Of members of an array that were all measured, the first stands for them; the others are no
    step of a path, since no layer comes from them to the next.

    Args:
        trials: from the bottom up.
    """
    layers = [frozenset(trial.path or trial.stands_on) for trial in trials]
    paths: list[list[int]] = []
    placed: set[int] = set()
    for top in reversed(range(len(trials))):
        if top in placed:
            continue
        path = [top]
        while (under := _next_below(layers, path[-1])) is not None:
            path.append(under)
        paths.append(path[::-1])
        placed.update(path)
    longest = [path for path in paths if len(path) > 1]
    return [[trials[index] for index in path] for path in longest]


def _next_below(layers: Sequence[frozenset[object]], above: int) -> int | None:
    """Of the earlier ones the nearest that stands on nothing but what one stands on itself."""
    below = [index for index in range(above) if layers[index] <= layers[above]]
    return max(below, key=lambda index: (len(layers[index]), -index), default=None)


def _place(trial: TrialEvidence) -> object:
    """Where in a stack it was measured; several settings at one place make no waterfall."""
    return trial.stands_on or trial.target or trial.heading


def _check(order: Sequence[str], case: EvidenceSet) -> None:
    for word in order:
        if not any(_named(trial, word) for trial in case.trials):
            labels = "; ".join(dict.fromkeys(trial.label for trial in case.trials)) or "none"
            raise UsageError(
                f"{word!r} is in the label of no trial",
                where="--order",
                hint=f"there are: {labels}",
            )


def _named(trial: TrialEvidence, word: str) -> bool:
    return word.lower() in trial.label.lower() or word in {trial.target, trial.host}


def _ordered(
    trials: Sequence[TrialEvidence], order: Sequence[str]
) -> tuple[list[TrialEvidence], bool]:
    """The trials from the bottom up, and whether that is known to be their order."""
    if order:
        picked = [next((trial for trial in trials if _named(trial, word)), None) for word in order]
        return [trial for trial in picked if trial is not None], True
    if all(trial.stands_on for trial in trials):
        return sorted(trials, key=lambda trial: len(trial.stands_on)), True
    return list(trials), False


def _timed(trials: Sequence[TrialEvidence], headline: str) -> str:
    """The latency that the load waits for: of its syncs where it has some, else of its I/Os."""
    if all(SYNC_LATENCY in trial.metrics for trial in trials):
        return SYNC_LATENCY
    return headline.rpartition(".")[0] + ".latency.mean"


def _steps(
    trials: Sequence[TrialEvidence], headline: str, latency: str, doubted: set[str]
) -> tuple[WaterfallStep, ...]:
    steps: list[WaterfallStep] = []
    base = trials[0].metrics
    before: TrialEvidence | None = None
    for trial in trials:
        rate = trial.metrics[headline]
        time, cpu = (trial.metrics.get(name) for name in (latency, CPU_PER_IO))
        former = before.metrics if before else {}
        steps.append(
            WaterfallStep(
                label=trial.label,
                where=trial.where,
                loops=len(rate.loops),
                rate=rate.mean,
                unit=rate.unit,
                latency=time.mean if time else None,
                cpu=cpu.mean if cpu else None,
                kept=_ratio(former.get(headline), rate),
                of_base=_ratio(base[headline], rate) if before else None,
                latency_added=_difference(former.get(latency), time),
                cpu_added=_difference(former.get(CPU_PER_IO), cpu),
                latency_over_base=_difference(base.get(latency), time) if before else None,
                cpu_over_base=_difference(base.get(CPU_PER_IO), cpu) if before else None,
                doubt=_MEMORY if trial.where in doubted else "",
            )
        )
        before = trial
    return tuple(steps)


def _ratio(a: Metric | None, b: Metric | None) -> Gain | None:
    """B ÷ a − 1, with its interval."""
    if a is None or b is None or not a.mean:
        return None
    change = b.mean / a.mean - 1
    if min(len(a.loops), len(b.loops)) < 2 or min(*a.loops, *b.loops) <= 0:
        return Gain(change, None)
    spread = _welch([log(value) for value in a.loops], [log(value) for value in b.loops])
    return Gain(change, (exp(spread[0]) - 1, exp(spread[1]) - 1))


def _difference(a: Metric | None, b: Metric | None) -> Gain | None:
    """B − a, with its interval."""
    if a is None or b is None:
        return None
    if min(len(a.loops), len(b.loops)) < 2:
        return Gain(b.mean - a.mean, None)
    return Gain(b.mean - a.mean, _welch(a.loops, b.loops))


def _welch(a: Sequence[float], b: Sequence[float]) -> tuple[float, float]:
    """Bounds of the 95 % interval of mean(b) − mean(a)."""
    means = [sum(values) / len(values) for values in (a, b)]
    of_a, of_b = (
        sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)
        for values, mean in zip((a, b), means, strict=True)
    )
    change, together = means[1] - means[0], of_a + of_b
    if together <= 0:
        return change, change
    freedom = together**2 / (of_a**2 / (len(a) - 1) + of_b**2 / (len(b) - 1))
    reach = student_t(0.975, freedom) * sqrt(together)
    return change - reach, change + reach
