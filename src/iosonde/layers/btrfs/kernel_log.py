"""What the kernel's log says of btrfs.

Source: Linux 6.12 fs/btrfs/volumes.c, btrfs_dev_stat_print_on_error() and btrfs_init_dev_stats();
fs/btrfs/scrub.c; fs/btrfs/disk-io.c, btrfs_validate_extent_buffer(); fs/btrfs/btrfs_inode.h,
btrfs_print_data_csum_error(); fs/btrfs/bio.c, btrfs_repair_io_failure(); fs/btrfs/messages.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_BTRFS = r"BTRFS:? (?:info|warning|error|critical) \(device (?P<name>[\w!-]{1,32})"
_STATE = r"(?: state \w{1,8})?\)(?:: | in )"
_ON = rf"{_BTRFS}{_STATE}"

MESSAGES = (
    KernelMessage(
        " errs: wr ",
        r"BTRFS:? (?:info|error) \(device (?P<filesystems>[\w!-]{1,32})(?: state \w{1,8})?\): "
        r"bdev (?:/dev/)?(?P<name>[\w!/-]{1,64}|\(efault\)|<missing disk>) "
        r"errs: wr (?P<wr>\d{1,18}), rd (?P<rd>\d{1,18}), flush (?P<flush>\d{1,18}), "
        r"corrupt (?P<corrupt>\d{1,18}), gen (?P<gen>\d{1,18})",
        "btrfs", "error_counts",
    ),
    KernelMessage("csum failed", rf"{_ON}csum failed (?:root|ino) ", "btrfs", "checksum_failures"),
    KernelMessage(
        "unable to fixup", rf"{_ON}unable to fixup \(\w+\) error at logical \d+", "btrfs",
        "unrepaired_errors", "damage",
    ),
    KernelMessage(
        "fixed up error at logical", rf"{_ON}fixed up error at logical \d+", "btrfs",
        "repaired_errors", "recovered",
    ),
    KernelMessage(
        "parent transid verify failed", rf"{_ON}parent transid verify failed on ", "btrfs",
        "transid_failures",
    ),
    KernelMessage("corrupt leaf", rf"{_ON}corrupt leaf: ", "btrfs", "corruptions", "damage"),
    KernelMessage("forced readonly", rf"{_ON}forced readonly", "btrfs", "shutdowns", "damage"),
    KernelMessage(
        " is missing", rf"{_ON}devid \d+ uuid (?P<other>[\da-f-]{{36}}) is missing", "btrfs",
        "missing_devices", "member",
    ),
    KernelMessage("scrub: started", rf"{_ON}scrub: started on devid \d+", "btrfs", "scrubs"),
    KernelMessage(
        "scrub: finished",
        rf"{_ON}scrub: finished on devid \d+ with status: (?P<scrub_statuses>-?\d{{1,6}})",
        "btrfs", "finished_scrubs",
    ),
    KernelMessage(
        " extents", rf"{_ON}found (?P<balanced_extents>\d{{1,12}}) extents", "btrfs",
        "balanced_block_groups",
    ),
)  # fmt: skip
