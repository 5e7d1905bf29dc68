"""What the name of a block device tells of how it is attached.

Source: Linux Documentation/admin-guide/devices.txt; lsblk(8), column TRAN, which leaves these out
(virtio before 2.38, all of them in part).
"""

from __future__ import annotations

_TRANSPORTS = (
    ("vd", "virtio"), ("nvme", "nvme"), ("xvd", "xen"), ("nbd", "nbd"), ("rbd", "rbd"),
    ("mmcblk", "mmc"), ("drbd", "drbd"), ("pmem", "pmem"), ("ram", "ram"),
    ("etherd/", "aoe"), ("fd", "floppy"), ("sr", "ata"),
)  # fmt: skip


def transport_by_name(path: str) -> str | None:
    """The transport of a device of this path ("/dev/etherd/e0.1": "aoe"); None: any is possible."""
    name = path.removeprefix("/dev/")
    return next((word for start, word in _TRANSPORTS if name.startswith(start)), None)
