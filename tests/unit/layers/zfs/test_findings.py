"""What is concluded from the samples, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.zfs.findings import RULES
from iosonde.text.document import of_bytes

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("status", {("degraded", "tank"), ("checksum-errors", "sdb"), ("io-errors", "sdc"),
                    ("misaligned", "sdf")}),
        ("list", {("degraded", "tank"), ("out-of-space", "tank")}),
        ("iostat", set()),
        ("zfs-list", set()),
        ("zfs-get", set()),
    ],
)  # fmt: skip
def test_the_samples(name: str, findings: set[tuple[str, str]]) -> None:
    case, _ = of_document(of_bytes("page", (PLACE / f"{name}.txt").read_bytes()))
    assert {(each.rule, each.subject) for rule in RULES for each in rule.find(case)} == findings
