"""Full file systems. Oracle: the figures of df's rows, and what cannot be written to by nature."""

from __future__ import annotations

import pytest

from iosonde.explain.judge import findings
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of

HEAD = "# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n"


def full(text: str) -> list[Finding]:
    return [finding for finding in findings(case_of(text)) if finding.rule == "out-of-space"]


@pytest.mark.parametrize(
    ("row", "severity"),
    [
        ("/dev/sda2       110G  104G     0 100% /", "error"),
        ("/dev/mapper/vg-a 22G   22G     0 100% /", "error"),
        ("/dev/vdb        973M  940M     0 100% /var/lib/postgresql/data", "error"),
        ("/dev/sda1       236M  236M     0 100% /boot", "error"),
        ("filer:/vol/d    3.5T  3.5T     0 100% /d", "error"),
        ("/dev/nvme0n1p1  234G  220G  1.9G 100% /", "warning"),
        ("/dev/sdb1        98G   95G  1.9G  99% /srv", "warning"),
    ],
)
def test_rows_of_full_file_systems(row: str, severity: str) -> None:
    (finding,) = full(f"{HEAD}{row}\n")
    assert finding.severity == severity
    assert row.partition(" ")[0] in finding.message
    assert {figure.what for figure in finding.evidence} >= {"size", "available"}


@pytest.mark.parametrize(
    "row",
    [
        "/dev/sda2       110G  100G   10G  91% /",
        "/dev/md0        100T   98T  2.0T  98% /srv",
        "/dev/loop0       56M   56M     0 100% /snap/core18/1885",
        "/dev/loop0      3.0G  3.0G     0 100% /mnt/cd",
        "/dev/sr0        4.6G  4.6G     0 100% /mnt",
        "/dev/sdb1       1.9G  1.9G     0 100% /media/u/live",
        "/dev/root       2.5M  2.5M     0 100% /rom",
        "/dev/sda3       167M  167M     0 100% /",
        "/dev/md0        422M  404M  9.7M  98% /",
        "/dev/block/dm-5 4.0G  4.0G     0 100% /vendor",
        "/dev/disk2s1    800M  800M     0 100% /Volumes/App",
        "tmpfs           798M  798M     0 100% /run",
        "overlay          40G   40G     0 100% /var/lib/docker/overlay2/a/merged",
        "composefs        24K   24K     0 100% /",
        "none             22G   22G     0 100% /var/lib/ureadahead/debugfs",
        "filer:/vol/d    3.5T  3.5T     0 100% /d/.snapshot/hourly.0",
    ],
)
def test_what_is_full_by_nature_or_not_full(row: str) -> None:
    assert full(f"{HEAD}{row}\n") == []


def test_a_device_of_which_much_is_allocated_and_not_used() -> None:
    (finding,) = full(f"{HEAD}/dev/sdd1        2.0T  209G     0 100% /srv\n")
    assert (finding.severity, "btrfs balance start" in finding.remedy) == ("warning", True)
    assert "209 GiB of its 2 TiB are in use" in finding.message
    (finding,) = full(f"{HEAD}/dev/sdd1        110G  104G     0 100% /srv\n")
    assert "balance" not in finding.remedy


def test_a_device_that_is_mounted_at_several_places_is_one() -> None:
    row = "/dev/vda1        40G   40G     0 100% "
    (finding,) = full(f"{HEAD}{row}/etc/hosts\n{row}/etc/hostname\n")
    assert "/etc/hosts" in finding.message


def test_what_is_mounted_to_be_read_and_what_has_room_later() -> None:
    row = "/dev/sdb1        40G   40G     0 100% /srv\n"
    assert full(f"{HEAD}{row}\n# mount\n/dev/sdb1 on /srv type ext4 (ro,relatime)\n") == []
    assert full(f"{HEAD}{row}\n{HEAD}/dev/sdb1        80G   40G   38G  51% /srv\n") == []


def test_inodes() -> None:
    head = "# df -i\nFilesystem      Inodes   IUsed   IFree IUse% Mounted on\n"
    (finding,) = full(f"{head}/dev/vda1      1310720 1310720       0  100% /\n")
    assert (finding.severity, "no inode left" in finding.message) == ("error", True)
    (finding,) = full(f"{head}/dev/vda1      1310720 1310000     720  100% /\n")
    assert "720 of 1,310,720 inodes" in finding.message
    assert full(f"{head}/dev/vda1      1310720  900000  410720   69% /\n") == []
    assert full(f"{head}/dev/loop0       12842   12842       0  100% /snap/core/9993\n") == []


def test_programs_that_found_no_space() -> None:
    (finding,) = full("# cp a /srv/b\ncp: error writing '/srv/b': No space left on device\n")
    assert (finding.severity, "for /srv/b:" in finding.message) == ("warning", True)
    (finding,) = full("$ touch a\ntouch: cannot touch 'a': No space left on device\n")
    assert "its directory" in finding.remedy
    assert full("# dd of=/srv/z\ndd: error writing '/srv/z': No space left on device\n") == []
    assert full("# cp x /dev/sdb\ncp: error writing '/dev/sdb': No space left on device\n") == []
    text = "tail: inotify cannot be used, reverting to polling: No space left on device\n"
    assert full(text) == []


def test_a_program_beside_a_df_that_shows_what_is_full_is_not_said_twice() -> None:
    row = "/dev/sda2       110G  104G     0 100% /srv\n"
    text = f"# cp a /srv/b\ncp: error writing '/srv/b': No space left on device\n{HEAD}{row}"
    assert [finding.severity for finding in full(text)] == ["error"]
