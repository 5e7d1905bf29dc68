"""md arrays: Linux software RAID.

They are found by sysfs, which every user may read: mdadm and root are not needed for that.

Source: mdadm(8), --create, --stop, --zero-superblock; --manage: --remove of a failed member,
--re-add, and --add, which tries --re-add first; --examine --export.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.kerneltext import decoded, fields
from iosonde.layers._raid.geometry import (
    NEAR_TWO,
    PARITY,
    array_size,
    data_members,
    far_copies,
    full_name,
    layout_name,
    layout_names,
    layout_number,
    near_copies,
)
from iosonde.layers._raid.traits import ArrayTraits
from iosonde.layers.layer import BlockDevice, Layer, LayerSetting, Scene, made_with, queue_settings
from iosonde.layers.md.facts import (
    ATTRIBUTES,
    MEMBER_ATTRIBUTES,
    ArrayMember,
    array_facts,
    member_directory,
    member_facts,
    parse_mdstat,
    parse_member,
)
from iosonde.layers.site import (
    Builds,
    Compared,
    Compares,
    Declared,
    Geometric,
    Rebuilding,
    Repairs,
    Site,
    Size,
    Sized,
)
from iosonde.layers.step import LEFT, Check, Step, UndoSubject, modules, run, wipe
from iosonde.records.stack import Scalar, StackLayer
from iosonde.scripts import program
from iosonde.units import KIB, show_bytes

_BUSY = {"resync", "recover", "reshape", "check", "repair"}
_STOPPED = {"clear", "inactive", "suspended", "broken"}  # array_state of what takes no I/O


def array_hazards(facts: Mapping[str, Scalar], members: Sequence[ArrayMember]) -> tuple[str, ...]:
    """Words for what is wrong with an array.

    Args:
        facts: as `array_facts` gives them.
        members: its devices.
    """
    hazards = []
    if facts.get("array_state") in _STOPPED:
        hazards.append(str(facts["array_state"]))
    if facts.get("degraded"):
        hazards.append("degraded")
    action = str(facts.get("sync_action", "idle"))
    if action in _BUSY:
        share = facts.get("sync_share")
        hazards.append(f"{action} {share:.0%}" if isinstance(share, float) else action)
    if facts.get("mismatch_cnt") and facts.get("level") in PARITY:
        hazards.append("mismatches")
    hazards += [f"{member.name} faulty" for member in members if member.role == "faulty"]
    return tuple(hazards)


def misaligned(scene: Scene, members: Sequence[ArrayMember]) -> tuple[str, ...]:
    """`misaligned` where data begin off a member's grid of physical sectors."""
    for member in members:
        device = scene.devices.get(member.name)
        text = device.queue.get("physical_block_size", "") if device else ""
        if (
            member.offset is not None
            and text.isdecimal()
            and int(text)
            and member.offset % int(text)
        ):
            return ("misaligned",)
    return ()


_PAGE = 4 * KIB  # the smallest; a kernel with larger pages refuses smaller chunks itself
_ALIKE = 2  # times as large as the smallest member: what is more is most likely a mistake
_FEWEST = {0: 2, 1: 2, 4: 3, 5: 3, 6: 4, 10: 2}  # mdadm(8): members


class MdDeclared(Declared):
    """An array of the layers in `of`; `layout` as mdadm spells it ("left-symmetric", "f2").

    `assume_clean` leaves out the first resync: parity is right only where all members are alike,
    as new ones of zeros are. `bitmap` is "internal" or "none".
    """

    kind: Literal["md"] = "md"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {"level": (0,)}
    immaterial: ClassVar[Mapping[str, str]] = {
        "assume_clean": "it leaves out the first resync, of which nothing stays"
    }
    level: Literal[0, 1, 4, 5, 6, 10]
    chunk_size: Size = 512 * KIB
    layout: str = Field(default="", pattern=r"^[a-z0-9-]*$")
    bitmap: Literal["none", "internal"] = "none"
    metadata: Literal["1.0", "1.1", "1.2", "0.90"] = "1.2"
    assume_clean: bool = False
    spares: int = Field(default=0, ge=0)


