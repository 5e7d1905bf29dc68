"""What the kernel's log says of multipath maps: paths that fail and come back.

Source: Linux 6.12 drivers/md/dm-mpath.c, fail_path() and reinstate_path() (before 3.x without the
    map).
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
)  # fmt: skip
