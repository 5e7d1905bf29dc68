"""What the kernel's log says of md arrays.

Source:
    Linux 6.12 drivers/md/raid1.c, raid10.c and raid5.c, *_error() and *_end_read_request();
    drivers/md/md.c, analyze_sbs() and md_do_sync(); lib/raid6/algos.c, raid6_choose_gen(), whose
    MB are 2^20 bytes; crypto/xor.c, do_xor_speed().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_ARRAY = r"(?:md/raid(?:\d+)?:(?P<name>md\w{1,32}): |raid\d+: )"

MESSAGES = (
    KernelMessage(
        "Disk failure on", rf"{_ARRAY}Disk failure on (?P<other>[\w!-]{{1,32}}), disabling device",
        "md", "failed_members", "member",
    ),
    KernelMessage(
        "kicking non-fresh", r"md: kicking non-fresh (?P<other>[\w!-]{1,32}) from array",
        "md", "outdated_members", "member",
    ),
    KernelMessage(
        "not enough operational devices",
        rf"{_ARRAY}not enough operational (?:devices|mirrors)", "md", "failed_starts", "member",
    ),
    KernelMessage(
        "read error corrected",
        rf"{_ARRAY}read error corrected \(\d+ sectors at "
        r"(?P<sectors>\d{1,18}) on (?P<other>[\w!-]{1,32})\)",
        "md", "corrected_reads", "recovered",
    ),
    KernelMessage(
        "read error NOT corrected",
        rf"{_ARRAY}read error NOT corrected!! \(sector "
        r"(?P<sectors>\d{1,18}) on (?P<other>[\w!-]{1,32})",
        "md", "uncorrected_reads",
    ),
    KernelMessage(
        "read error not correctable",
        rf"{_ARRAY}read error not correctable \(sector "
        r"(?P<sectors>\d{1,18}) on (?P<other>[\w!-]{1,32})",
        "md", "lost_reads", "data",
    ),
    KernelMessage(
        " of RAID array",
        r"md: (?P<actions>recovery|resync|reshape|data-check|requested-resync) of RAID array "
        r"(?P<name>md\w{1,32})", "md", "started_actions",
    ),
    KernelMessage(
        "raid6: ", r"raid6: (?P<raid6_speeds>[\w.]{1,16} +(?:gen|xor)\(\) +\d{1,9} MB/s)",
        "host", "raid6_measurements",
    ),
    KernelMessage(
        "raid6: using algorithm",
        r"raid6: using algorithm (?P<raid6_algorithm>\w{1,16} gen\(\) \d{1,9} MB/s)",
        "host", "raid6_choices",
    ),
    KernelMessage(
        "MB/sec", r"\s*(?P<xor_speeds>[a-z][\w-]{1,24} *: +\d{1,9}(?:\.\d{1,3})? MB/sec)\s*$",
        "", "",
    ),
    KernelMessage(
        "xor: using function",
        r"xor: using function: (?P<xor_function>\S{1,24} \(\d{1,9}(?:\.\d{1,3})? MB/sec\))",
        "host", "xor_choices",
    ),
)  # fmt: skip
