"""What the kernel's log says of raw flash: UBI, the volumes on it, and UBIFS.

Source: Linux 6.12 drivers/mtd/ubi/ubi.h, ubi_err(), ubi_warn() and ubi_msg() (before 4.1
    "UBI error: "); drivers/mtd/ubi/io.c, ubi_io_read() and do_sync_erase(); build.c, attach.c and
    wl.c; fs/ubifs/misc.c, ubifs_msg(), ubifs_err() and ubifs_warn(); io.c, ubifs_ro_mode().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.layers._mounts.kernel_log import filesystem_messages

_UBI = r"(?:UBI|(?P<name>ubi\d{1,3})) (?:error|warning): [\w.]{3,60}(?: \[ubi\])?: "

MESSAGES = (
    KernelMessage(
        "attached mtd",
        r"(?P<name>ubi\d{1,3}): attached (?P<other>mtd\d{1,3}) \(name \"(?P<names>[^\"]{1,60})\", "
        r"size (?P<mib>\d{1,9}) MiB\)", "filesystem", "attached_flashes",
    ),
    KernelMessage(
        "max/mean erase counter: ",
        r"(?P<name>ubi\d{1,3}): max/mean erase counter: "
        r"(?P<most_erased>\d{1,9})/(?P<mean_erased>\d{1,9}), WL threshold: \d{1,9}",
        "filesystem", "reported_wear",
    ),
    KernelMessage(
        " bad PEBs: ",
        r"(?P<name>ubi\d{1,3}): good PEBs: (?P<good_blocks>\d{1,9}), "
        r"bad PEBs: (?P<bad_blocks>\d{1,9}), corrupted PEBs: (?P<corrupted_blocks>\d{1,9})",
        "filesystem", "reported_flash_blocks",
    ),
    *filesystem_messages(
        "ubi_", _UBI,
        ("transfer_errors", r"(?:error -\d{1,5} .{0,30}while (?:reading|writing|erasing)"
         r"|cannot erase PEB|failed to erase PEB).{0,100}"),
        ("read_only_remounts", r"switch to read-only mode.{0,60}"),
    ),
    *(
        message
        for level in ("error", "warning")
        for message in filesystem_messages(
            f"UBIFS {level} (",
            rf"UBIFS {level} \((?P<name>ubi\d{{1,3}}:\d{{1,4}})(?: pid \d{{1,9}})?\): "
            r"[\w.]{3,60}(?: \[ubifs\])?: ",
            ("read_only_remounts", r"switched to read-only mode.{0,60}"),
            ("filesystem_errors", r"(?:bad (?:node|magic|CRC)|corrupt|invalid |bad key|first zero "
             r"|cannot read|.{0,40}LEB \d).{0,120}"),
        )
    ),
    KernelMessage(
        "UBIFS (ubi", r"UBIFS \((?P<name>ubi\d{1,3}:\d{1,4})\): (?P<notices>\S.{2,160})",
        "filesystem", "other_messages",
    ),
)  # fmt: skip
