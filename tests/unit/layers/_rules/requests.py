"""States and trials of requests of a size, as the rules of what carries them see them."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence
from iosonde.records.finding import Finding
from iosonde.records.run import Metric
from iosonde.records.stack import Scalar


def state(kind: str, name: str, host: str = "", below: tuple[str, ...] = (), **values: Scalar) \
        -> StateEvidence:  # fmt: skip
    return StateEvidence(kind, name, host, values, f"page:{name}", "page", below)


def trial(target: str, bs: int | None, metric: str = "write.iops") -> TrialEvidence:
    figure = Metric(metric, "1/s", (9.0,), 9.0, 9.0, None, None, None)
    options: dict[str, Scalar] = {"bs": bs} if bs else {}
    return TrialEvidence("load", "page:9", "page", "fio", {metric: figure}, target=target,
                         options=options)  # fmt: skip


def findings_of(rules: Sequence[Rule], *parts: StateEvidence | TrialEvidence) -> list[Finding]:
    case = EvidenceSet(
        trials=tuple(part for part in parts if isinstance(part, TrialEvidence)),
        states=tuple(part for part in parts if isinstance(part, StateEvidence)),
    )
    return [finding for rule in rules for finding in rule.find(case)]
