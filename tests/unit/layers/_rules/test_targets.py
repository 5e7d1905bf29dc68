"""Imports whose target is gone are named; those that work are not."""

from __future__ import annotations

import pytest

from iosonde.layers._rules import targets
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named


def said(kind: str, values: dict[str, Scalar]) -> int:
    state = StateEvidence(kind, "dev", "h1", values, f"h1/{kind}:dev", "h1")
    return len(findings_named(targets.RULES, EvidenceSet(states=(state,)), "lost-target"))


@pytest.mark.parametrize(
    ("kind", "state", "alarms"),
    [
        ("nvmeof", "live", 0), ("nvmeof", "connecting", 1), ("nvmeof", "resetting", 1),
        ("iscsi", "LOGGED_IN", 0), ("iscsi", "FAILED", 1), ("aoe", "up", 0), ("aoe", "down", 1),
        ("aoe", "up,kickme", 0), ("aoe", "down,closewait", 1), ("md", "clean", 0),
    ],
)  # fmt: skip
def test_a_target_that_does_not_answer(kind: str, state: str, alarms: int) -> None:
    assert said(kind, {"state": state}) == alarms


def test_what_is_not_known_is_not_said() -> None:
    assert said("nvmeof", {}) == 0


def test_its_address_is_named() -> None:
    state = StateEvidence("nvmeof", "nvme0n1", "h1", {"state": "connecting", "address": "10.0.0.1"},
                  "h1/nvmeof:nvme0n1", "h1")  # fmt: skip
    (finding,) = findings_named(targets.RULES, EvidenceSet(states=(state,)), "lost-target")
    assert "10.0.0.1" in {fact.value for fact in finding.evidence}
