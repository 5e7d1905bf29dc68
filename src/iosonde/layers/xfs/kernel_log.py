"""What the kernel's log says of XFS.

Source: Linux 6.12 fs/xfs/xfs_buf.c, xfs_buf_ioerror_alert(); fs/xfs/xfs_fsops.c,
xfs_do_force_shutdown(); fs/xfs/xfs_error.c, xfs_corruption_error().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_XFS = r"XFS \((?P<name>[\w!-]{1,32})\): "

MESSAGES = (
    KernelMessage(
        "metadata I/O error", rf'{_XFS}metadata I/O error(?: in|:) ', "xfs", "metadata_errors",
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
)  # fmt: skip
