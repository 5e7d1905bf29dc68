"""A block device with everything that shares its blocks: its partitions, and its disk."""

from __future__ import annotations

from dataclasses import dataclass

from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host


@dataclass(frozen=True, slots=True)
class Member:
    """One device of a family; `relation` words its bond to the target: "", "its partition" …."""

    name: str
    number: str
    sysfs: str
    relation: str


@dataclass(frozen=True, slots=True)
class Family:
    """The target first, then its partitions, or the disk it is a partition of."""

    members: tuple[Member, ...]

    def member(self, number: str) -> Member | None:
        """The member with a device number."""
        return next((one for one in self.members if one.number == number), None)


async def family_of(host: Host, path: str, number: str) -> Family:
    """The family of the device `number`.

    A sibling partition is no member: writing to one does not touch the other.

    Raises:
        Refused: sysfs does not know the device, so nothing could be said of its use.
    """
    try:
        sysfs = await host.resolve(f"/sys/dev/block/{number}")
    except IosondeError as problem:
        raise Refused(
            "the kernel does not show this device in sysfs, so its use cannot be checked",
            where=path,
            evidence=str(problem),
        ) from None
    itself = Member(sysfs.rsplit("/", 1)[1], number, sysfs, "")
    is_partition = bool(await host.glob(f"{sysfs}/partition"))
    if is_partition:
        disk = sysfs.rsplit("/", 1)[0]
        number_of_disk = (await host.read(f"{disk}/dev")).decode().strip()
        parent = Member(disk.rsplit("/", 1)[1], number_of_disk, disk, "the disk it is part of")
        return Family((itself, parent))
    parts = []
    for mark in await host.glob(f"{sysfs}/*/partition"):
        part = mark.rsplit("/", 1)[0]
        name = part.rsplit("/", 1)[1]
        part_number = (await host.read(f"{part}/dev")).decode().strip()
        parts.append(Member(name, part_number, part, "its partition"))
    return Family((itself, *parts))
