"""What drives say of their own health."""

from __future__ import annotations

from iosonde.records.evidence import CounterEvidence, TrialEvidence
from iosonde.records.run import HEALTH, Series
from iosonde.records.stack import Json
from tests.contract.rules.case import RuleCase, case, counted, state, trial


def during(name: str, before: float, after: float) -> TrialEvidence:
    """A trial of one loop, with a figure of a drive's log before and after it."""
    series = Series(HEALTH, "nvme0n1", name, "", (1.0, 61.0), (before, after))
    return trial({"write.iops": [9.0]}, host="n1", target="/dev/nvme0n1", series=((series,),))


def apart(name: str, first: float, second: float) -> TrialEvidence:
    """A trial of two loops between which, and not during which, a figure rose."""
    loops = tuple(
        (Series(HEALTH, "nvme0n1", name, "", (at, at + 60), (value, value)),)
        for at, value in ((1.0, first), (600.0, second))
    )
    return trial({"write.iops": [9.0, 9.0]}, host="n1", target="/dev/nvme0n1", series=loops)


def disk_at_work(name: str, iops: float, wait: float, util: float) -> CounterEvidence:
    """A disk in a report of iostat -x, with writes of 64 KiB."""
    values: dict[str, Json] = {
        "read.iops": 0.0, "read.await": 0.0, "write.iops": iops, "write.await": wait,
        "read.bandwidth": 0.0, "write.bandwidth": iops * 65536, "queue": iops * wait, "util": util,
    }  # fmt: skip
    return counted("iostat", "disk", name, values)


_GUID = "11111111-2222-4333-8444-555555555555"

