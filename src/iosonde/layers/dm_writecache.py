"""dm-writecache: writes go to persistent memory or an SSD first and from there to the disk.

It caches no reads. Caches made with LVM are volumes of kind lvm, which lvs describes.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst (table: p or s for persistent
memory or SSD, origin, cache, block size in bytes, number of options; status: error, blocks, free
blocks, blocks under write-back; then ten counters since 5.16; message flush). The options that a
table shows come in the order of drivers/md/dm-writecache.c, writecache_status.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from iosonde.hosts.host import Host
from iosonde.layers.caching import (
    FORGET,
    HEADER,
    NUMBER,
    PATIENCE,
    RECALL,
    in_mapper,
    labelled,
    pair,
    script_command,
)
from iosonde.layers.layer import (
    LayerSetting,
    Mapped,
    Scene,
    dmsetup,
    made_with,
    mapped,
    queue_settings,
)
from iosonde.layers.site import Declared, Site, Size
from iosonde.layers.step import Check, Step, modules
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR

_MEDIA = {"s": "ssd", "p": "persistent memory"}
_COUNTERS = (
    "read_requests", "read_hits", "write_requests", "write_hits_uncommitted",
    "write_hits_committed", "writes_around", "writes_allocated", "writes_blocked", "flushes",
    "discards",
)  # fmt: skip


def table_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """Medium, block size in bytes and options from the arguments of a writecache target."""
    if len(words) < 5 or not words[3].isdecimal():
        return {}
    facts: dict[str, Scalar] = {
        "medium": _MEDIA.get(words[0], words[0]),
        "block_size": int(words[3]),
    }
    if words[5:]:
        facts["options"] = " ".join(words[5:])
    return facts


def status_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """How full a cache is, from its status, and what went through it where the kernel counts."""
    counts = [int(word) for word in words if word.isdecimal()]
    if len(counts) < 4 or len(counts) != len(words) or not counts[1]:
        return {}
    facts: dict[str, Scalar] = {
        "cache_blocks": counts[1],
        "used_share": 1 - counts[2] / counts[1],
        "writeback_blocks": counts[3],
    }
    return {**facts, **dict(zip(_COUNTERS, counts[4:], strict=False))}


def status_hazards(words: Sequence[str]) -> tuple[str, ...]:
    """The first figure is the error that the cache met."""
    return ("failed",) if words and words[0] != "0" else ()


class DmWritecacheDeclared(Declared):
    """A write cache `of` two layers: the slow one, then the fast one.

    Writing back begins when more than `high_watermark` per cent of the blocks are in use, and ends
    at `low_watermark`. `block_size` is 512 to 4096 bytes; 4096 is what the kernel recommends.
    """

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


class DmWritecache:
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind: ClassVar[str] = "dm_writecache"
    declaration: ClassVar[type[Declared]] = DmWritecacheDeclared
    probe: ClassVar[str] = "device"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
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

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        caches = [one for one in await mapped(scene) if one.kind == self.kind]
        states = await dmsetup(scene, "status") if caches else {}
        return tuple(
            self._layer(scene, one, states[one.name][0].words if one.name in states else ())
            for one in caches
        )

    def _layer(self, scene: Scene, one: Mapped, status: Sequence[str]) -> StackLayer:
        words = one.targets[0].words
        facts = {**table_facts(words), **status_facts(status)}
        hazards = status_hazards(status)
        origin, cache = (scene.with_number(word) for word in (*words, "", "", "")[1:3])
        if cache and origin:
            facts |= {"cache_device": cache.path, "origin_device": origin.path}
        if cache and not scene.survives_a_loss(cache.name):
            hazards = (*hazards, "unsafe cache")
        return one.layer(scene, self.kind, facts, hazards)

    def plan(self, site: Site) -> tuple[Step, ...]:
        """See `Builds.plan`."""
        declared = site.declared_as(DmWritecacheDeclared)
        origin, cache = pair(site)
        options = (
            f"start_sector {HEADER} high_watermark {declared.high_watermark} "
            f"low_watermark {declared.low_watermark}"
        )
        target = f"{declared.block_size} 6 {options}"
        known = (site.label, cache, origin, site.uuid())
        return (
            modules("dm_mod", "dm_writecache"),
            labelled(
                site, _LAYOUT, declared.block_size // SECTOR,
                script_command(_CLEAR, *known, timeout=PATIENCE),
            ),
            Step(
                "map the write cache",
                (script_command(_MAP, *known, target),),
                Check(
                    ("sh", "-c", _STANDS.strip(), "sh", site.label, cache, origin),
                    ("on its devices", f" {target} end"),
                ),
                (script_command(_UNMAP, site.label, timeout=PATIENCE),),
            ),
        )  # fmt: skip

    async def place(self, host: Host, site: Site) -> str | None:
        """See `Builds.place`."""
        return await in_mapper(host, site)


_LAYOUT = f"""
words="data=$((size - {HEADER}))"
[ "$size" -gt {2 * HEADER} ] || {{ echo "$1 is too small for a cache" >&2; exit 1; }}
"""
# Of the status, the words from the 4th on: error, blocks, free blocks, blocks under write-back.
_FUNCTIONS = """
map() { dmsetup create "$1" --table "0 $origin writecache s $3 $2 $4"; }
# unmap NAME: after a flush that left no block in the cache.
unmap() {
    if mapped "$1"; then
        dmsetup resume "$1" && dmsetup message "$1" 0 flush || return
        set -- "$1" $(dmsetup status "$1")
        if [ "$5" != 0 ] || [ "$6" != "$7" ] || [ "$8" != 0 ]; then
            echo "not all of $1 is written back: $*" >&2; return 1
        fi
        gone "$1"
    fi
}
"""
_MAP = f"""{RECALL}{_FUNCTIONS}
recall "$2" "$3" "$4" && map "$1" "$2" "$3" "$5"
"""
_UNMAP = f"""{RECALL}{_FUNCTIONS}
unmap "$1"
"""
# It may hold blocks and not be mapped: the host was started again, and nobody called `up`.
_CLEAR = f"""{RECALL}{_FUNCTIONS}{FORGET}
recall "$2" "$3" "$4"
case $? in 0) ;; 2) exit 0;; *) exit 1;; esac
if used "$2"; then
    mapped "$1" || map "$1" "$2" "$3" "$((block * 512)) 2 start_sector $header" || exit
    unmap "$1" || exit
fi
forget "$2"
"""
_STANDS = f"""{NUMBER}
table=$(dmsetup table "$1") || exit 1
if [ "$(echo "$table" | cut -d ' ' -f 3-6)" = "writecache s $(number "$3") $(number "$2")" ]
then echo "on its devices"; fi
echo "$table end"
"""
