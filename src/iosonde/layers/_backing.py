"""What is behind a disk, as far as a text shows it: a drive, a LUN, a namespace, a virtual disk.

What is wrong with a drive is looked for in its SMART data and its cable; a LUN, a namespace that is
reached over a network and a virtual disk have neither.

Source:
    Linux drivers/block/virtio_blk.c and xen-blkfront.c (vda, xvda); drivers/scsi/hosts.c ("scsi
    hostN: " and the driver's name: iscsi_tcp.c, ib_iser, virtio_scsi.c, vmw_pvscsi.c,
    storvsc_drv.c, qla2xxx, lpfc, bfa, fnic); drivers/nvme/host/core.c, nvme_init_subsystem() (a
    subsystem has the number of its first controller); the vendors and models of multipath-tools'
    hwtable.c, of LIO (target_core_device.c), tgt and SCST; QEMU hw/scsi/scsi-disk.c and
    hw/ide/core.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Literal

from iosonde.layers import BACKINGS
from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence

Backing = Literal["drive", "lun", "namespace", "virtual", "unknown"]

_VIRTUAL = re.compile(
    r"\bQEMU\b|\bVMware\b|Virtual[ _]disk\b|\bVBOX\b|VirtualBox|\bXENSRC\b|\bGoogle\b"
    r"|PersistentDisk|Amazon Elastic Block|\bMsft\b",
    re.IGNORECASE,
)  # vendors and models that hypervisors give their disks
_LUN = re.compile(
    r"\b(?:LIO-ORG|IET|SCST_(?:FIO|BIO)|NETAPP|LUN C-Mode|DGC|SYMMETRIX|3PARdata|OPEN-V|2145"
    r"|2107900|FlashArray|COMPELNT|EQLOGIC|Nimble|XtremApp|PowerStore|NUTANIX|HSV\d{3}|MSA \d{4}"
    r"|OPNFILER|INFINIDAT|(?:Synology|FreeNAS|TrueNAS|QNAP)?[ _]?iSCSI (?:Storage|Disk))\b",
    re.IGNORECASE,
)  # those that arrays and targets give their LUNs
_ADAPTERS: Mapping[Backing, re.Pattern[str]] = {
    "lun": re.compile(
        r"iSCSI|\bFC(?:oE)?\b|Fibre Channel|qla2xxx|lpfc|fnic|\bbfa\b", re.IGNORECASE
    ),
    "virtual": re.compile(r"Virtio|pvscsi|storvsc|\bxen", re.IGNORECASE),
}
_BY_NAME: Mapping[Backing, re.Pattern[str]] = {
    "drive": re.compile(r"ata\d|mmc(?:blk)?\d|usb |ada\d|ahcich|megaraid_sas|mpt\dsas|aacraid"),
    "virtual": re.compile(r"x?vd[a-z]"),
    "lun": re.compile(r"(?:connection|session)\d|rport-|lpfc|qla2xxx"),
}
_PART = re.compile(r"((?:sd|hd|vd|xvd)[a-z]+)\d+$|(nvme\d+n\d+|mmcblk\d+)p\d+$")
_CONTROLLER = re.compile(r"nvme\d+")
_TARGETS = re.compile(r"Linux$|SPDK|NetApp ONTAP", re.IGNORECASE)
"""Models that targets of NVMe-oF give their controllers; "Linux" is the kernel's own."""
_PLACE = re.compile(r"sd (?P<hctl>(?P<host>\d+):\d+:\d+:\d+): \[(?P<disk>sd[a-z]+)\]")
_FABRIC = frozenset(
    {"error_recoveries", "failed_reconnects", "failed_keep_alives", "waits_to_reconnect",
     "reconnects", "connections", "disconnections"}
)  # fmt: skip
"""Counters of a kernel's log that only a controller has which is reached over a network."""
_MADE = ("vendor", "model", "models", "product", "device_model")
_SMART = ("power_on_hours", "media_errors", "reallocated_sectors", "rotation_rate")


