"""bcache: an SSD that caches one or several slow devices.

`dirty` is what stands in the cache alone, in bytes; `state` is "no cache", "clean", "dirty" or
"inconsistent".

Source: Linux Documentation/admin-guide/bcache.rst (sysfs of a backing device, of a cache set and
of a cache); drivers/md/bcache/sysfs.c prints sizes with one decimal and a binary prefix: "4.0M";
make-bcache(8), bcache-super-show(8) of bcache-tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from iosonde.errors import UsageError
from iosonde.hosts.host import Host
from iosonde.layers.caching import ATTEMPT, NUMBER, PATIENCE, pair, script_command
from iosonde.layers.layer import BlockDevice, LayerSetting, Scene, queue_settings
from iosonde.layers.site import Declared, Site, Size
from iosonde.layers.step import Check, Step, modules, run
from iosonde.records import Scalar, StackLayer
from iosonde.units import KIB, MIB, SECTOR, parse_bytes

_NAME = re.compile(r"bcache\d+$")
_TEXTS = (
    "state", "cache_mode", "dirty_data", "backing_dev_name", "cache/block_size",
    "cache/bucket_size", "cache/cache_available_percent",
)  # fmt: skip
_COUNTERS = ("cache_hits", "cache_misses", "cache_bypass_hits", "cache_bypass_misses", "bypassed")


def chosen(text: str) -> str | None:
    """The word in brackets: "writethrough [writeback] none"."""
    found = re.search(r"\[([^]]+)\]", text)
    return found[1] if found else None


def size(text: str | None) -> int | None:
    """Bytes of "4.0M"; None where it is no size."""
    try:
        return parse_bytes(text) if text else None
    except UsageError:
        return None


def printed(bytes_: int) -> str:
    """A size as bcache prints it, "4.0M": the other way round than `size`, cut and not rounded.

    Source: drivers/md/bcache/util.c, bch_hprint.
    """
    whole, rest, unit = bytes_ >> 10, bytes_ & 1023, 0
    while whole >= 1000:
        whole, rest, unit = whole >> 10, whole & 1023, unit + 1
    return f"{whole}.{rest * 10 // 1024}{'kMGTPE'[unit]}"


def cache_facts(texts: Mapping[str, str]) -> dict[str, Scalar]:
    """What a cached device is, from its files in sysfs."""
    free = texts.get("cache/cache_available_percent", "")
    facts: dict[str, Scalar] = {
        "state": texts.get("state"),
        "mode": chosen(texts.get("cache_mode", "")),
        "dirty": size(texts.get("dirty_data")),
        "block_size": size(texts.get("cache/block_size")),
        "bucket_size": size(texts.get("cache/bucket_size")),
        "available_share": int(free) / 100 if free.isdecimal() else None,
    }
    for name in _COUNTERS:
        text = texts.get(f"stats_total/{name}", "")
        facts[name] = int(text) if text.isdecimal() else size(text)
    return {name: value for name, value in facts.items() if value is not None}


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


class Bcache:
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind: ClassVar[str] = "bcache"
    declaration: ClassVar[type[Declared]] = BcacheDeclared
    probe: ClassVar[str] = "device"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
        *(
            LayerSetting(name, "sysfs", f"/sys/block/{{name}}/bcache/{name}", unit)
            for name, unit in (
                ("cache_mode", ""),
                ("sequential_cutoff", ""),
                ("writeback_percent", ""),
                ("writeback_delay", ""),
                ("writeback_running", ""),
            )
        ),
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
    )

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; partitions of a cached device are the partition layer's."""
        devices = [one for one in scene.devices.values() if _NAME.match(one.name)]
        return tuple([await self._layer(scene, one) for one in devices])

    async def _layer(self, scene: Scene, device: BlockDevice) -> StackLayer:
        place = f"/sys/block/{device.name}/bcache"
        names = (*_TEXTS, *(f"stats_total/{name}" for name in _COUNTERS))
        found = await scene.texts([f"{place}/{name}" for name in names])
        texts = {path.removeprefix(f"{place}/"): text for path, text in found.items()}
        facts = cache_facts(texts)
        caches = [one for one in device.below if one != texts.get("backing_dev_name")]
        hazards = ["inconsistent"] if facts.get("state") == "inconsistent" else []
        if facts.get("mode") == "writeback" and caches:
            hazards += ["unsafe cache"] * (not all(map(scene.survives_a_loss, caches)))
        return StackLayer(
            id=scene.identity(self.kind, device.name),
            kind=self.kind,
            host=scene.host.name,
            device=device.path,
            size=device.size,
            below=scene.beneath(device),
            facts=facts,
            hazards=(*hazards, *scene.lost(device)),
        )

    def plan(self, site: Site) -> tuple[Step, ...]:
        """See `Builds.plan`."""
        declared = site.declared_as(BcacheDeclared)
        origin, cache = pair(site)
        known = (origin, cache, site.uuid())
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
                    ("sh", "-c", _EXAMINE.strip(), "sh", *known),
                    ("both", f"bucket {bucket} end"),
                ),
                (script_command(_CLEAR, *known, limit, timeout=PATIENCE),),
                destroys=(origin, cache),
            ),
            # Seen and undone with the superblocks, since udev attaches what carries them.
            Step("attach the cache", (script_command(_ATTACH, *known),)),
            Step(
                "set what is declared of it",
                (script_command(_SET, origin, *written),),
                Check(("sh", "-c", _ARE_SET.strip(), "sh", origin, *shown)),
            ),
        )  # fmt: skip

    async def place(self, host: Host, site: Site) -> str | None:
        """See `Builds.place`; /dev/bcache0 may be another one after a reboot."""
        script = ("sh", "-c", _PLACE.strip(), "sh", pair(site)[0])
        done = await host.run(script, check=False)
        return None if done.status else done.stdout.decode().strip()


