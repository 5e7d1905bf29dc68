"""Every rule of `iosonde explain` has a case that fires and a near miss that does not."""

from __future__ import annotations

from collections import Counter

import pytest

from iosonde.explain.judge import rules
from iosonde.records.evidence import Rule
from tests.contract.rules import CASES
from tests.contract.rules.case import RuleCase

RULES = {f"{one.name}.{one.find.__name__.strip('_')}": one for one in rules()}


def findings(rule: Rule, one: object) -> list[str]:
    return [found.message for found in rule.find(one) if found.rule == rule.name]  # type: ignore[arg-type]


def test_every_rule_has_its_cases_and_every_case_its_rule() -> None:
    assert len(RULES) == len(rules()), "two rules of one name and one function"
    assert Counter(one.rule for one in CASES) == Counter(list(RULES))


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.rule)
def test_the_case_fires_and_the_near_miss_does_not(one: RuleCase) -> None:
    rule = RULES[one.rule]
    assert findings(rule, one.case), one.fires
    assert findings(rule, one.near_miss) == [], one.silent


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.rule)
def test_the_near_miss_looks_alike(one: RuleCase) -> None:
    """It is of the same kinds of things, and not of nothing."""
    both = [
        {state.kind for state in case.states}
        | {counted.kind for counted in case.counters}
        | {asked.tool for asked in case.commands}
        | {"trial" for _ in case.trials}
        for case in (one.case, one.near_miss)
    ]
    assert both[0] == both[1]
    assert one.case != one.near_miss
