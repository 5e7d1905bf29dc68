"""LVM logical volumes: linear, striped, mirrored, RAID, thin, cached, snapshots.

`data_offset` is where extents begin on the physical volumes (pe_start).

Source: lvcreate(8), vgcreate(8), lvm(8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers._mapper.devices import Mapped, mapped
from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers._raid.traits import ArrayTraits
from iosonde.layers.layer import Layer, Scene, made_with, queue_settings
from iosonde.layers.lvm.facts import (
    LVS,
    LVS_OLD,
    PVS,
    by_uuid,
    figure,
    parse_report,
    split_uuid,
    volume_facts,
    volume_hazards,
)
from iosonde.layers.site import (
    Builds,
    Compared,
    Compares,
    Declared,
    Geometric,
    Pools,
    Shares,
    Site,
    Size,
    Sized,
)
from iosonde.layers.step import Check, Command, Step, UndoSubject, exists, modules
from iosonde.records.stack import Scalar, StackLayer
from iosonde.units import KIB, MIB, show_bytes

_EXTENT = 4 * MIB


class LvmDeclared(Declared):
    """A logical volume on the physical volumes in `of`, or a thin one of the pool in `of`.

    Volumes of one `group` (by default a volume has a group of its own) share a volume group, and
    then name the same layers in `of`. `stripe_size` is bytes on one physical volume before the next
    one's turn; `size` bytes, all that is free where it is left out (of a thin volume: needed).
    """

    immaterial: ClassVar[Mapping[str, str]] = {
        "assume_clean": "it leaves out the first resync, of which nothing stays"
    }

    kind: Literal["lvm"] = "lvm"
    type: Literal["linear", "striped", "raid1", "mirror", "thin-pool", "thin"] = "linear"
    group: str = Field(default="", pattern=r"^[a-z0-9_]{0,30}$")
    size: Size | None = None
    stripes: int | None = Field(default=None, ge=2)
    stripe_size: Size = 64 * 1024
    assume_clean: bool = False

    @model_validator(mode="after")
    def _whole(self) -> LvmDeclared:
        if self.type == "thin" and self.size is None:
            raise ValueError("a thin volume needs `size`")
        return self


def _group(site: Site) -> str:
    """Name of the volume group: the pool's for a thin volume."""
    declared = site.declared_as(LvmDeclared)
    if declared.type == "thin":
        return _group(_pool(site))
    return f"{site.stack}-{declared.group or site.name}"


def _pool(site: Site) -> Site:
    pool = site.only
    if not isinstance(pool.declared, LvmDeclared) or pool.declared.type != "thin-pool":
        raise site.wrong("a thin volume stands `of` one lvm layer of `type: thin-pool`")
    return pool


def _physical(site: Site) -> tuple[str, ...]:
    """The devices that the volume group lies on."""
    thin = site.declared_as(LvmDeclared).type == "thin"
    return tuple(lower.device for lower in (_pool(site) if thin else site).below)


def _tool(site: Site, *argv: str) -> tuple[str, ...]:
    """An LVM command that sees only the devices of this group (lvm(8), --devices, 2.03.12).

    A physical volume on DRBD is also seen on the disk below it; only one of them may be used.
    """
    return (*argv, "--devices", ",".join(_physical(site)))


def _made_group(site: Site) -> Step:
    """The step that makes the volume group; volumes of one group have it in common."""
    group, devices = _group(site), _physical(site)
    return Step(
        f"make the volume group {group}",
        (Command(_tool(site, "vgcreate", "--yes", group, *devices)),),
        Check(_tool(site, "vgs", group)),
        (
            Command(_tool(site, "vgremove", group), may_fail=True, wipes=True),
            Command(_tool(site, "pvremove", *devices), wipes=True),
        ),
        destroys=devices,
        touches=(
            UndoSubject(
                "output", group, _tool(site, "vgs", "--noheadings", "-o", "vg_uuid", group)
            ),
        ),
        shared=True,
    )


