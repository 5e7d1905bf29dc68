"""What the kernel's log says of SCSI disks and their adapters.

Source:
    Linux 6.12 drivers/scsi/scsi_logging.c, scsi_print_result(), scsi_print_command() and
    scsi_log_print_sense(); before 3.18 without "tag#N";
    "SCSI error : <host channel id lun>" of scsi_io_completion() in 2.6.9 to 2.6.17;
    drivers/scsi/scsi_lib.c, scsi_device_state_check(); drivers/scsi/scsi_error.c,
    scsi_eh_offline_sdevs() and scsi_report_lun_change(); drivers/scsi/sd.c,
    sd_print_capacity(), sd_read_cache_type(), sd_sync_cache(), sd_read_write_protect_flag() and
    sd_probe(), sd_setup_read_write_cmnd(); drivers/scsi/sg.c;
    drivers/scsi/hosts.c, scsi_add_host_with_dma() (the host and its driver);
    drivers/scsi/device_handler/scsi_dh_alua.c, alua_rtpg();
    drivers/scsi/mpt3sas/mpt3sas_base.c, _base_sas_log_info();
    drivers/scsi/megaraid/megaraid_sas_fusion.c; drivers/scsi/smartpqi/smartpqi_init.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_ADDRESS = r"\d+:\d+:\d+:\d+"
_DISK = rf"sd {_ADDRESS}: \[(?P<name>sd[a-z]{{1,4}})\] +(?:tag#\d+ +)?"

MESSAGES = (
    KernelMessage(
        "access beyond end of device",
        rf"{_DISK}access beyond end of device", "disk", "outlying_requests", "data",
    ),
    KernelMessage(
        "Result: hostbyte=",
        rf"{_DISK}(?:FAILED |(?P<commands>[A-Z][A-Za-z ]{{3,24}}(?:\(\d{{1,2}}\))?) failed: |"
        rf"UNKNOWN\(0x[\da-f]{{1,8}}\) )?Result: hostbyte=(?P<host_bytes>\w{{1,32}}) "
        r"driverbyte=(?P<driver_bytes>\w{1,32})(?: cmd_age=(?P<command_ages>\d{1,9})s)?",
        "disk", "failed_commands",
    ),
    KernelMessage(
        " CDB: ",
        rf"{_DISK}CDB: (?P<commands>[A-Z][A-Za-z /]{{2,30}}(?:\(\d{{1,2}}\))?)"
        r"(?: [\da-f]{2}){4,32}", "disk", "described_commands",
    ),
    KernelMessage(
        "Sense Key : ",
        rf"{_DISK}Sense Key : (?P<sense_keys>[A-Z][\w ]{{2,30}}?|0x[\da-f]{{1,2}})(?: \[\w+\]| *$)",
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
    KernelMessage(
        "SCSI error : <",
        r"SCSI error : <(?P<name>\d{1,5} \d{1,5} \d{1,5} \d{1,9})> "
        r"return code = (?P<return_codes>0x[\da-f]{1,8})", "disk", "failed_commands",
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
    KernelMessage(
        "Device offlined - ",
        rf"(?:sd|scsi) (?P<name>{_ADDRESS}): Device offlined - \w[\w ]{{2,60}}",
        "disk", "offlined_devices", "gone",
    ),
    KernelMessage(
        "to dead device", rf"(?:sd|scsi) (?P<name>{_ADDRESS}): rejecting I/O to dead device",
        "disk", "rejected_requests",
    ),
    KernelMessage(
        "Write cache: ",
        rf"{_DISK}Write cache: (?P<write_caches>enabled|disabled), read cache: "
        r"(?P<read_caches>enabled|disabled)(?:, (?P<fua>supports DPO and FUA|doesn't support DPO or"
        r" FUA))?", "disk", "described_caches",
    ),
    KernelMessage(
        "Assuming drive cache: ",
        rf"{_DISK}Assuming drive cache: (?P<assumed_caches>write \w{{4,7}})",
        "disk", "described_caches",
    ),
    KernelMessage(
        "-byte physical blocks",
        rf"{_DISK}(?P<physical_block_sizes>\d{{3,6}})-byte physical blocks",
        "disk", "described_blocks",
    ),
    KernelMessage(
        "Optimal transfer size ",
        rf"{_DISK}Optimal transfer size (?P<optimal_transfer_sizes>\d{{3,12}}) (?:bytes|logical)",
        "disk", "described_transfers",
    ),
    KernelMessage(
        "Preferred minimum I/O size ",
        rf"{_DISK}Preferred minimum I/O size (?P<minimum_io_sizes>\d{{3,12}}) bytes",
        "disk", "described_transfers",
    ),
    KernelMessage(
        ": alua: port group ",
        rf"(?:sd|scsi) (?P<name>{_ADDRESS}): alua: port group (?P<port_groups>[\da-f]{{2,4}}) "
        r"state "
        r"(?P<states>[A-Z]) (?P<preferences>(?:non-)?preferred) ", "disk", "port_group_states",
    ),
    KernelMessage(
        "LUN assignments on this target have changed",
        rf"(?:sd|scsi|st) (?P<name>{_ADDRESS}): (?:\[\w+\] )?Warning! Received an indication that "
        r"the LUN assignments on this target have changed", "disk", "changed_luns",
    ),
    KernelMessage(
        " ASC=0x",
        rf"{_DISK}(?P<additional_codes>ASC=0x[\da-f]{{1,2}} ASCQ=0x[\da-f]{{1,2}})",
        "disk", "additions",
    ),
    KernelMessage(
        "device offline or changed", rf"{_DISK}device offline or changed",
        "disk", "rejected_requests",
    ),
    KernelMessage(
        " Attached SCSI ", rf"{_DISK}Attached SCSI (?:removable )?disk", "disk", "attached_disks",
    ),
    KernelMessage(
        "Attached scsi generic ",
        rf"(?:sd|scsi|sr|st|ses|ch|osst) (?P<name>{_ADDRESS}): Attached scsi generic "
        r"(?P<generic_devices>sg\d{1,5}) type (?P<scsi_types>\d{1,2})", "disk",
        "attached_generic_devices",
    ),
    KernelMessage(
        "Write Protect is ", rf"{_DISK}Write Protect is (?P<write_protections>on|off)", "disk",
        "described_protections",
    ),
    KernelMessage(
        "Mode Sense: ", rf"{_DISK}Mode Sense: (?P<mode_senses>[\da-f]{{2}}(?: [\da-f]{{2}}){{3}})",
        "disk", "described_modes",
    ),
    KernelMessage(
        "Synchronizing SCSI cache", rf"{_DISK}Synchronizing SCSI cache", "disk",
        "synchronized_caches",
    ),
    *(
        KernelMessage(
            f"{which} disk", rf"{_DISK}{which} disk", "disk", f"{counts}_disks"
        )
        for which, counts in (("Starting", "started"), ("Stopping", "stopped"))
    ),
    KernelMessage(
        "scsi host",
        r"scsi (?P<name>host\d{1,5}): (?P<drivers>usb-storage) (?P<usb_ports>\d{1,3}-[\d.]{1,20}):",
        "disk", "adapters",
    ),
    KernelMessage(
        "scsi host",
        r"scsi (?P<name>host\d{1,5}): (?P<drivers>[A-Za-z][\w -]{1,60})$", "disk", "adapters",
    ),
)  # fmt: skip
