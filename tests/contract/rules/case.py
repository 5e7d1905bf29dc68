"""What a rule's two cases are made of: states, counters, commands and trials, in few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iosonde.records.evidence import (
    CommandEvidence,
    CounterEvidence,
    EvidenceSet,
    StateEvidence,
    TrialEvidence,
)
from iosonde.records.stack import HostFacts, Json, Scalar
from tests.unit.explain import cases


@dataclass(frozen=True, slots=True)
class RuleCase:
    """A case in which a rule has a finding, and one that looks alike and is right.

    Args:
        rule: "NAME.FUNCTION" of the rule, the function without its underscore.
        fires: what is wrong in the first case, in words.
        case: the first case.
        silent: what is right in the second, in words.
        near_miss: the second case, which differs from the first by what makes it right.
    """

    rule: str
    fires: str
    case: EvidenceSet
    silent: str
    near_miss: EvidenceSet


def case(
    *parts: StateEvidence | CounterEvidence | CommandEvidence | TrialEvidence | HostFacts,
) -> EvidenceSet:
    """All of it together."""
    return EvidenceSet(
        trials=tuple(part for part in parts if isinstance(part, TrialEvidence)),
        states=tuple(part for part in parts if isinstance(part, StateEvidence)),
        counters=tuple(part for part in parts if isinstance(part, CounterEvidence)),
        commands=tuple(part for part in parts if isinstance(part, CommandEvidence)),
        hosts=tuple(part for part in parts if isinstance(part, HostFacts)),
    )


def state(
    kind: str,
    name: str = "",
    values: Mapping[str, Scalar] | None = None,
    *,
    host: str = "n1",
    below: tuple[str, ...] = (),
    where: str = "",
) -> StateEvidence:
    """Settings and facts of a layer."""
    place = where or f"page:{name or kind}"
    return StateEvidence(kind, name, host, values or {}, place, "page", below)


def counted(
    tool: str, kind: str, name: str, values: Mapping[str, Json], *, host: str = "n1"
) -> CounterEvidence:
    """Counters of a layer."""
    return CounterEvidence(tool, kind, name, host, values, "page:1", "page")


def asked(command: str) -> CommandEvidence:
    """A command line of a load engine."""
    return CommandEvidence(command.partition(" ")[0], command, "", "page:1", "page")


trial = cases.trial
"""A trial of some metrics, each with its loops."""
