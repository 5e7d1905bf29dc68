"""Arrays, controllers, volumes and how they lie on each other."""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.records.evidence import StateEvidence, TrialEvidence
from iosonde.records.stack import Scalar
from tests.contract.rules.case import RuleCase, case, counted, state, trial


def md(values: Mapping[str, Scalar] | None = None, level: str = "raid5") -> StateEvidence:
    """Four data members and one for parity, in chunks of 64 KiB."""
    whole: dict[str, Scalar] = {
        "level": level, "raid_disks": 5, "chunk_size": 65536, "data_members": 4,
        "stripe_width": 262144, "sync_action": "idle", "degraded": 0,
    }  # fmt: skip
    return state("md", "md0", {**whole, **(values or {})})


def volume(**values: Scalar) -> StateEvidence:
    """A virtual drive of a controller."""
    whole: dict[str, Scalar] = {
        "controller": "c0", "volume": "c0/v0", "raid_level": "raid6", "size": 4 << 40,
        "state": "optimal", "write_policy": "write_back", "disk_cache": "disabled",
    }  # fmt: skip
    return state("hwraid", "sda", {**whole, **values})


def controller(battery: str = "ok") -> StateEvidence:
    return state("controller", "c0", {"battery": battery, "cache_size": 1 << 30})


def written(block: int, device: str = "md0", kind: str = "md", **more: object) -> TrialEvidence:
    """Random writes past the page cache."""
    return trial(
        {"write.iops": [100.0]}, host="n1",
        options={"bs": block, "rw": "randwrite", "direct": True},
        stands_on=((kind, f"/dev/{device}"),), **more,  # type: ignore[arg-type]
    )  # fmt: skip


BUSY = ("md0: resync 12 %",)

