"""Replication by DRBD that is not at work, catches up, or is paused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.layers.drbd.findings import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ({"connection": "Connected", "disk_state": "UpToDate", "peer_disk_state": "UpToDate"}, ""),
        ({"replication": "Established", "disk_state": "UpToDate"}, ""),
        ({"disk_state": "UpToDate", "peer_disk_state": "UpToDate"}, ""),
        ({"connection": "SyncSource", "peer_disk_state": "Inconsistent"}, "warning"),
        ({"connection": "StandAlone", "out_of_sync": 4096}, "error"),
        ({"connection": "Connected", "disk_state": "Diskless"}, "error"),
    ],
)
def test_replication(values: dict[str, Scalar], severity: str) -> None:
    case = EvidenceSet(states=(StateEvidence("drbd", "r0", "n1", values, "p:1", "page"),))
    assert [finding.severity for finding in findings_named(RULES, case)] == (
        [severity] if severity else []
    )


def _volume(*peers: dict[str, Scalar], **own: Scalar) -> EvidenceSet:
    """A DRBD volume with its peers, as `drbdadm status` gives them."""
    return EvidenceSet(states=tuple(
        StateEvidence("drbd", "r0", "n1", {"disk_state": "UpToDate", "connection": "Connected",
                                   **own, "peer": f"node{place}", **peer}, "p:1", "page")
        for place, peer in enumerate(peers, 2)
    ))  # fmt: skip


UP: dict[str, Scalar] = {"peer_disk_state": "UpToDate"}
TIE_BREAKER: dict[str, Scalar] = {"peer_disk_state": "Diskless"}
AWAY: dict[str, Scalar] = {"connection": "Connecting"}


@pytest.mark.parametrize(
    ("case", "severities"),
    [
        (_volume(UP, TIE_BREAKER), []),
        (_volume(TIE_BREAKER, UP), []),
        (_volume(UP, UP, disk_state="Diskless"), []),  # as the tie-breaker itself sees it
        (_volume(UP, UP), []),
        (_volume(TIE_BREAKER), ["error"]),
        (_volume(TIE_BREAKER, AWAY), ["error"]),
        (_volume(UP, disk_state="Diskless"), ["error"]),
        (_volume(AWAY, AWAY), ["error"]),
        (_volume(UP, AWAY), ["warning"]),
        (_volume(UP, {"replication": "SyncSource", "peer_disk_state": "Inconsistent"}),
         ["warning"]),
        (_volume({**UP, "out_of_sync": 131072}), ["error"]),
        (_volume({**UP, "out_of_sync": 0}), []),
        (_volume({**UP, "out_of_sync": 131072, "replication": "VerifyS"}), ["warning"]),
        (_volume({**AWAY, "out_of_sync": 131072}), ["error"]),  # the copy away, once
    ],
)  # fmt: skip
def test_replication_to_several_peers(case: EvidenceSet, severities: list[str]) -> None:
    assert [finding.severity for finding in findings_named(RULES, case)] == severities


def test_what_is_out_of_sync_is_shown() -> None:
    (finding,) = findings_named(RULES, _volume({**UP, "out_of_sync": 131072}, TIE_BREAKER))
    assert "not the same on both sides" in finding.message
    assert [evidence.value for evidence in finding.evidence if evidence.unit == "B"] == [131072]


@pytest.mark.parametrize(("before", "after", "severities"), [(UP, AWAY, ["error"]), (AWAY, UP, [])])
def test_of_two_moments_of_one_volume_the_last_counts(
    before: dict[str, Scalar], after: dict[str, Scalar], severities: list[str]
) -> None:
    first, last = (
        tuple(replace(state, where=where) for state in _volume(values).states)
        for values, where in ((before, "p:1"), (after, "p:9"))
    )
    findings = findings_named(RULES, EvidenceSet(states=(*first, *last)))
    assert [finding.severity for finding in findings] == severities


def test_two_moments_that_were_measured_are_judged_apart() -> None:
    later = tuple(replace(state, where="drbd:r1") for state in _volume(UP).states)
    first = tuple(replace(state, where="drbd:r0") for state in _volume(AWAY).states)
    (finding,) = findings_named(RULES, EvidenceSet(states=(*first, *later)))
    assert finding.severity == "error"


def test_a_resync_of_drbd_that_is_paused() -> None:
    for link, rule in (("PausedSyncS", "resync-stuck"), ("SyncSource", "degraded")):
        state = StateEvidence(
            "drbd", "r0", "n1", {"replication": link, "disk_state": "UpToDate"}, "", "p"
        )
        case = EvidenceSet(states=(state,))
        said = findings_named(RULES, case)
        assert [finding.rule for finding in said] == [rule]


def test_a_volume_that_the_text_does_not_name() -> None:
    state = StateEvidence("drbd", "", "n1", {"disk_state": "Diskless"}, "p:1", "page")
    (finding,) = findings_named(RULES, EvidenceSet(states=(state,)))
    assert finding.message.startswith("unnamed drbd has no second copy at work (Diskless)")


SPLIT = """
```
# cat /proc/drbd
version: 8.4.0 (api:1/proto:86-100)
 0: cs:{} ro:Secondary/Unknown ds:UpToDate/{}   r-----
    ns:0 nr:0 dw:0 dr:0 al:0 bm:0 lo:0 pe:0 ua:0 ap:0 ep:1 wo:b oos:0
```

