"""Caches of blocks: dm-cache, dm-writecache, bcache, flashcache."""

from __future__ import annotations

from iosonde.records.stack import Json
from tests.contract.rules.case import RuleCase, case, counted, state

WHOLE = state("flashcache", "cachedev", {"block_size": 4096})
SIZES = counted("flashcache", "flashcache", "cachedev", {"size_histogram": {
    "512": 117531108, "1024": 61124866, "1536": 83563623, "2048": 89738119,
    "2560": 43968876, "3072": 51713913, "3584": 83726471, "4096": 41667452,
}})  # fmt: skip
ALIGNED = counted("flashcache", "flashcache", "cachedev", {"size_histogram": {
    "4096": 400000000, "8192": 64491951,
}})  # fmt: skip
FLASH: dict[str, Json] = {
    "reads": 85485411, "writes": 379006540, "read hits": 12699803, "write hits": 11805678,
    "disk reads": 72786438, "disk writes": 374046436, "uncached reads": 65392976,
    "uncached writes": 362807723, "cleanings": 11238715,
}  # fmt: skip
PASSED = {**FLASH, "uncached reads": 1000, "uncached writes": 1000}


CASES = (
    RuleCase(
        "cache-whole-blocks.whole_blocks",
        "requests of 512 to 3584 bytes, which a cache of blocks of 4 KiB does not take",
        case(WHOLE, counted("flashcache", "flashcache", "cachedev", FLASH), SIZES),
        "the same cache under whole blocks, of which it lets a few past",
        case(WHOLE, counted("flashcache", "flashcache", "cachedev", PASSED), ALIGNED),
    ),
    RuleCase(
        "contradiction.disagreeing",
        "more disk writes than a write-back cache that never cleaned can have made",
        case(WHOLE, counted("flashcache", "flashcache", "cachedev", {**FLASH, "cleanings": 0}),
             SIZES),
        "the same counters with the blocks that were cleaned",
        case(WHOLE, counted("flashcache", "flashcache", "cachedev", FLASH), SIZES),
    ),
    RuleCase(
        "cache-hit-rate.seldom",
        "reads that hit and writes that miss, nearly all",
        case(counted("dm_cache", "dm_cache", "fast", {
            "read_hits": 9000, "read_misses": 0, "write_hits": 10, "write_misses": 9990})),
        "as many requests that hit",
        case(counted("dm_cache", "dm_cache", "fast", {
            "read_hits": 9000, "read_misses": 0, "write_hits": 9990, "write_misses": 10})),
    ),
    RuleCase(
        "cache-hit-rate.moved_in_vain",
        "as many blocks moved in as were read, and moved out again",
        case(state("dm_cache", "fast", {"block_size": 65536}),
             counted("dm_cache", "dm_cache", "fast", {
                 "read_hits": 9000, "read_misses": 0, "promotions": 9000, "demotions": 8800})),
        "a cache that was filled once and read from since",
        case(state("dm_cache", "fast", {"block_size": 65536}),
             counted("dm_cache", "dm_cache", "fast", {
                 "read_hits": 9000, "read_misses": 0, "promotions": 90, "demotions": 0})),
    ),
    RuleCase(
        "cache-hit-rate.let_past",
        "bcache that lets nine requests of ten past, as sequential ones",
        case(state("bcache", "fast", {"sequential_cutoff": 4 << 20}),
             counted("bcache", "bcache", "fast", {
                 "cache_hits": 900, "cache_misses": 100, "cache_bypass_hits": 10,
                 "cache_bypass_misses": 8990})),
        "bcache that lets a few past",
        case(state("bcache", "fast", {"sequential_cutoff": 4 << 20}),
             counted("bcache", "bcache", "fast", {
                 "cache_hits": 8990, "cache_misses": 910, "cache_bypass_hits": 10,
                 "cache_bypass_misses": 90})),
    ),
    RuleCase(
        "cache-hit-rate.blocked",
        "eight writes of a hundred that waited for a free block",
        case(counted("dm_writecache", "dm_writecache", "fast", {
            "write_requests": 10000, "writes_blocked": 800})),
        "one of a thousand",
        case(counted("dm_writecache", "dm_writecache", "fast", {
            "write_requests": 10000, "writes_blocked": 10})),
    ),
    RuleCase(
        "cache-lost.apart",
        "a device that ran without its cache, one that waits for it, and one that no set knows",
        case(state("bcache", "bcache0", {"state": "inconsistent"}),
             state("bcache", "sdb", {"state": "dirty", "running": False}),
             counted("kernel log", "bcache", "md5", {"unknown_to_sets": 1})),
        "a device with dirty data that runs, and one that never had a cache",
        case(state("bcache", "bcache0", {"state": "dirty", "running": True}),
             state("bcache", "bcache1", {"state": "dirty"}),
             state("bcache", "sdb", {"state": "no cache", "running": False})),
    ),
    RuleCase(
        "cache-hit-rate.dirty",
        "more than half of a cache dirty, where a tenth is the aim",
        case(state("bcache", "fast", {"dirty_share": 0.6, "writeback_percent": 10})),
        "a tenth dirty, as it is meant to be",
        case(state("bcache", "fast", {"dirty_share": 0.1, "writeback_percent": 10})),
    ),
)  # fmt: skip
