"""What the kernel's log says of device-mapper: paths that fail, and tables that it refuses.

Source: Linux 6.12 drivers/md/dm-mpath.c, fail_path() and reinstate_path() (before 3.x without the
    map); include/linux/device-mapper.h, DMERR and DMWARN; drivers/md/dm-table.c,
    dm_table_add_target().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_MAP = r"device-mapper: multipath: (?:(?P<name>\d+:\d+): )?"

MESSAGES = (
    KernelMessage(
        "Failing path ", rf"{_MAP}Failing path (?P<other>\d+:\d+|\w+)\.?", "multipath",
        "failed_paths",
    ),
    KernelMessage(
        "Reinstating path ", rf"{_MAP}Reinstating path (?P<other>\d+:\d+|\w+)\.?", "multipath",
        "reinstated_paths",
    ),
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