CASES = (
    RuleCase(
        "duplicate-uuid.same_contents",
        "partitions of two disks with one ext4, and two with one physical volume",
        case(state("partition", "sda1", {"fstype": "ext4", "uuid": "u-1"}, where="page:1-9"),
             state("partition", "sdb1", {"fstype": "ext4", "uuid": "u-1"}, where="page:1-9"),
             state("partition", "sda2", {"fstype": "LVM2_member", "uuid": "u-2"}, where="page:1-9"),
             state("partition", "sdb2", {"fstype": "LVM2_member", "uuid": "u-2"},
                   where="page:1-9")),
        "members of md and of btrfs, which share that of the whole",
        case(state("partition", "sda1", {"fstype": "linux_raid_member", "uuid": "u-1"},
                   where="page:1-9"),
             state("partition", "sdb1", {"fstype": "linux_raid_member", "uuid": "u-1"},
                   where="page:1-9"),
             state("partition", "sda2", {"fstype": "btrfs", "uuid": "u-2"}, where="page:1-9"),
             state("partition", "sdb2", {"fstype": "btrfs", "uuid": "u-2"}, where="page:1-9")),
    ),
    RuleCase(
        "duplicate-uuid.same_tables",
        "two partitions with other file systems and one PARTUUID",
        case(state("partition", "sda1", {"fstype": "ext4", "uuid": "u-1", "partuuid": _GUID},
                   where="page:1-9"),
             state("partition", "sdb1", {"fstype": "ext4", "uuid": "u-2", "partuuid": _GUID},
                   where="page:1-9")),
        "members of an array under one table, and partitions of boot records without a number",
        case(state("partition", "sda1", {"fstype": "linux_raid_member", "uuid": "u-1",
                                         "partuuid": _GUID}, where="page:1-9"),
             state("partition", "sdb1", {"fstype": "linux_raid_member", "uuid": "u-1",
                                         "partuuid": _GUID}, where="page:1-9"),
             state("partition", "sdc1", {"fstype": "ext4", "uuid": "u-2",
                                         "partuuid": "00000000-01"}, where="page:1-9"),
             state("partition", "sdd1", {"fstype": "ext4", "uuid": "u-3",
                                         "partuuid": "00000000-01"}, where="page:1-9")),
    ),
    RuleCase(
        "slow-disk.slow",
        "a member that takes 400 ms for what the others do in 9 ms",
        case(*(disk_at_work(f"sd{letter}", 50, 0.009, 0.2) for letter in "bce"),
             disk_at_work("sdd", 50, 0.4, 1.0)),
        "a member that waits longer and gets ten times as many I/Os, and one of two kinds of disks",
        case(*(disk_at_work(f"sd{letter}", 50, 0.009, 0.2) for letter in "bc"),
             disk_at_work("sdd", 500, 0.4, 1.0), disk_at_work("sde", 50, 0.03, 0.4)),
    ),
    RuleCase(
        "busy-disk.busy",
        "a disk on which 60 requests wait for 400 ms while two idle",
        case(disk_at_work("sda", 150, 0.4, 1.0), disk_at_work("sdb", 1, 0.001, 0.01),
             disk_at_work("sdc", 0, 0, 0)),
        "an NVMe drive that is busy all of the time and answers at once",
        case(disk_at_work("nvme0n1", 90_000, 0.0001, 1.0), disk_at_work("sda", 0, 0, 0)),
    ),
    RuleCase(
        "damaged-table.damaged",
        "a GPT whose main header is damaged, with its copy at the end whole",
        case(state("disk", "sdk", {"gpt_state": "damaged", "gpt_main_header": "ERROR",
                                   "gpt_main_table": "ERROR", "gpt_backup_header": "OK",
                                   "gpt_backup_table": "OK"}),
             state("disk", "sdm", {"gpt_backup": "corrupt"}),
             state("disk", "ada0", {"partition_table": "gpt",
                                    "partition_table_state": "corrupt"})),
        "a GPT that is whole, and one on a disk that was grown",
        case(state("disk", "sdk", {"gpt_state": "present", "mbr_state": "protective"}),
             state("disk", "sdm", {"gpt_backup": "not at the end of the disk"})),
    ),
    RuleCase(
        "failed-volume.unbound",
        "a volume that failed, a claim that is lost, and one that has waited for twelve minutes",
        case(state("persistent_volume", "pv-1", {"status": "Failed"}),
             state("storage_class", "fast", {"volumebindingmode": "Immediate"}),
             state("persistent_volume_claim", "db-4", {"status": "Lost"}),
             state("persistent_volume_claim", "db-3", {"status": "Pending", "age": "12m",
                                                       "storageclass": "fast"})),
        "a volume that was released, and claims that wait since just now or for their pod",
        case(state("persistent_volume", "pv-1", {"status": "Released"}),
             state("storage_class", "late", {"volumebindingmode": "WaitForFirstConsumer"}),
             state("persistent_volume_claim", "db-4", {"status": "Pending", "age": "5s"}),
             state("persistent_volume_claim", "db-3", {"status": "Pending", "age": "12m",
                                                       "storageclass": "late"})),
    ),
    RuleCase(
        "volume-not-attached.events",
        "a volume that is attached to another node",
        case(counted("kubectl events", "volume_event", "", {
            "reason": "FailedAttachVolume", "times": 8, "message": "Multi-Attach error"})),
        "a volume of which Longhorn says something",
        case(counted("kubectl get", "volume_event", "", {"reason": "Healthy", "times": 1})),
    ),
    RuleCase(
        "damaged-image.damaged",
        "an image with errors",
        case(counted("qemu-img check", "guest", "reed.qcow2", {"corruptions": 2, "leaks": 7})),
        "an image that only leaks clusters, and one that is not marked",
        case(counted("qemu-img check", "guest", "reed.qcow2", {"check_errors": 0, "leaks": 7}),
             state("guest", "fern.qcow2", {"corrupt": False})),
    ),
    RuleCase(
        "guest-disk-error.in_error",
        "disks of a machine in error",
        case(state("guest", "vda", {"error": "no space"}),
             state("guest", "vdb", {"error": "unspecified error"})),
        "a disk that is copied",
        case(state("guest", "vda", {"job": "block copy", "done": 0.5})),
    ),
    RuleCase(
        "degraded.longhorn",
        "a volume of Longhorn that lacks a replica, and one without any",
        case(state("longhorn_volume", "pvc-1", {"state": "attached", "robustness": "degraded"}),
             state("longhorn_volume", "pvc-2", {"state": "detached", "robustness": "faulted"})),
        "one that is whole, and one that is detached, of which nobody knows",
        case(state("longhorn_volume", "pvc-3", {"state": "attached", "robustness": "healthy"}),
             state("longhorn_volume", "pvc-4", {"state": "detached", "robustness": "unknown"})),
    ),
    RuleCase(
        "filesystem-errors.failed_checks",
        "checks that failed: of f2fs, exFAT, FAT, NTFS by two programs, ext4 and btrfs",
        case(state("btrfs", "sdf1", {"check": "error(s) found"}),
             state("f2fs", "sda1", {"sit_bitmap": "failed", "hard_links": "ok"}),
             state("exfat", "sdb1", {"state": "corrupted"}),
             state("vfat", "sdc1", {"fat_copies": "differ, both corrupt"}),
             state("ntfs", "sdd1", {"state": "inconsistent"}),
             state("mount", "F:", {"state": "problems left"}),
             state("ext4", "sde1", {"errors_remain": True})),
        "file systems that are clean, were mended, or not unmounted",
        case(state("btrfs", "sdf1", {"check": "no error found"}),
             state("f2fs", "sda1", {"sit_bitmap": "ok"}),
             state("exfat", "sdb1", {"state": "clean"}),
             state("vfat", "sdc1", {"dirty": True, "boot_sector_backup": "differs"}),
             state("ntfs", "sdd1", {"dirty": True, "state": "processed"}),
             state("mount", "F:", {"state": "corrected"}),
             state("ext4", "sde1", {"modified_by_check": True, "check_passes": "5"})),
    ),
    RuleCase(
        "media-errors.bad_sectors",
        "a volume with space that chkdsk counts as bad",
        case(state("mount", "F:", {"type": "NTFS", "bad_sectors_size": 24576})),
        "a volume without",
        case(state("mount", "F:", {"type": "NTFS", "bad_sectors_size": 0})),
    ),
    RuleCase(
        "drive-failing.nvdimms",
        "a DIMM of a critical health",
        case(state("nvdimm", "nmem1", {"health_health_state": "critical"})),
        "one that is well, of which an alarm could be raised",
        case(state("nvdimm", "nmem1", {"health_health_state": "ok", "health_alarm_spares": False})),
    ),
    RuleCase(
        "media-errors.bad_blocks",
        "a namespace with sectors that cannot be read",
        case(state("disk", "pmem0", {"mode": "fsdax", "badblock_count": 8})),
        "one without",
        case(state("disk", "pmem0", {"mode": "fsdax", "badblock_count": 0})),
    ),
    RuleCase(
        "damaged-files.lost",
        "a MiB that f3 read back from another place than it was written to",
        case(counted("f3", "data read back", "/mnt/stick",
                     {"lost_bytes": 1 << 20, "overwritten_bytes": 1 << 20})),
        "all of it read back",
        case(counted("f3", "data read back", "/mnt/stick",
                     {"lost_bytes": 0, "overwritten_bytes": 0})),
    ),
    RuleCase(
        "damaged-files.counterfeit",
        "a stick that f3probe takes for a counterfeit",
        case(state("disk", "sdx", {"genuine": False, "counterfeit": "limbo"})),
        "the real thing",
        case(state("disk", "sdx", {"genuine": True})),
    ),
    RuleCase(
        "media-wear.wear",
        "93 % of the rated writes used",
        case(state("disk", "nvme0n1", {"media_wear": 0.93})),
        "half of them used",
        case(state("disk", "nvme0n1", {"media_wear": 0.5})),
    ),
    RuleCase(
        "spare-low.spare",
        "9 % spare with a threshold of 10 %",
        case(state("disk", "nvme0n1", {"spare": 0.09, "spare_threshold": 0.1})),
        "just at the threshold, and warned of heat alone",
        case(state("disk", "nvme0n1", {"spare": 0.1, "spare_threshold": 0.1,
                                       "critical_warning": 2})),
    ),
    RuleCase(
        "drive-failing.failing",
        "a medium that can only be read",
        case(state("disk", "nvme0n1", {"critical_warning": 8})),
        "a drive that is only warm, and passed its own test",
        case(state("disk", "nvme0n1", {"critical_warning": 2, "health_passed": True})),
    ),
    RuleCase(
        "temperature-throttling.hot",
        "14 min of thermal management",
        case(state("disk", "nvme0n1", {"throttle_time": 840, "temperature": 40})),
        "a warm drive that never had to",
        case(state("disk", "nvme0n1", {"throttle_time": 0, "warning_temperature_time": 0,
                                       "temperature": 69})),
    ),
    RuleCase(
        "temperature-throttling.throttled",
        "40 s of thermal management more after the loop",
        case(during("throttle_time", 800, 840)),
        "as much after each loop as before it",
        case(apart("throttle_time", 800, 840)),
    ),
    RuleCase(
        "temperature-throttling.warned",
        "a warning of its temperature that came during the loop",
        case(during("critical_warning", 0, 2)),
        "a warning of its spare blocks",
        case(during("critical_warning", 1, 1)),
    ),
    RuleCase(
        "temperature-throttling.warns",
        "a drive that warns of its temperature now",
        case(state("disk", "nvme0n1", {"critical_warning": 2, "temperature": 84})),
        "one that is nearly as warm, and does not",
        case(state("disk", "nvme0n1", {"critical_warning": 0, "temperature": 83})),
    ),
    RuleCase(
        "unsafe-shutdowns.unsafe",
        "23 of 61 power cycles without notice",
        case(state("disk", "nvme0n1", {"unsafe_shutdowns": 23, "power_cycles": 61})),
        "23 of 600",
        case(state("disk", "nvme0n1", {"unsafe_shutdowns": 23, "power_cycles": 600})),
    ),
    RuleCase(
        "unsafe-shutdowns.lost_power",
        "one more after the loop",
        case(during("unsafe_shutdowns", 5, 6)),
        "one more between two loops, while the host was booted",
        case(apart("unsafe_shutdowns", 5, 6)),
    ),
    RuleCase(
        "media-errors.errors",
        "sectors that wait to be written",
        case(state("disk", "sdb", {"pending_sectors": 16})),
        "sectors that were replaced long ago",
        case(state("disk", "sdb", {"pending_sectors": 0, "media_errors": 0,
                                   "reallocated_sectors": 8})),
    ),
    RuleCase(
        "media-errors.uncorrected",
        "a SAS disk with reads that no repetition corrected",
        case(state("disk", "sdk", {"read_uncorrected": 2, "read_corrected": 54321107})),
        "a SAS disk that corrected millions of errors, as all do, and some late",
        case(state("disk", "sdk", {"read_uncorrected": 0, "verify_uncorrected": 0,
                                   "read_corrected": 54321107, "read_corrected_delayed": 7})),
    ),
    RuleCase(
        "media-errors.failed_reads",
        "an error more after the loop",
        case(during("media_errors", 0, 1)),
        "more entries of the error log, which commands that the drive does not know make too",
        case(during("error_log_entries", 14, 20)),
    ),
    RuleCase(
        "interface-speed.interface",
        "3 Gbit/s of 6",
        case(state("disk", "sdc", {"interface_speed": 3e9, "interface_speed_max": 6e9})),
        "6 of 6",
        case(state("disk", "sdc", {"interface_speed": 6e9, "interface_speed_max": 6e9})),
    ),
    RuleCase(
        "interface-errors.resent",
        "three checksum errors during the loop",
        case(during("interface_errors", 3, 6)),
        "three of earlier days",
        case(during("interface_errors", 3, 3)),
    ),
)  # fmt: skip
