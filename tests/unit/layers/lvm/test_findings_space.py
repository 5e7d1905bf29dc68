"""Thin pools and snapshots without room are named; what fills by design is not."""

from __future__ import annotations

import pytest

from iosonde.layers.lvm import findings_space as space
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named


def said(values: dict[str, Scalar]) -> list[Finding]:
    state = StateEvidence("lvm", "vg/pool", "h1", values, "h1/lvm:vg/pool", "h1")
    return findings_named(space.RULES, EvidenceSet(states=(state,)), "out-of-space")


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ({"segment_type": "thin-pool", "full": 1.0}, "error"),
        ({"segment_type": "thin-pool", "full": 0.93, "metadata_full": 0.1}, "warning"),
        ({"segment_type": "thin-pool", "full": 0.3, "metadata_full": 0.95}, "warning"),
        ({"segment_type": "linear", "origin": "root", "full": 0.97}, "warning"),
        ({"attributes": "swi-a-s---", "origin": "root", "full": 0.97}, "warning"),
        ({"attributes": "twi-aotz--", "full": 0.97}, "warning"),
    ],
)  # fmt: skip
def test_what_is_about_to_be_full(values: dict[str, Scalar], severity: str) -> None:
    (finding,) = said(values)
    assert finding.severity == severity


@pytest.mark.parametrize(
    "values",
    [
        {"segment_type": "thin-pool", "full": 0.5, "metadata_full": 0.2},
        {"segment_type": "thin", "full": 1.0},  # a thin volume all of which is mapped
        {"segment_type": "thin", "origin": "root", "full": 1.0},
        {"segment_type": "cache", "full": 1.0},
        {"segment_type": "thin-pool"},
        {"attributes": "Cwi-aoC---", "origin": "[repo_corig]", "pool": "[cache]", "full": 0.9999},
        {"attributes": "Vwi-aotz--", "origin": "root", "pool": "pool0", "full": 1.0},
        {"attributes": "Cwi---C---", "full": 0.9999},  # a cache is to be full
    ],
)
def test_what_is_not(values: dict[str, Scalar]) -> None:
    assert said(values) == []


def test_a_pool_that_is_two_maps_is_told_once() -> None:
    values: dict[str, Scalar] = {"segment_type": "thin-pool", "full": 1.0}
    states = tuple(
        StateEvidence("lvm", name, "h1", values, f"h1/lvm:{name}", "h1")
        for name in ("mapper/vg-pool-tpool", "mapper/vg-pool", "mapper/vg-other")
    )
    findings = findings_named(space.RULES, EvidenceSet(states=states), "out-of-space")
    assert len(findings) == 2


@pytest.mark.parametrize("values", [
    {"attributes": "swi-I-s---", "origin": "root", "full": 1.0},
    {"attributes": "swi-I-s---", "origin": "root"},
])  # fmt: skip
def test_a_dropped_snapshot_is_removed(values: dict[str, Scalar]) -> None:
    (finding,) = said(values)
    assert "of no use any more. Its origin root is not touched" in finding.message
    assert "lvremove" in finding.remedy
    assert "lvextend" not in finding.remedy
    assert "fstrim" not in finding.remedy


@pytest.mark.parametrize("values", [
    {"attributes": "swi-a-s---", "origin": "root", "full": 1.0},
    {"segment_type": "linear", "origin": "root", "full": 1.0},
])  # fmt: skip
def test_a_full_snapshot_that_is_not_called_invalid(values: dict[str, Scalar]) -> None:
    (finding,) = said(values)
    assert "has no room left: with the next block of its origin root" in finding.message
    assert "it is dropped for good, if it has not been" in finding.message
    assert "lvextend" in finding.remedy


@pytest.mark.parametrize("values", [
    {"attributes": "swi-a-s---", "origin": "root", "full": 0.95},
    {"attributes": "twi-aotz--", "full": 1.0},
])  # fmt: skip
def test_what_still_serves_is_given_room(values: dict[str, Scalar]) -> None:
    (finding,) = said(values)
    assert "lvextend" in finding.remedy
