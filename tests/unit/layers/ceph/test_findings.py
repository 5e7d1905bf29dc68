"""What is said of the clusters in the samples."""

from __future__ import annotations

from pathlib import Path

from iosonde.layers.ceph.findings import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.verbs.explain import explain

OUTPUTS = Path(__file__).parents[3] / "outputs" / "ceph-composed"


def said(name: str) -> set[tuple[str, str]]:
    names = {rule.name for rule in RULES}
    result = explain(str(OUTPUTS / f"{name}.txt"))
    return {
        (finding.rule, finding.severity) for finding in result.findings if finding.rule in names
    }


def test_a_cluster_that_lacks_an_osd_and_room() -> None:
    assert said("status") == {("degraded", "warning"), ("out-of-space", "warning")}


def test_requests_that_wait() -> None:
    assert said("status-old") == {("slow-requests", "warning")}


def test_one_osd_is_fuller_than_the_mean_of_all() -> None:
    assert said("osds") == {("out-of-space", "warning")}
    assert said("df") == set()


def test_clusters_of_two_texts_are_two_and_two_texts_of_a_host_are_of_the_same() -> None:
    texts = [
        StateEvidence("ceph", "ceph", host, {"slow_requests": 3}, "line 1", source)
        for source, host in (("a.txt", ""), ("b.txt", ""), ("c.txt", "n1"), ("d.txt", "n1"))
    ]
    case = EvidenceSet(states=tuple(texts))
    findings = [finding for rule in RULES for finding in rule.find(case)]
    assert [finding.rule for finding in findings] == ["slow-requests"] * 3


def test_of_several_states_of_a_cluster_the_fullest_is_said(tmp_path: Path) -> None:
    near, full = "HEALTH_WARN 1 nearfull osds", "HEALTH_ERR 1 nearfull osds, 1 full osds"
    for first, second in ((near, full), (full, near)):
        page = tmp_path / "page.txt"
        page.write_text(f"$ ceph health\n{first}\n\nLater:\n\n$ ceph health\n{second}\n")
        (finding,) = explain(str(page)).findings
        assert (finding.rule, finding.severity) == ("out-of-space", "error")
        assert "1 is full: no client can write, 1 is nearly full" in finding.message


def test_a_cluster_without_any_osd() -> None:
    def lacking(**values: int) -> tuple[str, str]:
        state = StateEvidence("ceph", "ceph", "", {"health": "HEALTH_WARN", **values}, "p:1", "p")
        (finding,) = [
            finding for rule in RULES for finding in rule.find(EvidenceSet(states=(state,)))
        ]
        return finding.message, finding.remedy

    message, remedy = lacking(osds=0, osds_up=0, pgs_inactive=8)
    assert message.endswith("it has no OSD, so its pools have nowhere to keep anything.")
    assert remedy.startswith("add OSDs")
    message, remedy = lacking(osds=3, osds_up=3, pgs_inactive=8)
    assert "8 placement groups are inactive" in message
    assert "add OSDs" not in remedy
