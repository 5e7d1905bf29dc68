"""Writes smaller than a physical block."""

from __future__ import annotations

import pytest

from iosonde.layers.disk import findings_sectors
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named, trial


def state(kind: str, name: str, values: dict[str, Scalar], *below: str) -> StateEvidence:
    return StateEvidence(kind, name, "n1", values, f"n1/{kind}:{name}", "page", below)


@pytest.mark.parametrize(
    ("size", "physical", "direct", "alarms"),
    [(512, 4096, True, 1), (4096, 4096, True, 0), (512, 512, True, 0), (512, 4096, False, 0)],
)
def test_writes_smaller_than_a_physical_block(
    size: int, physical: int, direct: bool, alarms: int
) -> None:
    disk = state("disk", "sda", {"logical_block_size": 512, "physical_block_size": physical})
    evidence = trial({"write.iops": [100.0]}, host="n1", options={"bs": size, "direct": direct},
                stands_on=(("disk", "/dev/sda"),))  # fmt: skip
    assert (
        len(findings_named(findings_sectors.RULES, EvidenceSet(trials=(evidence,), states=(disk,))))
        == alarms
    )
