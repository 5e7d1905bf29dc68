"""Outputs as web pages and mails change them: letters, blanks and lines taken off or added.

Oracle: what the whole output of the same tool says; each case has its near miss.
"""

from __future__ import annotations

from typing import cast

from tests.mangle import counters, read, states, subjects_in

TREE = """NAME   MAJ:MIN RM   SIZE RO TYPE MOUNTPOINT
sda      8:0    0 111.8G  0 disk
├─sda1   8:1    0   512M  0 part /boot
sr0     11:0    1  1024M  0 rom
"""
ATTRIBUTES = """smartctl 7.3 2022-02-28 r5338 [x86_64-linux] (local build)
=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       4
184 End-to-End_Error        0x0032   061   061   099    Old_age   Always   {} 39
"""
HEALTH = """Smart Log for NVME device:/dev/nvme2n1 namespace-id:ffffffff
critical_warning                    : 0
temperature                         : 41 C
percentage_used                     : 3%
data_units_read                     : 1,203,913
media_errors                        : 0
"""
PEERS = """r7 role:Secondary

disk:UpToDate

spare connection:Connecting

east role:Primary

replication:SyncSource peer-disk:Inconsistent
"""
PARTED = """Model: ATA EXAMPLE (scsi)
Disk /dev/sdk: 3726GiB
Sector size (logical/physical): 512B/4096B
Partition Table: gpt

Number  Start    End      Size     File system  Name  Flags
        0.00GiB  0.00GiB  0.00GiB  Free Space
 1      0.00GiB  3726GiB  3726GiB  xfs          data
"""
FSTAB = """UUID=0a1b2c3d-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1
/dev/sr0 /media/cdrom0 udf,iso9660 user,noauto 0 0

/dev/sdb1 /srv xfs defaults,noatime 0 0
"""
CUT = """18:07:02 Device   wareq-sz      w/s     kB_w/s       kB_w
18:07:02 sdq          0.00     0.00       0.00       0.00
18:07:12 sdq        100.00    12.00    1200.00   12000.00
"""


def _values(text: str, name: str) -> dict[str, object]:
    """Facts of a thing of this name, in whichever state of the text."""
    return {
        fact: value for subject in subjects_in(text) if subject.name == name
        for fact, value in subject.values.items()
    }  # fmt: skip


def test_columns_of_lsblk_in_small_letters() -> None:
    changed = TREE.replace("RM ", "rm ").replace("TYPE MOUNTPOINT", "type mountpoint")
    assert states(changed)[0].subjects == states(TREE)[0].subjects
    unknown = TREE.replace("TYPE MOUNTPOINT", "what is this")
    firsts = [read(text)[0].place.first_line for text in (changed, unknown)]
    assert firsts == [1, 2]  # of the second the rows alone, as where a head is cut off


def test_an_attribute_below_its_threshold() -> None:
    values = _values(ATTRIBUTES.format("FAILING_NOW"), "")
    assert values["end-to-end_error_failed"] == "FAILING_NOW"
    assert "reallocated_sector_ct_failed" not in values
    assert "end-to-end_error_failed" not in _values(ATTRIBUTES.format("    -      "), "")


def test_smartctl_ends_where_the_kernel_speaks() -> None:
    log = "Jul 10 11:59:03 nas kernel: blk_update_request: I/O error, dev sdb, sector 1764\n"
    attributes, logged = counters(ATTRIBUTES.format("-") + log)
    assert attributes.tool == "smartctl"
    assert logged.values["sectors"] == [1764]


def test_health_of_a_namespace_by_its_path() -> None:
    assert _values(HEALTH, "nvme2n1")["media_errors"] == 0
    assert _values(HEALTH.replace("/dev/nvme", "nvme"), "nvme2n1")["temperature"] == 41
    (other,) = states(HEALTH.replace("/dev/nvme2n1", "/dev/other"))  # its lines alone
    assert (other.tool, other.subjects[0].name) == ("nvme smart-log lines", "")


def test_peers_of_drbd_without_blanks_before_them() -> None:
    peers = {str(s.values["peer"]): s.values for s in states(PEERS)[0].subjects}
    assert set(peers) == {"spare", "east"}
    assert peers["spare"]["connection"] == "Connecting"
    assert peers["east"]["replication"] == "SyncSource"
    assert peers["east"]["peer_disk_state"] == "Inconsistent"
    assert {s.values["disk_state"] for s in states(PEERS)[0].subjects} == {"UpToDate"}
    two = "r7 role:Secondary\ndisk:UpToDate\n\nr8 role:Primary\ndisk:Inconsistent\n"
    assert [s.values["resource"] for s in states(two)[0].subjects] == ["r7", "r8"]


def test_size_and_free_space_of_parted() -> None:
    assert _values(PARTED, "sdk")["size"] == 3726 * 2**30
    assert _values(PARTED, "sdk1")["below"] == "sdk"
    assert "size" not in _values(PARTED.replace("3726GiB\nSector", "unknown size\nSector"), "sdk")


def test_the_label_of_older_fdisk() -> None:
    text = "Disk /dev/sdl: 262 MB, 262144000 bytes, 512000 sectors\n"
    text += "Units = sectors of 1 * 512 = 512 bytes\nDisk label type: dos\n"
    assert _values(text, "sdl")["partition_table"] == "dos"
    assert "partition_table" not in _values(
        text.replace("label type: dos", "label type: of old"), "sdl"
    )


def test_fstab_goes_on_behind_a_list_of_types() -> None:
    assert _values(FSTAB, "/srv")["noatime"] is True
    assert len(states(FSTAB)) == 1
    assert len(states(FSTAB.replace("udf,iso9660", "some,thing"))) == 2  # no line of the file


def test_the_scrub_of_older_pools() -> None:
    text = " pool: bay\n state: ONLINE\n {}: scrub completed after 0h0m with 0 errors\nconfig:\n\n"
    text += " NAME STATE READ WRITE CKSUM\n bay ONLINE 0 0 0\n  c1t0d0 ONLINE 0 0 0\n\n"
    assert "scrub completed" in str(_values(text.format("scrub"), "bay")["scan"])
    assert "scan" not in _values(text.format("see"), "bay")


def test_columns_of_iostat_that_a_script_cut() -> None:
    _, later = counters(CUT)
    assert later.values["write.bandwidth"] == 1200 * 1024
    size = cast("float", later.values["write.size"]) * cast("float", later.values["write.iops"])
    assert size == later.values["write.bandwidth"]
    assert not counters(CUT.replace("kB_w\n", "kB_x\n"))


def test_lines_of_zpool_status_that_stand_alone() -> None:
    sound = "# zpool status -x\nall pools are healthy\n"
    assert _values(sound, "")["status"] == "all pools are healthy"
    assert not states("Most of the time all pools are healthy here.\n")
    scan = "scan: resilvered 3.20T in 0 days 10:52:54 with 0 errors on Mon Apr 5 08:13:06 2021\n"
    values = _values(scan, "")
    assert values["scan_time"] == (10 * 60 + 52) * 60 + 54
    assert values["scan_errors"] == 0
    assert values["resilvered"] == round(3.20 * 2**40)
    assert not states(f"state: ONLINE\n{scan}config:\n")
