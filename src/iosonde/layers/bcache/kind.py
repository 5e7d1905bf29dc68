"""bcache: an SSD that caches one or several slow devices.

`dirty` is what stands in the cache alone, in bytes; `state` is "no cache", "clean", "dirty" or
"inconsistent".

Source: Linux Documentation/admin-guide/bcache.rst (sysfs of a backing device, of a cache set and
of a cache); make-bcache(8), bcache-super-show(8) of bcache-tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, field_validator
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._caches.building import ATTEMPT, NUMBER, PACKAGE, PATIENCE, pair, script_command
from iosonde.layers.bcache.facts import cache_facts, counts, printed
from iosonde.layers.layer import BlockDevice, Layer, LayerSetting, Scene, made_with, queue_settings
from iosonde.layers.site import Builds, Declared, Site, Size
from iosonde.layers.step import Check, Step, UndoSubject, modules, run, wipe
from iosonde.records.stack import StackLayer
from iosonde.scripts import program
from iosonde.units import KIB, MIB, SECTOR

_NAME = re.compile(r"bcache\d+$")
_TEXTS = (
    "state", "cache_mode", "dirty_data", "backing_dev_name", "cache/block_size",
    "cache/bucket_size", "cache/cache_available_percent",
)  # fmt: skip
_COUNTERS = ("cache_hits", "cache_misses", "cache_bypass_hits", "cache_bypass_misses", "bypassed")


class BcacheDeclared(Declared):
    """A cache `of` two layers: the slow one, whose data then begin 8 KiB later, and the fast one.

    `bucket_size` is what the cache frees at once, a power of two; `sequential_cutoff` the length
    from which sequential I/O goes past the cache (0: nothing does); `writeback_percent` the share
    of dirty data that write-back aims at.
    """

    kind: Literal["bcache"] = "bcache"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {"cache_mode": ("writeback",)}
    cache_mode: Literal["writethrough", "writeback", "writearound", "none"] = "writethrough"
    sequential_cutoff: Size = Field(default=4 * MIB, ge=0, lt=2**32)
    writeback_percent: int = Field(default=10, ge=0, le=40)
    bucket_size: Size = 512 * KIB

    @field_validator("bucket_size")
    @classmethod
    def _power(cls, size: int) -> int:
        if size & (size - 1) or not 4 * KIB <= size <= 16 * MIB:
            raise ValueError("`bucket_size` must be a power of two from 4 KiB to 16 MiB")
        return size


_ATTRIBUTES = "/sys/block/{name}/bcache/"


class Bcache(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "bcache"
    declaration = BcacheDeclared
    probe = "device"
    settings = (
        # bcache keeps its mode in the superblock of the slow device.
        LayerSetting(
            "cache_mode", "sysfs", _ATTRIBUTES + "cache_mode", unsafe=("writeback",), lasts=True
        ),
        LayerSetting("sequential_cutoff", "bcache", _ATTRIBUTES + "sequential_cutoff", "B", low=0),
        LayerSetting(
            "writeback_percent", "sysfs", _ATTRIBUTES + "writeback_percent", "%", low=0, high=40
        ),
        LayerSetting("writeback_delay", "sysfs", _ATTRIBUTES + "writeback_delay", "s", low=0),
        LayerSetting("writeback_running", "sysfs", _ATTRIBUTES + "writeback_running",
                     choices=("0", "1")),
        LayerSetting("readahead_cache_policy", "sysfs", _ATTRIBUTES + "readahead_cache_policy"),
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
        *made_with("block_size", "bucket_size", units={"block_size": "B", "bucket_size": "B"}),
    )  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Partitions of a cached device are the partition layer's."""
        devices = [device for device in scene.devices.values() if _NAME.match(device.name)]
        return tuple([await self._layer(scene, device) for device in devices])

    async def _layer(self, scene: Scene, device: BlockDevice) -> StackLayer:
        place = f"/sys/block/{device.name}/bcache"
        names = (*_TEXTS, *(f"stats_total/{name}" for name in _COUNTERS))
        files = await scene.texts([f"{place}/{name}" for name in names])
        texts = {path.removeprefix(f"{place}/"): text for path, text in files.items()}
        facts = {**cache_facts(texts), **counts(texts)}
        caches = [lower for lower in device.below if lower != texts.get("backing_dev_name")]
        hazards = ["inconsistent"] if facts.get("state") == "inconsistent" else []
        if facts.get("mode") == "writeback" and caches:
            hazards += ["unsafe cache"] * (not all(map(scene.survives_a_loss, caches)))
        return scene.device_layer(
            self.kind,
            device,
            below=scene.beneath(device),
            facts=facts,
            hazards=(*hazards, *scene.lost(device)),
        )

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(BcacheDeclared)
        origin, cache = pair(site)
        arguments = (origin, cache, site.uuid())
        limit = f"{ATTEMPT:.0f}"
        bucket = declared.bucket_size // SECTOR
        percent = f"writeback_percent={declared.writeback_percent}"
        written = (
            f"cache_mode={declared.cache_mode}",
            f"sequential_cutoff={declared.sequential_cutoff}",
            percent,
        )
        shown = (
            f"cache_mode=[{declared.cache_mode}]",
            f"sequential_cutoff={printed(declared.sequential_cutoff)}",
            percent,
        )
        return (
            modules("bcache"),
            Step(
                "make the superblocks",
                (
                    script_command(_FITS, cache, str(bucket)),
                    run("make-bcache", "--cset-uuid", site.uuid(),
                        "--bucket", str(declared.bucket_size), "-C", cache, "-B", origin),
                ),
                Check(
                    ("sh", "-c", _EXAMINE.strip(), "sh", *arguments),
                    ("both", f"bucket {bucket} end"),
                ),
                (
                    script_command(_RELEASE, *arguments, limit, timeout=PATIENCE),
                    wipe("sh", "-c", _WIPE.strip(), "sh", *arguments),
                ),
                destroys=(origin, cache),
                touches=(
                    UndoSubject(
                        "device", f"<the cached device of {site.name}>",
                        ("sh", "-c", _CACHED_DEVICE.strip(), "sh", origin), given="kept",
                    ),
                ),
            ),
            # Seen and undone with the superblocks, since udev attaches what carries them.
            Step("attach the cache", (script_command(_ATTACH, *arguments),)),
            Step(
                "set what is declared of it",
                (script_command(_SET, origin, *written),),
                Check(("sh", "-c", _ARE_SET.strip(), "sh", origin, *shown)),
            ),
        )  # fmt: skip

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """/dev/bcache0 may be another one after a reboot."""
        script = ("sh", "-c", _CACHED_DEVICE.strip(), "sh", pair(site)[0])
        done = await host.run(script, check=False)
        return None if done.status else kerneltext.decoded(done.stdout).strip()


