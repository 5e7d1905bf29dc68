"""Subsystems that have lost paths."""

from __future__ import annotations

import pytest

from iosonde.layers._rules import targets
from iosonde.layers.nvmeof.findings_paths import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.finding import Finding


def _path(name: str, state: str, ana: str = "", kind: str = "nvmeof") -> StateEvidence:
    values = {"nqn": "nqn.x", "subsystem": "nvme-subsys0", "state": state}
    values |= {"ana_state": ana} if ana else {}
    values |= {"transport": "nvme" if kind == "disk" else "tcp"}
    return StateEvidence(kind, name, "n1", values, "page:1-9", "page")


def _said(*states: StateEvidence) -> list[Finding]:
    case = EvidenceSet(states=states)
    return [finding for rule in (*RULES, *targets.RULES) for finding in rule.find(case)]


@pytest.mark.parametrize(("states", "rule", "severity", "part"), [
    ([_path("nvme0", "live"), _path("nvme1", "connecting")], "failed-paths", "warning",
     "1 of 2 paths of nvme-subsys0 is not usable (connecting nvme1)"),
    ([_path("nvme0", "connecting"), _path("nvme1", "deleting")], "failed-paths", "error",
     "2 of 2 paths"),
    ([_path("nvme0", "live", "inaccessible"), _path("nvme1", "live", "optimized")],
     "failed-paths", "warning", "live inaccessible nvme0"),
    ([_path("nvme0", "dead", kind="disk")], "failed-paths", "error", "nvme-subsys0 is not usable"),
    ([_path("nvme0", "connecting")], "lost-target", "error", "does not answer"),
])  # fmt: skip
def test_each_loss_is_said_once(
    states: list[StateEvidence], rule: str, severity: str, part: str
) -> None:
    (finding,) = _said(*states)
    assert (finding.rule, finding.severity) == (rule, severity)
    assert part in finding.message


def test_what_works_is_no_finding() -> None:
    assert not _said(_path("nvme0", "live", "non-optimized"), _path("nvme1", "live", "change"))
    assert not _said(_path("nvme0", "live", kind="disk"))
