"""Partitions: where each starts on its disk, and whether that fits what lies below.

A start that is no multiple of the physical sector costs a read-modify-write inside the disk for
each write; one that is no multiple of the stripe (the disk's optimal I/O size, which md, dm and
RAID controllers set to the stripe width) makes a write of one whole stripe touch two.

Source: Linux Documentation/ABI/stable/sysfs-block (start, alignment_offset, minimum_io_size,
optimal_io_size).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._grid import (
    alignment_facts,
    alignment_hazards,
    believed_stripe,
)
from iosonde.layers.layer import BlockDevice, Layer, Scene
from iosonde.layers.site import Builds, Compared, Compares, Declared, Shares, Site, Size, Sized
from iosonde.layers.step import Check, Command, Step, UndoSubject, run, wipe
from iosonde.records.stack import Scalar, StackLayer
from iosonde.units import MIB, SECTOR, show_bytes


def _figure(value: Scalar) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0


class PartitionDeclared(Declared):
    """A partition of a disk of its own table (GPT), which its first partition makes.

    `start` and `size` in bytes; without `size` it takes all that is free behind its start. Each
    partition of a disk has another `number`.
    """

    kind: Literal["partition"] = "partition"
    number: int = Field(default=1, ge=1, le=128)
    start: Size = MIB
    size: Size | None = None


_NUMBER = re.compile(r"[0-9]+$")  # the name of a partition ends with it (block/partitions/core.c)
_TABLE = 33 * SECTOR
_FIRST = 34 * SECTOR
_NODE = """\
for one in "/sys/block/$(basename "$(readlink -f "$1")")"/*/partition; do
    if [ "$(cat "$one")" = "$2" ]; then one=${one%/partition}; echo "/dev/${one##*/}"; fi
