"""What a lab is made of: nodes, their memory and disks, and the network between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from iosonde.errors import UsageError
from iosonde.lab.release import checked_suite
from iosonde.units import GIB, MIB

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")
_SERIAL = 20  # letters of a disk's name: VIRTIO_BLK_ID_BYTES (include/uapi/linux/virtio_blk.h)


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """How fast a disk may be: I/Os per second and bytes per second; None is no limit."""

    iops: float | None = None
    bandwidth: float | None = None


MEMORY = "lab-state"
"""Name of the disk on which a node keeps its root file system over a loss of power (boot/init)."""

LIKE: Mapping[str, DiskLimits] = {
    # random 4 KiB and sequential figures of data sheets, rounded: Seagate Enterprise Performance
    # 10K.8 (ST1200MM0088), Exos 7E8 (ST8000NM0055); 3.9 ms and 8.5 ms of seek, 10,500 and
    # 7,200 1/min, so 1 / (seek + half a turn)
    "10k-sas": DiskLimits(iops=148, bandwidth=215e6),
    "7k2-sata": DiskLimits(iops=79, bandwidth=249e6),
    # SATA at 6 Gbit/s (SATA 3.x: 8b/10b) bounds the one, its queue of 32 the other
    "sata-ssd": DiskLimits(iops=90_000, bandwidth=550e6),
    "nvme": DiskLimits(),
}
"""Kinds of disks that can be approximated; an emulated node reaches none of an NVMe drive's."""


@dataclass(frozen=True, slots=True)
class DiskSpec:
    """A sparse disk of `size` bytes, or one that `source` holds: a path or an NBD address.

    An NBD address is "nbd:HOST:PORT/EXPORT"; a HOST that is a node of the lab is reached by a
    forwarded port. `bus` is what it is attached by; `options` are further properties of that QEMU
    device, with virtio-scsi of its controller (num-queues, iothread …), `cache` and `aio` as
    QEMU's drives have them.
    """

    name: str
    size: int = GIB
    limits: DiskLimits = field(default_factory=DiskLimits)
    source: str = ""
    bus: str = "virtio-blk"
    cache: str = "none"
    aio: str = "threads"
    options: Mapping[str, str] = field(default_factory=dict)


def memory_disk() -> DiskSpec:
    """The disk of a node that remembers what was written to its root file system."""
    return DiskSpec(MEMORY, GIB)


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A virtual host. A guest names its `host`, the node that starts and ends it (guests.py)."""

    name: str
    memory: int = 384 * MIB
    cpus: int = 1
    disks: tuple[DiskSpec, ...] = ()
    host: str = ""


@dataclass(frozen=True, slots=True)
class LabSpec:
    """A lab. Node number n of `nodes`, from 1, has the address 10.9.0.n.

    `arch` is the architecture of all of them (architecture.py), `suite` their release of Debian
    (release.py); "" is this machine's own.
    """

    name: str
    nodes: tuple[NodeSpec, ...]
    mtu: int = 9000
    arch: str = ""
    suite: str = ""


def limits_like(like: str, iops: float | None, bandwidth: float | None) -> DiskLimits:
    """The limits of a kind of disk, with what is said besides.

    Raises:
        UsageError: there is no such kind.
    """
    if like and like not in LIKE:
        raise UsageError(f"there is no disk like {like!r}; known: {', '.join(sorted(LIKE))}")
    limits = LIKE.get(like, DiskLimits())
    return replace(limits, iops=iops or limits.iops, bandwidth=bandwidth or limits.bandwidth)


def checked(spec: LabSpec) -> LabSpec:
    """The same lab.

    Raises:
        UsageError: a name cannot be used, or is defined twice.
    """
    checked_suite(spec.suite)
    names = [spec.name, *(node.name for node in spec.nodes)]
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is not a valid name for a lab or a node",
                hint="small letters, digits, - and _, a letter first, at most 31",
            )
    own = {node.name for node in spec.nodes if not node.host}
    for node in spec.nodes:
        if node.host and node.host not in own:
            raise UsageError(
                f"the guest {node.name} needs a node of the lab as its host, not a guest"
            )
    for what, some in (
        ("node", [node.name for node in spec.nodes]),
        *((f"disk of {node.name}", [disk.name for disk in node.disks]) for node in spec.nodes),
    ):
        for name in some:
            if some.count(name) > 1:
                raise UsageError(f"the {what} {name!r} is defined twice")
            if len(name) > _SERIAL and what != "node":
                raise UsageError(f"the name of a disk has at most {_SERIAL} letters, not {name!r}")
    return spec
