"""Disks: what a host has no software below: SATA, SAS, NVMe, virtio, and whatever else has a queue.

Loop and zram devices have files of their own. The transport is lsblk's TRAN, else what the name of
the device tells. A disk lacks settings that its transport has no use for: NVMe and virtio have no
`queue_depth`, multipath and bio-based devices no scheduler.

Source: lsblk(8); Linux Documentation/ABI/stable/sysfs-block; drivers/scsi/scsi_sysfs.c
(queue_depth), block/blk-sysfs.c (6.x).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import model_validator
from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers._names import transport_by_name
from iosonde.layers.disk.facts_health import ALARMS, HEALTH_UNITS, STATES
from iosonde.layers.disk.health import read_health
from iosonde.layers.layer import BlockDevice, Everything, Layer, LayerSetting, Scene, queue_settings
from iosonde.layers.site import (
    Builds,
    Compared,
    Compares,
    DriveDeclared,
    Hosting,
    Site,
    Sized,
)
from iosonde.layers.step import Check, Step, UndoSubject, exists, run, wipe
from iosonde.records.stack import Scalar, StackLayer

# lsblk's types of disks; what looks like one to lsblk, but has a file of its own, is below.
_TYPES = frozenset({"disk", "rom"})
_OTHERS = re.compile(r"(?:loop|zram|md|dm-|bcache|drbd|nbd|etherd/)\d?")


async def _over_fabrics(scene: Scene) -> set[str]:
    """Names of NVMe namespaces that are reached over a network."""
    names = [name for name in scene.devices if name.startswith("nvme")]
    paths = {f"/sys/block/{name}/device/transport": name for name in names}
    heads = {
        path: path.split("/")[3]
        for name in names
        for path in await scene.host.glob(f"/sys/block/{name}/device/nvme*/transport")
    }
    texts = await scene.texts([*paths, *heads])
    return {
        {**paths, **heads}[path] for path, text in texts.items() if text in {"tcp", "rdma", "fc"}
    }


def transport(device: BlockDevice) -> str | None:
    """How a disk is attached: lsblk's word, else by its name; None where neither tells."""
    column = device.lsblk.get("tran")
    if column:
        return str(column)
    if device.lsblk.get("subsystems") and "virtio" in str(device.lsblk["subsystems"]):
        return "virtio"
    return transport_by_name(device.path)


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


class DiskDeclared(DriveDeclared):
    """A disk: a real one by its `path`, or a `file` of some `size` as a loop device.

    On a host of the lab it is a virtual disk of that `size`, whatever else is declared; `like`,
    `iops`, `bandwidth` (bytes/s) and `latency` say how fast it may be there.
    """

    immaterial = dict.fromkeys(
        ("like", "iops", "bandwidth", "latency"),
        "it says how fast a virtual disk of the lab is, which `iosonde lab up` makes so",
    )

    kind: Literal["disk"] = "disk"

    @model_validator(mode="after")
    def _one_place(self) -> DiskDeclared:
        if self.path and self.file:
            raise ValueError("a disk has a `path` or a `file`, not both")
        if self.of:
            raise ValueError("a disk stands on no other layer")
        return self


_ATTACHED = 'losetup --noheadings --output NAME --associated "$1" | grep .'
_SERIAL_LENGTH = 20  # VIRTIO_BLK_ID_BYTES (include/uapi/linux/virtio_blk.h)


def _attach(declared: DiskDeclared) -> tuple[Step, ...]:
    """Steps that make a file and attach it as a loop device (losetup(8)).

    Others may attach the same file too: their devices are neither detached nor left without it.
    """
    file = declared.file
    asked = ("sh", "-c", _ATTACHED, "sh", file)
    loop = f"<the loop device of {file}>"
    return (
        Step(
            f"make the file {file}",
            (run("truncate", "--size", str(declared.size), file),),
            exists(file),
            (wipe("rm", "--force", file),),
            touches=(UndoSubject("file", file),),
        ),
        Step(
            f"attach {file} as a loop device",
            (run("losetup", "--find", "--direct-io=on", file),),
            Check(asked),
            (run("losetup", "--detach", loop),),
            touches=(UndoSubject("device", loop, asked, given="kept", fleeting=True),),
        ),
    )