_LOOK: Mapping[Backing, str] = {
    "drive": "look at the drive (`smartctl -x`), its cable and its controller",
    "lun": "look at the way to its target (iSCSI: `iscsiadm -m session -P 3`; Fibre Channel: "
    "/sys/class/fc_host/*/port_state), the network between, and the target's own log and drives",
    "namespace": "look at the connection to its subsystem (`nvme list-subsys`), the network "
    "between, and the target's own log and drives",
    "virtual": "look at the hypervisor: its log of that time, and the storage that holds the "
    "virtual disk",
    "unknown": "see what it is (`lsblk -o NAME,TRAN,VENDOR,MODEL`), and look at a drive and its "
    "cable (`smartctl -x`), at the session and the target of a LUN, or at the hypervisor of a "
    "virtual disk",
}


def where_to_look(case: EvidenceSet, thing: StateEvidence | CounterEvidence, name: str) -> str:
    """The part of a remedy that says where the cause of a disk's errors is found."""
    return _LOOK[backing_of(case, thing, name)]


def backing_of(case: EvidenceSet, thing: StateEvidence | CounterEvidence, name: str) -> Backing:
    """What is behind a disk or a part of one.

    Args:
        case: where it may be shown.
        thing: what speaks of the disk, on the same host.
        name: of the disk, its address, or its adapter's or connection's name; a path is one, too.
    """
    disk = name.removeprefix("/dev/")
    if not disk:
        return "unknown"
    if part := _PART.match(disk):
        disk = part[1] or part[2]
    for backing, names_of in _BY_NAME.items():
        if names_of.match(disk):
            return backing
    items = list(_near(case, thing))
    names = _names(items, disk)
    every = [item for item in items if item.name in names]
    shown = {
        *(BACKINGS.get(str(item.values.get("transport"))) for item in every),
        *(_made(item) for item in every),
        *(_attached(item, names) for item in items),
    }
    if "lun" in shown and _CONTROLLER.match(disk):
        return "namespace"
    order: tuple[Backing, ...] = ("virtual", "namespace", "drive", "lun")
    return next((backing for backing in order if backing in shown), "unknown")


def _near(
    case: EvidenceSet, thing: StateEvidence | CounterEvidence
) -> Iterator[StateEvidence | CounterEvidence]:
    """What the same text says, of the same host where both are known."""
    items: Iterator[StateEvidence | CounterEvidence] = chain(case.states, case.counters)
    for item in items:
        if item.source == thing.source and (not item.host or thing.host in {"", item.host}):
            yield item


def _names(items: list[StateEvidence | CounterEvidence], disk: str) -> set[str]:
    """The disk's names: with its address on the bus, or its controller."""
    names = {disk}
    if controller := _CONTROLLER.match(disk):
        names.add(controller[0])
    for item in items:
        address = item.values.get("hctl")
        if item.name in names and isinstance(address, str):
            names.add(address)
        elif address in names:
            names.add(item.name)
        messages = item.values.get("messages")
        for message in messages if isinstance(messages, list) else ():
            place = _PLACE.match(str(message))
            if place and names & {place["disk"], place["hctl"]}:
                names |= {place["disk"], place["hctl"]}
    return names


def _made(item: StateEvidence | CounterEvidence) -> Backing | None:
    """What the vendor, the model or the health of a disk says."""
    made = " ".join(_text(item, name) for name in _MADE).strip()
    if _VIRTUAL.search(made):
        return "virtual"
    if _LUN.search(made):
        return "lun"
    if _TARGETS.match(made) or any(item.values.get(name) is not None for name in _FABRIC):
        return "namespace"
    is_drive = made.startswith("ATA ") or any(item.values.get(name) is not None for name in _SMART)
    return "drive" if is_drive else None


def _attached(item: StateEvidence | CounterEvidence, names: set[str]) -> Backing | None:
    """What an adapter or a session says of the disks that are reached through it."""
    if names & set(_text(item, "disks").split(" ")):
        return "lun"
    host = item.name.removeprefix("host")
    if host == item.name or not any(name.startswith(f"{host}:") for name in names):
        return None
    drivers = _text(item, "drivers")
    return next((each for each, which in _ADAPTERS.items() if which.search(drivers)), None)


def _text(item: StateEvidence | CounterEvidence, name: str) -> str:
    """A value as text; of a list, its members."""
    value = item.values.get(name)
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)
