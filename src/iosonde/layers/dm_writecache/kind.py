"""dm-writecache: writes go to persistent memory or an SSD first and from there to the disk.

It caches no reads. Caches made with LVM are volumes of kind lvm, which lvs describes.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst (message flush). The options
that a table shows come in the order of drivers/md/dm-writecache.c, writecache_status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers._caches.building import (
    HEADER,
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
from iosonde.layers.dm_writecache.facts import read_status, read_table
from iosonde.layers.layer import Layer, LayerSetting, Scene, made_with, queue_settings
from iosonde.layers.site import Builds, Declared, Site, Size
from iosonde.layers.step import Check, Step, UndoSubject, modules
from iosonde.records.stack import StackLayer
from iosonde.scripts import program
from iosonde.units import SECTOR


class DmWritecacheDeclared(Declared):
    """A write cache `of` two layers: the slow one, then the fast one.

    Writing back begins when more than `high_watermark` per cent of the blocks are in use, and ends
    at `low_watermark`. `block_size` is 512 to 4096 bytes; 4096 is what the kernel recommends.
    """

    immaterial: ClassVar[Mapping[str, str]] = {"mode": "there is no other value than ssd"}

    kind: Literal["dm_writecache"] = "dm_writecache"
    mode: Literal["ssd"] = "ssd"
    high_watermark: int = Field(default=50, ge=0, le=100)
    low_watermark: int = Field(default=45, ge=0, le=100)
    block_size: Size = 4096

    @model_validator(mode="after")
    def _whole(self) -> DmWritecacheDeclared:
        if self.block_size not in _BLOCKS:
            raise ValueError("`block_size` must be 512, 1024, 2048 or 4096")
        if self.low_watermark > self.high_watermark:
            raise ValueError("`low_watermark` must not be above `high_watermark`")
        return self


_BLOCKS = (512, 1024, 2048, 4096)


class DmWritecache(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "dm_writecache"
    declaration = DmWritecacheDeclared
    probe = "device"
    settings = (
        *(
            LayerSetting(
                name, "dmtable", "{name} " + name, unit, low=low, high=high, risk="stall",
                apart=True,
            )
            for name, unit, low, high in (
                ("high_watermark", "%", 0, 100), ("low_watermark", "%", 0, 100),
                ("writeback_jobs", "", 1, None), ("autocommit_blocks", "", 1, None),
                ("autocommit_time", "ms", 1, 3_600_000),
            )
        ),
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
        *made_with("medium", "block_size", units={"block_size": "B"}),
    )  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        caches = await with_status(scene, self.kind)
        return tuple(self._layer(scene, device, status) for device, status in caches)

    def _layer(self, scene: Scene, device: Mapped, status_line: MapperTarget | None) -> StackLayer:
        arguments = status_line.arguments if status_line else ()
        table, status = read_table(device.targets[0].arguments), read_status(arguments)
        failed = has_failed(arguments) or (status is not None and status.error != 0)
        hazards = ("failed",) * failed
        facts = table.facts() if table else {}
        if status:
            facts |= {**status.facts(), **status.counters}
        cache, devices = cache_devices(scene, table)
        facts |= devices
        if cache and not scene.survives_a_loss(cache.name):
            hazards = (*hazards, "unsafe cache")
        return device.layer(scene, self.kind, facts, hazards)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(DmWritecacheDeclared)
        origin, cache = pair(site)
        options = (
            f"start_sector {HEADER} high_watermark {declared.high_watermark} "
            f"low_watermark {declared.low_watermark}"
        )
        target = f"{declared.block_size} 6 {options}"
        shared = (site.label, cache, origin, site.uuid())
        return (
            modules("dm_mod", "dm_writecache"),
            labelled(
                site, _LAYOUT, declared.block_size // SECTOR,
                script_command(_WRITE_BACK, *shared, timeout=PATIENCE),
            ),
            Step(
                "map the write cache",
                (script_command(_MAP, *shared, target),),
                Check(
                    ("sh", "-c", _STANDS.strip(), "sh", site.label, cache, origin),
                    ("on its devices", f" {target} end"),
                ),
                (script_command(_UNMAP, site.label, timeout=PATIENCE),),
                touches=(UndoSubject("device", f"/dev/mapper/{site.label}", given="kept"),),
            ),
        )  # fmt: skip

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        return await in_mapper(host, site)


_LAYOUT = f"""
words="data=$((size - {HEADER}))"
[ "$size" -gt {2 * HEADER} ] || {{ echo "$1 is too small for a cache" >&2; exit 1; }}
"""
_FUNCTIONS = ("_caches/functions.sh", "dm_writecache/functions.sh")
_MAP = program(PACKAGE, *_FUNCTIONS, then='recall "$2" "$3" "$4" && map "$1" "$2" "$3" "$5"')
_UNMAP = program(PACKAGE, *_FUNCTIONS, then='unmap "$1"')
_WRITE_BACK = program(PACKAGE, *_FUNCTIONS, "dm_writecache/write_back.sh")
_STANDS = f"""{NUMBER}
table=$(dmsetup table "$1") || exit 1
if [ "$(echo "$table" | cut -d ' ' -f 3-6)" = "writecache s $(number "$3") $(number "$2")" ]
then echo "on its devices"; fi
echo "$table end"
"""
