"""What the kernel's log says of XFS.

Source: Linux 6.12 fs/xfs/xfs_buf.c, xfs_buf_ioerror_alert(); fs/xfs/xfs_fsops.c,
xfs_do_force_shutdown(); fs/xfs/xfs_error.c, xfs_error_report(), xfs_corruption_error() and
xfs_buf_verifier_error(); fs/xfs/xfs_log.c, xfs_log_mount() and xfs_log_check_lsn();
fs/xfs/xfs_aops.c, xfs_discard_folio(); fs/xfs/xfs_message.c, assfail(); fs/xfs/xfs_qm.c,
xfs_qm_quotacheck(); fs/xfs/xfs_error.c, xfs_errortag_test(); fs/namespace.c,
mnt_warn_timestamp_expiry(); fs/iomap/buffered-io.c,
iomap_finish_ioend() ("writeback error on inode").
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, bare_messages

_NAMED = r"(?=XFS \((?:[a-z]{2,8}-?\d|[a-z]{1,2}d[a-z]{1,3}\)))"  # sdb, dm-3, and no prose
_XFS = r"XFS \((?P<name>[\w!-]{1,32})\): "

MESSAGES = (
    KernelMessage(
        "metadata I/O error",
        rf'{_XFS}metadata I/O error(?: in|:) (?:"(?P<functions>[\w+/ \[\]]{{3,90}})" )?(?:at daddr '
        r"0x[\da-f]{1,16} len \d{1,9} error (?P<errors>\d{1,5}))?", "xfs", "metadata_errors",
        "damage",
    ),
    KernelMessage(
        "Filesystem has been shut down", rf"{_XFS}Filesystem has been shut down", "xfs",
        "shutdowns", "damage",
    ),
    KernelMessage(
        "Corruption of in-memory data", rf"{_XFS}Corruption of in-memory data", "xfs",
        "corruptions", "damage",
    ),
    KernelMessage(
        " detected at",
        rf"{_XFS}Metadata (?P<failures>(?:CRC error|corruption)) detected at"
        r"(?: (?P<functions>\w{3,60})\S{0,40}(?: \[xfs\])?, (?P<buffers>\w{3,60}) block "
        r"0x[\da-f]+)?",
        "xfs", "corruptions", "damage",
    ),
    KernelMessage(
        "Internal error ",
        rf"{_XFS}Internal error (?P<failures>\S.{{1,80}}?) at line (?P<places>\d{{1,6}} of file "
        r"[\w/.-]{3,80}?\.c)\.", "xfs", "internal_errors", "damage",
    ),
    KernelMessage(
        "Corruption detected. Unmount", rf"{_XFS}Corruption detected\. Unmount and run xfs_repair",
        "xfs", "corruptions", "damage",
    ),
    KernelMessage(
        "Corruption warning: Metadata has LSN",
        rf"{_XFS}Corruption warning: Metadata has LSN \((?P<lsns>\d{{1,10}}:\d{{1,10}})\) ahead of "
        r"current LSN", "xfs", "misplaced_lsns", "damage",
    ),
    KernelMessage(
        "Log I/O Error",
        rf"{_XFS}Log I/O Error (?:\(0x[\da-f]{{1,4}}\) detected at (?!xfs_fs_goingdown)"
        r"(?P<functions>\w{3,60})|Detected)",
        "xfs", "log_shutdowns", "damage",
    ),
    KernelMessage(
        "log I/O error -",
        rf"{_XFS}log I/O error (?P<errors>-\d{{1,5}})", "xfs", "log_errors", "data",
    ),
    KernelMessage(
        "xfs_do_force_shutdown(0x",
        rf"{_XFS}xfs_do_force_shutdown\((?P<flags>0x[\da-f]{{1,4}})\) called from line "
        r"(?P<places>\d{1,6} of file [\w/.-]{3,80}?\.c)", "xfs", "shutdowns", "damage",
    ),
    KernelMessage(
        "User initiated shutdown", rf"{_XFS}User initiated shutdown received", "xfs",
        "requested_shutdowns",
    ),
    KernelMessage(
        "detected at xfs_fs_goingdown",  # by the ioctl, as `xfs_io -x -c shutdown` and tests do
        rf"{_XFS}Log I/O Error \(0x[\da-f]{{1,4}}\) detected at xfs_fs_goingdown", "xfs",
        "requested_shutdowns",
    ),
    KernelMessage(
        "log mount/recovery failed",
        rf"{_XFS}log mount/recovery failed: error (?P<errors>-\d{{1,5}})", "xfs", "failed_mounts",
    ),
    KernelMessage(
        "SB validate failed",
        rf"{_XFS}SB validate failed with error (?P<errors>-\d{{1,5}})", "xfs", "failed_mounts",
    ),
    KernelMessage(
        ": Mounting V",
        rf"{_XFS}Mounting (?P<formats>V[45]) Filesystem(?: (?P<uuids>[\da-f-]{{36}}))?", "xfs",
        "mounts",
    ),
    KernelMessage(
        ": Unmounting Filesystem",
        rf"{_XFS}Unmounting Filesystem(?: (?P<uuids>[\da-f-]{{36}}))?", "xfs", "unmounts",
    ),
    KernelMessage(
        ": Starting recovery (logdev",
        rf"{_XFS}Starting recovery \(logdev: (?P<log_devices>\S{{1,64}})\)", "xfs", "recoveries",
    ),
    KernelMessage(": Ending clean mount", rf"{_XFS}Ending clean mount", "xfs", "clean_mounts"),
    KernelMessage(": Quotacheck: Done", rf"{_XFS}Quotacheck: Done", "xfs", "quota_checks"),
    KernelMessage(
        "page discard on page",
        rf"{_XFS}page discard on page \S{{1,18}}, inode (?P<inodes>0x[\da-f]{{1,16}}), "
        r"(?:offset|pos) ",
        "xfs", "discarded_pages", "data",
    ),
    KernelMessage(
        "writeback error ",
        r"(?:XFS \()?(?P<name>[a-z][\w!-]{1,31})\)?: writeback error (?P<errors>-\d{1,5} )?on "
        r"(?:inode (?P<inodes>\d{1,18}), offset \d{1,18}, )?sector (?P<sectors>\d{1,18})", "xfs",
        "writeback_errors", "data",
    ),
    KernelMessage(
        "XFS: Assertion failed: ",
        r"XFS(?: \((?P<name>[\w!-]{1,32})\))?: Assertion failed: (?P<assertions>\S.{0,120}?), "
        r"file: "
        r"(?P<places>[\w/.-]{3,80}\.[ch]), line: \d{1,6}", "xfs", "failed_assertions",
    ),
    KernelMessage(
        "memory allocation deadlock",
        r"XFS: (?P<other>[^()]{1,32})\(\d{1,10}\) possible memory allocation deadlock size "
        r"(?P<sizes>\d{1,12})", "xfs", "failed_allocations", "memory",
    ),
    KernelMessage(
        ": Quotacheck needed", rf"{_XFS}Quotacheck needed: Please wait\.", "xfs",
        "needed_quota_checks",
    ),
    KernelMessage(
        ": Ending recovery (logdev",
        rf"{_XFS}Ending recovery \(logdev: (?P<log_devices>\S{{1,64}})\)", "xfs",
        "finished_recoveries",
    ),
    KernelMessage(
        ": Unmount and run xfs_repair", rf"{_XFS}Unmount and run xfs_repair", "xfs",
        "advised_repairs", "damage",
    ),
    KernelMessage(
        "bytes of corrupted metadata buffer",
        rf"{_XFS}First (?P<printed_bytes>\d{{1,6}}) bytes of corrupted metadata buffer:", "xfs",
        "printed_buffers",
    ),
    KernelMessage(
        "Please unmount the filesystem and rectify",
        rf"{_XFS}Please unmount the filesystem and rectify the problem", "xfs",
        "advised_unmounts",
    ),
    KernelMessage(
        ": log mount failed", rf"{_XFS}log mount failed", "xfs", "failed_log_mounts", "damage"
    ),
    KernelMessage(
        'mounting with "discard" option',
        rf'{_XFS}mounting with "discard" option, but the device does not support discard', "xfs",
        "mounts_without_discard",
    ),
    KernelMessage(
        "Use at your own risk",
        rf"{_XFS}EXPERIMENTAL (?P<experimental>[a-z][\w ,-]{{2,80}}?) "
        r"(?:in use|enabled)[.,;]? {1,2}Use at your own risk", "xfs", "experimental_features",
    ),
    KernelMessage(
        "Injecting error (",
        r"XFS \([\w!-]{1,32}\): Injecting error \((?P<conditions>[^()]{1,80})\) at file "
        r"(?P<places>[\w/.-]{3,80}\.[ch], line \d{1,6}), on filesystem "
        r'"(?P<name>[\w!-]{1,32})"', "xfs", "injected_errors",
    ),
    KernelMessage(
        "xfs filesystem being ",
        r"xfs filesystem being (?:re)?mounted at (?P<name>/\S{0,200}) supports timestamps until "
        r"(?P<last_timestamps>\d{4})", "xfs", "short_timestamps",
    ),
    *bare_messages("xfs", ("XFS (", rf"{_NAMED}{_XFS}")),
)  # fmt: skip
