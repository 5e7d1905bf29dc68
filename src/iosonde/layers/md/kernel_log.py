"""What the kernel's log says of md arrays.

Source:
    Linux 6.12 drivers/md/raid1.c, raid10.c and raid5.c, *_error() and *_end_read_request();
    raid5_run(), raid1_run(), raid10_run(); drivers/md/md.c, analyze_sbs(), md_do_sync(),
    super_written(), super_1_load() and do_md_stop(); lib/raid6/algos.c, raid6_choose_gen(), whose
    MB are 2^20 bytes; crypto/xor.c, do_xor_speed().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, bare_messages

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
        "not enough operational ",
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
        "unrecoverable I/O read error",
        rf"{_ARRAY}(?P<other>[\w!-]{{1,32}}): unrecoverable I/O read error for block "
        r"(?P<sectors>\d{1,18})",
        "md", "lost_reads", "data",
    ),
    KernelMessage(
        " of RAID array",
        r"md: (?P<actions>recovery|resync|reshape|data-check|requested-resync) of RAID array "
        r"(?P<name>md\w{1,32})", "md", "started_actions",
    ),
    KernelMessage(
        "raid6: ", r"raid6: (?P<raid6_speeds>\w{1,16} +(?:gen|xor)\(\) +\d{1,9} MB/s)",
        "host", "raid6_measurements",
    ),
    KernelMessage(  # of the algorithm that was chosen, whose name the line above it has
        "raid6: .... xor()",
        r"raid6: \.{4} xor\(\) (?P<raid6_xor>\d{1,9} MB/s), rmw enabled",
        "host", "raid6_rmw_enabled",
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
    KernelMessage(
        ": raid level ",
        rf"{_ARRAY}raid level (?P<levels>\d{{1,2}}) active with (?P<active>\d{{1,5}} out of "
        r"\d{1,5}) devices(?:, algorithm (?P<algorithms>\d{1,3}))?", "md", "started_arrays",
    ),
    KernelMessage(
        ": active with ",
        rf"{_ARRAY}active with (?P<active>\d{{1,5}} out of \d{{1,5}}) (?:mirrors|dev)",
        "md", "started_arrays",
    ),
    KernelMessage(
        "operational as raid disk",
        rf"{_ARRAY}device (?P<other>[\w!-]{{1,32}}) operational as raid disk \d{{1,5}}", "md",
        "operational_members",
    ),
    KernelMessage(
        "Operation continuing on ",
        rf"{_ARRAY}Operation continuing on (?P<remaining_devices>\d{{1,5}}) devices", "md",
        "reduced_operations",
    ),
    KernelMessage(
        "starting background reconstruction",
        rf"{_ARRAY}not clean -- starting background reconstruction", "md", "unclean_starts",
    ),
    KernelMessage(
        "cannot start dirty degraded array", rf"{_ARRAY}cannot start dirty degraded array", "md",
        "failed_starts", "member",
    ),
    KernelMessage(
        "failed to run raid set", rf"{_ARRAY}failed to run raid set", "md", "failed_starts",
        "member",
    ),
    *(
        KernelMessage(
            f" {how}.",
            r"md: (?P<name>md\w{1,32}): (?P<endings>"
            rf"(?:recovery|resync|reshape|data-check|requested-resync) {how})\.", "md",
            "ended_actions",
        )
        for how in ("done", "interrupted")
    ),
    KernelMessage(" stopped.", r"md: (?P<name>md\w{1,32}) stopped\.", "md", "stopped_arrays"),
    KernelMessage(
        "rescheduling sector ",
        rf"{_ARRAY}(?P<other>[\w!-]{{1,32}}): rescheduling sector (?P<sectors>\d{{1,18}})", "md",
        "rescheduled_reads",
    ),
    KernelMessage(
        "redirecting sector ",
        rf"{_ARRAY}(?:(?P<other>[\w!-]{{1,32}}): )?redirecting sector (?P<sectors>\d{{1,18}}) to "
        r"(?:an)?other mirror", "md", "redirected_reads",
    ),
    KernelMessage(
        "read correction write failed",
        rf"{_ARRAY}read correction write failed \(\d+ sectors at (?P<sectors>\d{{1,18}}) on "
        r"(?P<other>[\w!-]{1,32})\)", "md", "failed_corrections",
    ),
    KernelMessage(
        "super_written gets error", r"md: super_written gets error=(?P<errors>-?\d{1,5})", "md",
        "superblock_errors", "data",
    ),
    KernelMessage(
        " has finished",
        r"md: delaying (?P<delays>[a-z-]{4,20}) of (?P<name>md\w{1,32}) until "
        r"(?P<other>md\w{1,32}) has finished", "md", "delayed_actions",
    ),
    KernelMessage(
        "invalid superblock checksum",
        r"md: invalid superblock checksum on (?P<other>[\w!-]{1,32})", "md", "invalid_superblocks",
    ),
    KernelMessage(
        "does not have a valid v",
        r"md: (?P<other>[\w!-]{1,32}) does not have a valid v[\d.]{1,5} superblock, not importing",
        "md", "invalid_superblocks",
    ),
    KernelMessage(
        "pers->run() failed", r"md: pers->run\(\) failed", "md", "failed_starts", "member",
    ),
    *bare_messages("md", ("md/raid", r"md/raid\d{0,2}:(?P<name>md\w{1,32}): ")),
)  # fmt: skip