```
Mar  7 15:38:05 node1 kernel: block drbd0: {}
```
"""
BRAIN = "Split-Brain detected but unresolved, dropping connection!"


def test_a_split_brain_is_not_mended_by_connecting() -> None:
    case = case_of(SPLIT.format("StandAlone", "DUnknown", BRAIN))
    (split,) = findings_named(RULES, case, "split-brain")
    (alone,) = findings_named(RULES, case, "degraded")
    assert (split.severity, split.subject) == ("error", "node1: drbd0")
    assert "each has data that the other lacks" in split.message
    for finding in (split, alone):
        assert "`drbdadm connect --discard-my-data RESOURCE`" in finding.remedy
        assert "what the first wrote alone is overwritten" in finding.remedy


def test_a_split_brain_that_was_resolved_and_other_losses_of_the_peer() -> None:
    assert findings_named(RULES, case_of(SPLIT.format("Connected", "UpToDate", BRAIN))) == []
    case = case_of(SPLIT.format("StandAlone", "DUnknown", "PingAck did not arrive in time."))
    (alone,) = findings_named(RULES, case)
    assert alone.remedy.startswith("`drbdadm connect` or `drbdadm attach`")
    resolved = "Split-Brain detected, 1 primaries, automatically solved. Sync from this node"
    assert findings_named(RULES, case_of(SPLIT.format("", "", resolved)), "split-brain") == []


STATUS = """# drbdadm status home
home role:Secondary
  disk:UpToDate
  oak role:Secondary
    {disk}:UpToDate
  elm connection:Connecting
----
"""


@pytest.mark.parametrize("disk", ["disk", "peer-disk"])
def test_a_peer_whose_disk_is_called_as_the_own(disk: str) -> None:
    """As the manual of 9.0 has it; the fence below is no part of the last line."""
    (finding,) = findings_named(RULES, case_of(STATUS.format(disk=disk)))
    assert finding.severity == "warning"
    assert finding.message.startswith("home is without elm (Connecting): another copy is at work")


def test_the_form_of_an_output_is_of_no_volume() -> None:
    assert findings_named(RULES, case_of("# drbdadm dstate <resource>\nDiskless/UpToDate\n")) == []
    (finding,) = findings_named(RULES, case_of("# drbdadm dstate r0\nDiskless/UpToDate\n"))
    assert finding.subject == "r0"
