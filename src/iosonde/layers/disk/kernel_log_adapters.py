"""What the kernel's log says of adapters, paths and transports that gave up on a command.

Source:
    Linux 6.12 drivers/scsi/mpt3sas/mpt3sas_scsih.c, scsih_abort(), scsih_dev_reset();
    drivers/scsi/scsi_error.c, scsi_report_sense() ("Power-on or device reset occurred");
    drivers/base/core.c, dev_driver_string() (a device without a driver has the name of its bus);
    drivers/scsi/scsi_transport_fc.c, fc_timeout_deleted_rport(); drivers/scsi/lpfc/lpfc_els.c and
    lpfc_hbadisc.c ("Link Down Event"); drivers/scsi/qla2xxx/qla_os.c, qla2xxx_eh_abort();
    drivers/usb/storage/uas.c, uas_log_cmd_state(); drivers/usb/core/hub.c, hub_port_init();
    drivers/scsi/megaraid/megaraid_sas_base.c; drivers/scsi/aacraid/linit.c;
    drivers/mmc/host/sdhci.c; drivers/mmc/core/block.c, bus.c and mmc.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_ADDRESS = r"\d+:\d+:\d+:\d+"

MESSAGES = (
    KernelMessage(
        "attempting task abort",
        rf"(?:sd|scsi|st|ses|enclosure) (?P<name>{_ADDRESS}): (?:\[\w+\] )?(?:tag#\d+ )?"
        r"attempting task abort", "disk", "aborts", "device",
    ),
    KernelMessage(
        "attempting device reset",
        rf"(?:sd|scsi|st|ses) (?P<name>{_ADDRESS}): (?:\[\w+\] )?(?:tag#\d+ )?"
        r"attempting (?:device|target|host) reset", "disk", "device_resets", "device",
    ),
    KernelMessage(
        "device reset occurred",
        rf"sd (?P<name>{_ADDRESS}): (?:\[\w+\] )?Power-on or device reset occurred",
        "disk", "power_on_resets", "device",
    ),
    KernelMessage(
        "Power-on or device",  # no driver has it yet, so that it is being looked for
        rf"scsi (?P<name>{_ADDRESS}): Power-on or device reset occurred",
        "disk", "power_ons_when_found",
    ),
    KernelMessage(
        "blocked FC remote port time out",
        r" ?(?P<name>rport-\d+:\d+-\d+): blocked FC remote port time out: \w.{0,80}",
        "disk", "lost_ports", "gone",
    ),
    KernelMessage(
        "state transitioned from ONLINE to",
        r"qla2xxx \[[\da-f:.]{12}\]-\w{4}:\d{1,4}: FCPort (?P<name>(?:[\da-f]{2}:){7}[\da-f]{2}) "
        r"state transitioned from ONLINE to (?P<port_states>LOST|DEAD|DEVICE_LOST|DEVICE_DEAD)",
        "disk", "lost_ports", "gone",
    ),
    KernelMessage(
        "Link Down Event",
        r"(?P<name>lpfc [\da-f:.]{12}): \d+:(?:\(\d+\):)?1305 Link Down Event",
        "disk", "link_downs", "device",
    ),
    KernelMessage(
        "Abort command issued",
        r"(?P<name>qla2xxx \[[\da-f:.]{12}\])-\w+:\d+: Abort command issued",
        "disk", "aborts", "device",
    ),
    KernelMessage(
        "uas_eh_", rf"(?:sd|scsi) {_ADDRESS}: \[(?P<name>sd[a-z]{{1,4}})\] tag#\d+ "
        r"uas_eh_abort_handler", "disk", "aborts", "device",
    ),
    KernelMessage(
        " USB device number ",
        r"(?P<name>usb \d+-[\d.]+): reset (?:high-speed|full-speed|SuperSpeed\S*)"
        r"(?: Gen \w+)? USB device number", "disk", "usb_resets",
    ),
    KernelMessage(
        "in FAULT state, will reset adapter",
        r"(?P<name>megaraid_sas [\da-f:.]{12}): .{0,40}in FAULT state, will reset adapter",
        "disk", "adapter_resets", "device",
    ),
    KernelMessage(
        "Host adapter abort request",
        r"(?P<name>aacraid(?: [\da-f:.]{12})?): Host adapter abort request",
        "disk", "aborts", "device",
    ),
    KernelMessage(
        "Timeout waiting for hardware",
        r"(?P<name>mmc\d+): Timeout waiting for hardware (?:cmd )?interrupt",
        "disk", "timeouts", "device",
    ),
    KernelMessage(
        "requesting status",
        r"(?P<name>mmcblk\d+): error (?P<errors>-\d{1,5}) requesting status", "disk",
        "status_errors", "device",
    ),
    KernelMessage(
        ": recovery failed!", r"(?P<name>mmcblk\d+): recovery failed!", "disk",
        "failed_recoveries", "device",
    ),
    KernelMessage(
        "cache flush error", r"(?P<name>mmc\d+): cache flush error (?P<errors>-\d{1,5})", "disk",
        "failed_flushes", "data",
    ),
    KernelMessage(
        "Card stuck ", r"(?P<name>mmc\d+): Card stuck (?:in wrong state|being busy)!", "disk",
        "stuck_cards", "device",
    ),
    KernelMessage(
        " card at address ",
        r"(?P<name>mmc\d+): new (?P<modes>[A-Za-z][\w -]{1,40}) card at address [\da-f]{4}",
        "disk", "identified_cards",
    ),
    KernelMessage(
        ": USB disconnect", r"(?P<name>usb \d+-[\d.]+): USB disconnect, device number \d+", "disk",
        "usb_disconnects", cause="usb_disconnect",
    ),
)  # fmt: skip