done
"""
# 77 says that a thing is not what it was (change/identity.py).
_NONE_LEFT = (
    'if sfdisk --dump "$1" | grep -q "start="; then '
    'echo "the table of $1 has partitions that others made" >&2; exit 77; fi'
)
_SHOWN = 'sfdisk --dump "$1" | grep -qi "uuid=$2"'
_SFDISK = ("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel")


def _table(site: Site) -> Step:
    """The step that makes the table; the partitions of one disk have it in common.

    Its identifier follows from the disk's name in the stack, so that no other table is taken for
    it.
    """
    disk = site.only
    identifier = disk.uuid("gpt").upper()
    return Step(
        f"make a partition table on {disk.name}",
        (
            Command((*_SFDISK, disk.device), f"label: gpt\nlabel-id: {identifier}\n"),
            run("partx", "--update", disk.device, may_fail=True),
        ),
        Check(("sfdisk", "--dump", disk.device), shows=(f"label-id: {identifier}",)),
        (
            run("sh", "-c", _NONE_LEFT, "sh", disk.device),
            wipe("wipefs", "--quiet", "--all", "--types", "gpt,PMBR", disk.device),
        ),
        destroys=(disk.device,),
        shared=True,
    )


def _line(site: Site) -> str:
    """The partition as a line of a script for sfdisk(8): sectors of 512 bytes."""
    declared = site.declared_as(PartitionDeclared)
    for what, value in (("start", declared.start), ("size", declared.size or 0)):
        if value % SECTOR:
            raise site.wrong(f"{what} {value} is no multiple of {SECTOR} bytes")
    size = f", size={declared.size // SECTOR}" if declared.size else ""
    # What stands before the colon is read for its number alone.
    return (
        f"{site.only.device}-part{declared.number} : start={declared.start // SECTOR}{size}, "
        f"uuid={site.uuid('part')}\n"
    )


class Partition(Layer, Builds, Sized, Compares, Shares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "partition"
    passes_through = True
    queues_requests = False
    declaration = PartitionDeclared
    probe = "device"
    settings = ()
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        devices = [device for device in scene.devices.values() if device.type == "part"]
        disks = {name for device in devices for name in device.below if name in scene.devices}
        paths = {name: f"{scene.devices[name].sysfs}/alignment_offset" for name in disks}
        files = await scene.host.read_many([paths[name] for name in sorted(disks)])
        offsets = {}
        for name, path in paths.items():
            content = files.get(path)
            offsets[name] = (
                _figure(kerneltext.decoded(content).strip()) if isinstance(content, bytes) else 0
            )
        return tuple(self._layer(scene, device, offsets) for device in devices)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        """Other partitions of the disk may be in use meanwhile (partx(8))."""
        disk, number = site.only.device, str(site.declared_as(PartitionDeclared).number)
        return (
            _table(site),
            Step(
                f"make partition {number}",
                (
                    Command((*_SFDISK, "--append", disk), _line(site)),
                    run("partx", "--update", "--nr", number, disk),
                ),
                Check(("sh", "-c", _SHOWN, "sh", disk, site.uuid("part"))),
                (
                    run("partx", "--delete", "--nr", number, disk, may_fail=True),
                    wipe(*_SFDISK, "--delete", disk, number),
                ),
                touches=(
                    UndoSubject("device", disk),
                    UndoSubject(
                        "device",
                        f"<partition {number} of {disk}>",
                        ("sh", "-c", _NODE, "sh", disk, number),
                        given="lost",
                    ),
                ),
            ),
        )

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """The last 33 sectors are the second table's (UEFI, GPT)."""
        declared = site.declared_as(PartitionDeclared)
        if declared.start < _FIRST:
            raise site.wrong(f"a partition cannot start at {declared.start} bytes: there is GPT")
        if below[0] is None:
            return declared.size
        free = below[0] - _TABLE - declared.start
        if free <= 0 or (declared.size or 0) > free:
            end = f" and {show_bytes(declared.size)} from there" if declared.size else ""
            raise site.wrong(
                f"start {show_bytes(declared.start)}{end} is beyond the end of {site.only.name}, "
                f"which has {show_bytes(below[0])}"
            )
        return declared.size or free

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        declared = site.declared_as(PartitionDeclared)
        number = _NUMBER.search(layer.device)
        return (
            Compared("number", declared.number, int(number[0]) if number else None),
            Compared("start", declared.start, layer.facts.get("start"), "B"),
            Compared("size", declared.size, layer.size, "B"),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The stable name where udev gives one, else the kernel's."""
        stable = f"/dev/disk/by-partuuid/{site.uuid('part')}"
        if (await host.run(["test", "-b", stable], check=False)).status == 0:
            return stable
        name = posixpath.basename(await host.resolve(site.only.device))
        files = await host.read_many(await host.glob(f"/sys/block/{name}/*/partition"))
        number = str(site.declared_as(PartitionDeclared).number)
        for path, content in files.items():
            if isinstance(content, bytes) and kerneltext.decoded(content).strip() == number:
                return f"/dev/{path.split('/')[-2]}"
        return None

    def _layer(self, scene: Scene, device: BlockDevice, offsets: dict[str, int]) -> StackLayer:
        facts: dict[str, Scalar] = {}
        start = device.lsblk.get("start")
        if isinstance(start, int):
            physical = (
                _figure(device.queue.get("physical_block_size", ""))
                or _figure(device.lsblk.get("phy-sec"))
                or SECTOR
            )
            io_min = _figure(device.queue.get("minimum_io_size", ""))
            io_opt = _figure(device.queue.get("optimal_io_size", ""))
            offset = next((offsets[name] for name in device.below if name in offsets), 0)
            stripe = believed_stripe(physical, io_min, io_opt)
            facts = alignment_facts(start * SECTOR, physical, stripe, offset)
        table = {"pttype": "table", "parttypename": "type", "partlabel": "label"}
        facts |= {to: device.lsblk[key] for key, to in table.items() if device.lsblk.get(key)}
        return scene.device_layer(
            self.kind,
            device,
            below=tuple(scene.on_device(name) for name in device.below),
            facts=facts,
            hazards=alignment_hazards(facts),
        )

    @override
    def claim(self, _site: Site) -> tuple[str, ...]:
        return ("partitions",)

    def check(self, own: Sequence[Site], _room: Mapping[str, int | None]) -> None:
        """Partitions of a disk have numbers of their own and do not overlap."""
        for other, site in combinations(own, 2):
            if site.below and other.below and site.below[0].name == other.below[0].name:
                _check_pair(site, other, site.below[0].name)


def _check_pair(site: Site, other: Site, disk: str) -> None:
    first, second = (sibling.declared_as(PartitionDeclared) for sibling in (other, site))
    if first.number == second.number:
        raise site.wrong(f"partition {first.number} of {disk} is the layer {other.name} already")
    low, high = sorted((first, second), key=lambda partition: partition.start)
    if low.size is not None and low.start + low.size > high.start:
        raise site.wrong(f"it overlaps with the partition {other.name} of {disk}")
