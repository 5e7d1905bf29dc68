"""Block caches: a slow layer below, and a fast one.

Source: layers/caching.py (where the fast device's own data begin);
bcache: make-bcache.c of bcache-tools 1.0.8 (`first_bucket`), Linux 6.1 drivers/md/bcache/super.c
(`register_cache_set()`: buckets of the journal), bcache.h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iosonde.layers.caching import HEADER
from iosonde.predict.layer import Layer, Scene
from iosonde.units import KIB, MIB, SECTOR

if TYPE_CHECKING:
    from iosonde.layers.site import Site

_BACKING = 8 * KIB  # bcache: where the slow device's data begin (BDEV_DATA_START_DEFAULT)
_RATE = 1000  # requests a second, where a cache goes by the clock and nobody says how many
_ENTRY = 16  # dm-writecache: entry of a block, bytes
MODES = {"writeback": 0, "writethrough": 1, "writearound": 2, "none": 3}
"""bcache's, as the core numbers them."""


def bcache(site: Site, scene: Scene) -> Layer:
    """Buckets of the fast layer that are filled with what is read and written."""
    declared: Any = site.declared
    slow, fast = scene.below
    bucket = declared.bucket_size
    figures = {
        "bucket": bucket, "buckets": bcache_buckets(fast.size, bucket),
        "mode": MODES[declared.cache_mode], "cutoff": declared.sequential_cutoff,
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


def bcache_buckets(size: int, bucket: int) -> int:
    """Buckets for data that a fast device of so many bytes has room for; 0 or less: none."""
    every = size // bucket
    journal = min(max(every >> 7, 2), 256)
    return every - journal - (12 * KIB // bucket + 1)


def _rate(site: Site, scene: Scene) -> int:
    """How many requests are taken to come in a second."""
    said = str(scene.extra.get("request_rate", _RATE))
    if not said.isdecimal() or not int(said):
        raise site.wrong(f"`request_rate` is a number of requests, not {said!r}")
    return int(said)


def dm_writecache(site: Site, scene: Scene) -> Layer:
    """All writes go to the fast layer; what it holds is read from there, the rest from below.

    Source: Linux 6.1, drivers/md/dm-writecache.c (`calculate_memory_size()`: metadata, then the
    blocks; `AUTOCOMMIT_BLOCKS_SSD`).
    """
    declared: Any = site.declared
    slow, fast = scene.below
    rate = _rate(site, scene)
    block, room = declared.block_size, fast.size - HEADER * SECTOR
    blocks = max(room, 0) // (block + _ENTRY)
    while blocks > 0 and -(-writecache_metadata(blocks) // block) * block + blocks * block > room:
        blocks -= 1
    figures = {
        "block": block, "blocks": blocks, "start": HEADER * SECTOR,
        "high": declared.high_watermark, "low": declared.low_watermark, "commit": 65536,
        "rate": rate,
    }  # fmt: skip
    if blocks < 1:
        raise site.wrong("the fast layer has no room for a block")
    notes = ("commits of its metadata by time (one a second), and those of what was written back",)
    approximate = (
        "it writes back at once, unless there was a flush or a write past it in the last 3 s, "
        f"which are taken to be {3 * rate} requests",
    )
    return Layer("writecache", slow.size, figures, (), notes, approximate=approximate)


def writecache_metadata(blocks: int) -> int:
    """Bytes of metadata for so many blocks.

    Source: Linux 6.1, drivers/md/dm-writecache.c (`struct wc_memory_superblock`: 64 bytes before
    the first entry; `wc_memory_entry`).
    """
    return 64 + _ENTRY * blocks


def dm_cache(site: Site, scene: Scene) -> Layer:
    """A block that is asked for again is copied to the fast layer."""
    declared: Any = site.declared
    slow, fast = scene.below
    rate = _rate(site, scene)
    mode = {"writeback": 0, "writethrough": 1, "passthrough": 2}[declared.mode]
    figures = {
        "block": declared.block_size, "blocks": dm_cache_blocks(fast.size, declared.block_size),
        "mode": 2 if declared.policy == "cleaner" else mode,
        "origin": slow.size // declared.block_size, "rate": rate,
        "start": _dm_cache_start(fast.size, declared.block_size),
    }  # fmt: skip
    if figures["blocks"] < 1:
        raise site.wrong("the fast layer has no room for a block")
    if figures["mode"] == 2:
        return Layer(
            "promote", slow.size, figures, (), ("its metadata, and what it holds already",)
        )
    approximate = (
        f"{declared.policy} goes by the clock: it is taken to be asked {rate} times a second",
    )
    return Layer("promote", slow.size, figures, (), ("its metadata",), approximate=approximate)


def dm_cache_blocks(size: int, block: int) -> int:
    """Blocks of data that a fast device of so many bytes has room for; 0 or less: none."""
    return (size - _dm_cache_start(size, block)) // block


def _dm_cache_start(size: int, block: int) -> int:
    """Where data begin on the fast device.

    Source: layers/dm_cache.py, how it is divided: header, metadata, then blocks.
    """
    header = HEADER * SECTOR
    metadata = 4 * MIB + -(-(size // block * 28) // SECTOR) * SECTOR
    start = header + -(-metadata // header) * header
    return -(-start // block) * block
