"""dm-writecache: writes go to persistent memory or an SSD first and from there to the disk.

It caches no reads. Caches made with LVM are volumes of kind lvm, which lvs describes.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst (table: p or s for persistent
memory or SSD, origin, cache, block size in bytes, number of options; status: error, blocks, free
blocks, blocks under write-back; then ten counters since 5.16).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Mapped, Scene, dmsetup, mapped, queue_settings
from iosonde.records import Scalar, StackLayer

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


class DmWritecache:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm_writecache"
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
        origin, cache = (scene.with_number(word) for word in (*words, "", "", "")[1:3])
        if cache and origin:
            facts |= {"cache_device": cache.path, "origin_device": origin.path}
        if cache and not scene.survives_a_loss(cache.name):
            hazards = (*hazards, "unsafe cache")
        return one.layer(scene, self.kind, facts, hazards)
