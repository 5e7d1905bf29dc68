"""dm-cache: a fast device that keeps the hot blocks of a slow one.

Caches made with LVM are volumes of kind lvm, which lvs describes. `block_size` is what is moved
between the devices at once; figures of use are blocks as shares of the cache.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst (table: metadata, cache, origin,
block size, number of features, features, policy; status: metadata block size, used/total metadata
blocks, cache block size, used/total cache blocks, read hits, read misses, write hits, write
misses, demotions, promotions, dirty, features, core arguments, policy, mode, needs_check; the
policy "cleaner" writes back all dirty blocks). How large the metadata is: cache_metadata_size(8)
of thin-provisioning-tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import field_validator

from iosonde.hosts.host import Host
from iosonde.layers.caching import (
    ATTEMPT,
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
from iosonde.layers.layer import LayerSetting, Mapped, Scene, dmsetup, mapped, queue_settings
from iosonde.layers.site import Declared, Site, Size
from iosonde.layers.step import Check, Step, modules
from iosonde.records import Scalar, StackLayer
from iosonde.units import GIB, KIB, SECTOR

_MODES = ("writeback", "writethrough", "passthrough")
_COUNTERS = (
    "read_hits", "read_misses", "write_hits", "write_misses", "demotions", "promotions",
)  # fmt: skip


def table_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """Block size, mode and policy from the arguments of a cache target."""
    if len(words) < 5 or not words[3].isdecimal() or not words[4].isdecimal():
        return {}
    features = words[5 : 5 + int(words[4])]
    policy = words[5 + len(features) : 6 + len(features)]
    mode = next((word for word in features if word in _MODES), "writeback")
    facts: dict[str, Scalar] = {"block_size": int(words[3]) * SECTOR, "mode": mode}
    if policy:
        facts["policy"] = policy[0]
    return facts


def status_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """How full, how dirty and how often hit a cache is, from its status."""
    if len(words) < 11 or "/" not in words[3]:
        return {}
    used, _, total = words[3].partition("/")
    counts = [int(word) for word in words[4:11] if word.isdecimal()]
    if len(counts) < 7 or not used.isdecimal() or not total.isdecimal() or not int(total):
        return {}
    facts: dict[str, Scalar] = dict(zip(_COUNTERS, counts, strict=False))
    return {
        "cache_blocks": int(total),
        "used_share": int(used) / int(total),
        "dirty_share": counts[6] / int(total),
        **facts,
    }


def status_hazards(words: Sequence[str]) -> tuple[str, ...]:
    """A cache whose metadata failed is read-only or wants a check; `Fail` is the end of it."""
    if list(words[:1]) == ["Fail"] or list(words[:1]) == ["Error"]:
        return ("failed",)
    found = ["metadata read-only"] if "ro" in words[-2:] else []
    return (*found, "needs check") if "needs_check" in words[-1:] else tuple(found)


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


class DmCache:
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind: ClassVar[str] = "dm_cache"
    declaration: ClassVar[type[Declared]] = DmCacheDeclared
    probe: ClassVar[str] = "device"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

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
        cache = scene.with_number(words[1]) if len(words) > 1 else None
        origin = scene.with_number(words[2]) if len(words) > 2 else None
        if cache and origin:
            facts |= {"cache_device": cache.path, "origin_device": origin.path}
        if facts.get("mode") == "writeback" and cache and not scene.survives_a_loss(cache.name):
            hazards = (*hazards, "unsafe cache")
        return one.layer(scene, self.kind, facts, hazards)

    def plan(self, site: Site) -> tuple[Step, ...]:
        """See `Builds.plan`."""
        declared = site.declared_as(DmCacheDeclared)
        origin, cache = pair(site)
        block = declared.block_size // SECTOR
        known = (site.label, cache, origin, site.uuid())
        limit = f"{ATTEMPT:.0f}"
        return (
            modules("dm_mod", "dm_cache", "dm_cache_smq"),
            labelled(
                site, _LAYOUT, block,
                script_command(_CLEAR, *known, limit, timeout=4 * ATTEMPT),
            ),
            Step(
                f"map the {declared.mode} cache",
                (
                    script_command(
                        _MAP, *known, f"{PATIENCE:.0f}", declared.mode, declared.policy,
                        timeout=PATIENCE + 4 * ATTEMPT,
                    ),
                ),
                Check(
                    ("sh", "-c", _STANDS.strip(), "sh", site.label, cache, origin),
                    ("on its devices", f"{block} 1 {declared.mode} {declared.policy} "),
                ),
                (script_command(_UNMAP, site.label, limit, timeout=4 * ATTEMPT),),
            ),
        )  # fmt: skip

    async def place(self, host: Host, site: Site) -> str | None:
        """See `Builds.place`."""
        return await in_mapper(host, site)


# The metadata take 4 MiB, and for each block 16 bytes and 12 of the policy's hint; then, from a
# multiple of the block size on, the data.
_LAYOUT = f"""
blocks=$((size / $5))
metadata=$(((8192 + (blocks * 28 + 511) / 512 + {HEADER - 1}) / {HEADER} * {HEADER}))
start=$((({HEADER} + metadata + $5 - 1) / $5 * $5))
data=$(((size - start) / $5 * $5))
[ "$data" -gt 0 ] || {{ echo "$1 is too small for $start sectors of metadata" >&2; exit 1; }}
words="metadata=$metadata start=$start data=$data"
"""
# Words of the table: 0 LENGTH cache METADATA DATA ORIGIN BLOCK … Of the status, the 14th is how
# many blocks are dirty.
_FUNCTIONS = """
dirty() { dmsetup status --noflush "$1" | cut -d ' ' -f 14; }
# clean NAME SECONDS: write back all dirty blocks, by a policy that makes no new ones.
clean() {
    dmsetup resume "$1" || return
    case $(dirty "$1") in
        0) return;;
        ''|*[!0-9]*) echo "$1: $(dmsetup status --noflush "$1")" >&2; return 1;;
    esac
    table="$(dmsetup table "$1" | cut -d ' ' -f 1-7) 1 writethrough cleaner 0"
    dmsetup reload "$1" --table "$table" && dmsetup suspend "$1" && dmsetup resume "$1" || return
    end=$(($(date +%s) + $2))
    until [ "$(dirty "$1")" = 0 ]; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "$(dirty "$1") blocks of $1 are still dirty" >&2; return 1
        fi
        sleep 0.2
    done
}
unmap() {
    if mapped "$1"; then clean "$1" "$2" && gone "$1" || return; fi
    gone "$1.data" && gone "$1.meta"
}
# map NAME CACHE ORIGIN MODE POLICY: after `recall`.
map() {
    mapped "$1.meta" || dmsetup create "$1.meta" --table "0 $metadata linear $2 $header" || return
    mapped "$1.data" || dmsetup create "$1.data" --table "0 $data linear $2 $start" || return
    dmsetup create "$1" --table \
        "0 $origin cache /dev/mapper/$1.meta /dev/mapper/$1.data $3 $block 1 $4 $5 0"
}
"""
# After a crash all blocks count as dirty, and with dirty blocks there is no pass-through.
_MAP = f"""{RECALL}{_FUNCTIONS}
recall "$2" "$3" "$4" || exit
if [ "$6" = passthrough ] && used "$2"; then
    map "$1" "$2" "$3" writethrough cleaner && unmap "$1" "$5" || exit
