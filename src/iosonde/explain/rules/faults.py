"""Trials during which something failed: a host was lost, a disk gave errors, the load gave up.

Source: what the load's tool printed, or what iosonde met when it ran it (docs/use/run.md).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_SHOWN = 4
_FULL = "No space left on device"


def _failed(case: EvidenceSet) -> Iterator[Finding]:
    for trial in case.trials:
        if trial.faults:
            yield _finding(trial)


def _finding(trial: TrialEvidence) -> Finding:
    loops = max((len(metric.loops) for metric in trial.metrics.values()), default=0)
    touched = "" if trial.left_out else "; the last may be touched by it"
    left = {
        0: "No loop was finished." if not trial.left_out else "No other loop was finished.",
        1: f"The one loop that was finished is kept{touched.replace('the last', 'it')}.",
    }.get(loops, f"The {loops} loops that were finished are kept{touched}.")
    if trial.left_out:
        what = "loop is" if trial.left_out == 1 else "loops are"
        left = f"{trial.left_out} {what} left out of all figures. {left}"
    elif trial.printed:
        left = "The figures are of what was done until then."
    faults = list(dict.fromkeys(trial.faults))
    evidence = tuple(Evidence("fault", fault, "", trial.where) for fault in faults[:_SHOWN])
    if all(_FULL in fault for fault in faults):
        return _ended(trial, faults[0], evidence)
    return Finding(
        rule="fault",
        severity="error",
        subject=trial.label,
        message=f"Something failed while this was measured: {faults[0].rstrip('.')}. {left}",
        evidence=evidence,
        remedy="Find what failed before anything is made of the figures: they are those of a "
        "stack that was breaking, not of one that works.",
        confirm="the same trial on the whole stack, without a fault",
    )


def _ended(trial: TrialEvidence, fault: str, evidence: tuple[Evidence, ...]) -> Finding:
    """Of a load whose file system was full before it was done."""
    return Finding(
        rule="fault",
        severity="note",
        subject=trial.label,
        message=f"It ended early, as the file system was full: {fault.rstrip('.')}. The figures "
        "are of what fitted, and of a file system that was filling up.",
        evidence=evidence,
        remedy="Measure with a file that leaves much of the file system free.",
        confirm="the same load ends without this error",
    )


RULES: tuple[Rule, ...] = (
    Rule("fault", "every load", "Trials during which a host, a disk or the load failed.",
         "the tool's own words, or iosonde's", _failed),
)  # fmt: skip
