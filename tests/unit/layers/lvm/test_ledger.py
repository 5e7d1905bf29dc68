"""What volumes of LVM make of requests, reckoned by hand.

lvm.conf(5) and lvm(8): extents of 4 MiB, the first 1 MiB behind the beginning of a physical volume;
lvcreate(8): a linear volume takes one physical volume behind the other, a striped one `stripesize`
bytes of each in turn. A disk of 1 GiB has (1024 - 1) / 4 = 255 whole extents, 1020 MiB.
"""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from tests.unit.layers.accounts import KIB, MIB, account

LINEAR = ["lv: {kind: lvm, of: [d1, d2]}"]
STRIPED = ["lv: {kind: lvm, of: [d1, d2], type: striped, stripe_size: 64 KiB}"]


def test_a_linear_volume_goes_on_at_the_next_disk_after_the_last_whole_extent() -> None:
    end = 1020 * MIB
    across = account(LINEAR, [("write", end - 4 * KIB, 64 * KIB)], disks=2)
    assert across["d1"] == (0, 0, 1, 4 * KIB)
    assert across["d2"] == (0, 0, 1, 60 * KIB)
    before = account(LINEAR, [("write", end - 64 * KIB, 64 * KIB)], disks=2)
    assert before["d1"] == (0, 0, 1, 64 * KIB)
    assert before["d2"] == (0, 0, 0, 0)
    behind = account(LINEAR, [("read", end, 64 * KIB)], disks=2)
    assert behind["d1"] == (0, 0, 0, 0)
    assert behind["d2"] == (1, 64 * KIB, 0, 0)


def test_a_striped_volume_cuts_at_its_stripe_size() -> None:
    whole = account(STRIPED, [("write", 0, 128 * KIB)], disks=2)
    assert whole["d1"] == whole["d2"] == (0, 0, 1, 64 * KIB)
    across = account(STRIPED, [("write", 60 * KIB, 64 * KIB)], disks=2)
    assert across["d1"] == (0, 0, 1, 4 * KIB)
    assert across["d2"] == (0, 0, 1, 60 * KIB)
    within = account(STRIPED, [("write", 64 * KIB, 64 * KIB)], disks=2)
    assert within["d1"] == (0, 0, 0, 0)
    assert within["d2"] == (0, 0, 1, 64 * KIB)


@pytest.mark.parametrize("kind", ["raid1", "mirror"])
def test_copies_are_all_written_and_one_is_read(kind: str) -> None:
    volume = [f"lv: {{kind: lvm, of: [d1, d2], type: {kind}}}"]
    counts = account(volume, [("write", 0, 8 * KIB), ("read", MIB, 4 * KIB)], disks=2)
    assert [counts[disk][2:] for disk in ("d1", "d2")] == [(1, 8 * KIB)] * 2
    assert sum(counts[disk][0] for disk in ("d1", "d2")) == 1


def test_a_raid1_has_an_extent_less_than_a_mirror() -> None:
    """lvmraid(7): each image of a RAID volume has a metadata subvolume beside it."""
    last = [("write", 1020 * MIB - 4 * KIB, 4 * KIB)]
    assert account(["lv: {kind: lvm, of: [d1, d2], type: mirror}"], last, disks=2)["d2"][2] == 1
    with pytest.raises(UsageError):
        account(["lv: {kind: lvm, of: [d1, d2], type: raid1}"], last, disks=2)


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be predicted"):
        account(["lv: {kind: lvm, of: d1, type: thin-pool}"], [("write", 0, 4 * KIB)])
    part = "lv: {kind: lvm, of: [d1, d2, d3], type: striped, stripes: 2}"
    with pytest.raises(UsageError, match="striped over all"):
        account([part], [("write", 0, 4 * KIB)], disks=3)
