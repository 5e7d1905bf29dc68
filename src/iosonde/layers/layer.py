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

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

from iosonde.hosts.host import Host
from iosonde.records import Gap, Scalar, StackLayer


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


@dataclass(frozen=True, slots=True)
class LayerSetting:
    """A setting that a layer offers: its name and the mechanism that reads and writes it.

    `mechanism` is a row of settings.MECHANISMS; `address` what that mechanism needs, with `{name}`
    standing for the device's kernel name ("/sys/block/{name}/queue/scheduler") and `{FACT}` for
    a fact of the layer; `unit` as in units.show; `former` are the addresses it had on older
    kernels, newest first. Where neither exists on a host, the layer lacks the setting.
    """

    name: str
    mechanism: str
    address: str
    unit: str = ""
    former: tuple[str, ...] = ()


_QUEUE = "/sys/block/{name}/queue/"
_QUEUE_UNITS = {"read_ahead_kb": "KiB", "max_sectors_kb": "KiB", "wbt_lat_usec": "µs"}


def queue_settings(*names: str) -> tuple[LayerSetting, ...]:
    """Settings of a block device's queue, by the names of their files in sysfs."""
    return tuple(
        LayerSetting(name, "sysfs", _QUEUE + name, unit=_QUEUE_UNITS.get(name, ""))
        for name in names
    )


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


MountFacts: TypeAlias = Callable[[str, str, tuple[str, ...]], Awaitable[dict[str, Scalar]]]
"""Facts of a file system from its type, a mount point and its super options."""


async def mounted_layers(
    scene: Scene, kind: str, fstypes: Sequence[str], facts: MountFacts
) -> tuple[StackLayer, ...]:
    """One layer for each mounted file system of some types, however often it is mounted.

    Its `mount` is the shortest mount point, the fact `mounts` the others by lines; its settings
    are the mount options. A file system in memory stands on nothing.
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
        ordered = sorted(mounts, key=lambda one: (len(one.mount_point), one.mount_point))
        first, device = ordered[0], scene.device_of(ordered[0])
        own = await facts(first.fstype, first.mount_point, first.super_options)
        if more := "\n".join(one.mount_point for one in ordered[1:]):
            own["mounts"] = more
        layers.append(
            StackLayer(
                id=scene.identity(kind, first.mount_point),
                kind=kind,
                host=scene.host.name,
                device=device.path if device else first.source,
                size=device.size if device else None,
                below=(scene.on_device(device.name),) if device else (),
                mount=first.mount_point,
                facts=own,
                settings={**options_of(first.super_options), **options_of(first.options)},
            )
        )
    return tuple(layers)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A device-mapper device: its name in /dev/mapper, and the uuid that tells who made it."""

    device: BlockDevice
    name: str
    uuid: str

    def layer(
        self,
        scene: Scene,
        kind: str,
        facts: Mapping[str, Scalar],
        hazards: tuple[str, ...] = (),
    ) -> StackLayer:
        """The layer of some kind that this device is."""
        return StackLayer(
            id=scene.identity(kind, self.name),
            kind=kind,
            host=scene.host.name,
            device=self.device.path,
            size=self.device.size,
            below=tuple(scene.on_device(name) for name in self.device.below),
            facts=facts,
            hazards=hazards,
        )


async def mapped(scene: Scene) -> tuple[Mapped, ...]:
    """All device-mapper devices of a scene (drivers/md/dm-sysfs.c)."""
    devices = [one for one in scene.devices.values() if one.name.startswith("dm-")]
    paths = [f"/sys/block/{one.name}/dm/{part}" for one in devices for part in ("name", "uuid")]
    files = await scene.host.read_many(paths) if paths else {}

    def text(device: BlockDevice, part: str) -> str:
        content = files.get(f"/sys/block/{device.name}/dm/{part}")
        return content.decode(errors="replace").strip() if isinstance(content, bytes) else ""

    return tuple(
        Mapped(one, text(one, "name") or one.path.rpartition("/")[2], text(one, "uuid"))
        for one in devices
    )
