"""A block device with everything that shares its blocks.

Its partitions, or its disk; what a loop device stands on; other loop devices on the same image or
device, where their blocks overlap; and the image files themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde.change.scan import ScannedDevice, ScannedDevices
from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host

_DEEPEST = 16  # loop devices on loop devices; the kernel itself allows no circle


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """One device of a family; `relation` words its bond to the target: "", "its partition" …."""

    name: str
    number: str
    sysfs: str
    relation: str


@dataclass(frozen=True, slots=True)
class Family:
    """The target first, then the devices that share blocks with it.

    `images` are the files that hold its blocks ("DEVICE:INODE"), `backed` the loop devices that
    stand on a member and not under the target (loop device's name, number of what it stands on),
    `partitions` the target's own, and `unseen` what of the host cannot be seen from here.
    """

    members: tuple[FamilyMember, ...]
    images: frozenset[str] = frozenset()
    backed: tuple[tuple[str, str], ...] = ()
    partitions: tuple[ScannedDevice, ...] = ()
    unseen: str = ""
    unread: tuple[str, ...] = ()
    """Loop devices of which cannot be read what they stand on."""

    def member(self, number: str) -> FamilyMember | None:
        """The member with a device number."""
        return next((member for member in self.members if member.number == number), None)


@dataclass(frozen=True, slots=True)
class _Place:
    """Bytes of a file ("file DEVICE:INODE") or of a device ("device MAJOR:MINOR")."""

    base: str
    start: int
    end: int

    def part(self, start: int, size: int) -> _Place:
        begin = self.start + start
        return _Place(self.base, begin, min(begin + size, self.end))

    def overlaps(self, other: _Place) -> bool:
        return self.base == other.base and self.start < other.end and other.start < self.end


async def family_of(host: Host, path: str, number: str, devices: ScannedDevices) -> Family:
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
    itself = FamilyMember(sysfs.rsplit("/", 1)[1], number, sysfs, "")
    if number not in devices.all:  # attached or detached this very moment
        return Family((itself,), unseen=devices.unseen)
    others = [
        FamilyMember(
            device.name,
            device.number,
            await host.resolve(f"/sys/dev/block/{device.number}"),
            relation,
        )
        for device, relation in related(devices, number)
    ]
    numbers = {number, *(member.number for member in others)}
    under = {number, *_under(devices, number)}
    return Family(
        members=(itself, *others),
        images=frozenset(
            place.base.partition(" ")[2]
            for place in _all_places(devices, number)
            if place.base.startswith("file ")
        ),
        backed=tuple(
            (devices.all[loop].name, backing.device)
            for loop, backing in devices.loops.items()
            if backing and backing.device in numbers and loop in numbers - under
        ),
        partitions=tuple(device for device in devices.all.values() if device.disk == number),
        unseen=devices.unseen,
        unread=tuple(
            devices.all[loop].name
            for loop, backing in devices.loops.items()
            if backing is None and loop in devices.all
        ),
    )


def related(devices: ScannedDevices, number: str) -> Iterator[tuple[ScannedDevice, str]]:
    """The devices that share blocks with one of them, and how they are related to it."""
    target = devices.all[number]
    own = _all_places(devices, number)
    under = set(_under(devices, number))
    stood_on = set(_slaves(devices, number))
    for other in devices.all.values():
        if other.number == number or other.number in stood_on or not other.size:
            continue
        shared = [
            place.base
            for place in _places(devices, other.number)
            if any(place.overlaps(mine) for mine in own)
        ]
        if not shared:
            continue
        if other.disk == number:
            relation = "its partition"
        elif other.number == target.disk:
            relation = "the disk it is part of"
        elif other.number in under:
            relation = "what it stands on,"
        elif any(base.startswith("file ") for base in shared):
            relation = "on the same image:"
        else:
            relation = "on the same blocks:"
        yield other, relation


def _places(devices: ScannedDevices, number: str, depth: int = 0) -> list[_Place]:
    """Where a device's blocks lie: on itself, and on what is below a loop device or partition."""
    device = devices.all.get(number)
    if device is None or depth > _DEEPEST:
        return []
    if device.disk:
        whole = _places(devices, device.disk, depth + 1)
        return [place.part(device.start, device.size) for place in whole]
    own = [_Place(f"device {number}", 0, device.size)]
    backing = devices.loops.get(number)
    if backing is None:
        return own
    if not backing.device:
        base = f"file {backing.image}"
        return [*own, _Place(base, backing.offset, backing.offset + device.size)]
    below = _places(devices, backing.device, depth + 1)
    return [*own, *(place.part(backing.offset, device.size) for place in below)]


def _all_places(devices: ScannedDevices, number: str) -> list[_Place]:
    """The same, and the image files under md and device-mapper, whole.

    Not the devices there: what shares a physical volume with the target has blocks of its own.
    """
    places = _places(devices, number)
    for slave in _slaves(devices, number):
        places += [place for place in _places(devices, slave) if place.base.startswith("file ")]
    return places


def _slaves(devices: ScannedDevices, number: str) -> Iterator[str]:
    """Everything that md and device-mapper have under a device, however deep."""
    waiting, seen = [number, *_under(devices, number)], set()
    while waiting:
        for slave in devices.slaves.get(waiting.pop(), ()):
            for lower in (slave, *_under(devices, slave)):
                if lower not in seen:
                    seen.add(lower)
                    waiting.append(lower)
                    yield lower


def _under(devices: ScannedDevices, number: str) -> Iterator[str]:
    """The disk of a partition and the backing device of a loop device, and so on down."""
    for _ in range(_DEEPEST):
        device = devices.all.get(number)
        backing = devices.loops.get(number)
        number = (device.disk if device else "") or (backing.device if backing else "")
        if not number:
            return
        yield number
