"""Partitions that begin off the grid."""

from __future__ import annotations

import pytest

from iosonde.layers.partition import findings
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named


def state(kind: str, name: str, values: dict[str, Scalar], *below: str) -> StateEvidence:
    return StateEvidence(kind, name, "n1", values, f"n1/{kind}:{name}", "page", below)


def test_partitions() -> None:
    def case(values: dict[str, Scalar]) -> EvidenceSet:
        return EvidenceSet(states=(state("partition", "sda1", values),))

    aligned: dict[str, Scalar] = {"start": 2**20, "physical_block_size": 4096,
                                  "aligned_to_sector": True}  # fmt: skip
    assert findings_named(findings.RULES, case(aligned)) == []
    old = {**aligned, "start": 63 * 512, "aligned_to_sector": False}
    assert "63-sector" in findings_named(findings.RULES, case(old))[0].message
    straddling = {**aligned, "aligned_to_stripe": False, "stripe_width": 3 * 2**20}
    assert "3 MiB" in findings_named(findings.RULES, case(straddling))[0].message


@pytest.mark.parametrize("start", [63 * 512, 2**20])
def test_an_old_start_harms_no_disk_with_small_blocks(start: int) -> None:
    values: dict[str, Scalar] = {"start": start, "physical_block_size": 512,
                                 "aligned_to_sector": True}  # fmt: skip
    assert (
        findings_named(findings.RULES, EvidenceSet(states=(state("partition", "sda1", values),)))
        == []
    )
