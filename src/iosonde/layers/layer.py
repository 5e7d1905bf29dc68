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
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

from iosonde import kerneltext
from iosonde.hosts.host import Completed, Host
from iosonde.hosts.packages import install_hint
from iosonde.layers import HIDDEN_COPIES
from iosonde.layers._kernel_log.events import Trouble, TroubleText
from iosonde.layers._mounts.options import options_of
from iosonde.layers._mounts.traits import FileSystemCheck
from iosonde.layers._raid.geometry import MIRRORED, PARITY
from iosonde.layers._raid.traits import ArrayTraits, StripeHints
from iosonde.records.stack import Gap, Scalar, StackLayer
from iosonde.settings import declared
from iosonde.settings.declared import Needs

_DENIED = re.compile(r"permi(?:ssion|tted)|\broot\b|super-?user|incompatible libdev", re.IGNORECASE)
_COPY = re.compile(f"(?:{'|'.join(HIDDEN_COPIES.values())})$")


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
            path: kerneltext.decoded(content).strip()
            for path, content in files.items()
            if isinstance(content, bytes)
        }

    async def miss(self, what: str, done: Completed, package: str) -> None:
        """Note as a gap what a tool did not tell, in its own words; `package` is Debian's name."""
        if done.status == 127:
            reason = f"{done.argv[0]} is not installed"
            remedy = await install_hint(self.host, package)
        else:
            said = kerneltext.decoded(done.stderr).strip() or f"status {done.status}"
            first = kerneltext.complaints(said, done.argv[0])[0].removeprefix(f"{done.argv[0]}: ")
            reason = f"{done.argv[0]}: {first}"
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

    def device_layer(
        self,
        kind: str,
        device: BlockDevice,
        *,
        name: str = "",
        below: tuple[str, ...] = (),
        facts: Mapping[str, Scalar],
        settings: Mapping[str, Scalar] | None = None,
        hazards: tuple[str, ...] = (),
    ) -> StackLayer:
        """The layer that is a block device; `name` where its id has another one than the kernel's.

        The others are those of `StackLayer`.
        """
        return StackLayer(
            id=self.identity(kind, name or device.name),
            kind=kind,
            host=self.host.name,
            device=device.path,
            size=device.size,
            below=below,
            facts=facts,
            settings=settings or {},
            hazards=hazards,
        )

    def exported(
        self,
        kind: str,
        name: str,
        device: BlockDevice | None,
        *,
        facts: Mapping[str, Scalar],
        hazards: tuple[str, ...] = (),
    ) -> StackLayer:
        """The layer that exports a block device under a name; None: it is none of this scene's."""
        return StackLayer(
            id=self.identity(kind, name),
            kind=kind,
            host=self.host.name,
            device=name,
            size=device.size if device else None,
            below=(self.on_device(device.name),) if device else (),
            facts=facts,
            hazards=hazards,
        )

    def beneath(self, device: BlockDevice) -> tuple[str, ...]:
        """The ids of what a device stands on, as far as it is there."""
        return tuple(self.on_device(name) for name in device.below if name in self.devices)

    def lost(self, device: BlockDevice) -> tuple[str, ...]:
        """A hazard for each device that this one stands on and that is gone."""
        return tuple(f"lost {name}" for name in device.below if name not in self.devices)

    def on_named(self, name: str) -> str:
        """Stands in `below` for the layer whose `device` is this name: an interface, an export."""
        return self.identity("*named", name)

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
        return next((device for device in self.devices.values() if device.number == number), None)

    def survives_a_loss(self, name: str) -> bool:
        """Whether software RAID somewhere below keeps a device's data when one disk is lost.

        What a RAID controller or a storage network does behind a disk is not known here.
        """
        device = self.devices.get(name)
        if device is None:
            return False
        if device.type in MIRRORED | PARITY.keys() or any(
            _COPY.search(path) for path in self._paths(device)
        ):
            return True
        return bool(device.below) and all(self.survives_a_loss(lower) for lower in device.below)

    def _paths(self, device: BlockDevice) -> list[str]:
        return [self.devices[name].path for name in device.below if name in self.devices]


LayerSetting: TypeAlias = declared.LayerSetting
queue_settings = declared.queue_settings
made_with = declared.made_with


@dataclass(frozen=True, slots=True)
class TargetLoss:
    """What happens to an import whose target does not answer.

    Args:
        answers: whether a `state` of it says that the target answers.
        waits: what happens to its I/O.
        recovery: how it comes back.
    """

    answers: Callable[[str], bool]
    waits: str
    recovery: str


@dataclass(frozen=True, slots=True)
class NetworkCrossing:
    """How the I/O of a layer goes over a network.

    Args:
        reads: whether reads go over it as well.
        frame: at an MTU, the bytes of data in a full frame, and those of the MTU that it takes;
            None: as of TCP.
    """

    reads: bool = True
    frame: Callable[[int], tuple[int, int]] | None = None


