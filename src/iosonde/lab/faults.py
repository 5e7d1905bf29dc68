"""Breaks a running lab on purpose, and mends it: power cuts, cut cables, failing and slow disks.

Source: QEMU qapi/net.json (set_link), qapi/block-core.json (blockdev-add, blockdev-reopen,
BlockdevOptionsBlkdebug), qapi/qom.json (qom-set of a throttle group's limits); block/blkdebug.c;
hw/nvme/ctrl.c (smart_critical_warning).
"""

from __future__ import annotations

import contextlib
from typing import Any

from iosonde.errors import HostFailed, UsageError
from iosonde.lab.qmp import ask
from iosonde.lab.spec import DiskLimits
from iosonde.lab.state import Lab, LabNode

_EIO = 5
_TOO_HOT = 2  # bit 1 of the critical warning; NVM Express Base Specification 2.0, 5.16.1.3


async def cut(lab: Lab, node: LabNode) -> None:
    """Cut a node off the private network: both directions are silent, the link stays up.

    Its ssh goes another way and still works.
    """
    await _set_port(lab, node, up=False)


async def heal(lab: Lab, node: LabNode) -> None:
    """Undo `cut`, `fail`, `slow` and `heat` of a node; one that does not run stays so."""
    await _set_port(lab, node, up=True)
    if lab.pid(node.name) is None:
        return
    for disk in node.disks:
        await _reopen(lab, node, disk, below=f"r-{disk}")
        with contextlib.suppress(HostFailed):
            await _ask(lab, node, "blockdev-del", {"node-name": f"e-{disk}"})
        await slow(lab, node, disk, _declared(node, disk))
        if _is_nvme(node, disk):
            await _warn(lab, node, disk, 0)


async def _set_port(lab: Lab, node: LabNode, *, up: bool) -> None:
    arguments = {"name": f"p{node.number}", "up": up}
    await ask(lab.directory / "qmp", "set_link", arguments)


async def fail(lab: Lab, node: LabNode, disk: str) -> None:
    """Let every read and write of a disk end with EIO from now on.

    Flushes pass: QEMU flushes a drive before it lets go of it, so that nothing could be mended.
    """
    _require(node, disk)
    size = await _size(lab, node, disk)
    broken: dict[str, object] = {
        "driver": "blkdebug",
        "node-name": f"e-{disk}",
        "image": {"driver": "null-co", "size": size, "read-zeroes": True},
        "inject-error": [
            {"event": "none", "iotype": iotype, "errno": _EIO, "once": False, "immediately": True}
            for iotype in ("read", "write", "write-zeroes", "discard")
        ],
    }
    await _ask(lab, node, "blockdev-add", broken)
    await _reopen(lab, node, disk, below=f"e-{disk}")


async def _reopen(lab: Lab, node: LabNode, disk: str, *, below: str) -> None:
    """Put another node below the throttle, which the device holds on to."""
    throttle = {
        "driver": "throttle", "node-name": f"d-{disk}", "throttle-group": f"t-{disk}",
        "file": below, "discard": "unmap",
    }  # fmt: skip
    await _ask(lab, node, "blockdev-reopen", {"options": [throttle]})


async def slow(lab: Lab, node: LabNode, disk: str, limits: DiskLimits) -> None:
    """Give a disk other limits; those that are None end."""
    _require(node, disk)
    value = {
        "iops-total": max(round(limits.iops), 1) if limits.iops else 0,
        "bps-total": max(round(limits.bandwidth), 1) if limits.bandwidth else 0,
    }
    arguments: dict[str, object] = {
        "path": f"/objects/t-{disk}",
        "property": "limits",
        "value": value,
    }
    await _ask(lab, node, "qom-set", arguments)


async def heat(lab: Lab, node: LabNode, disk: str) -> None:
    """Let an NVMe drive warn that its temperature is beyond its threshold; its speed is `slow`'s.

    Raises:
        UsageError: the disk is not attached as an NVMe drive.
    """
    _require(node, disk)
    if not _is_nvme(node, disk):
        raise UsageError(
            f"the disk {node.name}/{disk} keeps no health log",
            hint="only NVMe drives do: iosonde lab up --disks 1 --bus nvme",
        )
    await _warn(lab, node, disk, _TOO_HOT)


def _is_nvme(node: LabNode, disk: str) -> bool:
    return any(
        word.startswith("nvme,") and f"id=v-{disk}" in word.split(",") for word in node.command
    )


async def _warn(lab: Lab, node: LabNode, disk: str, bits: int) -> None:
    """Set the critical warning of an NVMe drive's SMART log."""
    arguments: dict[str, object] = {
        "path": f"/machine/peripheral/v-{disk}", "property": "smart_critical_warning",
        "value": bits,
    }  # fmt: skip
    await _ask(lab, node, "qom-set", arguments)


def _declared(node: LabNode, disk: str) -> DiskLimits:
    """The limits a disk began with, from the node's command line."""
    for word in node.command:
        if word.startswith(f"throttle-group,id=t-{disk}"):
            options = dict(part.split("=", 1) for part in word.split(",")[1:])
            if options.get("id") == f"t-{disk}":
                iops, rate = options.get("x-iops-total"), options.get("x-bps-total")
                return DiskLimits(float(iops) if iops else None, float(rate) if rate else None)
    return DiskLimits()


def _require(node: LabNode, disk: str) -> None:
    if not disk and node.disks:
        raise UsageError(f"say which disk of {node.name}", hint=f"{node.name}/{node.disks[0]}")
    if disk not in node.disks:
        names = ", ".join(node.disks) or "none"
        raise UsageError(f"the node {node.name} has no disk {disk!r}; it has {names}")


async def _size(lab: Lab, node: LabNode, disk: str) -> int:
    """Of a disk in bytes, whether a file or an export holds it (qapi/block-core.json)."""
    blocks: Any = await _ask(lab, node, "query-named-block-nodes", {"flat": True})
    sizes = {block["node-name"]: block["image"]["virtual-size"] for block in blocks}
    return int(sizes[f"r-{disk}"])


async def _ask(lab: Lab, node: LabNode, command: str, arguments: dict[str, object]) -> object:
    return await ask(lab.directory / node.name / "qmp", command, arguments)
