"""What ESXi prints of its devices, their paths and datastores, and rules about it.

Devices are kind `disk`, each path is kind `path`, and all paths of a device together are
`multipath`; datastores are `vmfs`, NVMe controllers `nvme_controller`, adapters `controller`.

Nothing is asked of a live host. No rule speaks of a device with one path, which every local one is
("Status: degraded" says no more), of paths that are standby or off, or of datastores that are not
mounted. Its log is read by `kernel_log_esxi.py`.

Source:
    VMware vSphere Storage, "Monitoring and Managing Storage Paths" (a dead path is "no longer
    available for processing I/O"), "Handling Transient APD Conditions" (the device's operational
    state changes to Dead or Error) and, of vSphere 5.0, "Unplanned device loss" ("ESXi marks the
    device as not connected"); Broadcom KB 318856 (VMFS needs 200 MB free, and stops growing at 100
    MB); ESXCLI Reference, nvme controller list (Is Online); KB 318888 (APD and PDL; 0x5 0x25 0x0);
    KB 1010244 (commands that devices refuse during a rescan); T10 SPC-4 (opcodes, senses).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.layers.multipath.facts import ESXI_DEVICE
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_VMFS = re.compile(r"VMFS-\d{1,2}")  # VMFS-L is ESXi's own
_LITTLE, _LEAST = 200_000_000, 100_000_000  # bytes
_LOST = {
    "dead": "all its paths are down",
    "dead timeout": "all its paths are down for longer than the APD timeout, and only I/O of "
    "virtual machines is still tried again",
    "not connected": "it is permanently lost: the array no longer presents it, or it failed",
}
_LOG = "kernel log"
_APD = ("all_paths_down", "all_paths_down_ends", "all_paths_down_timeouts", "permanent_losses")
_NO_LUN = "0x5 0x25 0x0"
_ASKED = {
    "0x12": "INQUIRY (0x12)", "0x1a": "MODE SENSE (0x1a)", "0x4d": "LOG SENSE (0x4d)",
    "0x5a": "MODE SENSE (0x5a)", "0x85": "ATA PASS-THROUGH (0x85)",
    "0x9e": "SERVICE ACTION IN (0x9e)",
}  # fmt: skip
_NOT_OFFERED = re.compile(r"0x5 0x2[04] 0x0")
"""Invalid command operation code, invalid field in CDB."""


def _dead_paths(case: EvidenceSet) -> Iterator[Finding]:
    """Paths that no list of all paths of their device counts."""
    counted = {
        (lun.source, lun.name) for lun in case.of_kind("multipath") if lun.number("failed_paths")
    }
    for path in case.of_kind("path"):
        device = str(path.values.get("device") or "")
        if path.values.get("state") == "dead" and (path.source, device) not in counted:
            yield Finding(
                "failed-paths", "warning", subject_of(path),
                f"The path {path.name}" + (f" to {device}" if device else "")
                + " is dead: no I/O goes over it.",
                path.evidence("state", "device", "adapter", "transport"),
                "look at the link, the switch and the port of the array that this path goes over",
                "`esxcli storage core path list` shows no path as dead",
            )  # fmt: skip


def _offline_controllers(case: EvidenceSet) -> Iterator[Finding]:
    for controller in case.of_kind("nvme_controller"):
        if controller.values.get("state") == "offline":
            yield Finding(
                "failed-paths", "warning", subject_of(controller),
                f"The NVMe controller {controller.name} is offline: no I/O goes over it.",
                controller.evidence("state", "adapter", "transport", "controller"),
                "look at the link and the port of the array, or at the drive; vmkernel.log says "
                "when it went offline",
                "`esxcli nvme controller list` shows it with “Is Online” true",
            )  # fmt: skip


def _lost_devices(case: EvidenceSet) -> Iterator[Finding]:
    for disk in case.with_value("devfs_path", "multipath_plugin"):
        if why := _LOST.get(str(disk.values.get("status"))):
            yield Finding(
                "lost-device", "error", subject_of(disk),
                f"ESXi cannot reach {disk.name}: {why}.",
                disk.evidence("status", "multipath_plugin", "is_local"),
                "look at the array, the switches and the cables; a device that is lost for good "
                "is unmounted, detached and rescanned",
                f"`esxcli storage core device list -d {disk.name}`: “Status: on”",
            )  # fmt: skip


def _full_datastores(case: EvidenceSet) -> Iterator[Finding]:
    for volume in case.of_kind("vmfs"):
        left = volume.values.get("available")
        if not _VMFS.fullmatch(str(volume.values.get("type"))) or not isinstance(left, int):
            continue
        if left < _LITTLE:
            yield Finding(
                "out-of-space", "error" if left < _LEAST else "warning", subject_of(volume),
                f"The datastore {volume.name} has {units.show_bytes(left)} left: "
                + ("VMFS does not grow files any more below 100 MB, and virtual machines that "
                   "write to thin disks or snapshots stop." if left < _LEAST
                   else "below 100 MB VMFS does not grow files any more."),
                volume.evidence("available", "size", "type"),
                "delete or move files, consolidate snapshots, or grow the datastore",
                "`esxcli storage filesystem list`: Free above 200 MB",
            )  # fmt: skip


def _lost_in_log(case: EvidenceSet) -> Iterator[Finding]:
    """Devices that were lost as the VMkernel's log counts it."""
    for disk in case.counted(_LOG):
        down, ends, timeouts, gone = map(disk.number, _APD)
        senses = disk.values.get("sense_data")
        unknown = isinstance(senses, list) and _NO_LUN in senses
        if disk.kind != ESXI_DEVICE or not (down or timeouts or gone or unknown):
            continue
        if gone or unknown:
            why = "it was removed or is permanently inaccessible (PDL)"
        else:
            why = f"all its paths were down ({down or timeouts} ×, back {ends} ×)"
        yield Finding(
            "lost-device", "error" if gone or unknown or ends < (down or timeouts) else "warning",
            subject_of(disk), f"The log of ESXi says of {disk.name}: {why}.",
            disk.evidence(*_APD),
            "look at the array, the switches and the cables at these times; of a device that is "
            "lost for good, unmount the datastore, detach the device and rescan",
            "`esxcli storage core device list`: “Status: on”, and the log stays without such lines",
        )  # fmt: skip