class Disk(Layer, Builds, Sized, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "disk"
    declaration = DiskDeclared
    probe = "device"
    settings = (
        *queue_settings("scheduler", "nr_requests"),
        LayerSetting(
            "queue_depth", "sysfs", "/sys/block/{name}/device/queue_depth", low=1, risk="stall"
        ),
        *queue_settings(
            "rq_affinity", "read_ahead_kb", "nomerges", "max_sectors_kb", "write_cache",
            "wbt_lat_usec", "io_poll", "add_random", "iostats",
        ),
    )  # fmt: skip
    shows_members = False
    can_break = False
    health_units: ClassVar[Mapping[str, str]] = HEALTH_UNITS
    alarms: ClassVar[Mapping[str, str]] = ALARMS
    alarm_states: ClassVar[Mapping[str, Mapping[int, str]]] = STATES

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Drives without a medium have no size: left out."""
        fabrics = await _over_fabrics(scene)
        return tuple(
            scene.device_layer(
                self.kind,
                device,
                below=tuple(scene.on_device(name) for name in device.below),
                facts=disk_facts(device),
            )
            for device in scene.devices.values()
            if device.size > 0
            and device.type in _TYPES
            and not _OTHERS.match(device.name)
            and device.name not in fabrics
            and device.lsblk.get("tran") not in LAYERS
        )

    async def health(self, host: Host, layer: StackLayer) -> Mapping[str, Scalar]:
        """See `ReportsHealth.health`."""
        return await read_health(host, layer.device, str(layer.facts.get("transport") or ""))

    def imports(self, layer: StackLayer, everything: Everything) -> tuple[str, ...]:
        """What a virtual machine's disk is on its host, if one disk there has its serial."""
        serial = layer.facts.get("serial")
        ids = [
            other.id for other in everything.layers
            if serial and other.facts.get("serial") == serial and other.host != layer.host
            and isinstance(LAYERS.load(other.kind)(), Hosting)
        ]  # fmt: skip
        return tuple(ids) if len(ids) == 1 else ()

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(DiskDeclared)
        if site.in_lab:
            if len(site.name) > _SERIAL_LENGTH:
                raise site.wrong(f"the name of a disk has at most {_SERIAL_LENGTH} letters")
            return ()
        if declared.file:
            return _attach(declared)
        if not declared.path:
            raise site.wrong("a disk of a real host needs `path:` or `file:`")
        return ()

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """Of a real disk nothing is declared."""
        del below
        declared = site.declared_as(DiskDeclared)
        return None if declared.path and not site.in_lab else declared.size

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """A real disk has the size that it has."""
        declared = site.declared_as(DiskDeclared)
        size = None if declared.path and not site.in_lab else declared.size
        return (Compared("size", size, layer.size, "B"),)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        declared = site.declared_as(DiskDeclared)
        path = f"/dev/disk/by-id/virtio-{site.name}" if site.in_lab else declared.path
        if path:
            done = await host.run(["test", "-b", path], check=False)
            if done.status and not site.in_lab:
                raise HostFailed(
                    "there is no such block device", where=f"{host.name}:{path}",
                    hint=f"correct `path:` of the layer {site.name}",
                )  # fmt: skip
            return None if done.status else path
        done = await host.run(["sh", "-c", _ATTACHED, "sh", declared.file], check=False)
        return kerneltext.decoded(done.stdout).split("\n")[0].strip() or None

    def check(self, own: Sequence[Site], _room: Mapping[str, int | None]) -> None:
        """A device or a file is one disk of the stack."""
        seen: dict[tuple[str, str], str] = {}
        for site in own:
            if site.in_lab:
                continue
            declared = site.declared_as(DiskDeclared)
            place = site.host, declared.path or declared.file
            if place[1] and place in seen:
                raise site.wrong(f"{place[1]} on {place[0]} is the disk {seen[place]} already")
            seen[place] = site.name
