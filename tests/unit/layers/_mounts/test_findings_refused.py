"""Mounts that failed. Oracle: what the kernel's error number means, and what blkid's names name."""

from __future__ import annotations

import pytest

from iosonde.layers._mounts.findings_refused import RULES
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of, findings_named


def failed(text: str, name: str = "mount-failed") -> list[Finding]:
    return findings_named(RULES, case_of(text), name)


@pytest.mark.parametrize(
    ("error", "says", "does"),
    [
        ("/mnt: unknown filesystem type 'LVM2_member'.", "physical volume of LVM", "lvs"),
        ("/mnt: unknown filesystem type 'linux_raid_member'.", "member of an md", "mdadm"),
        ("/mnt: unknown filesystem type 'crypto_LUKS'.", "LUKS", "cryptsetup open /dev/sdb1"),
        ("/mnt: unknown filesystem type 'isw_raid_member'.", "BIOS' RAID", "dmraid"),
        ("unknown filesystem type 'exfat'", "no file system “exfat”", "modprobe exfat"),
        ("/mnt: wrong fs type, bad option, bad superblock on /dev/sdb1, missing codepage or helper "
         "program, or other error.", "every reason", "dmesg"),
        ("/mnt: can't read superblock on /dev/sdb1.", "cannot be read, or is damaged", "dmesg"),
        ("/mnt: special device /dev/sdb1 does not exist.", "no /dev/sdb1", "lsblk -f"),
        ("/mnt: /dev/sdb1 already mounted or mount point busy.", "in use", "lsblk /dev/sdb1"),
    ],
)  # fmt: skip
def test_complaints_of_mount(error: str, says: str, does: str) -> None:
    (finding,) = failed(f"# mount /dev/sdb1 /mnt\nmount: {error}\n")
    assert says in finding.message
    assert does in finding.remedy
    assert finding.evidence[0].value


def test_the_device_where_the_place_should_be_and_where_only_the_complaint_has_it() -> None:
    (finding,) = failed("mount: /dev/md127: can't read superblock.\n")
    assert (finding.subject, "reads first of /dev/md127" in finding.message) == ("/dev/md127", True)
    assert "on /dev/md127" not in finding.message
    (finding,) = failed("mount: /mnt: special device /dev/sdx does not exist.\n")
    assert "there was no /dev/sdx." in finding.message


def test_complaints_of_a_server() -> None:
    text = (
        "# mount -t nfs srv:/data /mnt\n"
        "mount.nfs: access denied by server while mounting srv:/data\n"
    )
    (finding,) = failed(text)
    assert ("srv:/data" in finding.message, "exportfs -v" in finding.remedy) == (True, True)
    (finding,) = failed("# mount -t nfs srv:/data /mnt\nmount.nfs: Stale file handle\n")
    assert "does not know any more" in finding.message


def test_what_is_mounted_further_down_is_not_said() -> None:
    text = "# mount /dev/sdb1 /mnt\nmount: /mnt: unknown filesystem type 'exfat'.\n"
    df = "# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sdb1 98G 5G 93G 6% {}\n"
    assert failed(text + df.format("/mnt")) == []
    assert len(failed(text + df.format("/srv"))) == 1
    assert len(failed(df.format("/mnt") + text)) == 1


def test_complaints_that_say_nothing_of_storage() -> None:
    assert failed("# mount /dev/sdb1 /mnt\nmount: only root can do that\n") == []
    assert failed("# mount -a\nmount: /etc/fstab: parse error at line 12 -- ignored\n") == []
    assert failed("# mount /dev/sdb1 /mnt\nmount: /mnt: mount point does not exist.\n") == []


def test_a_structure_that_needs_cleaning() -> None:
    text = (
        "# mount /dev/sdd1 /mnt\n"
        "mount: /mnt: mount(2) system call failed: Structure needs cleaning.\n"
    )
    (finding,) = failed(text, "filesystem-errors")
    assert (finding.severity, "/dev/sdd1" in finding.message) == ("error", True)
    assert failed(text) == []
    text = "# ls /srv\nls: cannot access '/srv/x': Structure needs cleaning\n"
    (finding,) = failed(text, "filesystem-errors")
    assert finding.subject == "ls"
    text = "# touch /srv/x\ntouch: cannot touch '/srv/x': Read-only file system\n"
    assert failed(text, "filesystem-errors") == []
