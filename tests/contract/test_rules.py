"""Every rule of `iosonde explain` has a case that fires and a near miss that does not."""

from __future__ import annotations

from collections import Counter

import pytest

from iosonde.explain.judge import rules
from iosonde.records.evidence import Rule
from tests.contract.rules import CASES
from tests.contract.rules.case import RuleCase

RULES = {f"{rule.name}.{rule.find.__name__.strip('_')}": rule for rule in rules()}


def findings(rule: Rule, evidence: object) -> list[str]:
    return [finding.message for finding in rule.find(evidence) if finding.rule == rule.name]  # type: ignore[arg-type]


def test_every_rule_has_its_cases_and_every_case_its_rule() -> None:
    assert len(RULES) == len(rules()), "two rules of one name and one function"
    assert Counter(case.rule for case in CASES) == Counter(list(RULES))


def test_rules_of_one_name_are_of_one_stage() -> None:
    stages = {(rule.name, rule.stage) for rule in rules()}
    assert [name for name, count in Counter(name for name, _ in stages).items() if count > 1] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_case_fires_and_the_near_miss_does_not(case: RuleCase) -> None:
    rule = RULES[case.rule]
    assert findings(rule, case.case), case.fires
    assert findings(rule, case.near_miss) == [], case.silent


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_near_miss_looks_alike(case: RuleCase) -> None:
    """It is of the same kinds of things, and not of nothing."""
    both = [
        {state.kind for state in side.states}
        | {counted.kind for counted in side.counters}
        | {asked.tool for asked in side.commands}
        | {"trial" for _ in side.trials}
        for side in (case.case, case.near_miss)
    ]
    assert both[0] == both[1]
    assert case.case != case.near_miss
