"""What the kernel's log says of device-mapper: refused tables, targets that fail or are full.

Source: Linux 6.12 include/linux/device-mapper.h, DMERR and DMWARN; drivers/md/dm-table.c,
    dm_table_add_target(); drivers/md/dm-thin.c, metadata_operation_failed(),
    notify_of_pool_mode_change() and maybe_resize_data_dev(); drivers/md/dm-cache-target.c,
    metadata_operation_failed() and disable_passdown_if_not_supported();
    drivers/md/persistent-data/dm-block-manager.c, dm_bm_validate_buffer(), dm-btree-spine.c,
    node_check(), and dm-space-map-metadata.c; drivers/md/dm-verity-target.c, verity_handle_err();
    drivers/md/dm-crypt.c; drivers/md/dm-integrity.c; drivers/md/dm-snap.c,
    __invalidate_snapshot(); drivers/md/dm-raid.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_TARGET = r"device-mapper: [a-z][a-z ]{1,30}: (?:(?P<name>\d+:\d+): )?"

MESSAGES = (
    KernelMessage(
        "device-mapper: table: ",
        r"device-mapper: table: (?P<name>\d+:\d+): (?P<refused>\S.{2,100})", "dm",
        "refused_tables",
    ),
    KernelMessage(
        "device-mapper: ioctl: error", r"device-mapper: ioctl: (?P<errors>error \S.{2,100})",
        "host", "refused_requests",
    ),
    KernelMessage(
        "metadata operation '",
        rf"{_TARGET}metadata operation '(?P<operations>\w{{3,60}})' failed: error = "
        r"(?P<errors>-\d{1,5})", "dm", "failed_metadata_operations", "damage",
    ),
    KernelMessage(
        ": switching pool to ",
        rf"{_TARGET}switching pool to (?P<pool_modes>[a-z][a-z-]{{3,30}}"
        r"(?: \((?:queue|error) IO\))?) mode", "dm", "pool_mode_changes",
    ),
    KernelMessage(
        ": switching cache to ",
        rf"{_TARGET}switching cache to (?P<cache_modes>[a-z][a-z-]{{3,30}}) mode", "dm",
        "cache_mode_changes",
    ),
    KernelMessage(
        "reached low water mark for ",
        rf"{_TARGET}reached low water mark for (?P<low>data|metadata) device: sending event", "dm",
        "low_water_marks",
    ),
    KernelMessage(
        ": growing the ",
        rf"{_TARGET}growing the (?P<grown>data|metadata) device from (?P<old_blocks>\d{{1,18}}) to "
        r"(?P<new_blocks>\d{1,18}) blocks", "dm", "grown_devices",
    ),
    KernelMessage(
        "unable to allocate new metadata block",
        r"device-mapper: space map (?:metadata|disk|common): unable to allocate new metadata block",
        "host", "failed_metadata_allocations",
    ),
    KernelMessage(
        " validator check failed for block ",
        r"device-mapper: block manager: (?P<validators>\w{3,40}) validator check failed for block "
        r"(?P<metadata_blocks>\d{1,18})", "host", "corrupt_metadata_blocks", "damage",
    ),
    KernelMessage(
        "_check failed: ",
        r"device-mapper: [a-z][a-z ]{2,30}: (?P<checks>\w{3,40}_check) failed: "
        r"(?P<failures>\w{3,12} \d{1,20} != wanted \d{1,20})", "host", "failed_metadata_checks",
    ),
    KernelMessage(
        "Disabling discard passdown",
        rf"{_TARGET}(?:Origin|Data) device \((?P<other>[^()]{{1,64}})\) "
        r"(?P<discard_limits>discard unsupported|max discard sectors smaller than a block)"
        r": Disabling discard passdown", "dm", "discards_not_passed_down",
    ),
    KernelMessage(
        "device-mapper: verity: ",
        rf"{_TARGET}(?P<corrupt>data|metadata) block (?P<corrupt_blocks>\d{{1,18}}) is corrupted",
        "dm", "corrupt_blocks_in_verity", "damage",
    ),
    KernelMessage(
        "INTEGRITY AEAD ERROR",
        r"(?:\w{1,32}: )?device-mapper: crypt: (?P<name>[\w!:-]{1,32}): INTEGRITY AEAD ERROR, "
        r"sector (?P<sectors>\d{1,18})", "dm", "integrity_errors", "data", cause="integrity",
    ),
    KernelMessage(
        "Checksum failed at sector",
        r"device-mapper: integrity: (?P<name>[\w!:-]{1,32}): Checksum failed at sector "
        r"(?P<sectors>0x[\da-f]{1,16})", "dm", "integrity_errors", "data", cause="integrity",
    ),
    KernelMessage(
        "Invalidating snapshot: ",
        r"device-mapper: snapshots: Invalidating snapshot: (?P<failures>[A-Z][\w ,/-]{3,80})",
        "host", "invalid_snapshots",
    ),
    KernelMessage(
        "Superblocks created for new raid set",
        r"device-mapper: raid: Superblocks created for new raid set", "host", "new_raid_sets",
    ),
    KernelMessage(
        "Failed to read superblock of device at position",
        r"device-mapper: raid: Failed to read superblock of device at position "
        r"(?P<positions>\d{1,4})", "host", "unread_superblocks",
    ),
)  # fmt: skip
