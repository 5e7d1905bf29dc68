"""Asks every rule about a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iosonde.case import Case, Rule
from iosonde.explain.rules import RULES as SPANNING
from iosonde.layers import RULES as OF_LAYERS
from iosonde.loads import RULES as OF_LOADS
from iosonde.records import Finding

_ORDER = {"error": 0, "warning": 1, "note": 2}


def rules() -> tuple[Rule, ...]:
    """All rules, by name."""
    tables = (OF_LAYERS, OF_LOADS, SPANNING)
    found = [rule for table in tables for name in table for rule in table.load(name)]
    return tuple(sorted(found, key=lambda rule: (rule.name, rule.about)))


def findings(case: Case) -> tuple[Finding, ...]:
    """What the rules find, worst first; within a severity in the order of the rules' names."""
    found = [*case.noted, *(finding for rule in rules() for finding in rule.find(case))]
    return tuple(sorted(_once(found), key=lambda one: (_ORDER[one.severity], one.rule)))


def _once(found: Sequence[Finding]) -> list[Finding]:
    """What is said of the same thing at several places is said once, with the first place."""
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for one in found:
        groups.setdefault((one.rule, one.severity, one.subject, one.message), []).append(one)
    return [_with_places(group) for group in groups.values()]


def _with_places(group: Sequence[Finding]) -> Finding:
    first = group[0]
    more = len({one.evidence for one in group}) - 1
    if not more:
        return first
    places = "place" if more == 1 else "places"
    evidence = tuple(
        replace(one, where=f"{one.where} and {more} more {places}") for one in first.evidence
    )
    return replace(first, evidence=evidence)
