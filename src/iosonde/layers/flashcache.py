"""flashcache: an SSD in front of a slow device that takes whole blocks only. No longer maintained.

A request is cached where its size is just the block size, after device-mapper has cut it at the
borders of blocks; all others go to the disk. `other_sizes_share` is the part of the requests that
were of other sizes, of all flashcache devices since the module was loaded.

Source: facebook/flashcache 1.0 to 3.1.3: src/flashcache_conf.c, flashcache_status_info() and
flashcache_status_table() (K and M are of 1024 bytes; percents are cut off, not rounded; sizes of
requests from 512 to 16384 bytes); src/flashcache_main.c, flashcache_map(); src/flashcache_procfs.c
for the sysctls, dev.flashcache.SSD+DISK; doc/flashcache-sa-guide.txt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from iosonde import units
from iosonde.layers.layer import LayerSetting, Mapped, Scene, mapped, queue_settings
from iosonde.records import Scalar, StackLayer

_HEAD = re.compile(r"^(?:.+?: )?\d+ \d+ \S", re.MULTILINE)
_PAIR = re.compile(r"([A-Za-z_]+)\((-?\d+)\)")
_VALUE = re.compile(r"([a-z_]+)\(([^()]*)\)")
_SIZE = re.compile(r"(\d{1,5}):(\d{1,20})")
_LARGEST = 16384
_NAMES = (
    "reads", "writes", "read hits", "read hit percent", "write hits", "write hit percent",
    "dirty write hits", "dirty write hit percent", "replacement", "write replacement",
    "write invalidates", "read invalidates", "invalidates", "checksum store", "checksum valid",
    "checksum invalid", "pending enqueues", "pending inval", "metadata dirties", "metadata cleans",
    "metadata batch", "metadata ssd writes", "cleanings", "fallow cleanings", "no room",
    "front merge", "back merge", "force_clean_block", "disk reads", "disk writes", "ssd reads",
    "ssd writes", "uncached reads", "uncached writes", "uncached IO requeue", "disk read errors",
    "disk write errors", "ssd read errors", "ssd write errors", "uncached sequential reads",
    "uncached sequential writes", "pid_adds", "pid_dels", "pid_drops", "pid_expiry",
    "lru hot blocks", "lru warm blocks", "lru promotions", "lru demotions", "cache hits",
    "cache hit percent", "cache reads", "cache writes",
)  # fmt: skip
_BY_LETTERS = {name.replace(" ", "").replace("_", "").lower(): name for name in _NAMES}
_MODES = {
    "WRITE_BACK": "writeback", "WRITE_THROUGH": "writethrough", "WRITETHROUGH": "writethrough",
    "WRITE_AROUND": "writearound", "WRITE_CACHE": "writeonly",
}  # fmt: skip
_COUNTED = (
    "reads", "writes", "read hits", "write hits", "uncached reads", "uncached writes",
    "uncached sequential reads", "uncached sequential writes", "disk reads", "disk writes",
    "cleanings",
)  # fmt: skip
_SYSCTL = "dev.flashcache.{sysctl}."


def counters(text: str, pairs: re.Pattern[str] = _PAIR) -> dict[str, int]:
    """What a device counted, by the names of `dmsetup status`, up to the first that comes again.

    Args:
        text: a status; blanks do not matter.
        pairs: how name and figure are written: `NAME(FIGURE)`.
    """
    values: dict[str, int] = {}
    for letters, figure in pairs.findall("".join(text.split())):
        name = _BY_LETTERS.get(letters.replace("_", "").lower())
        if name is None:
            continue
        if name in values:
            break
        values[name] = int(figure)
    return values


def table_facts(text: str) -> dict[str, Scalar]:
    """Mode, sizes and use of a cache by its table, whatever its blanks; empty where it is none."""
    told = dict(_VALUE.findall("".join(text.split())))
    total, cached, dirty = (
        _whole(told.get(name)) for name in ("totalblocks", "cachedblocks", "dirtyblocks")
    )
    mode = told.get("cachemode") or told.get("mode")
    if mode is None and dirty is not None:
        mode = "WRITE_BACK"  # 1.0 had no other
    if total is None and mode is None:
        return {}
    facts: dict[str, Scalar] = {
        "mode": _MODES.get(mode, mode.lower()) if mode else None,
        "block_size": _bytes(told.get("datablocksize") or told.get("blocksize")),
        "metadata_block_size": _bytes(told.get("metadatablocksize")),
        "sequential_cutoff": _bytes(told.get("skipsequentialthresh")),
        "cache_device": told.get("ssddev"),
        "disk_device": told.get("diskdev"),
        "cache_size": _bytes(told.get("capacity")),
        "associativity": _whole(told.get("associativity")),
        "disk_associativity": _bytes(told.get("diskassoc")),
        "cache_blocks": total,
        "cached_blocks": cached,
        "used_share": cached / total if total and cached is not None else None,
        "dirty_blocks": dirty,
        "dirty_share": dirty / total if total and dirty is not None else None,
        "queued": _whole(told.get("nr_queued")),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _bytes(text: str | None) -> int | None:
    """Bytes of `4K`, `57018M` or `4096b`."""
    if not text or not text[:-1].isdecimal():
        return None
    scale = {"K": units.KIB, "M": units.MIB, "b": 1}.get(text[-1])
    return int(text[:-1]) * scale if scale else None


def size_histogram(text: str) -> dict[int, int]:
    """Requests by size in bytes, from what follows `Size Hist:`, ascending.

    A line may break between two pairs or inside of one.
    """
    words: list[str] = []
    for part in text.split("\n"):
        first, *rest = part.split() or [""]
        apart = words and ":" in words[-1] and ":" in first[1:]
        if words and first and not apart:
            words[-1] += first
        elif first:
            words.append(first)
        words += rest
    found: dict[int, int] = {}
    before = 0
    for word in words:
        pair = _SIZE.fullmatch(word)
        size = int(pair[1]) if pair else 0
        if pair is None or not before < size <= _LARGEST or size % units.SECTOR:
            break
        found[size] = int(pair[2])
        before = size
    return found


def of_device(text: str, name: str) -> str:
    """What `dmsetup table` or `dmsetup status` of all devices says of one: its lines."""
    start = re.search(rf"^{re.escape(name)}: \d+ \d+ flashcache", text, re.MULTILINE)
    if start is None:
        return ""
    after = _HEAD.search(text, start.end())
    return text[start.end() : after.start() if after else len(text)]


class Flashcache:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "flashcache"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
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

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        caches = [one for one in await mapped(scene) if one.kind == self.kind]
        if not caches:
            return ()
        told = {}
        for verb in ("table", "status"):
            done = await scene.ask("dmsetup", verb)
            told[verb] = done.stdout.decode(errors="replace") if done.status == 0 else ""
        return tuple(self._layer(scene, one, told) for one in caches)

    def _layer(self, scene: Scene, one: Mapped, told: Mapping[str, str]) -> StackLayer:
        configured, _, sizes = of_device(told["table"], one.name).partition("Size Hist:")
        facts = table_facts(configured)
        counted = counters(of_device(told["status"], one.name))
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
        return one.layer(scene, self.kind, facts, ("unsafe cache",) * unsafe)
