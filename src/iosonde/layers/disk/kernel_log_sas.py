"""What the kernel's log says of SAS: libsas, expanders and the adapters of Broadcom and Microchip.

Source:
    Linux 6.12 drivers/scsi/libsas/sas_scsi_host.c, sas_scsi_recover_host() and
    sas_scsi_find_task(); drivers/scsi/libsas/sas_expander.c; drivers/scsi/mpt3sas/mpt3sas_scsih.c,
    scsih_abort() and mpt3sas_base.c, mpt3sas_base_hard_reset_handler(), mpt3sas_base_fault_info();
    drivers/scsi/megaraid/megaraid_sas_base.c, megasas_decode_evt() (sequence number, time, locale,
    class, event); drivers/scsi/aacraid/linit.c, aac_eh_host_reset().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage, bare_messages

_ADDRESS = r"\d+:\d+:\d+:\d+"
_ADAPTER = r"(?P<name>mpt\dsas_cm\d+): "
_MEGARAID = r"(?P<name>megaraid_sas [\da-f:.]{12}): "

MESSAGES = (
    KernelMessage(
        "Enter sas_scsi_recover_host",
        r"sas: Enter sas_scsi_recover_host busy: (?P<busy>\d{1,6}) failed: "
        r"(?P<failed>[1-9]\d{0,5})", "host", "sas_recoveries", "device",
    ),
    KernelMessage(
        "recover_host busy: ",  # with nothing failed it looks for drives, as at each boot
        r"sas: Enter sas_scsi_recover_host busy: \d{1,6} failed: 0", "host", "sas_discoveries",
    ),
    KernelMessage(
        "Exit sas_scsi_recover_host",
        r"sas: --- Exit sas_scsi_recover_host: busy: \d{1,6} failed: \d{1,6} "
        r"tries: (?P<tries>\d{1,6})", "host", "finished_sas_recoveries",
    ),
    KernelMessage(
        "sas_scsi_find_task: aborting task", r"sas: sas_scsi_find_task: aborting task 0x",
        "host", "aborted_sas_tasks",
    ),
    KernelMessage(
        "failed to discover",
        r"sas: ex (?P<name>[\da-f]{16}) (?P<phys>phy\d{1,3}) failed to discover",
        "disk", "failed_discoveries",
    ),
    KernelMessage(
        "change count has changed",
        r"sas: ex (?P<name>[\da-f]{16}) (?P<phys>phy\d{1,3}) change count has changed",
        "disk", "expander_changes",
    ),
    KernelMessage(
        "task abort: ",
        rf"(?:sd|scsi|st|ses) (?P<name>{_ADDRESS}): (?:\[\w+\] )?task abort: "
        r"(?P<abort_results>SUCCESS|FAILED) scmd\(", "disk", "finished_aborts",
    ),
    *(
        KernelMessage(
            f"{kind} reset: ",
            rf"(?:sd|scsi|st|ses) (?P<name>{_ADDRESS}): (?:\[\w+\] )?{kind} reset: "
            r"(?P<reset_results>SUCCESS|FAILED) scmd\(", "disk", "finished_resets",
        )
        for kind in ("device", "target")
    ),
    KernelMessage(
        "sending diag reset", rf"{_ADAPTER}sending diag reset !!", "disk", "adapter_resets",
        "device",
    ),
    KernelMessage(
        "diag reset: ", rf"{_ADAPTER}diag reset: (?P<reset_results>SUCCESS|FAILED)", "disk",
        "finished_resets",
    ),
    KernelMessage(
        "fault_state(0x", rf"{_ADAPTER}fault_state\((?P<fault_states>0x[\da-f]{{4}})\)", "disk",
        "adapter_faults", "device",
    ),
    KernelMessage(
        ": Command Timeout", rf"{_ADAPTER}Command Timeout", "disk", "command_timeouts", "device"
    ),
    *(
        KernelMessage(
            f"/{level}) - ",
            rf"{_MEGARAID}\d{{1,10}} \([^()]{{1,40}}/0x[\da-f]{{4}}/(?P<classes>{level})\) - "
            r"(?P<events>\S.{2,120})", "disk", "adapter_messages",
        )
        for level in ("FATAL", "CRIT", "WARN", "INFO", "DEAD")
    ),
    KernelMessage(
        ": controller type",
        rf"{_MEGARAID}controller type\s{{0,4}}: (?P<controller_types>\w{{2,8}}\(\d{{1,6}}MB\))",
        "disk", "described_adapters",
    ),
    KernelMessage(
        "Host bus reset request", r"(?P<name>aacraid(?: [\da-f:.]{12})?): Host bus reset request",
        "disk", "adapter_resets", "device",
    ),
    KernelMessage(
        "dev error handler",
        r"sas: (?P<name>ata\d{1,5}): (?P<sas_devices>end_device-[\d:]{1,20}): dev error handler",
        "disk", "device_error_handlers",
    ),
    KernelMessage(
        " phys DID NOT change", r"sas: ex (?P<name>[\da-f]{16}) phys DID NOT change", "disk",
        "unchanged_expanders",
    ),
    KernelMessage(
        ", sas_address(0x",
        r"scsi (?P<name>target\d+:\d+:\d+): handle\((?P<handles>0x[\da-f]{4})\), "
        r"sas_address\((?P<sas_addresses>0x[\da-f]{16})\)(?:, phy\((?P<phys>\d{1,3})\))?", "disk",
        "described_targets",
    ),
    KernelMessage(
        "enclosure logical id(0x",
        r"(?:scsi )?(?P<name>target\d+:\d+:\d+): enclosure logical id "
        r"?\((?P<enclosures>0x[\da-f]{16})\), slot\((?P<slots>\d{1,5})\)", "disk",
        "described_slots",
    ),
    *bare_messages("disk", ("sas_cm", _ADAPTER)),
)  # fmt: skip