# drivers/md/bcache/super.c, cache_alloc: with fewer buckets there is no reserve, and no cache.
_FITS = """
[ $(($(blockdev --getsz "$1") / $2)) -gt 520 ] || {
    echo "$1 has too few buckets: a cache needs more than 520 of bucket_size" >&2
    exit 1
}
"""
_PLACE = """
uuid=$(bcache-super-show "$1" 2>/dev/null | sed -n 's/^dev.uuid[[:space:]]*//p')
test -b "/dev/bcache/by-uuid/$uuid" && echo "/dev/bcache/by-uuid/$uuid"
"""
# value DEVICE NAME: of its superblock, "" where it has none. A detached device has a set of zeros.
_SUPER = """
value() { bcache-super-show "$1" 2>/dev/null | sed -n "s/^$2[[:space:]]*//p"; }
zeros=00000000-0000-0000-0000-000000000000
"""
_EXAMINE = f"""{_SUPER}
slow=$(value "$1" cset.uuid) fast=$(value "$2" cset.uuid)
[ -n "$slow$fast" ] || exit 1
if [ "$fast" = "$3" ]; then case $slow in "$3"|$zeros) echo both;; esac; fi
echo "of $slow and $fast, bucket $(value "$2" dev.sectors_per_bucket) end"
"""
# udev registers what carries a superblock as well, so each of this may have happened already.
_FUNCTIONS = f"""{NUMBER}{_SUPER}
at=/sys/dev/block/$(number "$1")/bcache
set_=/sys/fs/bcache/$3
# wait_for SECONDS MESSAGE COMMAND...: until the command succeeds.
wait_for() {{
    end=$(($(date +%s) + $1)) message=$2
    shift 2
    until "$@"; do
        if [ "$(date +%s)" -ge "$end" ]; then echo "$message" >&2; return 1; fi
        sleep 0.2
    done
}}
attached() {{
    [ -e "$at/cache" ] && return
    for one in "$2" "$1"; do readlink -f "$one" >/sys/fs/bcache/register_quiet; done 2>/dev/null
    if [ -d "$set_" ] && [ -e "$at/attach" ]; then echo "$3" >"$at/attach"; fi 2>/dev/null
    [ -e "$at/cache" ]
}}
detached() {{ [ ! -e "$at/cache" ]; }}
stopped() {{ [ ! -e "$at" ] && [ ! -e "$set_" ]; }}
attach() {{ wait_for 20 "the cache cannot be attached: the kernel's log says why" attached "$@"; }}
# detach SECONDS: the kernel writes back what is dirty first.
detach() {{
    detached || echo 1 >"$at/detach" || return
    wait_for "$1" "still dirty: $(cat "$at/dirty_data" 2>/dev/null)" detached
}}
stop() {{
    [ ! -e "$at/stop" ] || echo 1 >"$at/stop" || return
    [ ! -e "$set_/stop" ] || echo 1 >"$set_/stop" || return
    wait_for 20 "bcache does not let go of its devices" stopped
}}
"""
_ATTACH = f"""{_FUNCTIONS}
attach "$@" || exit
used=$(readlink -f "/sys/dev/block/$(number "$2")/bcache/set")
[ "$(readlink -f "$at/cache")" = "$used" ] && [ "${{used##*/}}" = "$3" ] && exit
echo "$1 is attached to another cache: $(readlink -f "$at/cache")" >&2
exit 1
"""
# It may be dirty and not registered: the host was started again, and nobody called `up`.
_CLEAR = f"""{_FUNCTIONS}
slow=$(value "$1" cset.uuid) fast=$(value "$2" cset.uuid)
if [ "$slow" = "$3" ] && [ "$fast" = "$3" ]; then
    case $(value "$1" dev.data.cache_state) in
        *dirty*|*inconsistent*) attach "$@" || exit;;
    esac
fi
detach "$4" && stop || exit
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
