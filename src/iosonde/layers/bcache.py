"""bcache: an SSD that caches one or several slow devices.

`dirty` is what stands in the cache alone, in bytes; `state` is "no cache", "clean", "dirty" or
"inconsistent".

Source: Linux Documentation/admin-guide/bcache.rst (sysfs of a backing device, of a cache set and
of a cache); drivers/md/bcache/sysfs.c prints sizes with one decimal and a binary prefix: "4.0M".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from iosonde.errors import UsageError
from iosonde.layers.layer import BlockDevice, LayerSetting, Scene, queue_settings
from iosonde.records import Scalar, StackLayer
from iosonde.units import parse_bytes

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


class Bcache:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "bcache"
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
