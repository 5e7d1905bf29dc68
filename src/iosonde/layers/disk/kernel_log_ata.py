"""What the kernel's log says of ATA links and drives.

Source:
    Linux 6.12 drivers/ata/libata-eh.c, ata_eh_link_report(), ata_eh_reset() and
    ata_dev_disable(); drivers/ata/libata-core.c, sata_print_link_status() and
    ata_dev_print_info().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_PORT = r"(?P<name>ata\d+(?:\.\d+)?)"

MESSAGES = (
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
        "disable", rf"{_PORT}: disable(?: device|d)$", "disk", "disabled_devices", "device"
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
)  # fmt: skip
