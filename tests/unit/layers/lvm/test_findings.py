"""RAID of LVM that is not whole, targets that fail, calls sent again."""

from __future__ import annotations

import pytest

from iosonde.layers.dm import findings as error_target
from iosonde.layers.lvm import findings as lvm_raid
from iosonde.layers.lvm.facts import volume_facts
from iosonde.layers.nfs import findings as nfs
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.stack import Json, Scalar
from tests.unit.explain.cases import case_of, findings_named

LVS = """
```
$ lvs -a -o lv_name,vg_name,lv_attr,lv_size,copy_percent,segtype
  LV   VG    Attr       LSize   Cpy%Sync Type
  r1   my-vg rwi-a-r-{} 16.00m  {}   raid1
  lin  my-vg -wi-a---{} 16.00m           linear
```
"""


def lvm(**values: Scalar) -> EvidenceSet:
    facts: dict[str, Scalar] = {"volume_group": "my-vg", "segment_type": "raid1", **values}
    return EvidenceSet(states=(StateEvidence("lvm", "my--vg-r1", "n1", facts, "page:1", "page"),))


def row(attributes: str, kind: str = "raid1") -> dict[str, Scalar]:
    return volume_facts([{"lv_attr": attributes, "segtype": kind, "stripes": "2"}])


@pytest.mark.parametrize(
    ("attributes", "remedy"),
    [
        ("rwi-a-r-p-", "lvconvert --repair my-vg/r1"),
        ("rwi-a-r-r-", "lvchange --refresh my-vg/r1"),
        ("mwi-a-m-p-", "lvconvert --repair my-vg/r1"),
        ("rwi-a-r-m-", ""),  # mismatches: a check found some, no member is missing
        ("rwi-a-r---", ""),
    ],
)
def test_a_volume_that_lacks_a_member(attributes: str, remedy: str) -> None:
    said = findings_named(lvm_raid.RULES, lvm(**row(attributes)))
    assert [finding.severity for finding in said] == ["error"] * bool(remedy)
    assert all(remedy in finding.remedy and "mdadm" not in finding.remedy for finding in said)


@pytest.mark.parametrize(
    ("kind", "reads"),
    [
        ("raid1", "go to a copy that is left"),
        ("mirror", "go to a copy that is left"),
        ("raid10", "go to a copy that is left"),
        ("raid5_ls", "are computed from the other members"),
        ("raid6_zr", "are computed from the other members"),
    ],
)
def test_only_parity_is_computed(kind: str, reads: str) -> None:
    (said,) = findings_named(lvm_raid.RULES, lvm(**row("rwi-a-r-p-", kind)))
    assert f"reads of what is gone {reads}" in said.message


def test_how_many_more_members_may_be_lost() -> None:
    values: dict[str, Scalar] = {"degraded": True, "failed_disks": 1, "raid_disks": 5}
    (said,) = findings_named(lvm_raid.RULES, lvm(**values, segment_type="raid6"))
    assert "one more may be lost" in said.message
    (said,) = findings_named(lvm_raid.RULES, lvm(**values, segment_type="raid5"))
    assert "the next loss may take data with it" in said.message


def test_raid_0_has_nothing_to_rebuild_from() -> None:
    (said,) = findings_named(lvm_raid.RULES, lvm(**row("rwi-a-r-p-", "raid0")))
    assert "no second copy" in said.message


def test_a_linear_volume_on_a_disk_that_is_gone_has_lost_its_data() -> None:
    (said,) = findings_named(lvm_raid.RULES, lvm(**row("-wi-a---p-", "linear")))
    assert "no second copy" in said.message
    assert findings_named(lvm_raid.RULES, lvm(**row("-wi-a-----", "linear"))) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"in_sync": 0.4, "sync_action": "recover"}, "rebuilds a member (recovery)"),
        ({"in_sync": 0.4, "sync_action": "idle"}, "makes its members alike (resync)"),
        ({"in_sync": 1.0, "sync_action": "check"}, "compares its members (check)"),
        ({"in_sync": 1.0, "sync_action": "idle"}, ""),
    ],
)
def test_a_volume_that_is_busy(values: dict[str, Scalar], message: str) -> None:
    said = findings_named(lvm_raid.RULES, lvm(degraded=False, **values))
    assert [message in finding.message for finding in said] == [True] * bool(message)
    assert all("lvchange --maxrecoveryrate" in finding.remedy for finding in said)


def test_lvs_in_a_text_and_a_dm_status_are_read_alike() -> None:
    whole = case_of(LVS.format("--", "100.00", "--"))
    assert findings_named(lvm_raid.RULES, whole) == []
    broken = case_of(LVS.format("p-", "100.00", "p-"))
    lost, lacking = sorted(
        findings_named(lvm_raid.RULES, broken), key=lambda finding: finding.subject
    )
    assert "no second copy" in lost.message
    assert "lvconvert --repair my-vg/r1" in lacking.remedy
    status: dict[str, Scalar] = {"level": "raid5_ls", "raid_disks": 3, "degraded": True,
                                 "failed_disks": 1, "sync_share": 1.0}  # fmt: skip
    state = StateEvidence("dm", "my--vg-r5", "", status, "page:1", "page")
    (said,) = findings_named(lvm_raid.RULES, EvidenceSet(states=(state,)))
    assert "lacks 1 of its 3 members" in said.message


@pytest.mark.parametrize(
    ("target", "severity"), [("error", "error"), ("flakey", "error"), ("delay", "warning")]
)
def test_targets_that_are_made_to_fail(target: str, severity: str) -> None:
    state = StateEvidence("dm", "bad", "n1", {"target": f"linear, {target}"}, "page:1", "page")
    (said,) = findings_named(error_target.RULES, EvidenceSet(states=(state,)))
    assert said.severity == severity
    assert target in said.message


@pytest.mark.parametrize("fails", [True, False])
def test_dust_that_passes_reads_on_does_no_harm(fails: bool) -> None:
    values: dict[str, Scalar] = {"target": "dust", "fails_reads": fails}
    case = EvidenceSet(states=(StateEvidence("dm", "bad", "n1", values, "page:1", "page"),))
    assert len(findings_named(error_target.RULES, case)) == fails


NFSSTAT = """
```
$ nfsstat -c
Client rpc stats:
calls      retrans    authrefrsh
{}     {}         0
```
"""


@pytest.mark.parametrize(("again", "alarms"), [(1500, 1), (900, 0)])
def test_calls_of_nfs_that_were_sent_again(again: int, alarms: int) -> None:
    said = findings_named(nfs.RULES, case_of(NFSSTAT.format(100000, again)), "nfs-retransmissions")
    assert len(said) == alarms


@pytest.mark.parametrize(("sent", "alarms"), [(102_000, 1), (100_400, 0)])
def test_mountstats_counts_transmissions_by_operation(sent: int, alarms: int) -> None:
    operations: Json = {
        "WRITE": {"operations": 100_000, "transmissions": sent},
        "NULL": dict[str, Json](),
    }
    counters = CounterEvidence(
        "mountstats", "nfs", "/srv", "n1", {"operations": operations}, "page:1", "page"
    )
    said = findings_named(nfs.RULES, EvidenceSet(counters=(counters,)), "nfs-retransmissions")
    assert [finding.subject for finding in said] == ["/srv on n1"] * alarms
