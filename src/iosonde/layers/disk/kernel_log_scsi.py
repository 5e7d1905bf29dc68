"""What the kernel's log says of SCSI disks and their adapters.

Source:
    Linux 6.12 drivers/scsi/scsi_logging.c, scsi_print_result() and scsi_log_print_sense();
    before 3.18 without "tag#N"; drivers/scsi/scsi_lib.c, scsi_device_state_check();
    drivers/scsi/sd.c, sd_print_capacity(); drivers/scsi/mpt3sas/mpt3sas_base.c,
    _base_sas_log_info(); drivers/scsi/megaraid/megaraid_sas_fusion.c;
    drivers/scsi/smartpqi/smartpqi_init.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_ADDRESS = r"\d+:\d+:\d+:\d+"
_DISK = rf"sd {_ADDRESS}: \[(?P<name>sd[a-z]{{1,4}})\] +(?:tag#\d+ +)?"

MESSAGES = (
    KernelMessage(
        "Result: hostbyte=",
        rf"{_DISK}(?:FAILED )?Result: hostbyte=(?P<host_bytes>\w{{1,32}}) "
        r"driverbyte=(?P<driver_bytes>\w{1,32})", "disk", "failed_commands",
    ),
    KernelMessage(
        "Sense Key : ",
        rf"{_DISK}Sense Key : (?P<sense_keys>[A-Z][\w ]{{2,30}}?)(?: \[\w+\]| *$)",
        "disk", "senses",
    ),
    KernelMessage(
        "Add. Sense: ", rf"{_DISK}Add\. Sense: (?P<additional_senses>.{{3,100}})",
        "disk", "additions",
    ),
    KernelMessage(
        ": sense key: ",
        r"(?P<name>sd[a-z]{1,4}): Current: sense key: (?P<sense_keys>[A-Z][\w ]{2,30})",
        "disk", "senses",
    ),
    KernelMessage(
        "Additional sense: ", r" *Additional sense: (?P<additional_senses>.{3,100})",
        "", "additions",
    ),
    KernelMessage("killing request", rf"{_DISK}killing request", "disk", "killed_requests"),
    KernelMessage(
        "rejecting I/O to offline device",
        rf"sd (?P<name>{_ADDRESS}): (?:\[sd[a-z]+\] )?rejecting I/O to offline device",
        "disk", "rejected_requests",
    ),
    KernelMessage(
        "logical blocks: (",
        rf"{_DISK}(?P<blocks>\d{{1,18}}) (?P<block_sizes>\d{{3,6}})-byte logical blocks: \(",
        "disk", "described_drives",
    ),
    KernelMessage(
        ": log_info(0x",
        r"(?P<name>mpt\dsas_cm\d+): log_info\((?P<log_infos>0x[\da-f]{8})\): originator\(",
        "disk", "adapter_events",
    ),
    KernelMessage(
        "Current firmware supports",
        r"(?P<name>megaraid_sas [\da-f:.]{12}): Current firmware supports maximum commands: "
        r"(?P<supported_commands>\d{1,6})\b", "disk", "described_adapters",
    ),
    *(
        KernelMessage(
            f": {type_}  ",
            rf"scsi (?P<name>{_ADDRESS}): {type_} +(?P<models>\S.{{1,40}}?) +\S{{1,8}} +PQ: \d",
            "disk", "found_devices",
        )
        for type_ in ("Direct-Access", "RAID")
    ),
)  # fmt: skip
