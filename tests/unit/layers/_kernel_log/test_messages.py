"""What single messages of the kernel name: those that say more of what stands beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._kernel_log.findings import RULES
from iosonde.records.evidence import CounterEvidence, EvidenceSet
from iosonde.records.stack import Json
from iosonde.text.document import Document
from iosonde.text.find import FoundOutput, find
from tests.mangle import counters

UUID = "6f1c2a9e-3b5d-4d7e-8a90-1b2c3d4e5f60"


def _counted(text: str) -> dict[tuple[str, str], dict[str, Json]]:
    return {
        (thing.kind, thing.name): dict(thing.values)
        for output in find(Document("text", text.encode()))
        if isinstance(output, FoundOutput)
        for thing in output.counters
        if thing.tool == "kernel log"
    }


def _counters_of(values: dict[str, Json]) -> set[str]:
    """What a record counts beside what is only kept of a line without a time."""
    return set(values) - {"other_messages", "notices", "messages"}


@pytest.mark.parametrize(("line", "kind", "name", "key", "value"), [
    (f"EXT4-fs (sdq3): mounted filesystem {UUID} r/w with ordered data mode. Quota mode: none.",
     "ext4", "sdq3", "access", ["r/w"]),
    (f"EXT4-fs (sdq3): mounted filesystem {UUID} ro with ordered data mode. Quota mode: none.",
     "ext4", "sdq3", "uuids", [UUID]),
    ("EXT4-fs (sdq3): 17 orphan inodes deleted", "ext4", "sdq3", "deleted_orphans", [17]),
    ("EXT4-fs (sdq3): ext4_writepages: jbd2_start: 5120 pages, ino 33; err -30", "ext4", "sdq3",
     "asked_pages", [5120]),
    ("XFS (dm-2): Injecting error (false) at file fs/xfs/libxfs/xfs_bmap.c, line 3941, on "
     'filesystem "dm-2"', "xfs", "dm-2", "places", ["fs/xfs/libxfs/xfs_bmap.c, line 3941"]),
    ("XFS (dm-2): EXPERIMENTAL reverse mapping btree feature enabled. Use at your own risk!",
     "xfs", "dm-2", "experimental", ["reverse mapping btree feature"]),
    ("sd 3:0:1:0: [sdq] Mode Sense: 47 00 10 08", "disk", "sdq", "mode_senses", ["47 00 10 08"]),
    ("sd 3:0:1:0: Attached scsi generic sg7 type 13", "disk", "3:0:1:0", "scsi_types", [13]),
    ("sd 3:0:1:0: [sdq] Attached SCSI removable disk", "disk", "sdq", "attached_disks", 1),
    ("scsi host3: mpi3mr", "disk", "host3", "drivers", ["mpi3mr"]),
    ("nvme nvme4: mapped 3/0 default/read queues.", "disk", "nvme4", "queue_counts", ["3/0"]),
    ("WARNING: MMP writes to pool 'tank' have not succeeded in over 10000 ms; suspending pool. "
     "Hrtime 81234567890123", "zpool", "tank", "unwritten_ms", [10000]),
    ("BTRFS info (device sdq1 state A): delayed_refs_rsv: size 0 reserved 4096", "btrfs", "sdq1",
     "reservations", ["delayed_refs_rsv: size 0 reserved 4096"]),
    ("BTRFS error (device dm-1): qgroup scan failed with -4", "btrfs", "dm-1", "quota_scans",
     ["failed with -4"]),
    ("BTRFS warning (device sdq1): csum failed root 5 ino 260 off 4096 csum 0x1b3f55aa expected "
     "csum 0x00000000 mirror 2", "btrfs", "sdq1", "expected_checksums", ["0x00000000"]),
    ("BTRFS warning (device sdq1): csum failed root -9 ino 257 off 0 csum 0x1b3f55aa expected csum "
     "0x2b3f55aa", "btrfs", "sdq1", "roots", [-9]),
    ("BTRFS error (device sdq1): parent transid verify failed on logical 30408704 mirror 2 wanted "
     "77 found 71", "btrfs", "sdq1", "read_generations", [71]),
    ("BTRFS error (device sdq1): bad tree block start, want 30408704 have 0", "btrfs", "sdq1",
     "read_blocks", [0]),
    ("BTRFS error (device sdq1): fixed up error at logical 409600 on dev /dev/sdr physical 8192",
     "btrfs", "sdq1", "physical", [8192]),
    ("device-mapper: thin: 253:4: switching pool to read-only mode", "dm", "253:4", "pool_modes",
     ["read-only"]),
    ("device-mapper: array: array_block_check failed: csum 771 != wanted 904", "host", "",
     "failures", ["csum 771 != wanted 904"]),
    ("libceph: (6f1c2a9e-3b5d-4d7e-8a90-1b2c3d4e5f60 77): osd3 (1)10.7.0.9:6812 socket closed "
     "(con state V1_BANNER)", "ceph", "osd3", "connection_failures",
     ["socket closed (con state V1_BANNER)"]),
    ("NFS: state manager reclaim reboot failed on NFSv4 server nas with error 5", "nfs", "nas",
     "steps", ["reclaim reboot"]),
    ("(da3:mps0:0:9:0): CAM status: Command timeout", "disk", "da3", "timeouts", 1),
    ("(da3:mps0:0:9:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)", "disk", "da3",
     "additional_sense_codes", ["11,0"]),
    ("(ada1:ahcich1:0:0:0): ATA status: 51 (DRDY SERV ERR), error: 40 (UNC )", "disk", "ada1",
     "ata_statuses", ["51 (DRDY SERV ERR)"]),
    ("(da3:mps0:0:9:0): Error 5, Retries exhausted", "disk", "da3", "io_errors", 1),
    ("(ada1:ahcich1:0:0:0): Error 5, Periph was invalidated", "disk", "ada1", "io_errors", 1),
    ("(ada1:ahcich1:0:0:0): Error 5, Retry was blocked", "disk", "ada1", "io_errors", 1),
    ("(aprobe0:ahcich1:0:0:0): Error 5, Retry was blocked",
     "disk", "aprobe0", "refused_commands", 1),
    ("ahcich1: Poll timeout on slot 5 port 0", "disk", "ahcich1", "slot_timeouts", 1),
    ("siisch2: Timeout on slot 30 port 0", "disk", "siisch2", "slot_timeouts", 1),
    ("ahcich1: is 00000000 cs 40000000 ss 00000000 rs 40000000 tfd 50 serr 00400000 cmd 00719e17",
     "disk", "ahcich1", "registers", ["tfd 50 serr 00400000"]),
    ("(da7:umass-sim0:0:0:0): Error 22, Unretryable error", "disk", "da7", "refused_commands", 1),
    ("(cd0:ahcich3:0:0:0): Error 5, Unretryable error", "disk", "cd0", "refused_commands", 1),
    ("(da7:umass-sim0:0:0:0): Periph destroyed", "disk", "da7", "removed_devices", 1),
    ("F2FS-fs (sdq1): Mounted with checkpoint version = 48b305e6", "filesystem", "sdq1",
     "checkpoints", ["48b305e6"]),
    ("F2FS-fs (sdq1): checkpoint was blocked for 7571 ms, affecting 3 tasks", "filesystem", "sdq1",
     "blocked_ms", [7571]),
    ("ntfs3: sds2: Failed to load $MFT (-22).", "filesystem", "sds2", "failures",
     ["Failed to load $MFT (-22)."]),
    ("ubi3: good PEBs: 890, bad PEBs: 6, corrupted PEBs: 1", "filesystem", "ubi3", "bad_blocks",
     [6]),
    ("gfs2: fsid=lab:data.1: about to withdraw this file system", "filesystem", "lab:data",
     "journals", [1]),
    ("Lustre: work-OST0007-osc-ffff98a1c2d3e800: Connection to work-OST0007 (at 10.7.0.9@o2ib) was "
     "lost; in progress operations using this service will wait for recovery to complete",
     "filesystem", "work-OST0007", "addresses", ["10.7.0.9@o2ib"]),
    (r"CIFS VFS: Server nas8 has not responded in 120 seconds. Reconnecting...", "filesystem",
     "nas8", "waited_seconds", [120]),
    (r"CIFS: VFS: \\nas7\share has not responded in 45 seconds. Reconnecting...", "filesystem",
     "nas7", "waited_seconds", [45]),
    ("CIFS: VFS: cifs_mount failed w/return code = -13", "filesystem", "", "errors", [-13]),
    ("mmcblk1: mmc1:aaaa MU16G 14.8 GiB (ro)", "disk", "mmcblk1", "sizes", ["14.8 GiB"]),
    ("mmc1: sdhci: Host ctl2: 0x00001007", "disk", "mmc1", "registers", ["Host ctl2: 0x00001007"]),
    ("EXT4-fs (sdq3): free_blocks=17", "ext4", "sdq3", "space", ["free_blocks=17"]),
    ("zio pool=tank vdev=/dev/sdq1 error=5 type=1 offset=270336 size=8192 flags=7", "zpool", "tank",
     "offsets", [270336]),
    ("run fstests xfs/191 at 2031-02-03 04:05:06", "host", "", "test_times",
     ["2031-02-03 04:05:06"]),
])  # fmt: skip
def test_what_a_message_names(line: str, kind: str, name: str, key: str, value: object) -> None:
    for before in ("[   12.345678] ", "Nov  3 02:11:09 db1 kernel: "):
        assert _counted(f"{before}{line}\n")[kind, name][key] == value


@pytest.mark.parametrize("line", [
    "EXT4-fs (sdq3): nothing was cleaned up",
    "XFS: EXPERIMENTAL features are used at your own risk",
    "sd 3:0:1:0: [sdq] Write Protect is what I turned on",
    "sd 3:0:1:0: [sdq] Mode Sense: not asked",
    "scsi host adapter: which driver is it, ahci?",
    "BTRFS info (device sdq1): qgroup scan is slow",
    "device-mapper: thin: 253:4: switching pool to what?",
    "libceph: osd3 says nothing, socket closed by me",
    "I run fstests generic/475 at night",
    "(da3:mps0:0:9:0): CAM status: what is that?",
    "(see da3): Error 5, Unretryable error",
    "bcache: is running already, I think",
    "F2FS-fs is what sda1 has: SIT is corrupted node# 1 vs 2",
    "FAT-fs (which one?): error, invalid cluster chain",
    "CIFS: VFS is the layer above",
    "WARNING: Pool tank was suspended by me",
    "The server nas7 has not responded in 180 seconds",
])  # fmt: skip
def test_what_looks_alike_and_says_none_of_it(line: str) -> None:
    assert not any(map(_counters_of, _counted(f"{line}\n").values()))
    assert _counted(f"[  100.000000] {line}\n") == {}


def test_a_message_that_a_mail_broke_before_what_it_is_known_by() -> None:
    text = (
        "Nov  3 02:11:09 db1 kernel: bcache: bch_cached_dev_attach() \n"
        f"Caching sdq1 as bcache4 on set {UUID}\n"
    )
    values = _counted(text)["bcache", "bcache4"]
    assert (values["others"], values["cache_sets"]) == (["sdq1"], [UUID])
    assert [entry.name for entry in counters(text)] == ["bcache4"]
    whole = text.replace(" \nCaching", "\nNov  3 02:11:10 db1 kernel: bcache: Caching")
    assert _counted(whole)["bcache", "bcache4"]["attachments"] == 1
    assert _counted(f"Nov  3 02:11:09 db1 kernel: short\nCaching sdq1 on set {UUID}\n") == {}


def test_messages_above_the_first_one_that_is_whole_and_broken_within_their_words() -> None:
    broken = (
        "Nov  3 02:11:09 storage-17 kernel: blk_update_request: critical target\n"
        "error, dev sdq, sector 640 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0\n"
    )
    whole = "Nov  3 02:11:10 storage-17 kernel: EXT4-fs (sdr1): Remounting filesystem read-only\n"
    (output,) = find(Document("text", f"{broken * 2}{whole}".encode()))
    assert (output.place.first_line, output.place.last_line) == (1, 5)
    assert _counted(f"{broken * 2}{whole}")["disk", "sdq"]["sectors"] == [640]
    for between in ("\n", "root@db1:~# dmesg\n"):
        assert ("disk", "sdq") not in _counted(f"{broken}{between}{whole}")
    short = broken.replace("Nov  3 02:11:09 storage-17 kernel:", "[  100.000001]")
    # The next word had a place there:
    assert ("disk", "sdq") not in _counted(f"{short}{whole}")


def test_a_message_that_a_mail_broke_in_three() -> None:
    text = (
        "[70219.837853] BTRFS warning (device sdq): csum failed root 5 ino\n"
        "1300460022 off 1388544 csum 0x89644c3d02062469 expected csum\n"
        "0x006926a7eef0358f mirror 1\n"
    )
    values = _counted(text)["btrfs", "sdq"]
    assert (values["inodes"], values["mirrors"]) == ([1300460022], [1])
    assert values["expected_checksums"] == ["0x006926a7eef0358f"]
    other = text.replace("0x006926a7eef0358f mirror 1", "Filesystem 1K-blocks Used Available")
    assert "expected_checksums" not in _counted(other)["btrfs", "sdq"]
    (output,) = find(Document("text", other.encode()))
    assert output.place.last_line == 2


@pytest.mark.parametrize(("line", "rules"), [
    ("F2FS-fs (sdq1): SIT is corrupted node# 4711 vs 4715", ["filesystem-errors"]),
    ("F2FS-fs (sdq1): sanity_check_inode: inode (ino=49) extent info [9, 8, 4] is incorrect, run "
     "fsck to fix", ["filesystem-errors"]),
    ("F2FS-fs (sdq1): Stopped filesystem due to reason: 4", ["filesystem-errors"]),
    ("F2FS-fs (sdq1): Stopped filesystem due to reason: 0", []),
    ("F2FS-fs (sdq1): Mounted with checkpoint version = 48b305e6", []),
    ("F2FS-fs (sdq1): Can't find valid F2FS filesystem in 1th superblock", []),
    ("F2FS-fs (sdq1): inject inconsistent footer in sanity_check_node_footer", []),
    ("F2FS-fs (sdq1): inconsistent rbtree, cur(3470333575168) next(3320009719808)", []),
    ("FAT-fs (sdr1): error, fat_get_cluster: invalid cluster chain (i_pos 7)",
     ["filesystem-errors"]),
    ("FAT-fs (sdr1): FAT read failed (blocknr 7)", ["io-errors"]),
    ("FAT-fs (sdr1): Volume was not properly unmounted. Some data may be corrupt. Please run fsck.",
     []),
    ('ntfs3(sds2): volume is dirty and "force" flag is not set!', []),
    ("ntfs3(sds2): $Volume is corrupted.", ["filesystem-errors"]),
    ("bcachefs (sdu): starting version 1.13: x opts=errors=ro,data_checksum=none", []),
    ("bcachefs (sdu sector 8): data checksum error: expected 0:5a got 0:77", ["filesystem-errors"]),
    ("hfsplus: Filesystem was not cleanly unmounted, running fsck.hfsplus is recommended.", []),
    ("ubi0 error: ubi_io_read: error -74 (ECC error) while reading 64 bytes from PEB 7:0",
     ["io-errors"]),
    (r"CIFS: VFS: \\nas7 has not responded in 180 seconds. Reconnecting...",
     ["unanswered-calls"]),
    (r"CIFS: VFS: \\nas7 Send error in SessSetup = -13", []),
    ("mmcblk1: error -84 transferring data, sector 71, nr 8, cmd response 0x900", ["io-errors"]),
    ("mmc1: error -110 whilst initialising SD card", []),
    ("JBD2: journal recovery failed", ["filesystem-errors"]),
    ("nfs: server nas7 not responding, still trying", ["unanswered-calls"]),
    ("nfs: server nas7 OK", []),
    ("WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.",
     []),
    ("zio pool=tank vdev=/dev/sdc1 error=5 type=2 offset=270336 size=8192 flags=40080c80",
     ["io-errors"]),
])  # fmt: skip
def test_what_is_a_sign_of_trouble(line: str, rules: list[str]) -> None:
    counted = _counted(f"[   12.345678] {line}\n")
    assert counted
    evidence = EvidenceSet(
        counters=tuple(
            CounterEvidence("kernel log", kind, name, "", values, "page:1", "page")
            for (kind, name), values in counted.items()
        )
    )
    assert [finding.rule for rule in RULES for finding in rule.find(evidence)] == rules


@pytest.mark.parametrize(("line", "name", "values"), [
    ("I/O error, dev sdg, sector 174 op 0x0:(READ) flags 0x80700 phys_seg 6 prio class 2", "sdg",
     {"sectors": [174], "operations": ["READ"], "request_flags": ["0x80700"]}),
    ("print_req_error: I/O error, dev sdg, sector 174 flags 80700", "sdg",
     {"sectors": [174]}),  # hexadecimal without a mark of it
    ("I/O error, dev sdg, sector 174", "sdg", {"sectors": [174]}),
    ("nvme nvme0: I/O tag 55 (e037) type 4 opcode 0x1 (Write) QID 3 timeout", "nvme0",
     {"tags": [55], "opcodes": ["0x1 (Write)"], "queues": [3]}),
    ("nvme nvme0: I/O 54 QID 1 timeout, aborting", "nvme0", {"tags": [54], "queues": [1]}),
    ("BTRFS warning (device sda1): i/o error at logical 2438 on dev /dev/sdb1, physical 196, "
     "root 138, inode 584, offset 491, length 4096, links 1 (path: a/b c)", "sda1",
     {"failures": ["i/o error"], "logical": [2438], "others": ["sdb1"], "physical": [196],
      "roots": [138], "inodes": [584], "offsets": [491], "lengths": [4096], "links": [1],
      "paths": ["a/b c"]}),
    ("EXT4-fs warning (device dm-5): ext4_end_bio:347: I/O error -5 writing to inode 320 "
     "(offset 4096 size 8192 starting block 178893)", "dm-5",
     {"errors": [-5], "inodes": [320], "offsets": [4096], "sizes": [8192], "blocks": [178893]}),
    ("md/raid:md127: raid level 6 active with 6 out of 7 devices, algorithm 2", "md127",
     {"levels": [6], "active": ["6 out of 7"], "algorithms": [2]}),
])  # fmt: skip
def test_every_figure_of_a_message(line: str, name: str, values: dict[str, Json]) -> None:
    (((_, device), says),) = _counted(f"[  100.000000] {line}\n").items()
    lists = {key: value for key, value in says.items() if isinstance(value, list)}
    assert device == name
    assert lists == {**values, "messages": [line]}


def test_a_log_that_leaves_out_the_kernel() -> None:
    """As syslog-ng of TrueNAS CORE writes it: host and message."""
    text = (
        Path(__file__).parents[3] / "outputs/freebsd-composed/log-without-kernel.txt"
    ).read_text()
    counted = _counted(text)
    assert counted[("disk", "ada4")]["timeouts"] == 1
    assert counted[("disk", "ada4")]["io_errors"] == 1
    assert any(name == "ahcich4" for _, name in counted)


def test_a_program_that_is_called_like_a_device_is_not_the_kernel() -> None:
    assert not _counted("Jan 14 03:12:07 kite adapter4: (ada4:x): CAM status: Command timeout\n")
