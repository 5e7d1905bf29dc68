"""Gates: how much worse a metric may get before the answer is no."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from iosonde.contract import ADDED, HIDDEN, NULL
from iosonde.errors import UsageError
from iosonde.measure.comparison import Comparison, MetricVerdict
from iosonde.records.comparison import Outcome
from iosonde.statistics.contrast import Bar
from iosonde.statistics.verdict import judge
from iosonde.units import parse_fraction


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric and by what fraction of the baseline it may be worse."""

    metric: str
    limit: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """How one trial of a run passed a gate: `state` is passed, failed, undecided or missing.

    Undecided does not fail: the loops measured cannot tell, and an answer "worse" would be wrong
    as often as right. It is warned about. Missing fails: the baseline has the figure, and the
    candidate has none to be held against it. `reason` says why it is one of these two.
    """

    metric: str
    limit: float = field(metadata={"schema": {"minimum": 0}})
    candidate: str
    label: str = field(metadata={"name": "trial"})
    state: Literal["passed", "failed", "undecided", "missing"]
    """missing: the baseline has the figure and the candidate has none; it fails."""
    reason: str = field(default="", metadata={**NULL, **ADDED})
    """Why it is undecided or missing."""
    more_loops: int | None = field(default=None, metadata=HIDDEN)

    @property
    def fails(self) -> bool:
        """Whether it makes the answer no."""
        return self.state in {"failed", "missing"}


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
            f"{limit!r} is not a percentage of 0 or more", where="--gate", hint="write.iops:5%"
        )
    return Gate(metric, fraction)


def pass_gates(gates: Sequence[Gate], comparison: Comparison) -> tuple[GateResult, ...]:
    """Every trial of the baseline that has a gated metric against its gate.

    A gate fails where the verdict is worse and the change exceeds the limit. A gate tighter than
    the margin of the comparison has a margin of its own: what is equivalent within 2 % may be
    worse by more than 1 %.
    """
    results = []
    for gate in gates:
        answers = [answer for answer in comparison.answers if answer.a.name == gate.metric]
        results += [_result(gate, answer, comparison.bar) for answer in answers]
        results += _missing(gate, comparison)
    return tuple(results)


def _result(gate: Gate, answer: MetricVerdict, bar: Bar) -> GateResult:
    judgement = answer.judgement
    if gate.limit < bar.margin:
        judgement = judge(
            answer.a,
            answer.b,
            bar=replace(bar, margin=gate.limit, level=judgement.level),
            circumstances=answer.circumstances,
            names=(answer.pair.baseline, answer.pair.candidate),
        )
    verdict = judgement.verdict
    beyond = verdict.change is not None and abs(verdict.change) > gate.limit
    failed = verdict.outcome is Outcome.WORSE and beyond
    place = gate.metric, gate.limit, answer.pair.candidate, answer.pair.label
    if verdict.outcome is Outcome.UNDECIDED:
        return GateResult(*place, "undecided", judgement.reason, verdict.more_loops)
    return GateResult(*place, "failed" if failed else "passed")


def _missing(gate: Gate, comparison: Comparison) -> Iterator[GateResult]:
    """Trials of the baseline with a gated metric, of which the candidate has no figure."""
    baseline = comparison.answers[0].pair.baseline if comparison.answers else ""
    for alone in comparison.alone:
        if alone.of == baseline and gate.metric in alone.metrics:
            yield GateResult(
                gate.metric, gate.limit, alone.lacks, alone.label, "missing", alone.why
            )
    pairs = {id(answer.pair): answer.pair for answer in comparison.answers}
    for pair in pairs.values():
        ours, theirs = ({metric.name for metric in side.metrics} for side in (pair.a, pair.b))
        if gate.metric in ours - theirs:
            why = f"that of {pair.candidate} has no {gate.metric}"
            yield GateResult(gate.metric, gate.limit, pair.candidate, pair.label, "missing", why)