def _striping(declared: MdDeclared, members: int) -> tuple[int, int] | None:
    """Chunk in bytes and data members; None where the level has no stripes."""
    data = data_members(f"raid{declared.level}", members, _number(declared) or NEAR_TWO)
    return (declared.chunk_size, data) if data else None


def _check_layout(site: Site, declared: MdDeclared, active: int) -> None:
    """Refuse a chunk, a layout or a bitmap that md does not make arrays with.

    Source: drivers/md/raid5.c and raid10.c, setup_conf(): a chunk is a power of two and at least a
    page; raid0.c takes any multiple of a page; mdadm's Create.c.
    """
    level, chunk = declared.level, declared.chunk_size
    if level != 1 and (chunk < _PAGE or chunk % _PAGE or (level and chunk & chunk - 1)):
        wanted = "a power of two" if level else "a multiple of 4 KiB"
        raise site.wrong(
            f"chunk_size: {show_bytes(chunk)} is no chunk of RAID {level}: expected {wanted}, "
            "at least 4 KiB"
        )
    if level == 0 and declared.bitmap != "none":
        raise site.wrong("RAID 0 has no bitmap: there is nothing to resync")
    layout, number = full_name(declared.layout), _number(declared)
    if layout and number is None:
        allowed = "n2, f2, o2 and so on" if level == 10 else ", ".join(layout_names(f"raid{level}"))
        raise site.wrong(
            f"layout: RAID {level} has no layout {layout!r}"
            + (f"; known: {allowed}" * bool(allowed))
        )
    copies = near_copies(number) * far_copies(number) if level == 10 and number else 0
    if copies > active:
        raise site.wrong(f"layout: {layout} keeps {copies} copies, and it has {active} members")


def _layout(declared: MdDeclared) -> str | None:
    """The layout that an array is made with; None where the level has none or mdadm chooses."""
    return layout_name(f"raid{declared.level}", _number(declared))


def _number(declared: MdDeclared) -> int | None:
    return layout_number(f"raid{declared.level}", declared.layout)


_MDSTAT = "/proc/mdstat"
_LINKS = frozenset({"below", "size"})
"""Facts of mdstat that a layer of a host has as fields of its own."""
_MD = "/sys/block/{name}/md/"
_REBUILDING = ("sync_action", "sync_completed", "degraded")