fi
map "$1" "$2" "$3" "$6" "$7"
"""
_UNMAP = f"""{RECALL}{_FUNCTIONS}
unmap "$1" "$2"
"""
# It may be dirty and not mapped: the host was started again, and nobody called `up`.
_CLEAR = f"""{RECALL}{_FUNCTIONS}{FORGET}
recall "$2" "$3" "$4"
case $? in 0) ;; 2) exit 0;; *) exit 1;; esac
if used "$2"; then
    mapped "$1" || map "$1" "$2" "$3" writethrough cleaner || exit
    unmap "$1" "$5" || exit
fi
forget "$2"
"""
_STANDS = f"""{NUMBER}
own=$(number "$2") slow=$(number "$3")
table=$(dmsetup table "$1") && meta=$(dmsetup table "$1.meta") && data=$(dmsetup table "$1.data") ||
    exit 1
on=$(echo "$table" | cut -d ' ' -f 4-6)
if [ "$on" = "$(number "/dev/mapper/$1.meta") $(number "/dev/mapper/$1.data") $slow" ] &&
    [ "$(echo "$meta" | cut -d ' ' -f 3-5)" = "linear $own {HEADER}" ] &&
    [ "$(echo "$data" | cut -d ' ' -f 3-4)" = "linear $own" ]
then echo "on its devices"; fi
echo "$table "
"""
