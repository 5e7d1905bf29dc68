"""flashcache: an SSD in front of a slow device that takes whole blocks only. No longer maintained.

A request is cached where its size is just the block size, after device-mapper has cut it at the
borders of blocks; all others go to the disk. `other_sizes_share` is the part of the requests that
were of other sizes, of all flashcache devices since the module was loaded.

Source: facebook/flashcache 1.0 to 3.1.3: src/flashcache_main.c, flashcache_map();
src/flashcache_procfs.c for the sysctls, dev.flashcache.SSD+DISK; doc/flashcache-sa-guide.txt.
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers._mapper.devices import Mapped, mapped
from iosonde.layers.flashcache.facts import counters, of_device, size_histogram, table_facts
from iosonde.layers.layer import Layer, LayerSetting, Scene, queue_settings
from iosonde.records.stack import StackLayer

_COUNTED = (
    "reads", "writes", "read hits", "write hits", "uncached reads", "uncached writes",
    "uncached sequential reads", "uncached sequential writes", "disk reads", "disk writes",
    "cleanings",
)  # fmt: skip
_SYSCTL = "dev.flashcache.{sysctl}."


class Flashcache(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "flashcache"
    settings = (
        *(
            LayerSetting(name, "sysctl", _SYSCTL + name, unit)
            for name, unit in (
                ("cache_all", ""),
                ("skip_seq_thresh_kb", "KiB"),
                ("reclaim_policy", ""),
                ("dirty_thresh_pct", "%"),
                ("fallow_delay", "s"),
            )
        ),
        *queue_settings("read_ahead_kb", "max_sectors_kb"),
    )

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        caches = [device for device in await mapped(scene) if device.kind == self.kind]
        if not caches:
            return ()
        texts = {}
        for verb in ("table", "status"):
            done = await scene.ask("dmsetup", verb)
            texts[verb] = kerneltext.decoded(done.stdout) if done.status == 0 else ""
        return tuple(self._layer(scene, device, texts) for device in caches)

    def _layer(self, scene: Scene, device: Mapped, texts: Mapping[str, str]) -> StackLayer:
        configured, _, sizes = of_device(texts["table"], device.name).partition("Size Hist:")
        facts = table_facts(configured)
        counted = counters(of_device(texts["status"], device.name))
        facts |= {name.replace(" ", "_"): counted[name] for name in _COUNTED if name in counted}
        requests = size_histogram(sizes)
        block = facts.get("block_size")
        every = sum(requests.values())
        if isinstance(block, int) and every:
            facts["other_sizes_share"] = 1 - requests.get(block, 0) / every
        devices = [str(facts.get(name, "")) for name in ("cache_device", "disk_device")]
        if all(devices):
            facts["sysctl"] = "+".join(path.rpartition("/")[2] for path in devices)
        cache = scene.device_at(devices[0]) if devices[0] else None
        safe = cache is not None and scene.survives_a_loss(cache.name)
        unsafe = facts.get("mode") in {"writeback", "writeonly"} and not safe
        return device.layer(scene, self.kind, facts, ("unsafe cache",) * unsafe)
