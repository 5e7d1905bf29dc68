"""What the kernel's log says of ZFS: suspended pools, failed assertions, panics.

Source: OpenZFS 2.2 module/zfs/spa.c and zio.c, zio_suspend(); module/os/linux/spl/spl-err.c,
    vcmn_err(); include/os/linux/spl/sys/debug.h, VERIFY3_IMPL(); module/os/linux/spl/spl-proc.c;
    module/zfs/mmp.c, mmp_thread(); module/os/linux/zfs/vdev_disk.c, vdev_disk_error();
    module/os/linux/zfs/zfs_ioctl_os.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_POOL = r"(?P<name>[A-Za-z][\w.: -]{0,80})"

_SPL = r"(?:SPLError: \d{1,10}:\d{1,3}:\([\w.-]{1,40}:\d{1,6}:\w{1,40}\(\)\) )?"
"""What SPL before 0.7 put before warnings."""

MESSAGES = (
    KernelMessage(
        "uncorrectable I/O failure and has been suspended",
        rf"{_SPL}WARNING: Pool '{_POOL}' has encountered an uncorrectable I/O failure and has been "
        r"suspended", "zpool", "suspensions",
    ),
    KernelMessage(
        "; suspending pool", rf"(?:WARNING: )?MMP writes to pool '{_POOL}' have not succeeded in "
        r"over (?P<unwritten_ms>\d{1,12}) ms; suspending pool", "zpool", "multihost_suspensions",
    ),
    KernelMessage(
        "zio pool=",
        rf"zio pool={_POOL} vdev=(?P<other>\S{{1,160}}) error=(?P<errors>\d{{1,5}}) "
        r"type=(?P<types>\d{1,2}) offset=(?P<offsets>\d{1,20}) size=(?P<sizes>\d{1,12})", "zpool",
        "transfer_errors", "data",
    ),
    *(
        KernelMessage(
            literal, r"(?P<assertions>VERIFY[03]?[A-Z]?\(.{1,200}?\) failed(?: \(.{1,80}?\))?)",
            "host", "failed_zfs_assertions",
        )
        for literal in ("VERIFY3", "VERIFY0", "VERIFY(")
    ),
    KernelMessage(
        "PANIC at ", r"PANIC at (?P<panics>[\w.-]{3,60}\.[ch]:\d{1,6}:\w{2,60}\(\))", "host",
        "zfs_panics",
    ),
    KernelMessage(
        "PANIC: ", r"PANIC: (?P<panics>(?:zfs|blkptr|unrecoverable|rpool|Solaris).{2,120})", "host",
        "zfs_panics",
    ),
    KernelMessage(
        "Showing stack for process", r"Showing stack for process \d{1,9}", "", "shown_stacks",
    ),
    KernelMessage(
        "ZFS pool version ",
        r"ZFS: Loaded module v(?P<zfs_versions>[\w.~-]{3,40}), ZFS pool version "
        r"(?P<pool_versions>\d{1,5})",
        "host", "loaded_zfs",
    ),
)  # fmt: skip
