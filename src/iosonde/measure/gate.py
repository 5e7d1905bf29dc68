"""Gates: how much worse a metric may get before the answer is no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.errors import UsageError
from iosonde.measure.comparison import Answer
from iosonde.records import Outcome
from iosonde.units import parse_fraction


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric and by what fraction of the baseline it may be worse."""

    metric: str
    limit: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """How one answer passed a gate: `state` is passed, failed or undecided.

    Undecided does not fail: the loops measured cannot tell, and an answer "worse" would be wrong
    as often as right. It is warned about.
    """

    gate: Gate
    answer: Answer
    state: str


def parse_gate(text: str) -> Gate:
    """A gate from "METRIC:PERCENT": `write.iops:5`, `read.latency.p99:10%`.

    Raises:
        UsageError: it is not of this form.
    """
    metric, colon, limit = text.rpartition(":")
    if not colon or not metric or not limit.strip():
        raise UsageError(
            f"{text!r} is not METRIC:PERCENT", where="--gate", hint="write it as write.iops:5%"
        )
    percent = limit if limit.strip().endswith("%") else f"{limit}%"
    fraction = parse_fraction(percent, where="--gate")
    if not 0 <= fraction < float("inf"):
        raise UsageError(
            f"{limit!r} is no percentage of 0 or more", where="--gate", hint="write.iops:5%"
        )
    return Gate(metric, fraction)


def pass_gates(gates: Sequence[Gate], answers: Sequence[Answer]) -> tuple[GateResult, ...]:
    """Every answer on a gated metric against its gate.

    A gate fails where the verdict is worse and the change exceeds the limit.
    """
    return tuple(
        GateResult(gate, answer, _state(gate, answer))
        for gate in gates
        for answer in answers
        if answer.a.name == gate.metric
    )


def _state(gate: Gate, answer: Answer) -> str:
    verdict = answer.judgement.verdict
    if verdict.outcome is Outcome.UNDECIDED:
        return "undecided"
    beyond = verdict.change is not None and abs(verdict.change) > gate.limit
    return "failed" if verdict.outcome is Outcome.WORSE and beyond else "passed"