class Layer(Protocol):
    """One technology at one place in the stack, and what the engines must know of it.

    Each kind inherits it and says where it differs from the usual.
    """

    kind: ClassVar[str]
    settings: ClassVar[tuple[LayerSetting, ...]]
    fstypes: ClassVar[tuple[str, ...]] = ()
    """Types of mounts that are layers of this kind, as /proc/self/mountinfo has them.

    Of kinds of other packages; ours stand in `FSTYPES`.
    """
    uuid_prefixes: ClassVar[tuple[str, ...]] = ()
    """How the uuids begin that its tools give to devices of device-mapper.

    Of kinds of other packages; ours stand in `UUID_PREFIXES`, for which no kind need be loaded.
    """
    fixed_settings: ClassVar[tuple[Needs, str] | None] = None
    """What a setting needs that discovery finds and no mechanism sets, and why it is fixed."""
    stands_on: ClassVar[str] = "device"
    """What a declared layer stands on: "device", "mount", or the kind that exports to it."""
    named_alike: ClassVar[tuple[str, ...]] = ()
    """Facts that have the same values on the layer of `stands_on` that exports to it."""
    reached_by_address: ClassVar[bool] = False
    """An initiator knows its host by an address alone."""
    can_break: ClassVar[bool] = True
    """Discovery may tell a hazard that comes while a load runs."""
    shows_members: ClassVar[bool] = True
    """What is found below it are the devices that were declared to be."""
    numbered_by_the_kernel: ClassVar[bool] = False
    """The same number is another device's when it is made again."""
    crossing: ClassVar[NetworkCrossing | None] = None
    """Of a layer whose I/O leaves its host."""
    target_loss: ClassVar[TargetLoss | None] = None
    """Of an import whose `state` tells it."""
    aligns_requests: ClassVar[bool] = True
    """Its `block_size` is what requests should keep to, not what it moves by itself."""
    array: ClassVar[ArrayTraits | None] = None
    """Of a kind whose devices are striped or mirrored over members."""
    passes_through: ClassVar[bool] = False
    """It stands on one device, and a request goes there as it is, its place moved."""
    queues_requests: ClassVar[bool] = True
    """Its devices have queues of their own, with a scheduler and depths."""
    stripe_hints: ClassVar[StripeHints | None] = None
    """Of a file system that is made for the stripe below it."""
    fsck: ClassVar[FileSystemCheck | None] = None
    """Of a file system whose check may be printed."""
    troubles: ClassVar[Mapping[Trouble, TroubleText]] = {}
    """What is said otherwise of it where the kernel's log tells of a trouble."""
    renamed_by_login: ClassVar[bool] = False
    """Its device may have another name after each login."""

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """The layers of this kind on the scene's host.

        `below` of what is returned may name ids of any kind, formed by `scene.identity`, or
        `scene.on_device` where only the block device is known; ids that nobody claimed are
        dropped by discover.py, with a gap. Missing tools and rights go to `scene.gaps`.
        The values of SETTINGS are read by stack/read_settings.py for all kinds alike; what is
        put into `settings` here is kept beside them.
        """
        ...


@runtime_checkable
class HasUnused(Protocol):
    """A kind of which discovery leaves out what nothing stands on, though it has settings."""

    async def unused(self, scene: Scene, layers: Collection[StackLayer]) -> tuple[StackLayer, ...]:
        """What is left out.

        Args:
            scene: of the host.
            layers: that were discovered there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Everything:
    """All that was discovered.

    Args:
        layers: of all hosts.
        addresses: of the interfaces of hosts that are `reached_by_address`, by their names.
    """

    layers: Sequence[StackLayer]
    addresses: Mapping[str, Sequence[str]]


@runtime_checkable
class Imports(Protocol):
    """A kind that stands on layers of other hosts which `Layer.named_alike` does not tell."""

    def imports(self, layer: StackLayer, everything: Everything) -> tuple[str, ...]:
        """Ids of what a layer of this kind imports; empty where that host was not looked at."""
        ...


@runtime_checkable
class ReportsHealth(Protocol):
    """A kind whose devices keep a log of how they are: wear, temperature, errors."""

    health_units: ClassVar[Mapping[str, str]]
    """Figure of the log → its unit."""
    alarms: ClassVar[Mapping[str, str]]
    """Figure → name of the rule that a trial is flagged with if it rises meanwhile."""
    alarm_states: ClassVar[Mapping[str, Mapping[int, str]]]
    """Figure made of bits → bit → the rule of a trial around which the bit is set."""

    async def health(self, host: Host, layer: StackLayer) -> Mapping[str, Scalar]:
        """What a device's log says now; empty without the tools, the right, or a log."""
        ...


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
        if more := "\n".join(mount.mount_point for mount in ordered[1:]):
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


def kernel_name(layer: StackLayer) -> str:
    """The name in /proc/diskstats; empty where the layer is no device."""
    return str(layer.facts.get("kernel_name") or "")
