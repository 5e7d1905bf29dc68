"""What the kernel's log says when btrfs scans, mounts and unmounts.

Source: Linux 6.12 fs/btrfs/disk-io.c, open_ctree() and btrfs_init_csum_hash(); fs/btrfs/super.c,
btrfs_parse_param() and btrfs_emit_options(); fs/btrfs/volumes.c, device_list_add();
fs/btrfs/free-space-cache.c, load_free_space_cache(); fs/btrfs/volumes.c,
btrfs_read_chunk_tree() and read_one_dev() (sizes); include/uapi/asm-generic/errno.h (-5 is EIO,
-117 EUCLEAN).
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, bare_messages
from iosonde.layers.btrfs.kernel_log import BTRFS, STATE

_ON = rf"{BTRFS}{STATE}: "
_MOUNT = (
    "using free space tree", "using free-space-tree", "disk space caching is enabled",
    "enabling ssd optimizations", "allowing degraded mounts", "enabling auto defrag",
    "auto enabling async discard", "turning on async discard", "turning on sync discard",
    "turning on discard", "start tree-log replay", "ignoring bad roots", "ignoring data csums",
    "trying to use backup root at mount time", "disabling log replay at mount time",
    "enabling all of the rescue options", "force clearing of disk cache",
    "enabling free space tree", "setting nodatacow", "setting nodatasum", "turning off barriers",
    "rebuilding free space tree", "has skinny extents", "flagging fs with big metadata feature",
    "checking UUID tree",
)  # fmt: skip
"""What a mount was asked for, or does, as fs/btrfs says it."""

_STEPS = ("read", "load", "verify", "find", "recover", "run", "start")

MESSAGES = (
    *(
        KernelMessage(
            said, rf"{_ON}(?P<mount_options>{said})", "btrfs", "mount_messages",
        )
        for said in _MOUNT
    ),
    KernelMessage(
        " compression, level ",
        rf"{_ON}(?P<mount_options>(?:force|use) \w{{3,5}} compression, level -?\d{{1,2}})", "btrfs",
        "mount_messages",
    ),
    KernelMessage(
        "checksum algorithm",
        rf"{_ON}using (?P<checksums>\w{{3,12}} \([\w-]{{3,40}}\)) checksum alg",
        "btrfs", "mount_messages",
    ),
    *(
        KernelMessage(
            f"{which} of filesystem ", rf"{_ON}{which} of filesystem (?P<uuids>[\da-f-]{{36}})",
            "btrfs", counts,
        )
        for which, counts in (("first mount", "mounts"), ("last unmount", "unmounts"))
    ),
    KernelMessage(
        "open_ctree failed", rf"{_ON}open_ctree failed(?:: (?P<errors>-\d{{1,5}}))?", "btrfs",
        "failed_mounts",
    ),
    *(
        KernelMessage(
            f"failed to {verb}",
            rf"{_ON}(?P<failures>failed to {verb} [a-z][\w /-]{{3,60}}): (?P<errors>-(?:5|117))$",
            "btrfs", "unreadable_trees", "damage",
        )
        for verb in ("read", "load", "verify", "recover")
    ),
    KernelMessage(
        "couldn't read", rf"{_ON}(?P<failures>couldn't read (?:tree|chunk) root)$", "btrfs",
        "unreadable_trees", "damage",
    ),
    *(
        KernelMessage(
            step, rf"{_ON}(?P<failures>{step} [a-z][\w /-]{{3,60}}?)(?:: (?P<errors>-\d{{1,5}})|$)",
            "btrfs", "failed_steps",
        )
        for step in (*(f"failed to {verb}" for verb in _STEPS), "couldn't read", "couldn't open")
    ),
    KernelMessage(
        " transid ",
        r"BTRFS:?(?: info)?:? device (?:label (?P<labels>\S{1,256})|fsid (?P<uuids>[\da-f-]{36})) "
        r"devid (?P<devids>\d{1,9}) transid (?P<generations>\d{1,18}) "
        r"(?:/dev/)?(?P<name>[\w!/.-]{1,64})", "btrfs", "scanned_devices",
    ),
    KernelMessage(
        "free space cache for block group",
        rf"{_ON}failed to load free space cache for block group (?P<block_groups>\d{{1,18}})",
        "btrfs", "rebuilt_space_caches",
    ),
    KernelMessage(
        ": mounting filesystem ", rf"{_ON}mounting filesystem (?P<uuids>[\da-f-]{{36}})", "btrfs",
        "mounts",
    ),
    KernelMessage(
        ": unmounting filesystem ",
        rf"{_ON}unmounting filesystem (?P<uuids>[\da-f-]{{36}})", "btrfs", "unmounts",
    ),
    KernelMessage(
        "setting incompat feature flag for ",
        rf"{_ON}setting incompat feature flag for (?P<set_features>\w{{3,40}}) "
        r"\(0x[\da-f]{1,16}\)", "btrfs", "changed_features",
    ),
    *(
        KernelMessage(
            literal, rf"{_ON}(?P<failures>{pattern})", "btrfs", counts, "damage",
        )
        for literal, pattern, counts in (
            ("superblock c", r"superblock c(?:hecksum mismatch|ontains fatal errors)",
             "bad_superblocks"),
            ("total_bytes should be at most",
             r"device total_bytes should be at most \d{1,20} but found \d{1,20}", "wrong_sizes"),
            ("super_total_bytes ",
             r"super_total_bytes \d{1,20} mismatch with fs_devices total_rw_bytes \d{1,20}",
             "wrong_sizes"),
            ("Remounting read-write after error is not allowed",
             "Remounting read-write after error is not allowed", "refused_remounts"),
        )
    ),
    KernelMessage(
        "writable mount is not allowed",
        rf"{_ON}(?P<failures>writable mount is not allowed due to too many missing devices)",
        "btrfs", "failed_steps",
    ),
    KernelMessage(
        "Btrfs loaded", r"Btrfs loaded, {1,2}(?P<btrfs_features>[a-z][\w-]{1,24}=\S.{1,160})",
        "host", "btrfs_loads",
    ),
    *bare_messages(
        "btrfs",
        *(
            (f"BTRFS {level}", rf"{_ON}(?!(?:leaf|node) \d)")  # a tree's, which has its reader
            for level in ("info", "warning", "error", "critical")
        ),
    ),
)  # fmt: skip
