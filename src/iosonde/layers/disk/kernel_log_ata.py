"""What the kernel's log says of ATA links and drives.

Source:
    Linux 6.12 drivers/ata/libata-eh.c, ata_eh_link_report(), ata_eh_reset(),
    ata_eh_speed_down() and ata_dev_disable(); drivers/ata/libata-core.c,
    ata_exec_internal() ("qc timeout"), ata_dev_read_id() ("failed to IDENTIFY"),
    ata_dev_revalidate(), ata_down_xfermask_limit(), ata_wait_ready() ("link is slow"),
    sata_print_link_status() and ata_dev_print_info(). include/linux/libata.h, AC_ERR_DEV (1) and
    AC_ERR_MEDIA (8): errors that the drive itself reports.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_PORT = r"(?P<name>ata\d+(?:\.\d+)?)"
_FAILURE = r"[A-Za-z][\w/ -]{3,60}?"
_RESET = r"(?:COMRESET|SRST|(?:soft|hard|pre)reset) failed"

MESSAGES = (
    KernelMessage(  # of a drive that answers with an error, while its link is well
        "exception Emask",
        rf"{_PORT}: exception Emask 0x[0189] SAct 0x[0-9a-f]+ SErr 0x0 action 0x0(?! frozen|\w)",
        "disk", "command_exceptions",
    ),
    KernelMessage(  # of commands that did not end in time: the link says nothing of an error
        "exception Emask",
        rf"{_PORT}: exception Emask 0x[04] SAct 0x[0-9a-f]+ SErr 0x0 action 0x6 frozen *$",
        "disk", "timeout_exceptions", "device",
    ),
    KernelMessage(
        "exception Emask", rf"{_PORT}: exception Emask 0x[0-9a-f]+ SAct",
        "disk", "link_exceptions", "device",
    ),
    KernelMessage(
        "hard resetting link", rf"{_PORT}: hard resetting link",
        "disk", "link_resets", "device",
    ),
    KernelMessage(
        "limiting SATA link speed",
        rf"{_PORT}: limiting SATA link speed to [\d.]+ Gbps",
        "disk", "link_slowdowns", "device",
    ),
    KernelMessage(
        "failed command: ", rf"{_PORT}: failed command: (?P<commands>[A-Z][A-Z /()-]{{2,40}})",
        "disk", "failed_commands",
    ),
    KernelMessage(
        "SError: {", rf"{_PORT}: SError: \{{ (?P<link_errors>[\w /]{{1,120}}?) \}}",
        "disk", "reported_link_errors",
    ),
    KernelMessage(
        " error: {", rf"{_PORT}: error: \{{ (?P<errors>[\w /]{{1,60}}?) \}}",
        "disk", "reported_errors",
    ),
    KernelMessage(
        " Emask 0x", r" *res [\da-f:/]{20,60} Emask (?P<masks>0x[\da-f]+ \([\w ]{2,30}\))",
        "", "results",
    ),
    KernelMessage(
        "#012         res ",
        rf"{_PORT}: cmd .{{20,80}}#012 +res \S{{20,60}} "
        r"Emask (?P<masks>0x[\da-f]+ \([\w ]{2,30}\))", "disk", "results",
    ),
    KernelMessage(
        "disable", rf"{_PORT}: disable(?: device|d)$", "disk", "disabled_devices", "gone"
    ),
    KernelMessage(
        "SATA link up", rf"{_PORT}: SATA link up (?P<link_speeds>[\d.]{{1,5}} Gbps)",
        "disk", "link_ups",
    ),
    KernelMessage(
        ": ATA-", rf"{_PORT}: ATA-\d+: +(?P<models>[^,]{{1,60}}), [^,]{{1,20}}, max \w",
        "disk", "identified_drives",
    ),
    KernelMessage(
        " sectors, multi", rf"{_PORT}: (?P<sizes>\d{{1,18}}) sectors, multi \d+: ",
        "disk", "described_drives",
    ),
    KernelMessage(
        "qc timeout",
        rf"{_PORT}: qc timeout(?: after (?P<waited_ms>\d{{1,9}}) msecs)? "
        r"\(cmd (?P<command_codes>0x[\da-f]{1,2})\)", "disk", "command_timeouts", "device",
    ),
    KernelMessage(
        "err_mask=",
        rf"{_PORT}: (?P<failures>{_FAILURE}) \((?:(?P<reasons>[A-Za-z][\w/ ]{{1,30}}), )?"
        r"err_mask=(?P<err_masks>0x[\da-f]{1,8})\)", "disk", "failed_requests", "device",
    ),
    KernelMessage(
        "(errno=",
        rf"{_PORT}: (?P<failures>{_RESET}) \(errno=(?P<errnos>-\d{{1,5}})\)",
        "disk", "failed_resets", "device",
    ),
    KernelMessage(  # stands below the line of the reset that failed
        "(errno=",
        rf"{_PORT}: reset failed \(errno=(?P<errnos>-\d{{1,5}})\), retrying in "
        r"(?P<retry_seconds>\d{1,5}) secs",
        "disk", "retried_resets", "device",
    ),
    KernelMessage(
        "(errno=",
        rf"{_PORT}: (?P<failures>{_FAILURE}) \(errno=(?P<errnos>-\d{{1,5}})\)",
        "disk", "failed_requests", "device",
    ),
    KernelMessage(
        "NCQ disabled due to", rf"{_PORT}: NCQ disabled due to excessive errors",
        "disk", "queueing_disabled", "device",
    ),
    KernelMessage(
        "limiting speed to ", rf"{_PORT}: limiting speed to (?P<transfer_modes>[\w/:]{{3,24}})$",
        "disk", "transfer_slowdowns", "device",
    ),
    KernelMessage(": EH complete", rf"{_PORT}: EH complete", "disk", "finished_recoveries"),
    KernelMessage(
        "SATA link down (", rf"{_PORT}: SATA link down \(SStatus [\dA-F]{{1,3}} ",
        "disk", "ports_without_link",
    ),
    KernelMessage(
        "link is slow to respond", rf"{_PORT}: link is slow to respond, please be patient",
        "disk", "slow_links",
    ),
    KernelMessage(
        ": configured for ", rf"{_PORT}: configured for (?P<transfer_modes>[A-Z][\w/]{{2,16}})$",
        "disk", "configured_drives",
    ),
    KernelMessage(
        " status: {", rf"{_PORT}: status: \{{ (?P<statuses>[A-Za-z ]{{3,40}}?) \}}",
        "disk", "reported_statuses",
    ),
    KernelMessage(
        ": irq_stat 0x",
        rf"{_PORT}: irq_stat (?P<irq_stats>0x[\da-f]{{8}})(?:, (?P<interrupts>[a-z][\w "
        r"]{2,40}))?",
        "disk", "reported_interrupts",
    ),
    KernelMessage(
        ": cmd ",
        rf"{_PORT}: cmd [\da-f:/]{{20,60}} tag \d{{1,3}}"
        r"(?: (?P<transfers>\w[\w ]{1,20} \d{1,9} (?:in|out)))?", "disk", "described_commands",
    ),
    KernelMessage(
        "reset failed",
        rf"{_PORT}: (?P<failures>(?:soft|hard)reset failed \([\w ]{{3,40}}\))",
        "disk", "failed_resets", "device",
    ),
    KernelMessage(
        "reset failed", rf"{_PORT}: (?P<failures>reset failed, giving up)",
        "disk", "abandoned_resets", "device",
    ),
)  # fmt: skip
