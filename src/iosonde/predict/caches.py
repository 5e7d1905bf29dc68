"""Block caches: a slow layer below, and a fast one.

Source: layers/dm_cache.py (how the fast layer is divided), drivers/md/dm-writecache.c;
bcache: make-bcache.c of bcache-tools 1.0.8 (`first_bucket`), Linux 6.1 drivers/md/bcache/super.c
(`register_cache_set()`: buckets of the journal), bcache.h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iosonde.predict.layer import Layer, Scene
from iosonde.units import KIB, MIB

if TYPE_CHECKING:
    from iosonde.layers.site import Site

_BACKING = 8 * KIB  # bcache: where the slow device's data begin (BDEV_DATA_START_DEFAULT)
_MODES = {"writeback": 0, "writethrough": 1, "writearound": 2, "none": 3}


def bcache(site: Site, scene: Scene) -> Layer:
    """Buckets of the fast layer that are filled with what is read and written."""
    declared: Any = site.declared
    slow, fast = scene.below
    bucket = declared.bucket_size
    every = fast.size // bucket
    journal = min(max(every >> 7, 2), 256)
    figures = {
        "bucket": bucket, "buckets": every - journal - (12 * KIB // bucket + 1),
        "mode": _MODES[declared.cache_mode], "cutoff": declared.sequential_cutoff,
        "percent": declared.writeback_percent,
    }  # fmt: skip
    if figures["buckets"] < 2:
        raise site.wrong("the fast layer has no room for two buckets")
    approximate = ["one program writes, and the least recently used bucket is emptied first"]
    if declared.cache_mode == "writeback":
        approximate.append(
            f"dirty data are held at {declared.writeback_percent} % of the cache at once, which "
            "the kernel only comes near to"
        )
    if declared.sequential_cutoff:
        approximate.append("a stream is one that goes on where one of the last 128 ended")
    return Layer(
        "bcache", slow.size - _BACKING, figures, (_BACKING, 0),
        ("its journal and its btree on the fast layer",), approximate=tuple(approximate),
    )  # fmt: skip


def dm_writecache(site: Site, scene: Scene) -> Layer:
    """All writes go to the fast layer; what it holds is read from there, the rest from below."""
    declared: Any = site.declared
    slow, fast = scene.below
    entry = 16  # bytes of metadata for each block (drivers/md/dm-writecache.c)
    blocks = fast.size // (declared.block_size + entry)
    figures = {
        "block": declared.block_size, "blocks": blocks, "ways": 0, "lru": 1, "mode": 0, "fills": 0,
    }  # fmt: skip
    notes = ("its metadata, and what it writes back before it is full",)
    return Layer("cache", slow.size, figures, (), notes)


def dm_cache(site: Site, scene: Scene) -> Layer:
    """A block that is asked for again is copied to the fast layer.

    Source: layers/dm_cache.py, how the fast layer is divided: metadata, then blocks.
    """
    declared: Any = site.declared
    slow, fast = scene.below
    if declared.policy == "cleaner" or declared.mode == "passthrough":
        raise site.wrong("`predict` knows dm-cache with smq in writeback or writethrough mode")
    metadata = 4 * MIB + fast.size // declared.block_size * 28
    figures = {
        "block": declared.block_size, "blocks": (fast.size - metadata) // declared.block_size,
        "mode": 0 if declared.mode == "writeback" else 1,
    }  # fmt: skip
    if figures["blocks"] < 1:
        raise site.wrong("the fast layer has no room for a block")
    notes = ("its metadata, and what it writes back before a block has to go",)
    approximate = (f"{declared.policy} is taken to copy a block at its second miss",)
    return Layer("promote", slow.size, figures, (), notes, approximate=approximate)
