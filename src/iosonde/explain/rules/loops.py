"""Rules about the loops of trials: a first one that differs, a fall, a cause that hosts share.

Source:
    Student's t of the first loop against the later ones, on logarithms, with the scatter of all
    conditions pooled as in an analysis of variance (R. A. Fisher, 1925); Fisher's z for
    correlations (R. A. Fisher, "On the probable error of a coefficient of correlation", 1921).
    A fall: the same t before and after the likeliest loop, its level shared out to all places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atanh, exp, log, sqrt

from iosonde import units
from iosonde.explain.series import ComparableTrials, Condition, overlap, series_of
from iosonde.layers import LAYERS
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.contrast import Bar
from iosonde.statistics.direction import higher_is_better
from iosonde.statistics.student import student_cdf

_LEVEL = 0.05
_FREEDOM = 6
"""Fewest degrees of freedom that a pooled scatter is taken from."""
_TOGETHER = 0.6
_STEPS = 8
_FEWEST = 4  # loops in which a fall is looked for
_LEAST_FALL = 0.105  # a tenth, on logarithms
_SURE = 2.58  # standard normal, 99 % two-sided


def _first_loops(case: EvidenceSet) -> Iterable[Finding]:
    """Conditions of a source whose first loop stands out from the later ones."""
    groups: dict[tuple[str, str], list[Condition]] = {}
    every = series_of(case)
    for series in every:
        for condition in series.conditions:
            positive = all(value > 0 for value in condition.metric.loops)
            if (
                len(condition.metric.loops) >= 3
                and positive
                and _imported(condition)
                and not _fall(condition)
            ):
                key = condition.trials[0].source, series.headline
                groups.setdefault(key, []).append(condition)
    for conditions in groups.values():
        yield from _outstanding(conditions, every)


def _imported(condition: Condition) -> bool:
    """Trials measured here are judged when they are measured."""
    return ":" in condition.trials[0].where


def _outstanding(
    conditions: Sequence[Condition], every: Sequence[ComparableTrials]
) -> Iterable[Finding]:
    later = [[log(value) for value in condition.metric.loops[1:]] for condition in conditions]
    freedom = sum(len(values) - 1 for values in later)
    if freedom < _FREEDOM:
        return
    power = sum(sum((value - _mean(values)) ** 2 for value in values) for values in later)
    scatter = sqrt(power / freedom)
    outstanding = []
    for condition, values in zip(conditions, later, strict=True):
        ahead = log(condition.metric.loops[0]) - _mean(values)
        error = scatter * sqrt(1 + 1 / len(values))
        if error > 0 and _two_sided(ahead / error, freedom) < _LEVEL / len(conditions):
            outstanding.append((condition, exp(ahead) - 1))
    turned = [
        pair
        for series in every
        for pair in _turned(series, [condition for condition, _ in outstanding])
    ]
    if not turned and all(abs(share) < Bar().margin for _, share in outstanding):
        return
    names = ", ".join(f"“{condition.label}” ({_signed(share)})" for condition, share in outstanding)
    evidence = []
    for condition, _ in outstanding:
        unit = condition.metric.unit
        rest = sum(condition.metric.loops[1:]) / (len(condition.metric.loops) - 1)
        evidence += [
            Evidence(
                f"first loop of “{condition.label}”",
                condition.metric.loops[0],
                unit,
                _place_of_first(condition),
            ),
            Evidence("mean of its later loops", rest, unit, condition.where),
        ]
    said = "".join(f"; without it “{a.label}” is behind “{b.label}”" for a, b in turned[:1])
    said += f" and {len(turned) - 1} more places are exchanged" if len(turned) > 1 else ""
    yield Finding(
        rule="first-loop",
        severity="warning",
        subject=conditions[0].trials[0].source,
        message=(
            f"The first loop differs from the later ones in {len(outstanding)} of "
            f"{len(conditions)} conditions: {names}. Something was not yet warm, full or busy, "
            f"and it is in the mean{said}."
        ),
        evidence=tuple(evidence),
        remedy="Leave the first loop out, or let the load run in before (ramp_time) until the rate "
        "is steady; then compare again.",
        confirm="the order of the results without the first loops",
    )


def _place_of_first(condition: Condition) -> str:
    """Where the first loop stands: in an output of its own where each trial is one loop."""
    name = condition.metric.name
    alone = all(len(trial.metrics[name].loops) == 1 for trial in condition.trials)
    apart = alone and len(condition.trials) == len(condition.metric.loops)
    return condition.trials[0].where if apart else condition.where


def _turned(
    series: ComparableTrials, outstanding: Sequence[Condition]
) -> Iterable[tuple[Condition, Condition]]:
    """Pairs of conditions whose order is another one without the first loops."""
    best_first = higher_is_better(series.headline)
    named = {id(condition) for condition in outstanding}
    for a in (condition for condition in series.conditions if id(condition) in named):
        for b in series.conditions:
            again = id(b) in named and id(b) <= id(a)
            if again or len(b.metric.loops) < 2:
                continue
            all_of = a.metric.mean - b.metric.mean
            later = _mean(a.metric.loops[1:]) - _mean(b.metric.loops[1:])
            if all_of * later < 0:
                yield (a, b) if (all_of > 0) == best_first else (b, a)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _two_sided(t: float, freedom: int) -> float:
    return float(2 * student_cdf(freedom, -abs(t)))


def _signed(share: float) -> str:
    return f"{'+' if share > 0 else '−'}{units.show_fraction(abs(share))}"


def _common_causes(case: EvidenceSet) -> Iterable[Finding]:
    """Hosts measured at the same time whose loops rise and fall together."""
    pairs: dict[tuple[str, str, str, str], list[tuple[TrialEvidence, TrialEvidence]]] = {}
    for series in series_of(case):
        for condition in series.conditions:
            for place, a in enumerate(condition.trials):
                for b in condition.trials[place + 1 :]:
                    if a.host and b.host and overlap(a, b) > 0:
                        key = (a.source, series.headline, a.host, b.host)
                        pairs.setdefault(key, []).append((a, b))
    for (source, headline, first, second), trials in pairs.items():
        yield from _moving_together(source, headline, (first, second), trials)


def _moving_together(
    source: str,
    headline: str,
    hosts: tuple[str, str],
    trials: Sequence[tuple[TrialEvidence, TrialEvidence]],
) -> Iterable[Finding]:
    left: list[float] = []
    right: list[float] = []
    for a, b in trials:
        left += _deviations(a.metrics[headline].loops)
        right += _deviations(b.metrics[headline].loops)
    steps = len(left) - len(trials)
    r = _correlation(left, right)
    z = atanh(min(r, 0.999999)) * sqrt(max(steps - 2, 1))
    if steps < _STEPS or r < _TOGETHER or z < _SURE:
        return
    close = [
        (a, correlation)
        for a, b in trials
        for correlation in [_of_pair(a.metrics[headline].loops, b.metrics[headline].loops)]
        if correlation is not None
    ]
    bounds = (
        [f"{pick(correlation for _, correlation in close):.2f}" for pick in (min, max)]
        if close
        else []
    )
    span = " … ".join(dict.fromkeys(bounds))
    among = f", {span} in {len(close)} of {len(trials)} trials" if close else ""
    yield Finding(
        rule="common-cause",
        severity="warning",
        subject=f"{hosts[0]} and {hosts[1]}",
        message=(
            f"The loops of {hosts[0]} and {hosts[1]} rise and fall together (correlation {r:.2f} "
            f"over {len(left)} pairs of loops{among}): they share a cause, and what both show is "
            "one measurement, not two that confirm each other."
        ),
        evidence=(
            Evidence("correlation of the loops around their means", round(r, 3), "", source),
            Evidence("pairs of loops", len(left), "", source),
            *(Evidence(f"correlation in “{a.label}”", round(correlation, 3), "", a.where)
              for a, correlation in close),
        ),
        remedy="Look for what they share: a replication or network between them, one array or "
        "power supply behind both; measure the hosts one after the other.",
        confirm="no correlation when the hosts are measured at different times",
    )  # fmt: skip


def _of_pair(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Correlation of two trials' loops, None where chance gives it (5 %)."""
    if len(left) != len(right) or len(left) < 4:
        return None
    r = _correlation(_deviations(left), _deviations(right))
    rest, freedom = 1 - r * r, len(left) - 2
    certain = rest <= 0 or _two_sided(r * sqrt(freedom / rest), freedom) < _LEVEL
    return r if r > 0 and certain else None


