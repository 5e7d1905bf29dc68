"""dm-cache: a fast device that keeps the hot blocks of a slow one.

Caches made with LVM are volumes of kind lvm, which lvs describes. `block_size` is what is moved
between the devices at once; figures of use are blocks as shares of the cache.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst (the policy "cleaner" writes back
all dirty blocks).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import field_validator
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers._caches.building import (
    ATTEMPT,
    NUMBER,
    PACKAGE,
    PATIENCE,
    in_mapper,
    labelled,
    pair,
    script_command,
)
from iosonde.layers._caches.devices import cache_devices
from iosonde.layers._mapper.devices import Mapped, with_status
from iosonde.layers._mapper.facts import MapperTarget, has_failed
from iosonde.layers.dm_cache.facts import MODES, read_status, read_table
from iosonde.layers.layer import Layer, LayerSetting, Scene, made_with, queue_settings
from iosonde.layers.site import Builds, Declared, Site, Size
from iosonde.layers.step import Check, Step, UndoSubject, modules
from iosonde.records.stack import StackLayer
from iosonde.scripts import program
from iosonde.units import GIB, KIB, SECTOR

_GRAIN = 32 * KIB  # cache.rst: block sizes are multiples of it, at most 1 GiB


class DmCacheDeclared(Declared):
    """A cache `of` two layers: the slow one, then the fast one, which also holds the metadata.

    `block_size` is what is moved between them at once, a multiple of 32 KiB. "mq" is another name
    of smq since Linux 4.6; "cleaner" caches nothing and writes back what is dirty.
    """

    kind: Literal["dm_cache"] = "dm_cache"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {"mode": ("writeback",)}
    mode: Literal["writethrough", "writeback", "passthrough"] = "writethrough"
    policy: Literal["smq", "mq", "cleaner"] = "smq"
    block_size: Size = 256 * KIB

    @field_validator("block_size")
    @classmethod
    def _multiple(cls, size: int) -> int:
        if size % _GRAIN or not _GRAIN <= size <= GIB:
            raise ValueError("`block_size` must be a multiple of 32 KiB, at most 1 GiB")
        return size


class DmCache(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "dm_cache"
    aligns_requests = False
    declaration = DmCacheDeclared
    probe = "device"
    settings = (
        LayerSetting(
            "mode", "dmtable", "{name} mode", choices=MODES, risk="stall", unsafe=("writeback",),
            apart=True,
        ),
        LayerSetting(
            "policy", "dmtable", "{name} policy", choices=("smq", "cleaner"), risk="stall",
            apart=True,
        ),
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
        *made_with("block_size", units={"block_size": "B"}),
    )  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        caches = await with_status(scene, self.kind)
        return tuple(self._layer(scene, device, status) for device, status in caches)

    def _layer(self, scene: Scene, device: Mapped, status_line: MapperTarget | None) -> StackLayer:
        arguments = status_line.arguments if status_line else ()
        table, status = read_table(device.targets[0].arguments), read_status(arguments)
        hazards = ("failed",) * has_failed(arguments)
        facts = table.facts() if table else {}
        if status:
            facts |= {**status.facts(), **status.counters}
            hazards = status.hazards()
        cache, devices = cache_devices(scene, table)
        facts |= devices
        if facts.get("mode") == "writeback" and cache and not scene.survives_a_loss(cache.name):
            hazards = (*hazards, "unsafe cache")
        return device.layer(scene, self.kind, facts, hazards)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(DmCacheDeclared)
        origin, cache = pair(site)
        block = declared.block_size // SECTOR
        shared = (site.label, cache, origin, site.uuid())
        limit = f"{ATTEMPT:.0f}"
        return (
            modules("dm_mod", "dm_cache", "dm_cache_smq"),
            labelled(
                site, _LAYOUT, block,
                script_command(_WRITE_BACK, *shared, limit, timeout=4 * ATTEMPT),
            ),
            Step(
                f"map the {declared.mode} cache",
                (
                    script_command(
                        _MAP, *shared, f"{PATIENCE:.0f}", declared.mode, declared.policy,
                        timeout=PATIENCE + 4 * ATTEMPT,
                    ),
                ),
                Check(
                    ("sh", "-c", _STANDS.strip(), "sh", site.label, cache, origin),
                    ("on its devices", f"{block} 1 {declared.mode} {declared.policy} "),
                ),
                (script_command(_UNMAP, site.label, limit, timeout=4 * ATTEMPT),),
                touches=(UndoSubject("device", f"/dev/mapper/{site.label}", given="kept"),),
            ),
        )  # fmt: skip

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        return await in_mapper(host, site)


_LAYOUT = program(PACKAGE, "dm_cache/layout.sh")
_FUNCTIONS = ("_caches/functions.sh", "dm_cache/functions.sh")
_MAP = program(PACKAGE, *_FUNCTIONS, "dm_cache/map.sh")
_UNMAP = program(PACKAGE, *_FUNCTIONS, then='unmap "$1" "$2"')
_WRITE_BACK = program(PACKAGE, *_FUNCTIONS, "dm_cache/write_back.sh")
_STANDS = f"{NUMBER}\n{program(PACKAGE, 'dm_cache/stands.sh')}"