# drivers/md/bcache/super.c, cache_alloc: with fewer buckets there is no reserve, and no cache.
_FITS = """
[ $(($(blockdev --getsz "$1") / $2)) -gt 520 ] || {
    echo "$1 has too few buckets: a cache needs more than 520 of bucket_size" >&2
    exit 1
}
"""
# The cached device on a slow one; /dev/bcache0 may be another one after a reboot.
_CACHED_DEVICE = """
uuid=$(bcache-super-show "$1" 2>/dev/null | sed -n 's/^dev.uuid[[:space:]]*//p')
test -b "/dev/bcache/by-uuid/$uuid" && echo "/dev/bcache/by-uuid/$uuid"
"""
# value DEVICE NAME: of its superblock, "" where it has none. A detached device has a set of zeros.
_SUPER = """
value() { bcache-super-show "$1" 2>/dev/null | sed -n "s/^$2[[:space:]]*//p"; }
zeros=00000000-0000-0000-0000-000000000000
"""
_EXAMINE = f"{_SUPER}\n{program(PACKAGE, 'bcache/examine.sh')}"
_FUNCTIONS = f"{NUMBER}{_SUPER}\n{program(PACKAGE, 'bcache/make.sh')}\n"
_ATTACH = f"{_FUNCTIONS}\n{program(PACKAGE, 'bcache/attach.sh')}"
_RELEASE = f"{_FUNCTIONS}\n{program(PACKAGE, 'bcache/release.sh')}"
_WIPE = f"""{_SUPER}
slow=$(value "$1" cset.uuid) fast=$(value "$2" cset.uuid)
case $slow in "$3"|$zeros) wipefs --quiet --all --types bcache "$1" || exit;; esac
if [ "$fast" = "$3" ]; then wipefs --quiet --all --types bcache "$2"; fi
"""
_SET = f"""{NUMBER}
at=/sys/dev/block/$(number "$1")/bcache
shift
for one; do echo "${{one#*=}}" >"$at/${{one%%=*}}" || exit; done
"""
_ARE_SET = f"""{NUMBER}
at=/sys/dev/block/$(number "$1")/bcache
shift
for one; do case " $(cat "$at/${{one%%=*}}") " in *" ${{one#*=}} "*) ;; *) exit 1;; esac; done
"""
