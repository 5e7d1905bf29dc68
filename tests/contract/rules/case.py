"""What a rule's two cases are made of: states, counters, commands and trials, in few words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iosonde.records.evidence import Asked, Case, Counted, Measured, State
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
    case: Case
    silent: str
    near_miss: Case


def case(*parts: State | Counted | Asked | Measured | HostFacts) -> Case:
    """All of it together."""
    return Case(
        trials=tuple(one for one in parts if isinstance(one, Measured)),
        states=tuple(one for one in parts if isinstance(one, State)),
        counters=tuple(one for one in parts if isinstance(one, Counted)),
        commands=tuple(one for one in parts if isinstance(one, Asked)),
        hosts=tuple(one for one in parts if isinstance(one, HostFacts)),
    )


def state(
    kind: str,
    name: str = "",
    values: Mapping[str, Scalar] | None = None,
    *,
    host: str = "n1",
    below: tuple[str, ...] = (),
) -> State:
    """Settings and facts of a layer."""
    return State(kind, name, host, values or {}, f"page:{name or kind}", "page", below)


def counted(
    tool: str, kind: str, name: str, values: Mapping[str, Json], *, host: str = "n1"
) -> Counted:
    """Counters of a layer."""
    return Counted(tool, kind, name, host, values, "page:1", "page")


def asked(command: str) -> Asked:
    """A command line of a load engine."""
    return Asked(command.partition(" ")[0], command, "", "page:1", "page")


trial = cases.trial
"""A trial of some metrics, each with its loops."""