def _correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Of deviations from means; 0 where one side has none."""
    power = sum(x * x for x in left) * sum(y * y for y in right)
    return sum(x * y for x, y in zip(left, right, strict=True)) / sqrt(power) if power > 0 else 0.0


def _deviations(loops: Sequence[float]) -> list[float]:
    mean = _mean(loops)
    return [value / mean - 1 for value in loops] if mean else [0.0 for _ in loops]


def _falls(case: EvidenceSet) -> Iterable[Finding]:
    """Writes that fall from one loop to the next and stay down: a cache was full."""
    for series in series_of(case):
        if not series.headline.startswith("write.") or not higher_is_better(series.headline):
            continue
        for condition in series.conditions:
            place = _fall(condition)
            if place and not _heated(condition, place):
                yield _drained(case, condition, place)


def _fall(condition: Condition) -> int:
    """The loops before a lasting fall by a tenth or more; 0 where there is none."""
    loops = condition.metric.loops
    if len(loops) < _FEWEST or min(loops) <= 0:
        return 0
    logs = [log(value) for value in loops]
    places = range(1, len(logs) - 1)
    power = {place: _power(logs[:place]) + _power(logs[place:]) for place in places}
    best = min(places, key=lambda place: power[place])
    before, after = _mean(logs[:best]), _mean(logs[best:])
    if before - after < _LEAST_FALL or max(logs[best:]) >= min(logs[:best]):
        return 0
    freedom = len(logs) - 2
    error = sqrt(power[best] / freedom * (1 / best + 1 / (len(logs) - best)))
    chance = _two_sided((before - after) / error, freedom) if error > 0 else 0.0
    return best if chance * len(places) < _LEVEL else 0


def _heated(condition: Condition, place: int) -> bool:
    """Whether a drive below spoke of its temperature from the fall on, and not long before it."""
    from iosonde.stack.health import THROTTLED, alarms_around  # with the hosts: few have loops

    for trial in condition.trials:
        kinds = {kind for kind, _ in trial.stands_on if kind in LAYERS}
        alarms = alarms_around(kinds, trial.series)
        hot = [at for at, rules in enumerate(alarms) if THROTTLED in rules]
        if hot and place - 1 <= hot[0] and hot[-1] >= place:
            return True
    return False


def _power(values: Sequence[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values)


def _drained(case: EvidenceSet, condition: Condition, place: int) -> Finding:
    trial, metric = condition.trials[0], condition.metric
    before, after = _mean(metric.loops[:place]), _mean(metric.loops[place:])
    evidence = [
        Evidence(f"mean of the first {place} loops", before, metric.unit, condition.where),
        Evidence("mean of the later loops", after, metric.unit, condition.where),
    ]
    written = _written(trial, metric.loops[:place])
    amount = ""
    if written:
        evidence.append(Evidence("written until then", written, "B", "computed"))
        amount = f" after {units.show_bytes(written)} had been written"
    size = case.value("cache_size", like=trial)
    below = ""
    if isinstance(size, int):
        evidence.append(Evidence("size of a cache below", size, "B", trial.source))
        if written and size <= written:
            below = f" (one of {units.show_bytes(size)} is below)"
    return Finding(
        rule="cache-drain",
        severity="warning",
        subject=condition.label,
        message=(
            f"After {place} of {len(metric.loops)} loops the writes fall by "
            f"{units.show_fraction(1 - after / before)} and stay down{amount}: a write cache took "
            f"them until it was full"
            f"{below}, and the mean over all loops is of neither."
        ),
        evidence=tuple(evidence),
        remedy=f"Judge what is behind the cache by the {units.show(after, metric.unit)} after the "
        "fall; before measuring, write more than the cache holds.",
        confirm="at half the rate (--rate) the fall comes about twice as late",
    )


def _written(trial: TrialEvidence, loops: Sequence[float]) -> float | None:
    """Bytes of the first loops; None where a loop's length or I/O size is not known."""
    size = 1 if trial.headline.endswith(".bandwidth") else trial.options.get("bs")
    if not trial.elapsed or len(trial.elapsed) < len(loops) or not isinstance(size, int):
        return None
    return size * sum(rate * time for rate, time in zip(loops, trial.elapsed, strict=False))


RULES = (
    Rule("first-loop", "all loads", "First loops that differ from the later ones, with the scatter "
         "of all conditions of a source pooled.", "R. A. Fisher, 1925 (pooled variance)",
         _first_loops),
    Rule("common-cause", "all loads", "Hosts measured at the same time whose loops move together.",
         "R. A. Fisher, Metron 1 (1921): z of a correlation", _common_causes),
    Rule("cache-drain", "all loads", "Writes that fall from one loop to the next and stay down.",
         "Student's t before and after the likeliest loop", _falls),
)  # fmt: skip
