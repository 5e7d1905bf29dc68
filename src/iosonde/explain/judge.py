"""Asks every rule about a case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from iosonde.explain.rules import RULES as SPANNING
from iosonde.layers import RULES as OF_LAYERS
from iosonde.layers._staged import without_blame
from iosonde.loads import RULES as OF_LOADS
from iosonde.records.evidence import EvidenceSet, Rule, Stage
from iosonde.records.finding import Finding

_ORDER = {"error": 0, "warning": 1, "note": 2}
_STAGES: tuple[Stage, ...] = get_args(Stage)


_FORM = re.compile(
    r"<[a-z][\w -]{1,40}>|\{\{?[A-Za-z][\w. -]{1,40}\}|\$\{\w{1,40}\}", re.IGNORECASE
)
"""A name that is left to be filled in: what stands there shows a form, and is of no host."""


_FORM_OF_DISK = re.compile(r"\bsd(?:X\b|\[\w[-\w]{0,4}\])|\bnvmeXn|\bmdX\b|KERNEL==")


def rules() -> tuple[Rule, ...]:
    """All rules, by name."""
    tables = (OF_LAYERS, OF_LOADS, SPANNING)
    every = [rule for table in tables for name in table for rule in table.load(name)]
    return tuple(sorted(every, key=lambda rule: (rule.name, rule.about)))


def findings(case: EvidenceSet) -> tuple[Finding, ...]:
    """What the rules find: what speaks against an author's claim, then the worst first.

    Of a severity those come first that are the cause of others or stop most (`Stage`), and of a
    stage they stand in the order of the rules' names. What nobody can claim comes last.
    """
    made: list[tuple[int, Stage, Finding]] = [(0, "", finding) for finding in case.noted]
    made += [(rule.order, rule.stage, finding) for rule in rules() for finding in rule.find(case)]
    made = [each for each in made if not _is_form(each[2])]
    blamed = without_blame(case, [finding for _, _, finding in made])
    ordered = [
        (_place(finding, order, stage), finding)
        for (order, stage, _), finding in zip(made, blamed, strict=True)
    ]
    ordered.sort(key=lambda pair: pair[0])
    return tuple(_once([finding for _, finding in ordered]))


def _is_form(finding: Finding) -> bool:
    """Whether it is about a name that is left to be filled in; logs have such names for others."""
    is_note = finding.severity == "note"
    return _FORM.search(finding.subject) is not None or (
        is_note and _FORM_OF_DISK.search(finding.subject) is not None
    )


def _place(finding: Finding, order: int = 0, stage: Stage = "") -> tuple[int, int, int, str]:
    is_at_work = stage == "redundancy" and finding.severity != "error"
    return (
        order, _ORDER[finding.severity], _STAGES.index("" if is_at_work else stage), finding.rule
    )  # fmt: skip


def _once(ordered: Sequence[Finding]) -> list[Finding]:
    """What is said of the same thing at several places is said once, with the first place."""
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in ordered:
        key = (finding.rule, finding.severity, finding.subject, finding.message)
        groups.setdefault(key, []).append(finding)
    return [_with_places(group) for group in groups.values()]


def _with_places(group: Sequence[Finding]) -> Finding:
    first = group[0]
    more = len({finding.evidence for finding in group}) - 1
    if not more:
        return first
    places = "place" if more == 1 else "places"
    evidence = tuple(
        replace(figure, where=f"{figure.where} and {more} more {places}")
        for figure in first.evidence
    )
    return replace(first, evidence=evidence)
