"""What the kernel's log says of bcache.

Source: Linux 6.12 drivers/md/bcache/io.c, bch_count_io_errors() and bch_count_backing_io_errors();
drivers/md/bcache/super.c, bch_cache_set_error().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_BCACHE = r"bcache: (?:\w{1,40}\(\) )?"

MESSAGES = (
    KernelMessage(
        "IO error on", rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): IO error on (?!backing)[a-z]",
        "bcache", "cache_errors",
    ),
    KernelMessage(
        "IO error on backing device",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): IO error on backing device", "bcache",
        "backing_errors", "data",
    ),
    KernelMessage(
        "Read-ahead I/O failed",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): Read-ahead I/O failed on backing device", "bcache",
        "failed_read_aheads",
    ),
    KernelMessage(
        "too many IO errors",
        rf"{_BCACHE}error on (?P<name>[\da-f-]{{36}}): .{{0,60}}too many IO errors", "bcache",
        "disabled_caches",
    ),
)  # fmt: skip