class Md(Layer, Builds, Sized, Repairs, Compares, Geometric):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "md"
    array = ArrayTraits()
    declaration = MdDeclared
    probe = "device"
    settings = (
        LayerSetting("stripe_cache_size", "sysfs", _MD + "stripe_cache_size", low=17, high=32768),
        LayerSetting("group_thread_cnt", "sysfs", _MD + "group_thread_cnt", low=0, high=8192),
        LayerSetting("rmw_level", "sysfs", _MD + "rmw_level", choices=("0", "1", "2")),
        LayerSetting(
            "preread_bypass_threshold", "sysfs", _MD + "preread_bypass_threshold", low=0,
            high="/sys/block/{name}/md/stripe_cache_size",
        ),
        LayerSetting("skip_copy", "sysfs", _MD + "skip_copy", choices=("0", "1")),
        LayerSetting("sync_speed_min", "sysfs", _MD + "sync_speed_min", "KiB/s", low=1),
        LayerSetting("sync_speed_max", "sysfs", _MD + "sync_speed_max", "KiB/s", low=1),
        *queue_settings("read_ahead_kb", "max_sectors_kb", "nomerges"),
        *made_with(
            "level", "raid_disks", "chunk_size", "layout", "metadata_version",
            units={"chunk_size": "B"},
        ),
    )  # fmt: skip
    fixed_settings = (
        "rebuild",
        "it was fixed when the array was made",
    )

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """An array is what has a directory `md` in sysfs."""
        candidates = [device for device in scene.devices.values() if device.name.startswith("md")]
        levels = {device.name: f"/sys/block/{device.name}/md/level" for device in candidates}
        contents = await scene.host.read_many(list(levels.values()))
        arrays = [
            device for device in candidates if isinstance(contents.get(levels[device.name]), bytes)
        ]
        layers = [await self._layer(scene, device) for device in arrays]
        rest = [device for device in candidates if device not in arrays and device.type != "part"]
        return (*layers, *(await self._without_sysfs(scene, rest) if rest else ()))

    async def _without_sysfs(
        self, scene: Scene, devices: Sequence[BlockDevice]
    ) -> Iterator[StackLayer]:
        """Arrays of a host of which only outputs were collected: by /proc/mdstat, else by lsblk."""
        text = (await scene.texts([_MDSTAT])).get(_MDSTAT, "")
        printed = {
            array.name: {name: value for name, value in array.facts.items() if name not in _LINKS}
            for array in parse_mdstat(text)
        }
        levels: dict[str, dict[str, Scalar]] = {
            device.name: {"level": device.type} for device in devices if "raid" in device.type
        }
        return (
            scene.device_layer(
                self.kind, device, below=scene.beneath(device), facts=facts,
                hazards=(*array_hazards(facts, ()), *scene.lost(device)),
            )
            for device in devices
            if (facts := printed.get(device.name) or levels.get(device.name))
        )  # fmt: skip

    async def _layer(self, scene: Scene, device: BlockDevice) -> StackLayer:
        place = f"/sys/block/{device.name}/md"
        paths = [f"{place}/{name}" for name in ATTRIBUTES]
        paths += [
            f"{place}/{member_directory(member)}/{name}"
            for member in device.below
            for name in MEMBER_ATTRIBUTES
        ]
        files = await scene.texts(paths)
        texts = {path.removeprefix(f"{place}/"): text for path, text in files.items()}
        members = [parse_member(name, texts) for name in device.below]
        facts = {**array_facts(texts), **member_facts(members)}
        return scene.device_layer(
            self.kind,
            device,
            below=scene.beneath(device),
            facts=facts,
            hazards=(
                *array_hazards(facts, members),
                *misaligned(scene, members),
                *scene.lost(device),
            ),
        )

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(MdDeclared)
        members = [lower.device for lower in site.below]
        active = len(members) - declared.spares
        if active < _FEWEST[declared.level]:
            raise site.wrong(
                f"RAID {declared.level} needs {_FEWEST[declared.level]} members and has {active}"
            )
        path = f"/dev/md/{site.label}"
        shows = (f"MD_LEVEL=raid{declared.level}", f"MD_DEVICES={active}")
        create = [
            "mdadm", "--create", path, "--run", "--quiet", f"--name={site.label}",
            f"--level={declared.level}", f"--raid-devices={active}",
            f"--metadata={declared.metadata}",
        ]  # fmt: skip
        if declared.level != 0 or declared.bitmap != "none":  # mdadm refuses the word for RAID 0
            create.append(f"--bitmap={declared.bitmap}")
        if declared.spares:
            create.append(f"--spare-devices={declared.spares}")
        if declared.level != 1:
            create.append(f"--chunk={declared.chunk_size // KIB}K")
        if declared.layout:
            create.append(f"--layout={_layout(declared)}")
        if declared.assume_clean:
            create.append("--assume-clean")
        return (
            modules("md_mod", f"raid{_PERSONALITY.get(declared.level, declared.level)}"),
            Step(
                f"create the RAID {declared.level} of {active} members",
                (run(*create, *members),),
                Check(("mdadm", "--detail", "--export", path), shows),
                (
                    run("sh", "-c", _STOP, "sh", path),
                    wipe("sh", "-c", _CLEAR, "sh", *members, timeout=_PATIENCE * (1 + active)),
                ),
                destroys=tuple(members),
                again=(run("mdadm", "--quiet", "--assemble", "--run", path, *members),),
                touches=(UndoSubject("device", path, given="lost"),),
                turn="md",  # mdadm looks for a free number, and two at a time find the same
            ),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        path = f"/dev/md/{site.label}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """Each member gives what the smallest has, but of RAID 0 all."""
        declared = site.declared_as(MdDeclared)
        _check_layout(site, declared, len(below) - declared.spares)
        sizes = [size for size in below if size is not None]
        if len(sizes) < len(below):
            return None
        if max(sizes) > _ALIKE * min(sizes):
            largest, smallest = (site.below[sizes.index(pick(sizes))].name for pick in (max, min))
            raise site.wrong(
                f"its members are of very different size: {largest} has {show_bytes(max(sizes))} "
                f"and {smallest} {show_bytes(min(sizes))}",
                hint=f"stand it on a partition of {largest}",
            )
        chunk = 0 if declared.level == 1 else declared.chunk_size
        if chunk > min(sizes):
            raise site.wrong(f"a chunk of {show_bytes(chunk)} is larger than its members")
        active = len(sizes) - declared.spares
        each = sizes if declared.level == 0 else [min(sizes)] * active
        return array_size(f"raid{declared.level}", each, chunk, _number(declared) or NEAR_TWO)

    @override
    def repair(self, site: Site) -> tuple[str, ...]:
        """Its own is what carries its superblock."""
        members = (under.device for under in site.below)
        return (
            "sh",
            "-c",
            program("iosonde.layers.md", "uuid.sh", "repair.sh"),
            "sh",
            site.device,
            *members,
        )

    @override
    async def rebuilding(self, host: Host, site: Site) -> Rebuilding:
        name = (await host.resolve(site.device)).rpartition("/")[2]
        paths = [f"/sys/block/{name}/md/{file}" for file in _REBUILDING]
        files = await host.read_many(paths)
        contents = [files.get(path) for path in paths]
        action, completed, degraded = (
            decoded(text).strip() if isinstance(text, bytes) else None for text in contents
        )
        idle = (action or "idle") == "idle"
        return Rebuilding(
            degraded == "0" and idle, idle, f"{action} {completed or ''}",
            f"mdadm --detail {site.device}",
        )  # fmt: skip

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """Spares of an array that is not whole may be at work."""
        declared, facts = site.declared_as(MdDeclared), layer.facts
        whole = not any(facts.get(name) for name in ("degraded", "rebuilding", "faulty"))
        spares = len(fields(str(facts.get("spares", ""))))
        chunk = declared.chunk_size if declared.level != 1 else None
        return (
            Compared("level", f"raid{declared.level}", facts.get("level")),
            Compared("chunk_size", chunk, facts.get("chunk_size"), "B"),
            Compared(
                "layout",
                _layout(declared),
                layout_name(str(facts.get("level")), facts.get("layout")),
            ),
            Compared("bitmap", declared.bitmap, facts.get("bitmap")),
            Compared("metadata", declared.metadata, facts.get("metadata_version")),
            Compared("spares", declared.spares, spares if whole and facts else None),
        )

    @override
    def geometry(self, site: Site) -> tuple[int, int] | None:
        declared = site.declared_as(MdDeclared)
        return _striping(declared, len(site.below) - declared.spares)


_STOP = 'test ! -e "$1" || exec mdadm --quiet --stop "$1"'
# A member that is lost cannot be cleared; it keeps its superblock, which is said.
_CLEAR = (
    'for member; do timeout 20 dd if="$member" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null '
    f'|| {{ echo "{LEFT}$member cannot be read and keeps its superblock of the array: clear it '
    '(mdadm --zero-superblock) before it is used again" >&2; continue; }; '
    'timeout 20 mdadm --quiet --zero-superblock --force "$member" || exit 1; done'
)
_PATIENCE = 45.0
_PERSONALITY = {4: 456, 5: 456, 6: 456}  # drivers/md/Makefile: one module for the three
