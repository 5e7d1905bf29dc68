"""What the kernel's log says of device-mapper: tables that it refuses.

Source: Linux 6.12 include/linux/device-mapper.h, DMERR and DMWARN; drivers/md/dm-table.c,
    dm_table_add_target().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

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
)  # fmt: skip
