"""Several processes of iozone: what its children measured against what their parent did.

Source:
    iozone.c 3.489, throughput_test(): "Children see" adds up each child's own rate over its own
    time; "Parent sees" divides all that was moved by the time until the last was done.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_LESS = 0.9


def stragglers(case: EvidenceSet) -> Iterator[Finding]:
    """Tests of which the parent saw much less than the children together."""
    for trial in case.trials:
        spread = trial.details.get("processes")
        for test, figures in spread.items() if isinstance(spread, dict) else ():
            if not isinstance(figures, dict):
                continue
            parent, average = figures.get("parent"), figures.get("avg")
            count = trial.options.get("numjobs")
            if not isinstance(parent, float) or not isinstance(average, float):
                continue
            if not isinstance(count, int) or count < 2 or not average:
                continue
            children = average * count
            if parent < _LESS * children:
                yield _finding(trial, str(test), parent, children)


def _finding(trial: TrialEvidence, test: str, parent: float, children: float) -> Finding:
    unit = "1/s" if trial.headline.endswith(".iops") else "B/s"
    return Finding(
        rule="stragglers",
        severity="warning",
        subject=f"{trial.label}: {test}",
        message=f"{test}: the children's rates add up to {units.show(children, unit)}, but the "
        f"parent saw {units.show(parent, unit)}: they did not run at the same time, as some "
        "began later or ended earlier, and the sum is a rate that the storage never had.",
        evidence=(
            Evidence("sum over the children", children, unit, trial.where),
            Evidence("seen by the parent", parent, unit, trial.where),
        ),
        remedy="Quote what the parent saw, or measure with files so large that the ends do not "
        "count.",
        confirm="both figures within a few percent of each other with larger files (-s)",
    )


RULES = (
    Rule("stragglers", "iozone", "Processes whose rates add up to more than was moved.",
         "iozone.c, throughput_test()", stragglers),
)  # fmt: skip
