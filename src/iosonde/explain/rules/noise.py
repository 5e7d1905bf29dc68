"""Rules about orders of results: which differences the loops support, and which they don't.

Of k conditions in their order the k − 1 neighbours are compared, and the ends of every stretch in
which no neighbours differ (at most k/3 of three or more); the level is shared out to all of them.

Source:
    docs/decisions/0021 and docs/decisions/0022; Student's t on logarithms,
    the level of 5 % shared out to the comparisons that are made (C. E. Bonferroni, 1936).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iosonde import units
from iosonde.explain.limited import is_limited
from iosonde.explain.repeats import are_repeats
from iosonde.explain.series import ComparableTrials, Condition, circumstances, series_of
from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.contrast import Bar
from iosonde.statistics.direction import higher_is_better
from iosonde.statistics.verdict import judge, typical

_LEVEL = 0.05
_FAR = 0.75
"""Of two single runs, of which one has less of the other's figure, the order is hardly an accident.

Runs of the same load on the same disk scatter by some per cent, in clouds by ten and more.
"""
_TABLES = frozenset({"table"})
"""Of what an author's tables are beside each other, only their words say."""
_EQUAL = 5e-4
_NOTHING = -0.9995
"""What is shown as -100.0 %: the interval of a ratio, which has no end below."""
_HUNDREDFOLD = 100.0
_REMARK = re.compile(r"note|remark|comment", re.IGNORECASE)
_MORE = "Repeat what is close, in turns (A B A B), at least five loops of each."


@dataclass(frozen=True, slots=True)
class _Step:
    """Two conditions, the better mean first, and the verdict on the second."""

    better: Condition
    worse: Condition
    verdict: Verdict

    @property
    def supported(self) -> bool:
        """Whether the loops support that the first is better."""
        return self.verdict.outcome is Outcome.WORSE


def _orders(case: EvidenceSet) -> Iterable[Finding]:
    for series in series_of(case):
        ranked = _ranked(series)
        alone = [condition for condition in ranked if len(condition.metric.loops) < 2]
        if alone:
            yield from _single(series, ranked, alone)
        yield from _judged(
            series, [condition for condition in ranked if len(condition.metric.loops) > 1]
        )


def _ranked(series: ComparableTrials) -> list[Condition]:
    """The conditions, the best first, without those whose rates were limited on purpose."""
    best_first = higher_is_better(series.headline)
    free = [
        condition for condition in series.conditions if not any(map(is_limited, condition.trials))
    ]
    return sorted(free, key=lambda condition: typical(condition.metric), reverse=best_first)


