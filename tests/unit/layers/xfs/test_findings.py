"""Logs of XFS in sectors smaller than the disk's."""

from __future__ import annotations

import pytest

from iosonde.layers.xfs import findings
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named


def state(kind: str, name: str, values: dict[str, Scalar], *below: str) -> StateEvidence:
    return StateEvidence(kind, name, "n1", values, f"n1/{kind}:{name}", "page", below)


@pytest.mark.parametrize(("sector", "alarms"), [(512, 1), (4096, 0)])
def test_logs_in_small_sectors(sector: int, alarms: int) -> None:
    disk = state("disk", "sda", {"physical_block_size": 4096})
    part = state("partition", "sda1", {}, "sda")
    above = state("xfs", "/data", {"sector_size": sector}, "sda1")
    assert len(findings_named(findings.RULES, EvidenceSet(states=(disk, part, above)))) == alarms
