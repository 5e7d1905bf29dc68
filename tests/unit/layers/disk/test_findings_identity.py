"""Identifiers that two disks share. Oracle: what a UUID is of, by the type of what carries it."""

from __future__ import annotations

import pytest

from iosonde.layers.disk.findings_identity import RULES
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of, findings_named

A, B = "11111111-2222-4333-8444-555555555555", "66666666-7777-4888-9999-000000000000"


def shared(text: str) -> list[Finding]:
    return findings_named(RULES, case_of(text), "duplicate-uuid")


def blkid(*rows: str) -> str:
    return "# blkid\n" + "".join(f"/dev/{row}\n" for row in rows)


def test_a_clone_beside_its_original_in_blkid() -> None:
    (finding,) = shared(blkid(f'sda1: UUID="{A}" TYPE="ext4"', f'sdb1: UUID="{A}" TYPE="ext4"',
                              f'sdb2: UUID="{B}" TYPE="xfs"'))  # fmt: skip
    assert (finding.subject, finding.severity) == ("sda1, sdb1", "warning")
    assert "tune2fs -U random" in finding.remedy
    assert [figure.value for figure in finding.evidence] == [A, A]


def test_a_clone_in_a_tree_of_lsblk() -> None:
    text = f"""# lsblk -f
NAME   FSTYPE      LABEL UUID                                   MOUNTPOINT
sda
└─sda1 xfs               {A}   /srv
nvme0n1
└─nvme0n1p1 xfs          {A}
"""
    (finding,) = shared(text)
    assert finding.subject == "sda1, nvme0n1p1"
    assert "xfs_admin" in finding.remedy


PV = "abcdef-AbcD-EfgH-IjkL-MnoP-QrsT-uvwxyz"


def test_two_physical_volumes() -> None:
    row = f'UUID="{PV}" TYPE="LVM2_member"'
    (finding,) = shared(blkid(f"sda2: {row}", f"sdb2: {row}"))
    assert "vgimportclone" in finding.remedy


@pytest.mark.parametrize(
    "rows",
    [
        (f'sda1: UUID="{A}" UUID_SUB="{B}" TYPE="linux_raid_member"',
         f'sdb1: UUID="{A}" UUID_SUB="{A}" TYPE="linux_raid_member"'),
        (f'sda1: UUID="{A}" UUID_SUB="{B}" TYPE="btrfs"',
         f'sdb1: UUID="{A}" UUID_SUB="{A}" TYPE="btrfs"'),
        ('sda1: LABEL="tank" UUID="123456789012" TYPE="zfs_member"',
         'sdb1: LABEL="tank" UUID="123456789012" TYPE="zfs_member"'),
        (f'sda1: UUID="{A}" TYPE="ext4"', f'sdb1: UUID="{A}" TYPE="ext4"',
         f'mapper/mpatha1: UUID="{A}" TYPE="ext4"'),
        (f'sdb1: UUID="{A}" TYPE="xfs"', f'drbd0: UUID="{A}" TYPE="xfs"'),
        ('sda: UUID="2021-01-01-00-00-00-00" TYPE="iso9660"',
         'sdb: UUID="2021-01-01-00-00-00-00" TYPE="iso9660"'),
        (f'sda: UUID="{A}" TYPE="ext4"', f'sda1: UUID="{A}" TYPE="ext4"'),
        ('sda: TYPE="isw_raid_member"', f'sda1: UUID="{A}" TYPE="ext4"',
         'sdb: TYPE="isw_raid_member"', f'sdb1: UUID="{A}" TYPE="ext4"'),
        (f'sda1: UUID="{A}" TYPE="ext4"', f'sdb1: UUID="{A}" TYPE="xfs"'),
        (f'sda1: LABEL="a" UUID="{A}" TYPE="ext4"', f'sdb1: LABEL="a" UUID="{B}" TYPE="ext4"'),
        (f'vg-a: UUID="{A}" TYPE="ext4"', f'vg-snap: UUID="{A}" TYPE="ext4"'),
        (f'sda1: UUID="{A}" TYPE="xfs" PARTUUID="0012ab-01"',
         f'sdb1: UUID="{B}" TYPE="xfs" PARTUUID="0012ab-01"'),
    ],
)  # fmt: skip
def test_what_shares_an_identifier_and_is_right(rows: tuple[str, ...]) -> None:
    assert shared(blkid(*rows)) == []


@pytest.mark.parametrize(
    ("second", "alarms"), [("0x5000c50000000001", 0), ("0x5000c50000000002", 1)]
)
def test_one_lun_over_two_paths(second: str, alarms: int) -> None:
    text = f"""# lsblk -o NAME,TYPE,WWN
NAME TYPE WWN
sda  disk 0x5000c50000000001
sdb  disk {second}

{blkid(f'sda1: UUID="{A}" TYPE="xfs"', f'sdb1: UUID="{A}" TYPE="xfs"')}"""
    assert len(shared(text)) == alarms


def test_the_same_device_in_two_listings_and_two_hosts() -> None:
    row = f'sda1: UUID="{A}" TYPE="ext4"'
    assert shared(blkid(row) + "\n" + blkid(row.replace("sda1", "sdb1"))) == []


def test_a_copied_table() -> None:
    rows = (f'sda1: UUID="{A}" TYPE="ext4" PARTUUID="{B}"',
            f'sdb1: UUID="{B}" TYPE="ext4" PARTUUID="{B}"')  # fmt: skip
    (finding,) = shared(blkid(*rows))
    assert (finding.severity, "sgdisk -G" in finding.remedy) == ("note", True)
    members = (f'sda1: UUID="{A}" TYPE="linux_raid_member" PARTUUID="{B}"',
               f'sdb1: UUID="{A}" TYPE="linux_raid_member" PARTUUID="{B}"')  # fmt: skip
    assert shared(blkid(*members)) == []