def _judged(series: ComparableTrials, ranked: Sequence[Condition]) -> Iterable[Finding]:
    """The order of conditions with several loops: what is supported, and what is not."""
    if len(ranked) < 2:
        return
    bar = Bar(level=_LEVEL / (len(ranked) - 1 + len(ranked) // 3))
    steps = [_step(a, b, bar) for a, b in pairwise(ranked)]
    apart = [step for step in steps if step.supported]
    if apart:
        yield _ranking(series, ranked, apart)
    for stretch in _stretches(steps):
        if len(stretch) == 1:
            yield _pair(series, stretch[0])
        else:
            ends = _step(stretch[0].better, stretch[-1].worse, bar)
            yield _several(series, stretch, ends)


def _step(a: Condition, b: Condition, bar: Bar) -> _Step:
    context = circumstances(a, b)
    return _Step(a, b, judge(a.metric, b.metric, bar=bar, circumstances=context).verdict)


def _stretches(steps: Sequence[_Step]) -> Iterator[list[_Step]]:
    """Runs of steps that the loops do not support."""
    run: list[_Step] = []
    for step in steps:
        if not step.supported:
            run.append(step)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _single(
    series: ComparableTrials, ranked: Sequence[Condition], alone: Sequence[Condition]
) -> Iterable[Finding]:
    targets = {(trial.host, trial.target) for condition in ranked for trial in condition.trials}
    if len(ranked) < 2 or (len(ranked) == 2 and len(targets) == 2):
        return  # two devices of two hosts: nobody orders them
    ranked = _of_known_load(ranked)
    for close in (close for group in _ordered(ranked) for close in _close(group)):
        unknown = [condition for condition in close if condition in alone]
        if len(close) < 2 or not unknown or are_repeats(close):
            continue
        first, last = close[0], close[-1]
        spread = abs(last.metric.mean / first.metric.mean - 1) if first.metric.mean else 0.0
        if spread < _EQUAL:
            continue  # equal figures are in no order
        yield Finding(
            rule="within-noise",
            severity="note",
            subject=_subject(series),
            message=(
                f"{len(unknown)} of {len(close)} results are of one run each: how much they "
                "scatter is not known, and no order among them can be claimed (best and worst lie "
                f"{units.show_fraction(spread)} apart)."
            ),
            evidence=tuple(
                Evidence(
                    _name(series, condition),
                    typical(condition.metric),
                    condition.metric.unit,
                    condition.where,
                )
                for condition in close
            ),
            remedy=_MORE,
            confirm="an order that holds in every round",
        )


def _ordered(ranked: Sequence[Condition]) -> Iterable[list[Condition]]:
    """Those of which an order may be claimed.

    Not results of unequal size in different chapters, nor those of different tables.
    """
    if tables := {trial.where for condition in ranked for trial in condition.trials
                  if trial.tool in _TABLES}:  # fmt: skip
        return [
            [condition for condition in ranked if condition.where == table]
            for table in sorted(tables)
        ]
    if len({trial.heading for condition in ranked for trial in condition.trials}) < 2:
        return [list(ranked)]
    groups: dict[object, list[Condition]] = {}
    for condition in ranked:
        trial = condition.trials[0]
        groups.setdefault(trial.options.get("size", trial.details.get("bytes")), []).append(
            condition
        )
    return groups.values()


def _of_known_load(ranked: Sequence[Condition]) -> list[Condition]:
    """Those of which it is known what was measured, where that is known of some at all.

    A copy of which neither source nor target is known may be of anything, as may be a line of
    rates without a command among trials that say what they did.
    """
    measured = [
        condition
        for condition in ranked
        if not any(trial.headline.startswith("copy.") for trial in condition.trials)
    ]
    whole = [condition for condition in measured if not all(map(_is_bare, condition.trials))]
    return whole or measured


def _is_bare(trial: TrialEvidence) -> bool:
    """Whether a trial is a line of rates, and what was read or written how is not known."""
    rates = (name.endswith((".iops", ".bandwidth")) or name == "elapsed" for name in trial.metrics)
    return "rw" not in trial.options and all(rates)


def _close(ranked: Sequence[Condition]) -> Iterator[list[Condition]]:
    """Stretches of which even the last is near the first."""
    stretch: list[Condition] = []
    for condition in ranked:
        if stretch and not _near(stretch[0].metric.mean, condition.metric.mean):
            yield stretch
            stretch = []
        stretch.append(condition)
    yield stretch


def _near(mean: float, other: float) -> bool:
    return min(mean, other) > _FAR * max(mean, other) or mean == other


def _subject(series: ComparableTrials) -> str:
    return f"{series.subject}: {series.headline}"


def _name(series: ComparableTrials, condition: Condition) -> str:
    """The label without the heading that the subject names; with its place where two share it."""
    label = condition.label.removeprefix(f"{series.subject}: ")
    if sum(other.label == condition.label for other in series.conditions) > 1:
        return f"{label} ({condition.where})"
    return label


def _ranking(
    series: ComparableTrials, ranked: Sequence[Condition], apart: Sequence[_Step]
) -> Finding:
    lead = apart[0]
    better, worse = (_name(series, condition) for condition in (lead.better, lead.worse))
    gap = f"“{better}” is better than “{worse}” by {_lead(lead.verdict)}"
    said = (
        f"“{better}” is best: better than “{worse}” by {_lead(lead.verdict)}"
        if lead.better is ranked[0]
        else f"“{_name(series, ranked[0])}” leads, but only as one of several that cannot be told "
        f"apart; {gap}"
    )
    means = [
        Evidence(
            _name(series, condition),
            typical(condition.metric),
            condition.metric.unit,
            condition.where,
        )
        for condition in ranked
    ]
    return Finding(
        rule="ranking",
        severity="note",
        subject=_subject(series),
        message=f"{said}; {len(apart)} of {len(ranked) - 1} steps of the order are supported by "
        "the loops.",
        evidence=(*means, *(_change(series, step) for step in apart)),
        remedy="Take the best; where two are not distinguishable, take the safer or the default.",
        confirm="fresh loops of the best against the second, in turns",
    )


def _change(series: ComparableTrials, step: _Step) -> Evidence:
    better, worse = (_name(series, condition) for condition in (step.better, step.worse))
    where = f"{step.worse.where}; {step.better.where}"
    return Evidence(f"“{worse}” against “{better}”", step.verdict.change, "fraction", where)


def _lead(verdict: Verdict) -> str:
    """`8.6 % (6.1 … 11.2 %)`: how far the better one lies above the worse."""
    change, interval = verdict.change, verdict.interval
    if change is None or change <= -1:
        return "all"
    text = units.show_fraction(1 / (1 + change) - 1)
    if interval is None or min(interval) <= -1:
        return text
    low, high = sorted(1 / (1 + bound) - 1 for bound in interval)
    return f"{text} ({shown_range(low, high)})" if _has_meaning(low, high) else text


def _difference(verdict: Verdict) -> str:
    """`1.95 % (-7.0 … 3.4 %)`, as the loops show it."""
    text = units.show_fraction(abs(verdict.change or 0.0))
    return f"{text} ({shown_range(*verdict.interval)})" if verdict.interval else text


def _tells(verdict: Verdict) -> bool:
    """Whether the loops say at all between which bounds the difference lies."""
    return verdict.interval is None or _has_meaning(*verdict.interval)


def _has_meaning(low: float, high: float) -> bool:
    """Whether it is no interval from nothing at all to more than a hundredfold."""
    return low > _NOTHING and high <= _HUNDREDFOLD


def _unknown(step: _Step) -> str:
    """The difference where so few loops scatter so much that its interval has no meaning."""
    loops = sorted(len(condition.metric.loops) for condition in (step.better, step.worse))
    counts = " and ".join(str(count) for count in dict.fromkeys(loops))
    return (
        f"{units.show_fraction(abs(step.verdict.change or 0.0))}, but {counts} loops that scatter "
        "so much do not tell how far they are apart, nor which is better"
    )


def shown_range(low: float, high: float) -> str:
    """`-7.0 … 3.4 %`; one more digit where it is narrow."""
    digits = 1 if high - low >= 0.01 else 2
    return f"{100 * low:.{digits}f} … {100 * high:.{digits}f} %"


def _pair(series: ComparableTrials, step: _Step) -> Finding:
    better, worse = (_name(series, condition) for condition in (step.better, step.worse))
    equal = step.verdict.outcome is Outcome.EQUIVALENT
    more = step.verdict.more_loops if _tells(step.verdict) else None
    advice = f"; {more} more loops of each would decide" if more else ""
    if equal:
        message = (
            f"“{better}” and “{worse}” are equal within {units.show_fraction(Bar().margin)}: which "
            "of them comes first is not a result."
        )
    elif not _tells(step.verdict):
        message = f"“{better}” and “{worse}” differ by {_unknown(step)}."
    elif _step(step.better, step.worse, Bar(level=_LEVEL)).supported:
        message = (
            f"“{better}” and “{worse}” differ by {_difference(step.verdict)}, which would count as "
            f"the only comparison but not as one of {len(series.conditions)} results{advice}."
        )
    else:
        message = (
            f"“{better}” and “{worse}” differ by {_difference(step.verdict)}, no more than the "
            f"loops scatter: neither an order nor equality is shown{advice}."
        )
    return _undistinguished(series, [step], message, equal=equal)


def _several(series: ComparableTrials, stretch: Sequence[_Step], ends: _Step) -> Finding:
    """A stretch of three or more conditions in which no neighbours differ."""
    best, worst = (_name(series, condition) for condition in (ends.better, ends.worse))
    equal = ends.verdict.outcome is Outcome.EQUIVALENT
    count = len(stretch) + 1
    if ends.supported:
        message = (
            f"Of {count} results only the ends can be told apart (“{best}” is better than “{worst}”"
            f" by {_lead(ends.verdict)}); no neighbours differ by more than the loops scatter, and "
            "the order between the ends is not a result."
        )
    elif equal:
        message = (
            f"{count} results are equal within {units.show_fraction(Bar().margin)}: their order is "
            "not a result."
        )
    elif not _tells(ends.verdict):
        message = (
            f"{count} results cannot be told apart: the best (“{best}”) and the worst (“{worst}”) "
            f"differ by {_unknown(ends)}."
        )
    else:
        message = (
            f"{count} results cannot be told apart: even the best (“{best}”) and the worst "
            f"(“{worst}”) differ by {_difference(ends.verdict)}, no more than the loops scatter; "
            "their order is not a result."
        )
    return _undistinguished(series, [*stretch, ends], message, equal=equal)


def _undistinguished(
    series: ComparableTrials, steps: Sequence[_Step], message: str, *, equal: bool
) -> Finding:
    conditions: dict[str, Condition] = {}
    for step in steps:
        conditions |= {
            _name(series, condition): condition for condition in (step.better, step.worse)
        }
    evidence = [
        Evidence(name, typical(condition.metric), condition.metric.unit, condition.where)
        for name, condition in conditions.items()
    ]
    for step in steps:
        change = _change(series, step)
        evidence.append(change)
        if step.verdict.more_loops and _tells(step.verdict):
            what = f"{change.what}: more loops of each that would decide"
            evidence.append(Evidence(what, step.verdict.more_loops, "", "forecast"))
    for name, condition in conditions.items():
        evidence += [
            Evidence(f"what is written beside “{name}”", remark, "", condition.where)
            for remark in dict.fromkeys(_remarks(condition))
        ]
    return Finding(
        rule="within-noise",
        severity="note" if equal else "warning",
        subject=_subject(series),
        message=message,
        evidence=tuple(evidence),
        remedy=_MORE,
        confirm="an interval of the difference that lies on one side of zero",
    )


def _remarks(condition: Condition) -> Iterator[str]:
    for trial in condition.trials:
        for column, cell in zip(trial.columns, trial.row, strict=False):
            if cell and _REMARK.search(column):
                yield cell


def _unsupported(case: EvidenceSet) -> Iterable[Finding]:
    return (finding for finding in _orders(case) if finding.rule == "within-noise")


def _supported(case: EvidenceSet) -> Iterable[Finding]:
    return (finding for finding in _orders(case) if finding.rule == "ranking")


_SOURCE = "docs/decisions/0022-verdicts.md; Student's t on logarithms with Bonferroni's correction"
RULES = (
    Rule("within-noise", "all loads", "Orders of results that the loops don't support.", _SOURCE,
         _unsupported, order=1),
    Rule("ranking", "all loads", "Orders of results that the loops support: which is best, and by "
         "how much.", _SOURCE,
         _supported),
)  # fmt: skip
