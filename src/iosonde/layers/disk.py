"""Disks: what a host has no software below: SATA, SAS, NVMe, virtio, and whatever else has a queue.

Loop and zram devices have files of their own. The transport is lsblk's TRAN, else what the name of
the device tells. A disk lacks settings that its transport has no use for: NVMe and virtio have no
`queue_depth`, multipath and bio-based devices no scheduler.

Source: lsblk(8); Linux Documentation/ABI/stable/sysfs-block; drivers/scsi/scsi_sysfs.c
(queue_depth), block/blk-sysfs.c (6.x).
"""

from __future__ import annotations

import re
from typing import ClassVar

from iosonde.layers.layer import BlockDevice, LayerSetting, Scene, queue_settings
from iosonde.records import Scalar, StackLayer

# lsblk's types of disks; what looks like one to lsblk, but has a file of its own, is below.
_TYPES = frozenset({"disk", "rom"})
_OTHERS = re.compile(r"(?:loop|zram|md|dm-|bcache)\d")

# Names whose transport lsblk leaves out (virtio before 2.38, all of these in part).
_TRANSPORTS = (
    ("vd", "virtio"), ("nvme", "nvme"), ("xvd", "xen"), ("nbd", "nbd"), ("rbd", "rbd"),
    ("mmcblk", "mmc"), ("drbd", "drbd"), ("pmem", "pmem"), ("ram", "ram"),
    ("etherd/", "aoe"), ("fd", "floppy"), ("sr", "ata"),
)  # fmt: skip


def transport(device: BlockDevice) -> str | None:
    """How a disk is attached: lsblk's word, else by its name; None where neither tells."""
    told = device.lsblk.get("tran")
    if told:
        return str(told)
    if device.lsblk.get("subsystems") and "virtio" in str(device.lsblk["subsystems"]):
        return "virtio"
    name = device.path.removeprefix("/dev/")
    return next((word for start, word in _TRANSPORTS if name.startswith(start)), None)


def queue_figure(device: BlockDevice, name: str) -> int | None:
    """A figure of the device's queue directory; None where it has none."""
    text = device.queue.get(name, "")
    return int(text) if text.isdecimal() else None


def disk_facts(device: BlockDevice) -> dict[str, Scalar]:
    """What a disk is. Sizes in bytes; what neither lsblk nor sysfs tells is left out."""
    rotational = device.queue.get("rotational")
    facts: dict[str, Scalar] = {
        "vendor": device.lsblk.get("vendor"),
        "model": device.lsblk.get("model"),
        "serial": device.lsblk.get("serial"),
        "firmware": device.lsblk.get("rev"),
        "wwn": device.lsblk.get("wwn"),
        "transport": transport(device),
        "hctl": device.lsblk.get("hctl"),
        "rotational": device.lsblk.get("rota") if rotational is None else rotational == "1",
        "logical_block_size": queue_figure(device, "logical_block_size")
        or device.lsblk.get("log-sec"),
        "physical_block_size": queue_figure(device, "physical_block_size")
        or device.lsblk.get("phy-sec"),
        "io_min": queue_figure(device, "minimum_io_size"),
        "io_opt": queue_figure(device, "optimal_io_size") or None,
        "zoned": _word(device, "zoned"),
        "fua": None if "fua" not in device.queue else device.queue["fua"] == "1",
        "discard": (queue_figure(device, "discard_max_bytes") or 0) > 0 if device.queue else None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _word(device: BlockDevice, name: str) -> str | None:
    text = device.queue.get(name, "none")
    return None if text == "none" else text


class Disk:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "disk"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
        *queue_settings("scheduler", "nr_requests"),
        LayerSetting("queue_depth", "sysfs", "/sys/block/{name}/device/queue_depth"),
        *queue_settings(
            "rq_affinity", "read_ahead_kb", "nomerges", "max_sectors_kb", "write_cache",
            "wbt_lat_usec", "add_random", "iostats",
        ),
    )  # fmt: skip

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`. Drives without a medium have no size: left out."""
        return tuple(
            StackLayer(
                id=scene.identity(self.kind, device.name),
                kind=self.kind,
                host=scene.host.name,
                device=device.path,
                size=device.size,
                below=tuple(scene.on_device(name) for name in device.below),
                facts=disk_facts(device),
            )
            for device in scene.devices.values()
            if device.size > 0 and device.type in _TYPES and not _OTHERS.match(device.name)
        )
