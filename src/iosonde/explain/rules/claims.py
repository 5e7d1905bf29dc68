"""Rules about what is written beside results: repeats that moved, differences that were denied.

Source:
    docs/decisions/0022-verdicts.md: one comparison that was named beforehand is held to 5 %.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iosonde import units
from iosonde.explain.rules.noise import shown_range
from iosonde.explain.series import ComparableTrials, Condition, circumstances, series_of
from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.verdict import compared, judge

_AGAIN = re.compile(r"\b(?:repeat\w*|rerun|re-run|again)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no|without|hardly any)\b[^.;,]{0,24}\b(?:differen\w+|change|effect|impact|influence)\b"
    r"|\b(?:makes no|not differ\w*|unchanged|identical|the same|same (?:speed|rate|result)\w*)\b",
    re.IGNORECASE,
)


def _repeats(case: EvidenceSet) -> Iterable[Finding]:
    """A condition that its author calls a repeat of another: what moved is noise."""
    every = series_of(case)
    conditions = [condition for series in every for condition in series.conditions]
    for series in every:
        for condition in series.conditions:
            remark = " ".join(cell for cell in _cells(condition) if _AGAIN.search(cell))
            other = _named_in(remark, condition, conditions)
            if other is not None and other.metric.mean:
                yield _moved(condition, other, series)


def _cells(condition: Condition) -> list[str]:
    return list(dict.fromkeys(cell for trial in condition.trials for cell in trial.row if cell))


def _named_in(remark: str, condition: Condition, others: Sequence[Condition]) -> Condition | None:
    """The condition of the same source and metric of which a cell stands in some words."""
    for other in others if remark else ():
        same = other.trials[0].source == condition.trials[0].source
        alike = same and other.metric.name == condition.metric.name
        if other is not condition and alike and any(cell in remark for cell in _cells(other)):
            return other
    return None


def _moved(condition: Condition, other: Condition, series: ComparableTrials) -> Finding:
    moved = condition.metric.mean / other.metric.mean - 1
    said = f"The repeat moved by {units.show_fraction(abs(moved))} with nothing changed"
    spread = _spread(series)
    if len(series.conditions) > 1 and spread < 2 * abs(moved):
        said += (
            f", while all results beside it differ by {units.show_fraction(spread)} at most: what "
            "was changed there cannot be told from what changes by itself"
        )
    evidence = [
        Evidence(other.label, other.metric.mean, other.metric.unit, other.where),
        Evidence(condition.label, condition.metric.mean, condition.metric.unit, condition.where),
    ]
    before = {trial.host: trial for trial in other.trials}
    for trial in condition.trials if len(condition.trials) > 1 else ():
        then = before[trial.host].mean(condition.metric.name) if trial.host in before else None
        now = trial.mean(condition.metric.name)
        if then and now is not None:
            what = f"moved on {trial.host}"
            evidence.append(Evidence(what, now / then - 1, "fraction", trial.where))
    return Finding(
        rule="within-noise",
        severity="warning",
        subject=condition.label,
        message=f"{said}.",
        evidence=tuple(evidence),
        remedy="Compare with a baseline that is measured again before and after each change.",
        confirm="repeats of the baseline spread over the day",
    )


def _spread(series: ComparableTrials) -> float:
    means = [condition.metric.mean for condition in series.conditions]
    return max(means) / min(means) - 1 if min(means) > 0 else 0.0


def _denied(case: EvidenceSet) -> Iterable[Finding]:
    """A remark that there is no difference, where the loops show one."""
    for series in series_of(case):
        before: Condition | None = None
        for condition in series.conditions:
            remark = " ".join(cell for cell in _cells(condition) if _DENIED.search(cell))
            other = _named_in(remark, condition, series.conditions) or (before if remark else None)
            before = condition
            if other is None or min(len(condition.metric.loops), len(other.metric.loops)) < 2:
                continue
            context = circumstances(other, condition)
            verdict = judge(other.metric, condition.metric, circumstances=context).verdict
            if verdict.outcome in {Outcome.BETTER, Outcome.WORSE}:
                yield _overlooked(condition, other, verdict, remark)


def _overlooked(condition: Condition, other: Condition, verdict: Verdict, remark: str) -> Finding:
    change, interval = verdict.change or 0.0, verdict.interval or (0.0, 0.0)
    low, high = sorted(abs(bound) for bound in interval)
    before, after = compared(other.metric, condition.metric)
    return Finding(
        rule="overlooked-difference",
        severity="warning",
        subject=condition.label,
        message=(
            f"“{remark}” is written beside it, but the loops speak against that: taken alone it is "
            f"{units.show_fraction(abs(change))} ({shown_range(low, high)}) "
            f"{'higher' if change > 0 else 'lower'} than “{other.label}”, a verdict of "
            f"“{verdict.outcome.value}”."
        ),
        evidence=(
            Evidence(other.label, before, other.metric.unit, other.where),
            Evidence(condition.label, after, condition.metric.unit, condition.where),
            Evidence("change", change, "fraction", "computed"),
        ),
        remedy="Do not call it equal before more loops of both, in turns, have said so.",
        confirm="the same sign of the difference in fresh loops",
    )


_SOURCE = "docs/decisions/0022-verdicts.md"
RULES = (
    Rule("within-noise", "all loads", "A repeat that moved as much as the effects claimed beside "
         "it.", _SOURCE, _repeats, order=-1),
    Rule("overlooked-difference", "all loads", "A remark that nothing differs, beside loops that "
         "do.", _SOURCE, _denied, order=-1),
)  # fmt: skip
