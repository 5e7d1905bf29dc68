"""Findings about arrays. Oracle: NetApp na_aggr(1), which says what each word of a status means."""

from __future__ import annotations

from iosonde.layers._storage_arrays.findings import RULES
from tests.contract.rules.case import case, state


def test_what_a_status_means() -> None:
    own = case(
        state("storage_pool", "a", {"raid_level": "raid_dp", "raid_status": "hybrid, degraded"}),
        state("storage_pool", "b", {"raid_level": "raid_dp", "raid_status": "mirror degraded"}),
        state("storage_pool", "c", {"state": "offline", "raid_status": "normal"}),
        state("storage_pool", "d", {"state": "online", "raid_status": "mirrored, normal"}),
    )
    findings = {finding.subject: finding for finding in RULES[0].find(own)}
    assert list(findings) == ["n1: a", "n1: b", "n1: c"]
    assert "computed from the other disks" in findings["n1: a"].message
    assert "computed" not in findings["n1: b"].message
    assert "plex" in findings["n1: b"].remedy
    assert "is offline" in findings["n1: c"].message


def test_full_is_what_the_array_calls_full() -> None:
    own = case(
        state("storage_volume", "v", {"used_share": 0.98, "available": 1 << 30}),
        state("storage_volume", "w", {"used_share": 0.97, "available": 0}),
        state("storage_volume", "x", {"used_share": 1.0}),
    )
    (finding,) = RULES[3].find(own)
    assert (finding.subject, finding.severity) == ("n1: v", "warning")