CASES = (
    RuleCase(
        "misaligned.partitions",
        "a partition that begins at sector 63 of a disk with physical blocks of 4 KiB",
        case(state("partition", "sda1", {"start": 32256, "physical_block_size": 4096,
                                         "aligned_to_sector": False})),
        "the same start on a disk with physical blocks of 512 bytes, and the entry of an MBR that "
        "stands for a GPT",
        case(state("partition", "sda1", {"start": 32256, "physical_block_size": 512,
                                         "aligned_to_sector": True}),
             state("partition", "sdb1", {"start": 512, "physical_block_size": 4096,
                                         "aligned_to_sector": False, "type": "ee GPT"})),
    ),
    RuleCase(
        "media-errors.corrected_reads",
        "a member of which md counts read errors that it corrected",
        case(md({"dev-sdc1.errors": 12, "dev-sdd1.errors": 0})),
        "members without one, and a state of a member",
        case(md({"dev-sdc1.errors": 0, "dev-sdd1.state": "in_sync"})),
    ),
    RuleCase(
        "media-errors.listed_blocks",
        "a member with bad blocks in md's own list",
        case(state("md_member", "sdc1", {
            "level": "raid5", "feature_map": "0x9", "bad_block_log":
            "512 entries available at offset 40 sectors - bad blocks present.",
        })),
        "a member whose list is empty",
        case(state("md_member", "sdc1", {
            "level": "raid5", "feature_map": "0x1",
            "bad_block_log": "512 entries available at offset 40 sectors",
        })),
    ),
    RuleCase(
        "misaligned.file_systems",
        "XFS without stripe unit on a RAID 5",
        case(md(), state("xfs", "/data", {"allocation_groups": 4}, below=("md0",))),
        "the same on a RAID 10, which has no stripes to fill",
        case(md(level="raid10"), state("xfs", "/data", {"allocation_groups": 4}, below=("md0",))),
    ),
    RuleCase(
        "misaligned.data_offsets",
        "data of a member that begin off the physical blocks of its disk",
        case(state("md", "md0", {"level": "raid1", "data_offset": 134656}, below=("sda", "sdb")),
             state("disk", "sda", {"physical_block_size": 4096})),
        "data that begin at 1 MiB",
        case(state("md", "md0", {"level": "raid1", "data_offset": 1 << 20}, below=("sda", "sdb")),
             state("disk", "sda", {"physical_block_size": 4096})),
    ),
    RuleCase(
        "misaligned.emulated_sectors",
        "writes of 512 bytes on physical blocks of 4 KiB",
        case(written(512, "sda", "disk"),
             state("disk", "sda", {"logical_block_size": 512, "physical_block_size": 4096})),
        "writes of 512 bytes on physical blocks of 512 bytes",
        case(written(512, "sda", "disk"),
             state("disk", "sda", {"logical_block_size": 512, "physical_block_size": 512})),
    ),
    RuleCase(
        "misaligned.log_sectors",
        "XFS whose log is written in sectors of 512 bytes on physical blocks of 4 KiB",
        case(state("disk", "sda", {"physical_block_size": 4096}),
             state("xfs", "/data", {"sector_size": 512}, below=("sda",))),
        "a log in sectors of 4 KiB",
        case(state("disk", "sda", {"physical_block_size": 4096}),
             state("xfs", "/data", {"sector_size": 4096}, below=("sda",))),
    ),
    RuleCase(
        "unsafe-cache.always_write_back",
        "a controller that writes back whether it has a battery or not",
        case(volume(write_policy="write_back_always"), controller()),
        "one that writes back as long as its battery is good",
        case(volume(), controller()),
    ),
    RuleCase(
        "unsafe-cache.drives_cache",
        "caches of the drives switched on under a controller with a battery of its own",
        case(volume(disk_cache="enabled"), controller()),
        "caches of the drives switched off",
        case(volume(), controller()),
    ),
    RuleCase(
        "unsafe-cache.no_flush",
        "DRBD without flushes on a disk whose write cache is volatile",
        case(state("disk", "sdb", {"write_cache": "write back"}),
             state("drbd", "drbd0", {"disk_flushes": "no"}, below=("sdb",))),
        "DRBD without flushes on a disk that writes through",
        case(state("disk", "sdb", {"write_cache": "write through"}),
             state("drbd", "drbd0", {"disk_flushes": "no"}, below=("sdb",))),
    ),
    RuleCase(
        "write-back-suspended.suspended",
        "a volume set to write back while its battery learns",
        case(volume(), controller("learning")),
        "a volume that is set to write through anyway",
        case(volume(write_policy="write_through"), controller("learning")),
    ),
    RuleCase(
        "degraded.degraded",
        "a virtual drive that lacks a member",
        case(volume(state="degraded")),
        "a virtual drive that is whole",
        case(volume()),
    ),
    RuleCase(
        "background-work.busy",
        "a virtual drive under rebuild",
        case(volume(state="rebuild")),
        "one that waits for a spare: degraded, and busy with nothing",
        case(volume(state="degraded")),
    ),
    RuleCase(
        "degraded.not_replicated",
        "DRBD whose own disk is gone, though it is connected",
        case(state("drbd", "r0", {"connection": "Connected", "disk_state": "Diskless"})),
        "DRBD 9, established, with its disk up to date",
        case(state("drbd", "r0", {"replication": "Established", "disk_state": "UpToDate"})),
    ),
    RuleCase(
        "split-brain.split_brains",
        "a volume whose sides were both written to, and which stands alone",
        case(counted("kernel log", "drbd", "drbd0", {"split_brains": 1}),
             state("drbd", "drbd0", {"connection": "StandAlone", "disk_state": "UpToDate"})),
        "one that is connected again, and a peer that did not answer",
        case(counted("kernel log", "drbd", "drbd0", {"split_brains": 1}),
             state("drbd", "drbd0", {"connection": "Connected", "disk_state": "UpToDate"}),
             counted("kernel log", "drbd", "r1", {"unanswered_pings": 1})),
    ),
    RuleCase(
        "background-work.measured_meanwhile",
        "a trial measured during a resync",
        case(written(4096, background=BUSY)),
        "the same trial beside an array that was idle",
        case(written(4096)),
    ),
    RuleCase(
        "degraded.not_running",
        "an array that md holds the members of and does not run",
        case(state("md", "md126", {"array_state": "inactive", "below": "sda3 sdb3",
                                   "metadata_version": "1.2"})),
        "a container of IMSM, and an array that runs",
        case(state("md", "md127", {"array_state": "inactive", "metadata_version": "external:imsm"}),
             md({"array_state": "clean"})),
    ),
    RuleCase(
        "degraded.not_whole",
        "RAID 5 of five with four members",
        case(md({"degraded": 1, "faulty": "sdc"})),
        "RAID 5 of five that is whole, with a spare beside it, and a line of progress of no array",
        case(md({"degraded": 0, "spares": "sdf"}),
             state("md", "", {"sync_action": "resync", "sync_share": 0.614})),
    ),
    RuleCase(
        "drive-failing.predicted",
        "drives that predict their failure: by a count, an alert and warnings",
        case(state("disk", "c0/e1/s1", {"state": "online", "predicted_failures": 2,
                                        "media_errors": 12}),
             state("disk", "c0/e1/s2", {"state": "online", "smart_alert": True}),
             state("disk", "e0/s3", {"state": "online", "smart_warnings": 14})),
        "a drive with media errors that predicts nothing",
        case(state("disk", "c0/e1/s1", {"state": "online", "predicted_failures": 0,
                                        "smart_alert": False, "media_errors": 12})),
    ),
    RuleCase(
        "cache-battery.batteries",
        "a controller whose battery failed, of which no volume is shown",
        case(state("controller", "c0", {"battery": "failed"}),
             state("hwraid", "c1/v0", {"controller": "c1"})),
        "the same beside a volume, which has rules of its own, and a controller without a battery",
        case(state("controller", "c0", {"battery": "failed"}),
             state("hwraid", "c0/v0", {"controller": "c0", "write_policy": "write_through"}),
             state("controller", "c1", {"battery": "missing"})),
    ),
    RuleCase(
        "cache-memory.memory",
        "a controller with errors of its memory that were not corrected",
        case(state("controller", "c0", {"memory_uncorrectable_errors": 3})),
        "one whose errors were corrected",
        case(state("controller", "c0", {"memory_uncorrectable_errors": 0,
                                        "memory_correctable_errors": 9})),
    ),
    RuleCase(
        "degraded.geoms",
        "a mirror of GEOM whose second component is gone",
        case(state("geom", "mirror/sys", {"type": "mirror", "state": "DEGRADED",
                                          "members": "ada2", "ada2_state": "ACTIVE"})),
        "a volume of graid that is whole, and a stripe that is up",
        case(state("geom", "raid/r1", {"type": "raid", "state": "OPTIMAL", "members": "ada6"}),
             state("geom", "stripe/st0", {"type": "stripe", "state": "UP"})),
    ),
    RuleCase(
        "degraded.metadevices",
        "a mirror of Solaris Volume Manager with a half that needs maintenance",
        case(state("metadevice", "d30", {"type": "mirror", "state": "needs maintenance",
                                         "submirrors": "d31 okay, d32 needs maintenance"})),
        "a mirror that is whole",
        case(state("metadevice", "d30", {"type": "mirror", "state": "okay",
                                         "submirrors": "d31 okay, d32 okay"})),
    ),
    RuleCase(
        "drive-failed.failed_drives",
        "drives behind controllers that failed, with their volumes whole",
        case(state("disk", "ioc0/phy1", {"state": "failed"}),
             state("disk", "c0/p3", {"state": "ecc-error"}),
             state("hwraid", "ioc0/v0", {"state": "optimal", "controller": "ioc0"})),
        "the same drive beside the volume that is degraded for it, and a failed path of multipath",
        case(state("disk", "ioc0/phy1", {"state": "failed"}),
             state("hwraid", "ioc0/v0", {"state": "degraded", "controller": "ioc0"}),
             state("disk", "sdc", {"state": "failed"})),
    ),
    RuleCase(
        "degraded.groups",
        "a set of drives that lacks one",
        case(state("drive_group", "tank", {"state": "degraded", "disks": 8})),
        "a set that is whole",
        case(state("drive_group", "tank", {"state": "optimal", "disks": 8})),
    ),
    RuleCase(
        "enclosure-alarm.enclosures",
        "an enclosure with a fan that failed",
        case(state("enclosure", "c2/e1", {"state": "ok", "fan1_status": "failed"})),
        "an enclosure whose fans run",
        case(state("enclosure", "c2/e1", {"state": "ok", "fan1_status": "ok"})),
    ),
    RuleCase(
        "raid-penalty.partial_stripes",
        "random writes of 4 KiB on RAID 5",
        case(written(4096), md()),
        "the same on RAID 10",
        case(written(4096), md(level="raid10")),
    ),
    RuleCase(
        "raid-penalty.stripe_cache",
        "writes through the default stripe cache of 256 entries",
        case(written(262144), md({"stripe_cache_size": 256})),
        "a stripe cache of 4096 entries",
        case(written(262144), md({"stripe_cache_size": 4096})),
    ),
    RuleCase(
        "read-ahead.short_read_ahead",
        "read-ahead of 128 KiB over a stripe of 256 KiB",
        case(md({"read_ahead_kb": 128})),
        "read-ahead of two stripes",
        case(md({"read_ahead_kb": 512})),
    ),
    RuleCase(
        "idle-members.idle",
        "a volume of two stripes of which one disk got all writes",
        case(trial({"write.iops": [1000.0]}, stands_on=(("lvm", "vg/lv"), ("disk", "sda")),
                   device_io={"sda": {"writes": 30000.0}, "sdb": {"writes": 10.0}}),
             state("lvm", "vg/lv", {"stripes": 2}, below=("sda", "sdb"))),
        "a linear volume, which fills one disk after the other",
        case(trial({"write.iops": [1000.0]}, stands_on=(("lvm", "vg/lv"), ("disk", "sda")),
                   device_io={"sda": {"writes": 30000.0}, "sdb": {"writes": 10.0}}),
             state("lvm", "vg/lv", {"stripes": 1}, below=("sda", "sdb"))),
    ),
    RuleCase(
        "out-of-space.short_of_room",
        "a thin pool that is full",
        case(state("lvm", "vg/pool", {"segment_type": "thin-pool", "full": 1.0})),
        "a thin volume all of which is mapped, in a pool with room",
        case(state("lvm", "vg/thin", {"segment_type": "thin", "full": 1.0})),
    ),
    RuleCase(
        "lost-target.silent",
        "an AoE device whose target is down",
        case(state("aoe", "etherd/e1.0", {"state": "down"})),
        "one that is up and closes when its last user does",
        case(state("aoe", "etherd/e1.0", {"state": "up,closewait"})),
    ),
    RuleCase(
        "shared-interrupts.interrupts",
        "one CPU that serves the network card and the disk",
        case(counted("interrupts", "interrupt", "30",
                     {"counts": [2000000, 10], "devices": ["eth0"]}),
             counted("interrupts", "interrupt", "31",
                     {"counts": [900000, 3], "devices": ["nvme0q1"]})),
        "as many interrupts, each line at a CPU of its own",
        case(counted("interrupts", "interrupt", "30",
                     {"counts": [2000000, 10], "devices": ["eth0"]}),
             counted("interrupts", "interrupt", "31",
                     {"counts": [3, 1900000], "devices": ["nvme0q1"]})),
    ),
    RuleCase(
        "background-work.at_work",
        "an array of md whose members are compared",
        case(md({"degraded": 0, "sync_action": "check", "sync_share": 0.4})),
        "an array that is being filled after it lost a member",
        case(md({"degraded": 1, "sync_action": "recover", "sync_share": 0.4})),
    ),
    RuleCase(
        "background-work.volumes_at_work",
        "a RAID 5 of LVM that is not yet in sync",
        case(state("lvm", "data-r5", {"volume_group": "data", "segment_type": "raid5",
                                      "degraded": False, "in_sync": 0.4,
                                      "sync_action": "resync"})),
        "the same that is in sync, and idle",
        case(state("lvm", "data-r5", {"volume_group": "data", "segment_type": "raid5",
                                      "degraded": False, "in_sync": 1.0,
                                      "sync_action": "idle"})),
    ),
    RuleCase(
        "degraded.volumes",
        "a RAID 5 of LVM with a physical volume missing",
        case(state("lvm", "data-r5", {"volume_group": "data", "segment_type": "raid5",
                                      "health": "partial", "degraded": True, "in_sync": 1.0})),
        "the same that is whole, and in sync",
        case(state("lvm", "data-r5", {"volume_group": "data", "segment_type": "raid5",
                                      "degraded": False, "in_sync": 1.0,
                                      "sync_action": "idle"})),
    ),
    RuleCase(
        "degraded.missing_devices",
        "a physical volume that no device was found for, in a group that is partial",
        case(state("lvm_pv", "[unknown]", {"volume_group": "data", "attributes": "a-m"}),
             state("lvm_group", "data", {"attributes": "wz-pn-"})),
        "the same group listed whole further down, after the volume was removed from it",
        case(state("lvm_pv", "[unknown]", {"volume_group": "data", "attributes": "a-m"}),
             state("lvm_group", "data", {"attributes": "wz--n-"})),
    ),
    RuleCase(
        "resync-stuck.stuck",
        "a resync that waits for the first write to an array that is read-only until then",
        case(md({"sync_action": "resync", "sync_waits": "pending"})),
        "a resync that waits for another array on the same disks",
        case(md({"sync_action": "resync", "sync_waits": "delayed"})),
    ),
    RuleCase(
        "resync-stuck.paused",
        "a replica whose resync was paused",
        case(state("drbd", "r0", {"replication": "PausedSyncS", "disk_state": "UpToDate"})),
        "one whose resync is under way",
        case(state("drbd", "r0", {"replication": "SyncSource", "disk_state": "UpToDate"})),
    ),
    RuleCase(
        "degraded.bios_sets",
        "a mirror of the BIOS with one of two drives",
        case(state("dmraid", "isw_bacdfe_Vol0", {"disks": 1, "expected_disks": 2})),
        "one of two drives that is well",
        case(state("dmraid", "isw_bacdfe_Vol0", {"disks": 2, "status": "ok"})),
    ),
    RuleCase(
        "error-target.made_to_fail",
        "a device of which a part is mapped to errors",
        case(state("dm", "data", {"target": "linear, error", "segments": 2})),
        "a device of several linear segments",
        case(state("dm", "data", {"target": "linear", "segments": 2})),
    ),
    RuleCase(
        "degraded.array_pools",
        "aggregates that lack a disk, are reconstructed, or failed",
        case(state("storage_pool", "aggr1", {"state": "online", "raid_level": "raid_dp",
                                             "raid_status": "degraded"}),
             state("storage_pool", "aggr2", {"state": "online", "raid_status": "reconstruct"}),
             state("storage_pool", "aggr3", {"state": "failed", "raid_status": "partial"})),
        "one that is whole",
        case(state("storage_pool", "aggr1", {"state": "online", "raid_level": "raid_dp",
                                             "raid_status": "hybrid, normal"})),
    ),
    RuleCase(
        "degraded.virtualized",
        "a pool that is degraded",
        case(state("storage_pool", "heron_r5", {"state": "degraded", "mdisk_count": 7})),
        "one that is online, and one that is offline, which is another finding",
        case(state("storage_pool", "heron_r5", {"state": "online", "mdisk_count": 7}),
             state("storage_pool", "old", {"state": "offline", "mdisk_count": 1})),
    ),
    RuleCase(
        "degraded.array_volumes",
        "a volume that is offline",
        case(state("storage_volume", "svm1:old", {"state": "offline", "aggregate": "aggr1"})),
        "one that is online, and one that is restricted",
        case(state("storage_volume", "svm1:new", {"state": "online"}),
             state("storage_volume", "svm1:copy", {"state": "restricted"})),
    ),
    RuleCase(
        "out-of-space.array_room",
        "a volume without a byte left",
        case(state("storage_volume", "svm1:dumps", {"used_share": 1.0, "available": 0})),
        "one that is nearly full",
        case(state("storage_volume", "svm1:home", {"used_share": 0.95, "available": 44_166_021})),
    ),
    RuleCase(
        "drive-failed.array_drives",
        "a drive that ONTAP counts as broken",
        case(state("array_drive", "1.0.2", {"container_type": "broken", "disk_type": "SAS"})),
        "a spare",
        case(state("array_drive", "1.0.3", {"container_type": "spare"})),
    ),
    RuleCase(
        "degraded.array_mirrors",
        "a mirror of SnapMirror that is not healthy",
        case(state("replication", "dr:dumps", {"source": "svm1:dumps", "healthy": False})),
        "one that is",
        case(state("replication", "dr:home", {"source": "svm1:home", "healthy": True})),
    ),
)  # fmt: skip
