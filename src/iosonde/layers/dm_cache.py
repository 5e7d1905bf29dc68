"""dm-cache: a fast device that keeps the hot blocks of a slow one.

Caches made with LVM are volumes of kind lvm, which lvs describes. `block_size` is what is moved
between the devices at once; figures of use are blocks as shares of the cache.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst (table: metadata, cache, origin,
block size, number of features, features, policy; status: metadata block size, used/total metadata
blocks, cache block size, used/total cache blocks, read hits, read misses, write hits, write
misses, demotions, promotions, dirty, features, core arguments, policy, mode, needs_check).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Mapped, Scene, dmsetup, mapped, queue_settings
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR

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


class DmCache:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm_cache"
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
