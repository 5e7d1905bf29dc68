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


@pytest.mark.parametrize(
    ("vdevs", "reads"),
    [
        (("mirror-0",), ", and reads of what is missing go to the other side of the mirror;"),
        (("raidz2-0",), ", and reads of what is missing are computed from parity;"),
        (("draid1:4d:6c:1s-0",), ", and reads of what is missing are computed from parity;"),
        ((), "it runs with less redundancy;"),
    ],
)
def test_only_parity_is_computed(vdevs: tuple[str, ...], reads: str) -> None:
    rows = "".join(f"\t  {vdev}  DEGRADED  0  0  0\n" for vdev in vdevs)
    text = (
        "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
        f"\ttank  DEGRADED  0  0  0\n{rows}\t    sda  ONLINE  0  0  0\n"
        "\t    sdb  UNAVAIL  0  0  0\n\nerrors: No known data errors\n"
    )
    case, _ = of_document(of_bytes("page", text.encode()))
    (said,) = [each for rule in RULES for each in rule.find(case) if each.rule == "degraded"]
    assert reads in said.message
