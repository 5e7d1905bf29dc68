"""Rules about RAID controllers: each fires where it should, and is silent where it should be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.explain.gather import of_document
from iosonde.layers.hwraid import findings_drives
from iosonde.layers.hwraid.findings import RULES
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.finding import Finding
from iosonde.records.stack import Scalar
from iosonde.text.document import of_bytes

PLACE = Path(__file__).parents[3] / "outputs"


def findings(case: EvidenceSet, name: str) -> list[Finding]:
    return [
        finding
        for rule in (*RULES, *findings_drives.RULES)
        if rule.name == name
        for finding in rule.find(case)
    ]


def of_texts(*names: str) -> EvidenceSet:
    text = "\n".join((PLACE / name).read_text() for name in names)
    return of_document(of_bytes("ticket.txt", text.encode()))[0]


def state(kind: str, name: str, host: str = "store1", **values: Scalar) -> StateEvidence:
    return StateEvidence(kind, name, host, values, f"ticket.txt:{name}", "ticket.txt")


GOOD = state(
    "hwraid", "sda", controller="c0", volume="c0/v0", raid_level="raid6", size=4 << 40,
    state="optimal", write_policy="write_back", disk_cache="disabled", active_operations="None",
)  # fmt: skip
CONTROLLER = state("controller", "c0", battery="ok", cache_size=1 << 30)


def with_(state_evidence: StateEvidence, **values: Scalar) -> StateEvidence:
    return replace(state_evidence, values={**state_evidence.values, **values})


def test_a_sound_controller_is_passed_over() -> None:
    case = EvidenceSet(states=(GOOD, CONTROLLER))
    assert [finding for rule in RULES for finding in rule.find(case)] == []


def test_nothing_is_said_where_the_battery_is_not_known() -> None:
    case = EvidenceSet(states=(with_(GOOD, disk_cache="default"),))
    assert [finding for rule in RULES for finding in rule.find(case)] == []


def test_a_host_that_was_asked_tells_of_the_battery_with_the_volume() -> None:
    volume = with_(
        GOOD, write_policy="write_back_always", battery="failed", cache_size=1 << 30,
    )  # fmt: skip
    (finding,) = findings(EvidenceSet(states=(volume,)), "unsafe-cache")
    assert finding.severity == "error"
    assert "up to 1 GiB of them" in finding.message


def test_write_back_over_a_failed_battery_is_an_error() -> None:
    case = EvidenceSet(
        states=(with_(GOOD, write_policy="write_back_always"), with_(CONTROLLER, battery="failed"))
    )
    (finding,) = findings(case, "unsafe-cache")
    assert finding.severity == "error"
    assert finding.subject == "store1: sda"
    assert finding.message == (
        "The controller acknowledges writes to sda (RAID 6, 4 TiB) from its cache although the "
        "battery has failed: a power cut now loses acknowledged writes, up to 1 GiB of them, "
        "whatever the file system flushed."
    )
    assert finding.remedy.startswith("storcli /c0/v0 set wrcache=wb ")
    assert [(evidence.what, evidence.value) for evidence in finding.evidence] == [
        ("write policy", "write-back, with or without a battery"),
        ("battery of the cache", "failed"),
        ("cache", 1 << 30),
    ]


def test_write_back_that_would_go_on_without_a_battery_is_a_warning() -> None:
    case = EvidenceSet(states=(with_(GOOD, write_policy="write_back_always"), CONTROLLER))
    (finding,) = findings(case, "unsafe-cache")
    assert finding.severity == "warning"
    assert "even when its battery fails" in finding.message


def test_a_learning_battery_leaves_the_cache_unprotected_for_a_while() -> None:
    case = EvidenceSet(
        states=(
            with_(GOOD, write_policy="write_back_always"),
            with_(CONTROLLER, battery="learning"),
        )
    )
    (finding,) = findings(case, "unsafe-cache")
    assert finding.severity == "warning"
    assert "although the battery is in a learn cycle" in finding.message


def test_the_battery_of_another_host_does_not_count() -> None:
    other = replace(with_(CONTROLLER, battery="failed"), host="store2")
    case = EvidenceSet(states=(with_(GOOD, write_policy="write_back_always"), other))
    (finding,) = findings(case, "unsafe-cache")
    assert finding.severity == "warning"


def test_caches_of_the_drives_are_protected_by_nothing() -> None:
    (finding,) = findings(
        EvidenceSet(states=(with_(GOOD, disk_cache="enabled"), CONTROLLER)), "unsafe-cache"
    )
    assert finding.message == (
        "The drives under sda (RAID 6, 4 TiB) acknowledge writes from their own caches, which no "
        "battery of the controller protects: a power cut loses what they hold, and stripes half "
        "written then no longer match their parity."
    )
    assert "set pdcache=off" in finding.remedy


def test_a_default_cache_counts_where_a_member_is_seen_to_cache() -> None:
    volume = with_(GOOD, disk_cache="default", drive_group="0", raid_level="raid1")
    member = state("disk", "c0/e252/s0", drive_group="0", write_cache="write back", state="online")
    (finding,) = findings(EvidenceSet(states=(volume, member)), "unsafe-cache")
    assert ("write cache of c0/e252/s0", "on") in [(x.what, x.value) for x in finding.evidence]
    assert "parity" not in finding.message
    elsewhere = with_(member, drive_group="1")
    assert findings(EvidenceSet(states=(volume, elsewhere)), "unsafe-cache") == []
    through = with_(member, write_cache="write through")
    assert findings(EvidenceSet(states=(volume, through)), "unsafe-cache") == []


def test_flushes_switched_off_over_a_volatile_cache() -> None:
    disk = state("disk", "sdb", write_cache="write back")
    mount = state("ext4", "/srv", device="/dev/sdb1", nobarrier=True)
    (finding,) = findings(EvidenceSet(states=(disk, mount)), "unsafe-cache")
    assert finding.severity == "error"
    assert finding.message == (
        "/srv never flushes the volatile write cache of sdb (nobarrier): after a power cut what it "
        "had synchronised may be gone, its journal included."
    )
    for silent in (
        (disk, with_(mount, nobarrier=False)),
        (with_(disk, write_cache="write through"), mount),
        (disk, with_(mount, device="/dev/sdc1")),
        (mount,),
    ):
        assert findings(EvidenceSet(states=silent), "unsafe-cache") == []


def test_drbd_without_flushes() -> None:
    disk = state("disk", "sdb", write_cache="write back")
    drbd = replace(state("drbd", "drbd0", disk_flushes="no"), below=("sdb",))
    (finding,) = findings(EvidenceSet(states=(disk, drbd)), "unsafe-cache")
    assert "(disk-flushes no)" in finding.message
    assert (
        findings(EvidenceSet(states=(disk, with_(drbd, disk_flushes="yes"))), "unsafe-cache") == []
    )


def test_write_back_is_suspended_while_the_battery_learns() -> None:
    case = EvidenceSet(states=(GOOD, with_(CONTROLLER, battery="learning")))
    (finding,) = findings(case, "write-back-suspended")
    assert finding.message == (
        "sda (RAID 6, 4 TiB) is set to write-back, but the controller writes through because its "
        "battery is in a learn cycle: writes have the drives' own latency until that is over, and "
        "measurements of this time do not compare with others."
    )
    assert findings(EvidenceSet(states=(GOOD, CONTROLLER)), "write-back-suspended") == []


def test_a_volume_without_a_name_is_called_so() -> None:
    volume = with_(GOOD, write_policy="write_through", write_policy_initial="write_back")
    case = EvidenceSet(states=(replace(volume, name=""),))
    (finding,) = findings(case, "write-back-suspended")
    assert finding.message.startswith("unnamed hwraid (RAID 6, 4 TiB) is set to write-back")


def test_write_through_that_was_chosen_is_not_suspended() -> None:
    chosen = with_(GOOD, write_policy="write_through")
    assert findings(EvidenceSet(states=(chosen, CONTROLLER)), "write-back-suspended") == []
    (finding,) = findings(
        EvidenceSet(states=(with_(chosen, write_policy_initial="write_back"),)),
        "write-back-suspended",
    )
    assert "writes through: writes have" in finding.message
    always = with_(GOOD, write_policy="write_back_always", write_policy_initial="write_back")
    case = EvidenceSet(states=(always, with_(CONTROLLER, battery="failed")))
    assert findings(case, "write-back-suspended") == []


def test_a_degraded_array_names_the_drive_that_is_gone() -> None:
    gone = state("disk", "c0/e252/s3", state="failed", drive_group="0")
    spare = state("disk", "c0/e252/s9", state="hot spare")
    case = EvidenceSet(states=(with_(GOOD, state="degraded", drive_group="0"), gone, spare))
    (finding,) = findings(case, "degraded")
    assert finding.severity == "error"
    assert finding.message == (
        "sda (RAID 6, 4 TiB) is degraded (c0/e252/s3 failed): the next drive that fails may take "
        "data with it, reads of what is missing are computed from the other drives, and figures "
        "measured now are not the array's."
    )
    assert findings(EvidenceSet(states=(GOOD, gone)), "degraded") == []


@pytest.mark.parametrize(
    ("level", "reads"),
    [
        ("raid1", "reads of what is missing go to a copy that is left, and"),
        ("raid10", "reads of what is missing go to a copy that is left, and"),
        ("raid5", "reads of what is missing are computed from the other drives, and"),
        ("raid60", "reads of what is missing are computed from the other drives, and"),
        (None, "the next drive that fails may take data with it, and figures"),
    ],
)
def test_only_parity_is_computed(level: str | None, reads: str) -> None:
    volume = with_(GOOD, state="degraded", raid_level=level)
    (finding,) = findings(EvidenceSet(states=(volume,)), "degraded")
    assert reads in finding.message


def test_an_array_with_one_drive_lost_of_two_and_one_that_is_offline() -> None:
    (finding,) = findings(
        EvidenceSet(states=(with_(GOOD, state="partially degraded"),)), "degraded"
    )
    assert "it stands the loss of one more drive" in finding.message
    (finding,) = findings(EvidenceSet(states=(with_(GOOD, state="offline"),)), "degraded")
    assert finding.message.endswith("is offline: nothing of it can be read or written.")


def test_drives_that_wait_are_not_named_as_bad() -> None:
    volume = with_(GOOD, state="degraded", controller="c0")
    waiting = state("disk", "c0/e1/s4", state="available")
    lost = state("disk", "c0/e1/s5", state="missing")
    (finding,) = findings(EvidenceSet(states=(volume, waiting, lost)), "degraded")
    assert "(c0/e1/s5 missing)" in finding.message


def test_work_in_the_background_shares_the_drives() -> None:
    busy = with_(GOOD, active_operations="CheckConsistency 12 %")
    (finding,) = findings(EvidenceSet(states=(busy,)), "background-work")
    assert finding.severity == "warning"
    assert "an operation in the background (CheckConsistency 12 %)" in finding.message
    (finding,) = findings(EvidenceSet(states=(with_(GOOD, state="rebuild"),)), "background-work")
    assert "shares its drives with a rebuild:" in finding.message


def test_a_drive_that_predicts_its_failure() -> None:
    disk = state("disk", "c0/e1/s1", state="online", predicted_failures=2, media_errors=12)
    (finding,) = findings(EvidenceSet(states=(disk,)), "drive-failing")
    assert finding.message == (
        "c0/e1/s1 predicts its own failure and has 12 unreadable sectors: its retries slow the "
        "whole array down before it fails."
    )
    assert findings(EvidenceSet(states=(with_(disk, predicted_failures=0),)), "drive-failing") == []


def test_several_outputs_of_one_volume_give_one_finding() -> None:
    case = of_texts("storcli-7/show-all.txt", "storcli-7/vall-show-all.txt")
    rows = [
        (finding.rule, finding.severity, finding.subject)
        for rule in (*RULES, *findings_drives.RULES)
        for finding in rule.find(case)
    ]
    assert rows == [
        ("unsafe-cache", "error", "store1: sdb"),
        ("unsafe-cache", "warning", "store1: sdb"),
        ("degraded", "error", "store1: sdb"),
    ]


def test_virtual_drives_and_battery_come_from_different_commands() -> None:
    case = of_texts("megacli-8/ldinfo.txt", "megacli-8/bbu.txt")
    suspended = [finding.subject for finding in findings(case, "write-back-suspended")]
    assert suspended == ["db1: c0/v0", "db1: c0/v2"]


def test_smart_arrays_are_told_their_own_commands() -> None:
    case = of_texts("ssacli-2/config-detail.txt")
    remedies = [finding.remedy for finding in findings(case, "unsafe-cache")]
    assert remedies[0].startswith("ssacli ctrl slot=0 modify nobatterywritecache=disable")
    assert remedies[1].startswith("ssacli ctrl slot=0 modify drivewritecache=disable")


def test_logs_of_a_write_back_volume_without_word_of_a_battery_are_silent() -> None:
    case = of_texts("hap-fio-tester/strip-sizes.txt", "hap-fio-tester/options.txt")
    assert len(list(case.of_kind("hwraid"))) == 18
    assert [finding for rule in RULES for finding in rule.find(case)] == []


def test_a_group_that_is_whole_again_later_is_not_told() -> None:
    text = (
        "TOPOLOGY :\n========\n"
        "DG Arr Row EID:Slot DID Type  State BT      Size PDC  PI SED DS3  FSpace TR\n"
        " 0 -   -   -        -   RAID1 {} N  10.913 TB dflt N  N   dflt N      N\n"
        " 0 0   0   8:0      13  DRIVE {} N  10.913 TB dflt N  N   dflt -      N\n"
        " 0 0   1   8:1      9   DRIVE Onln N  10.913 TB dflt N  N   dflt -      N\n\n"
    )
    lost, whole = text.format("Dgrd", "Rbld"), text.format("Optl", "Onln")

    def said(given: str) -> list[Finding]:
        return findings(of_document(of_bytes("text", given.encode()))[0], "degraded")

    (finding,) = said(lost)
    assert finding.subject == "c0/dg0"
    assert finding.remedy.startswith("let the rebuild end")
    (finding,) = said(lost.replace("Rbld", "Failed"))
    assert finding.remedy.startswith("replace the drive")
    apart = "Some days later, it looks like this:\n\n"
    assert not said(lost + apart + whole)
    assert said(whole + apart + lost)
