"""What every layer technology can do, and the scene it finds itself in.

Discovery happens in one pass per host: stack/discover.py reads what the kernel itself says of all
block devices and mounts (the `Scene`), then asks each kind in LAYERS which of them are its own.
A kind claims devices by what the scene says, reads what only its own tools know, and returns
`StackLayer` records. Text is parsed in pure functions `text → dataclass`, so that recordings of
foreign hosts test them.

The duties of a layer, in the order they stand in each file: facts and sources (docstring) ·
discover · SETTINGS. Later duties (declare, plan, remove, counters, ledger, findings) follow them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

from iosonde.hosts.host import Completed, Host
from iosonde.records import Gap, Scalar, StackLayer
from iosonde.settings import declared

_REDUNDANT = frozenset({"raid1", "raid4", "raid5", "raid6", "raid10"})
_DENIED = re.compile(r"permi(?:ssion|tted)|\broot\b|super-?user|incompatible libdev", re.IGNORECASE)
_LVM_LEG = re.compile(r"_[rm]image_\d+$")  # halves of a mirror, members of LVM's own RAID


@dataclass(frozen=True, slots=True)
class BlockDevice:
    """One block device as the kernel and lsblk know it.

    `name` is the kernel's ("sda1", "dm-0"), `path` the one to open, `number` "MAJOR:MINOR",
    `type` lsblk's TYPE ("disk", "part", "raid5", "lvm", "crypt", "mpath", "loop", "rom" …),
    `size` bytes, `below` kernel names of what it stands on (slaves, or the disk of a partition),
    `above` the holders, `lsblk` every further column that lsblk printed, `queue` the texts of
    /sys/block/NAME/queue/* (of the disk, for a partition), `sysfs` its directory.
    """

    name: str
    path: str
    number: str
    type: str
    size: int
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    lsblk: Mapping[str, Scalar] = field(default_factory=dict)
    queue: Mapping[str, str] = field(default_factory=dict)
    sysfs: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of /proc/PID/mountinfo (proc(5)). `options` per mount, `super_options` of the fs."""

    mount_point: str
    source: str
    fstype: str
    number: str
    root: str
    options: tuple[str, ...]
    super_options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a host's kernel says of itself, gathered once for all kinds of layer."""

    host: Host
    devices: Mapping[str, BlockDevice]
    mounts: tuple[Mount, ...]
    swaps: tuple[str, ...]
    """Paths in /proc/swaps."""
    gaps: list[Gap] = field(default_factory=list)
    """A kind appends what it could not read; nothing missing is a failure."""
    asked: dict[tuple[str, ...], asyncio.Future[Completed]] = field(default_factory=dict)
    """Commands that several kinds ask for: see `ask`."""

    async def ask(self, *argv: str) -> Completed:
        """How a command ended, well or not; run once however many kinds ask for it."""
        if argv not in self.asked:
            self.asked[argv] = asyncio.ensure_future(self.host.run(argv, check=False))
        return await self.asked[argv]

    async def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """The files that can be read, path → text without the blanks around it."""
        files = await self.host.read_many(paths) if paths else {}
        return {
            path: content.decode(errors="replace").strip()
            for path, content in files.items()
            if isinstance(content, bytes)
        }

    def miss(self, what: str, done: Completed, package: str) -> None:
        """Note as a gap what a tool did not tell, in its own words."""
        if done.status == 127:
            reason, remedy = f"{done.argv[0]} is not installed", f"install {package}"
        else:
            said = done.stderr.decode(errors="replace").strip() or f"status {done.status}"
            reason = f"{done.argv[0]}: {said.splitlines()[0].removeprefix(f'{done.argv[0]}: ')}"
            remedy = "run as root" if _DENIED.search(said) else ""
        self.gaps.append(Gap(self.host.name, what, reason, remedy))

    def identity(self, kind: str, name: str) -> str:
        """The id of a layer of this host: the only place that forms one."""
        return f"{self.host.name}/{kind}:{name}"

    def on_device(self, name: str) -> str:
        """Stands in `below` for whatever layer provides a block device, whichever its kind.

        discover.py puts the provider's id there: the layer whose `device` is the path of that
        block device, and which does not itself stand on it (as the file system on it does).

        Args:
            name: the kernel's name of the device ("sda1", "dm-0").
        """
        return self.identity("*device", name)

    def beneath(self, device: BlockDevice) -> tuple[str, ...]:
        """The ids of what a device stands on, as far as it is there."""
        return tuple(self.on_device(name) for name in device.below if name in self.devices)

    def lost(self, device: BlockDevice) -> tuple[str, ...]:
        """A hazard for each device that this one stands on and that is gone."""
        return tuple(f"lost {name}" for name in device.below if name not in self.devices)

    def on_mount(self, path: str) -> str:
        """Stands in `below` for the file system that holds an absolute path."""
        return self.identity("*mount", path)

    def device_of(self, mount: Mount) -> BlockDevice | None:
        """The block device a mount comes from; None for network and memory file systems.

        btrfs and overlays mount under a number of no device: there the source's path counts.
        """
        for device in self.devices.values():
            if device.number == mount.number:
                return device
        return self.device_at(mount.source)

    def device_at(self, path: str) -> BlockDevice | None:
        """The block device with this path, None where it is no device known to lsblk."""
        for device in self.devices.values():
            if path in {device.path, f"/dev/{device.name}"}:
                return device
        return None

    def with_number(self, number: str) -> BlockDevice | None:
        """The block device "MAJOR:MINOR", as device-mapper's tables name them."""
        return next((one for one in self.devices.values() if one.number == number), None)

    def survives_a_loss(self, name: str) -> bool:
        """Whether software RAID somewhere below keeps a device's data when one disk is lost.

        What a RAID controller or a storage network does behind a disk is not known here.
        """
        device = self.devices.get(name)
        if device is None:
            return False
        if device.type in _REDUNDANT or any(_LVM_LEG.search(one) for one in self._paths(device)):
            return True
        return bool(device.below) and all(self.survives_a_loss(one) for one in device.below)

    def _paths(self, device: BlockDevice) -> list[str]:
        return [self.devices[name].path for name in device.below if name in self.devices]


LayerSetting: TypeAlias = declared.LayerSetting
queue_settings = declared.queue_settings
made_with = declared.made_with


class Layer(Protocol):
    """One technology at one place in the stack."""

    kind: ClassVar[str]
    settings: ClassVar[tuple[LayerSetting, ...]]

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """The layers of this kind on the scene's host.

        `below` of what is returned may name ids of any kind, formed by `scene.identity`, or
        `scene.on_device` where only the block device is known; ids that nobody claimed are
        dropped by discover.py, with a gap. Missing tools and rights go to `scene.gaps`.
        The values of SETTINGS are read by stack/read_settings.py for all kinds alike; what is
        put into `settings` here is kept beside them.
        """
        ...


def options_of(options: Iterable[str]) -> dict[str, Scalar]:
    """Mount options as a mapping: a flag is True, `key=value` its value as text."""
    found: dict[str, Scalar] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if key:
            found[key] = value if equals else True
    return found


@dataclass(frozen=True, slots=True)
class Described:
    """What a file system says of itself; `members` are further devices it stands on, by name."""

    facts: Mapping[str, Scalar]
    hazards: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


Describe: TypeAlias = Callable[[Scene, Mount, BlockDevice | None], Awaitable[Described]]


async def mounted_layers(
    scene: Scene, kind: str, fstypes: Sequence[str], describe: Describe
) -> tuple[StackLayer, ...]:
    """One layer for each mounted file system of some types, however often it is mounted.

    Its `mount` is the shortest mount point of the whole file system, the fact `mounts` the others
    by lines; its settings are the mount options. A file system in memory stands on nothing.
    """
    places: dict[str, list[Mount]] = {}
    visible = {mount.mount_point: mount for mount in scene.mounts}  # the last one hides others
    for mount in visible.values():
        if mount.fstype in fstypes:
            device = scene.device_of(mount)
            key = device.name if device else f"{mount.fstype} {mount.number}"
            places.setdefault(key, []).append(mount)
    layers = []
    for mounts in places.values():
        ordered = sorted(mounts, key=_prominence)
        first, device = ordered[0], scene.device_of(ordered[0])
        own = await describe(scene, first, device)
        facts = dict(own.facts)
        if more := "\n".join(one.mount_point for one in ordered[1:]):
            facts["mounts"] = more
        below = dict.fromkeys((*((device.name,) if device else ()), *own.members))
        layers.append(
            StackLayer(
                id=scene.identity(kind, first.mount_point),
                kind=kind,
                host=scene.host.name,
                device=device.path if device else first.source,
                size=device.size if device else None,
                below=tuple(scene.on_device(name) for name in below),
                mount=first.mount_point,
                facts=facts,
                settings={**options_of(first.super_options), **options_of(first.options)},
                hazards=own.hazards,
            )
        )
    return tuple(layers)


def _prominence(mount: Mount) -> tuple[bool, int, str]:
    """Mounts of the whole come before bind mounts of a part, short paths before long ones."""
    return mount.root != "/", len(mount.mount_point), mount.mount_point


@dataclass(frozen=True, slots=True)
class Target:
    """One line of a device-mapper table or status: `words` are the arguments of its target.

    `start` and `length` in 512-byte units, as device-mapper counts.
    """

    start: int
    length: int
    name: str
    words: tuple[str, ...]


_TARGET = re.compile(r"^(.+?): (\d+) (\d+) (\S+) ?(.*)$", re.MULTILINE)


def parse_targets(text: str) -> dict[str, tuple[Target, ...]]:
    """Device → its targets, from `dmsetup table` or `dmsetup status` of all devices."""
    found: dict[str, list[Target]] = {}
    for device, start, length, name, words in _TARGET.findall(text):
        found.setdefault(device, []).append(
            Target(int(start), int(length), name, tuple(words.split()))
        )
    return {device: tuple(some) for device, some in found.items()}


async def dmsetup(scene: Scene, command: str) -> dict[str, tuple[Target, ...]]:
    """What `dmsetup table` or `dmsetup status` says of all devices; a gap where it can't."""
    done = await scene.ask("dmsetup", command)
    if done.status == 0:
        return parse_targets(done.stdout.decode(errors="replace"))
    scene.miss("targets of device-mapper", done, "dmsetup")
    return {}


_BY_TARGET = {
    "cache": "dm_cache", "crypt": "dm_crypt", "flashcache": "flashcache",
    "flashcache-wt": "flashcache", "multipath": "multipath", "writecache": "dm_writecache",
}  # fmt: skip
_BY_UUID = (
    *((f"CRYPT-{word}", "dm_crypt") for word in ("LUKS", "PLAIN", "TCRYPT", "BITLK", "LOOPAES")),
    ("mpath-", "multipath"),
)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A device-mapper device: its name in /dev/mapper, the uuid that tells who made it, its table.

    `targets` is empty where this user may not see the table.
    """

    device: BlockDevice
    name: str
    uuid: str
    suspended: bool
    targets: tuple[Target, ...]

    @property
    def kind(self) -> str:
        """Which kind of layer it is: LVM's whatever its table, else by its target.

        Where this user may not see the table, the uuid tells as far as it can.
        """
        if self.uuid.startswith("LVM-"):
            return "lvm"
        if self.device.type == "part":
            return "partition"
        names = {one.name for one in self.targets}
        if names:
            return _BY_TARGET.get(names.pop(), "dm") if len(names) == 1 else "dm"
        return next((kind for start, kind in _BY_UUID if self.uuid.startswith(start)), "dm")

    def layer(
        self,
        scene: Scene,
        kind: str,
        facts: Mapping[str, Scalar],
        hazards: tuple[str, ...] = (),
    ) -> StackLayer:
        """The layer of some kind that this device is; what it has lost below is a hazard."""
        return StackLayer(
            id=scene.identity(kind, self.name),
            kind=kind,
            host=scene.host.name,
            device=self.device.path,
            size=self.device.size,
            below=scene.beneath(self.device),
            facts=facts,
            hazards=(*hazards, *scene.lost(self.device), *("suspended",) * self.suspended),
        )


async def mapped(scene: Scene) -> tuple[Mapped, ...]:
    """All device-mapper devices of a scene (drivers/md/dm-sysfs.c)."""
    devices = [one for one in scene.devices.values() if one.name.startswith("dm-")]
    if not devices:
        return ()
    files = await scene.texts(
        [f"{_dm(one)}/{part}" for one in devices for part in ("name", "uuid", "suspended")]
    )
    uuids = [files.get(f"{_dm(one)}/uuid", "") for one in devices]
    strange = any(not uuid.startswith("LVM-") for uuid in uuids)
    tables = await dmsetup(scene, "table") if strange else {}
    found = []
    for one, uuid in zip(devices, uuids, strict=True):
        name = files.get(f"{_dm(one)}/name") or one.path.rpartition("/")[2]
        suspended = files.get(f"{_dm(one)}/suspended") == "1"
        found.append(Mapped(one, name, uuid, suspended, tables.get(name, ())))
    return tuple(found)


def _dm(device: BlockDevice) -> str:
    return f"/sys/block/{device.name}/dm"