def _not_offered(case: EvidenceSet) -> Iterator[Finding]:
    """Devices that refused only what ESXi asks each one for."""
    for disk in case.counted(_LOG):
        refused, failed = disk.number("refused_commands"), disk.number("failed_commands")
        senses, commands = disk.values.get("sense_data"), disk.values.get("commands")
        if not refused or failed or not isinstance(senses, list) or not isinstance(commands, list):
            continue
        names = [_ASKED.get(str(command), "") for command in commands]
        if not all(names) or not all(_NOT_OFFERED.fullmatch(str(sense)) for sense in senses):
            continue
        yield Finding(
            "refused-commands", "note", subject_of(disk),
            f"{disk.name} answered ILLEGAL REQUEST to {', '.join(names)}: it does not have what "
            "ESXi asks every device for. No data were lost.",
            (*disk.evidence("refused_commands"),
             Evidence("sense_data", ", ".join(map(str, senses)), "", disk.where)),
            "nothing has to be done",
            "the opcodes in the log stay these, and none is of a read (0x28) or a write (0x2a)",
        )  # fmt: skip


_PATHS = "VMware vSphere Storage, Monitoring and Managing Storage Paths"
RULES: tuple[Rule, ...] = (
    Rule("failed-paths", "multipath", "Single paths of ESXi that are dead.", _PATHS, _dead_paths,
         stage="device"),
    Rule("failed-paths", "multipath", "NVMe controllers of ESXi that are offline.",
         "ESXCLI Reference, nvme controller list", _offline_controllers, stage="device"),
    Rule("lost-device", "disk", "Devices that ESXi has lost, for now (APD) or for good (PDL).",
         "VMware vSphere Storage, Handling Transient APD Conditions", _lost_devices,
         stage="stopped"),
    Rule("lost-device", "disk", "Devices that the log of ESXi says were lost.",
         "Broadcom KB 318888", _lost_in_log, stage="stopped"),
    Rule("refused-commands", "disk", "Devices that refused only what ESXi asks each of.",
         "Broadcom KB 1010244; T10 SPC-4", _not_offered),
    Rule("out-of-space", "vmfs", "Datastores with less than 200 MB left.",
         "Broadcom KB 318856", _full_datastores, stage="waiting"),
)  # fmt: skip
