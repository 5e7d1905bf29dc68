"""Rules about averages that are quoted: whether they are what the loops say, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from iosonde import units
from iosonde.explain.series import Condition, series_of
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.statistics.direction import higher_is_better

_ROUNDED = 1e-3  # of a figure: what copying and rounding may change
_NUMBER = r"(\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,18})?|\d{1,18}(?:\.\d{1,18})?)"
_QUOTED = re.compile(rf"{_NUMBER} ?([kKMG]i?)?B/s(?:ec)?|{_NUMBER} ?([kKMG]?) ?(?:IOPS|iops|/s)")
_SCALE = {
    "": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
    "Ki": float(units.KIB), "ki": float(units.KIB), "Mi": float(units.MIB), "Gi": float(units.GIB),
}  # fmt: skip


def _own_averages(case: EvidenceSet) -> Iterable[Finding]:
    """What the tool printed as the mean against the mean of what it printed as loops."""
    for trial in case.trials:
        for name, printed in trial.averages.items():
            metric = trial.metrics.get(name)
            if metric is None or len(metric.loops) < 2:
                continue
            step = trial.steps.get(name, 0.0)
            if abs(metric.mean - printed) <= 2 * step + 1e-9 * abs(printed):
                continue
            yield Finding(
                rule="average-mismatch",
                severity="warning",
                subject=f"{trial.label} {trial.host}".strip(),
                message=(
                    f"The log gives an average of {units.show(printed, metric.unit)}, but its "
                    f"{len(metric.loops)} loops average {units.show(metric.mean, metric.unit)}."
                ),
                evidence=(
                    Evidence("average as printed", printed, metric.unit, trial.where),
                    Evidence("mean of the loops", metric.mean, metric.unit, "computed"),
                ),
                remedy="Use the loops; a loop may be missing from the log or the average copied.",
                confirm="the complete log",
            )


def _quoted_rows(case: EvidenceSet) -> Iterable[Finding]:
    """The figure an author quotes beside logs: another than theirs, or one host's, said of all."""
    quoted: list[tuple[Condition, TrialEvidence, float]] = []
    for series in series_of(case):
        for condition in series.conditions:
            quoted_figure = _figure_in(condition.trials[0], condition.metric.unit)
            if quoted_figure is None:
                continue
            figure, step = quoted_figure
            reach = step + _ROUNDED * figure
            nearest = min(condition.trials, key=lambda trial: abs(_mean(trial, condition) - figure))
            if abs(condition.metric.mean - figure) <= reach and len(condition.trials) < 2:
                continue
            if abs(_mean(nearest, condition) - figure) <= reach:
                quoted.append((condition, nearest, figure))
            elif abs(condition.metric.mean - figure) > reach:
                yield _stray(condition, figure)
    if quoted:
        yield _whose(quoted)


def _mean(trial: TrialEvidence, condition: Condition) -> float:
    return trial.metrics[condition.metric.name].mean


def _figure_in(trial: TrialEvidence, unit: str) -> tuple[float, float] | None:
    """The first figure in a trial's row that has the metric's unit, and half of its last digit."""
    for cell in trial.row:
        match = _QUOTED.fullmatch(cell.strip())
        if match and (unit == "B/s") == (match[1] is not None):
            number, prefix = (match[1], match[2]) if match[1] else (match[3], match[4])
            plain = number.replace(",", "")
            scale = _SCALE.get(prefix or "", 1.0)
            return float(plain) * scale, scale / 2 / 10 ** len(plain.partition(".")[2])
    return None


def _whose(quoted: list[tuple[Condition, TrialEvidence, float]]) -> Finding:
    worst = 0
    evidence = []
    for condition, nearest, figure in quoted:
        means = {trial.host: _mean(trial, condition) for trial in condition.trials}
        pick = min if higher_is_better(condition.metric.name) else max
        worst += nearest.host == pick(means, key=lambda host: means[host])
        evidence.append(
            Evidence(
                f"“{condition.label}”: quoted, that is {nearest.host}",
                figure,
                condition.metric.unit,
                nearest.where,
            )
        )
        evidence += [
            Evidence(
                f"“{condition.label}”: {trial.host}",
                _mean(trial, condition),
                condition.metric.unit,
                trial.where,
            )
            for trial in condition.trials
            if trial is not nearest
        ]
    every = worst == len(quoted)
    side = (
        "the worse host's each time" if every else f"the worse host's in {worst} of {len(quoted)}"
    )
    headings = {condition.trials[0].heading for condition, _, _ in quoted}
    first = quoted[0][0].trials[0]
    return Finding(
        rule="average-mismatch",
        severity="note" if every else "warning",
        subject=first.heading if len(headings) == 1 and first.heading else first.source,
        message=(
            f"The quoted figures are of one host alone, without saying so: {side}; they are not "
            "the mean over the hosts."
        ),
        evidence=tuple(evidence),
        remedy="Say which host is quoted, or quote all of them; for a pair that works together the "
        "slower one counts.",
        confirm="the averages at the end of each log",
    )


def _stray(condition: Condition, figure: float) -> Finding:
    return Finding(
        rule="average-mismatch",
        severity="warning",
        subject=condition.label,
        message=(
            f"The quoted {units.show(figure, condition.metric.unit)} is neither the mean of a host "
            "nor of all of them."
            if len(condition.trials) > 1
            else f"The quoted {units.show(figure, condition.metric.unit)} is not what the log "
            f"beside it says, {units.show(condition.metric.mean, condition.metric.unit)}."
        ),
        evidence=(
            Evidence("quoted", figure, condition.metric.unit, condition.where),
            *(
                Evidence(
                    trial.host or condition.label,
                    _mean(trial, condition),
                    condition.metric.unit,
                    trial.where,
                )
                for trial in condition.trials
            ),
        ),
        remedy="Correct the table.",
        confirm="the averages at the end of each log",
    )


RULES = (
    Rule("average-mismatch", "all loads", "An average that the tool printed and its loops don't "
         "have.", "arithmetic", _own_averages),
    Rule("average-mismatch", "all loads", "A figure quoted beside the logs of several hosts that "
         "is one host's.", "arithmetic", _quoted_rows),
)  # fmt: skip
