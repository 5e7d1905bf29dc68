"""Data offsets and file systems against what lies below."""

from __future__ import annotations

import pytest

from iosonde.layers._rules import alignment
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import findings_named

KIB = 1024
RAID5: dict[str, Scalar] = {
    "level": "raid5", "raid_disks": 5, "chunk_size": 64 * KIB, "data_members": 4,
    "stripe_width": 256 * KIB, "sync_action": "idle", "degraded": 0,
}  # fmt: skip


def state(kind: str, name: str, values: dict[str, Scalar], *below: str) -> StateEvidence:
    return StateEvidence(kind, name, "n1", values, f"n1/{kind}:{name}", "page", below)


@pytest.mark.parametrize(("unit", "alarms"), [(64 * KIB, 0), (128 * KIB, 1)])
def test_file_systems_made_for_another_stripe(unit: int, alarms: int) -> None:
    values: dict[str, Scalar] = {"stripe_unit": unit, "stripe_width": 4 * unit}
    case = EvidenceSet(states=(state("md", "md0", RAID5), state("xfs", "/data", values, "md0")))
    assert len(findings_named(alignment.RULES, case)) == alarms


@pytest.mark.parametrize(("offset", "alarms"), [(2**20, 0), (192 * KIB, 1), (100 * KIB, 1)])
def test_physical_volumes_that_begin_within_a_chunk(offset: int, alarms: int) -> None:
    volume = state("lvm_pv", "md0", {"data_offset": offset})
    case = EvidenceSet(states=(state("md", "md0", RAID5), volume))
    assert len(findings_named(alignment.RULES, case)) == alarms


def test_whole_chunks_are_enough_without_parity() -> None:
    volume = state("lvm_pv", "md0", {"data_offset": 192 * KIB})
    mirror = state("md", "md0", {**RAID5, "level": "raid10"})
    assert findings_named(alignment.RULES, EvidenceSet(states=(mirror, volume))) == []


def test_what_was_printed_rounded_says_nothing() -> None:
    """1.125 MiB, of which pvs prints 1.12m."""
    volume = state("lvm_pv", "md0", {"data_offset": int(1.12 * 2**20)})
    assert (
        findings_named(alignment.RULES, EvidenceSet(states=(state("md", "md0", RAID5), volume)))
        == []
    )


@pytest.mark.parametrize(("offset", "alarms"), [(2**20, 0), (263 * 512, 1)])
def test_members_whose_data_begin_off_the_grid(offset: int, alarms: int) -> None:
    array = state("md", "md0", {"level": "raid1", "data_offset": offset}, "sda", "sdb")
    disk = state("disk", "sda", {"physical_block_size": 4096})
    assert len(findings_named(alignment.RULES, EvidenceSet(states=(array, disk)))) == alarms


def test_the_array_below_is_found_through_linear_volumes() -> None:
    right: dict[str, Scalar] = {"stripe_unit": 64 * KIB, "stripe_width": 256 * KIB}
    wrong: dict[str, Scalar] = {"stripe_unit": 64 * KIB, "stripe_width": 512 * KIB}
    volume = state("lvm", "mapper/vg-lv", {"data_offset": 2**20}, "md0")
    for values, alarms in ((right, 0), (wrong, 1)):
        above = state("xfs", "/data", values, "mapper/vg-lv")
        case = EvidenceSet(states=(state("md", "md0", RAID5), volume, above))
        assert len(findings_named(alignment.RULES, case)) == alarms


def test_the_options_of_a_mount_tell_its_stripe() -> None:
    """As in the mount table: sectors of 512 bytes, device instead of what is below."""
    mount: dict[str, Scalar] = {"device": "/dev/md0", "sunit": "128", "swidth": "384"}
    (said,) = findings_named(alignment.RULES, EvidenceSet(states=(state("md", "md0", RAID5),
                                                  state("xfs", "/data", mount))))  # fmt: skip
    assert "a stripe of 192 KiB in units of 64 KiB" in said.message
    assert "sunit=128,swidth=512" in said.remedy


@pytest.mark.parametrize(
    ("kind", "values", "level", "alarms"),
    [
        ("xfs", {"allocation_groups": 4}, "raid5", 1),
        ("ext4", {"superblock_state": "clean"}, "raid5", 1),
        ("xfs", {"allocation_groups": 4}, "raid10", 0),
        ("xfs", {}, "raid5", 0),
        ("ext4", {"block_size": 4096}, "raid5", 0),
    ],
)
def test_file_systems_that_know_of_no_stripe(
    kind: str, values: dict[str, Scalar], level: str, alarms: int
) -> None:
    array = state("md", "md0", {**RAID5, "level": level})
    case = EvidenceSet(states=(array, state(kind, "/data", values, "md0")))
    assert len(findings_named(alignment.RULES, case)) == alarms