def group_room(below: Sequence[int | None]) -> int | None:
    """The most bytes that volumes of a group get of its devices; None where one's is not known.

    Source: lvm.conf(5): extents of 4 MiB, the first of them 1 MiB behind the device's beginning.
    """
    if any(size is None for size in below):
        return None
    return sum(max((size or 0) - MIB, 0) // _EXTENT * _EXTENT for size in below)


def make_volume(site: Site) -> tuple[str, ...]:
    """The argument list of lvcreate (lvcreate(8)); what it makes is not active yet."""
    declared, group = site.declared_as(LvmDeclared), _group(site)
    argv = ["lvcreate", "--yes", "--name", site.name, "--type", declared.type]
    if declared.type == "thin":
        argv += ["--virtualsize", f"{declared.size}b", "--thinpool", _pool(site).name]
    elif declared.size:
        argv += ["--size", f"{declared.size}b"]
    else:
        argv += ["--extents", "100%FREE"]
    if declared.type == "striped":
        stripes = declared.stripes or len(site.below)
        if stripes < 2 or stripes > len(site.below):
            raise site.wrong(
                f"{stripes} stripes need as many physical volumes, and there are {len(site.below)}"
            )
        argv += ["--stripes", str(stripes), "--stripesize", f"{declared.stripe_size}b"]
    if declared.type in {"raid1", "mirror"}:
        argv += ["--mirrors", "1", *(("--nosync",) if declared.assume_clean else ())]
    if declared.type in {"linear", "striped"}:
        argv += ["--activate", "n", "--zero", "n", "--wipesignatures", "n"]
    return _tool(site, *argv, group)


class Lvm(Layer, Builds, Sized, Compares, Geometric, Pools, Shares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "lvm"
    array = ArrayTraits(in_group=True)
    passes_through = True
    declaration = LvmDeclared
    probe = "device"
    settings = (
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
        *made_with(
            "segment_type",
            "stripes",
            "chunk_size",
            "block_size",
            "region_size",
            "extent_size",
            units=dict.fromkeys(("chunk_size", "block_size", "region_size", "extent_size"), "B"),
        ),
    )
    fixed_settings = (
        "rebuild",
        "it was fixed when the volume was made",
    )
    shows_members = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """What lvs can't say stays unknown; the volumes are found anyway."""
        volumes = [volume for volume in await mapped(scene) if volume.kind == self.kind]
        if not volumes:
            return ()
        reported = by_uuid(await _report(scene, (LVS, LVS_OLD), "lv"))
        starts = {
            str(row.get("pv_name")): figure(row.get("pe_start"))
            for row in await _report(scene, (PVS,), "pv")
        }
        return tuple(_layer(scene, volume, reported, starts) for volume in volumes)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(LvmDeclared)
        if not site.below:
            raise site.wrong("a logical volume stands `of` one or more devices")
        volume = f"{_group(site)}/{site.name}"
        change = ("lvchange", "--yes", "--activate")
        made = Step(
            f"make the {declared.type} volume {site.name}",
            (
                Command(make_volume(site), timeout=120.0),
                Command(_tool(site, *change, "n", volume)),
            ),
            Check(_tool(site, "lvs", "--noheadings", "--options", "segtype", volume)),
            (Command(_tool(site, "lvremove", "--yes", volume), wipes=True),),
            touches=(
                UndoSubject(
                    "output", volume,
                    _tool(site, "lvs", "--noheadings", "-o", "vg_uuid,lv_uuid", volume),
                ),
                *(UndoSubject("device", device) for device in _physical(site)),
            ),
        )  # fmt: skip
        active = Step(
            "activate it",
            (Command(_tool(site, *change, "y", volume)),),
            exists(f"/dev/{volume}") if declared.type != "thin-pool" else _pool_active(site),
            (Command(_tool(site, *change, "n", volume)),),
            touches=()
            if declared.type == "thin-pool"
            else (UndoSubject("device", f"/dev/{volume}", given="lost"),),
        )
        first = () if declared.type == "thin" else (_made_group(site),)
        return (_modules_for(declared.type), *first, made, active)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """A thin pool is no place to put a load."""
        if site.declared_as(LvmDeclared).type == "thin-pool":
            return ""
        path = f"/dev/{_group(site)}/{site.name}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """A thin volume may be larger than its pool."""
        declared = site.declared_as(LvmDeclared)
        if declared.type == "thin":
            return declared.size
        unit = declared.stripe_size
        if declared.type == "striped" and (unit < 4 * KIB or unit & unit - 1):
            raise site.wrong(
                f"stripe_size: {show_bytes(unit)} is not a valid stripe size: expected a "
                "power of two, at least 4 KiB"
            )
        copies = 2 if declared.type in {"raid1", "mirror"} else 1
        if len(below) < copies:
            raise site.wrong(f"a {declared.type} volume needs {copies} physical volumes")
        free = group_room(below)
        if free is not None and (declared.size or 1) * copies > free:
            raise site.wrong(
                f"its size of {show_bytes(declared.size or 1)} is larger than the volume group "
                f"{_group(site)}, which has at most {show_bytes(free // copies)} for it"
            )
        return declared.size or (None if free is None else free // copies)

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """LVM rounds a size up to whole extents on each stripe."""
        declared, facts = site.declared_as(LvmDeclared), layer.facts
        is_striped = declared.type == "striped"
        stripes = declared.stripes or len(site.below)
        size, extent = declared.size, facts.get("extent_size")
        if size and isinstance(extent, int) and extent:
            step = extent * (stripes if is_striped else 1)
            size = -(-size // step) * step
        return (
            Compared("type", declared.type, facts.get("segment_type")),
            Compared("size", size, layer.size, "B"),
            Compared("stripes", stripes if is_striped else None, facts.get("stripes")),
            Compared(
                "stripe_size", declared.stripe_size if is_striped else None,
                facts.get("chunk_size"), "B",
            ),
        )  # fmt: skip

    @override
    def geometry(self, site: Site) -> tuple[int, int] | None:
        declared = site.declared_as(LvmDeclared)
        if declared.type != "striped":
            return None
        return declared.stripe_size, declared.stripes or len(site.below)

    @override
    def is_pool(self, site: Site) -> bool:
        return site.declared_as(LvmDeclared).type == "thin-pool"

    @override
    def stands_on_pool(self, site: Site) -> bool:
        return site.declared_as(LvmDeclared).type == "thin"

    @override
    def claim(self, site: Site) -> tuple[str, ...]:
        """Volumes of one group share its physical volumes."""
        declared = site.declared_as(LvmDeclared)
        if declared.type == "thin":
            return ()
        return ("group", declared.group or site.name, *declared.of)

    def check(self, own: Sequence[Site], room: Mapping[str, int | None]) -> None:
        """All volumes of a group together are not larger than it."""
        groups: dict[str, list[Site]] = {}
        for site in own:
            group = site.declared_as(LvmDeclared).group
            if group and not self.stands_on_pool(site):
                groups.setdefault(f"{site.host} {group}", []).append(site)
        for volumes in groups.values():
            free = group_room([room.get(lower.name) for lower in volumes[0].below])
            wanted = 0
            for site in volumes:
                declared = site.declared_as(LvmDeclared)
                copies = 2 if declared.type in {"raid1", "mirror"} else 1
                wanted += (declared.size or 0) * copies
                if free is not None and wanted > free:
                    raise site.wrong(
                        f"the volumes of the group {declared.group} need {show_bytes(wanted)} with "
                        f"it, and the group has at most {show_bytes(free)}"
                    )


def _modules_for(kind: str) -> Step:
    """Loads what device-mapper needs for a type of volume (drivers/md/Kconfig)."""
    names = {
        "raid1": "dm_raid",
        "mirror": "dm_mirror",
        "thin-pool": "dm_thin_pool",
        "thin": "dm_thin_pool",
    }
    return modules("dm_mod", *([names[kind]] if kind in names else []))


def _pool_active(site: Site) -> Check:
    """A pool has no name in /dev of its own; device-mapper's tells."""
    name = mapper_name(_group(site), site.name).removeprefix("mapper/")
    return Check(("dmsetup", "info", "--columns", "--noheadings", name))


async def _report(
    scene: Scene, ways: Sequence[tuple[str, ...]], part: str
) -> list[Mapping[str, Any]]:
    """The rows that the first of several ways to ask gives; a gap where none does."""
    for argv in ways:
        done = await scene.host.run(argv, check=False)
        rows = parse_report(done.stdout, part) if done.status == 0 else []
        if rows:
            return rows
    await scene.miss(f"what {ways[0][0]} says of volumes", done, "lvm2")
    return []


def _layer(
    scene: Scene,
    volume: Mapped,
    reported: Mapping[str, Sequence[Mapping[str, Any]]],
    starts: Mapping[str, int | None],
) -> StackLayer:
    uuid, role = split_uuid(volume.uuid)
    segments = reported.get(uuid, ())
    facts = volume_facts(segments)
    hazards = volume_hazards(segments[0]) if segments else ()
    if role:
        facts["role"] = role
    below = [scene.devices[name] for name in volume.device.below if name in scene.devices]
    offsets = {starts.get(device.path) for device in below} - {None}
    if len(offsets) == 1:
        facts["data_offset"] = offsets.pop()
    if _write_cached(facts) and not all(
        scene.survives_a_loss(name) for name in _fast(scene, volume)
    ):
        hazards = (*hazards, "unsafe cache")
    for device in below:
        physical = figure(device.queue.get("physical_block_size"))
        start = starts.get(device.path)
        if physical and start and start % physical and "misaligned" not in hazards:
            hazards = (*hazards, "misaligned")
    return volume.layer(scene, "lvm", facts, hazards)


def _write_cached(facts: Mapping[str, Scalar]) -> bool:
    return facts.get("mode") == "writeback" or facts.get("segment_type") == "writecache"


def _fast(scene: Scene, device: Mapped) -> list[str]:
    """The devices below that are the cache: by the ends of their names in /dev/mapper."""
    names = [name for name in device.device.below if name in scene.devices]
    ends = ("_cdata", "-cdata", "_cvol")
    return [name for name in names if scene.devices[name].path.endswith(ends)]
