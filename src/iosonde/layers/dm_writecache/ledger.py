"""dm-writecache as it is found.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/writecache.rst (table, status);
drivers/md/dm-writecache.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from iosonde._core import Cache, Writecache
from iosonde.layers._caches.building import HEADER
from iosonde.layers._caches.ledger import request_rate, routed, states_of
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, Besides, LedgerContext, LedgerLayer, Met
from iosonde.layers._ledger.shapes import mapped
from iosonde.layers._mapper.facts import MapperTarget
from iosonde.layers.dm_writecache.facts import DEFAULTS, WritecacheStatus, read_status, read_table
from iosonde.layers.site import Site
from iosonde.records.prediction import Account
from iosonde.records.stack import StackLayer
from iosonde.units import KIB, SECTOR

_FLAGS = frozenset({"cleaner", "metadata_only", "max_age"})
_REGION = 64 * KIB  # dm-writecache.c, BITMAP_GRANULARITY: of the metadata, what is written at once


@dataclass(frozen=True, slots=True)
class _Filled:
    """A write cache: blocks in all and in use when the load began.

    `misses`: blocks read that it did not hold; `around`: blocks written past it; None where the
    kernel does not count them (before 5.15).
    """

    blocks: int
    used: int
    misses: int | None
    around: int | None

    @classmethod
    def of(cls, loops: Sequence[tuple[WritecacheStatus, WritecacheStatus]]) -> _Filled:
        """From its status in each loop.

        Raises:
            NotCovered: the cache met an error.
        """
        if any(status.error for both in loops for status in both):
            raise NotCovered("it met an error")
        first = loops[0][0]
        used = first.blocks - first.free_blocks
        if not all(status.counters for both in loops for status in both):
            return cls(first.blocks, used, None, None)
        reads, hits, around = (
            sum(after.counters[name] - before.counters[name] for before, after in loops)
            for name in ("read_requests", "read_hits", "writes_around")
        )
        return cls(first.blocks, used, reads - hits, around)

    def met(self, slow: str, fast: str, block: int) -> Met | None:
        """Of reads that it did not hold, the slow layer has got as many as it says at most."""
        if self.misses is None:
            return None
        reads = Account(self.misses, self.misses * block, inf, inf)
        return Met(slow, fast, reads, Account(inf, inf, inf, inf))

    def remarks(self, high: int) -> Iterator[str]:
        """What a user should know of it."""
        yield (
            f"when the load began, {self.used} of its {self.blocks} blocks were in use, and it "
            f"writes back from {high} on"
        )
        if self.around:
            yield f"{self.around} blocks were written past it, as it was full"


def _target(look: Look, layer: StackLayer, target: MapperTarget) -> LedgerLayer:
    """All writes go to the fast layer, and back from there once more than a share is in use.

    Reads of what it holds come from the fast layer. What it held at the beginning is not known, but
    how much that was: if nothing, all is known until it writes back.

    Source: dm-writecache.c: `writecache_map_write()`, `writecache_map_read()`,
    `writecache_writeback()` (blocks go in the order in which they came, from `high_watermark` on
    until no more than `low_watermark` is in use).
    """
    table = read_table(target.arguments)
    if table is None or table.medium != "ssd":
        raise NotCovered("a write cache in persistent memory is not covered")
    options = table.values()
    if flags := _FLAGS & options.keys():
        raise NotCovered(f"a write cache with {', '.join(sorted(flags))} is not covered")
    slow, fast = (look.numbered(layer, number) for number in (table.origin, table.cache))
    filled = _Filled.of(states_of(look, layer, read_status))
    block, size = table.block_size, target.length * SECTOR
    high, low = (filled.blocks * options[f"{name}_watermark"] // 100 for name in ("high", "low"))

    def keeping(room: int, only_with: str = "cleanings") -> LedgerLayer:
        rule = Cache(block=block, blocks=max(room, 1), mode="back", fills=False)
        return LedgerLayer(rule, size, order=(slow, fast), only_with=only_with)

    otherwise = [keeping(low - filled.used)]
    if filled.used:
        # What was there may be what is written: then no more is in use than that.
        otherwise.append(keeping(high))
    if filled.used and look.ran.reads:
        otherwise.append(routed(size, slow, fast, fast, (fast,)))
    names = [lower.id for lower in look.below(layer)]
    besides = (
        *_written_back(names[slow], names[fast], block, max(filled.used - low, 0)),
        *_committed(look, names[fast], filled.blocks, options["autocommit_time"]),
        *_passed(names[slow], names[fast], block, filled.around or 0),
        *(_in_runs(layer.id, names[fast]) if look.ran.largest > block else ()),
    )
    return replace(
        keeping(high - filled.used, ""), otherwise=tuple(otherwise), besides=besides,
        met=filled.met(names[slow], names[fast], block), remarks=tuple(filled.remarks(high)),
    )  # fmt: skip


def _written_back(slow: str, fast: str, block: int, old: int) -> tuple[Besides, ...]:
    """What copying blocks back brings.

    Neighbours are copied as one, and a piece of the metadata may be written for each; before them
    go up to `old` blocks that were there already.
    """
    return (
        Besides(slow, least=Account(0, 0, -1, 0), event="cleanings"),
        Besides(fast, least=Account(-1, 0, 0, 0), most=Account(0, 0, 1, _REGION),
                event="cleanings"),
        Besides(slow, most=Account(0, 0, 1, block), event="cleanings", up_to=old),
        Besides(fast, most=Account(1, block, 1, _REGION), event="cleanings", up_to=old),
    )  # fmt: skip


def _passed(slow: str, fast: str, block: int, around: int) -> Iterator[Besides]:
    """Blocks that were written past a full cache, and so did not have to be written back."""
    if around:
        yield Besides(slow, most=Account(0, 0, around, around * block))
        yield Besides(fast, least=Account(-around, -around * block, -around, -around * block))


def _committed(look: Look, fast: str, blocks: int, period: int) -> tuple[Besides, ...]:
    """Metadata that tell what the cache holds: written for each flush, and by the clock.

    Source: dm-writecache.c, `ssd_commit_flushed()`, `ssd_commit_superblock()`: the pieces that
    changed, and the superblock; behind each a flush, which is counted as a write of nothing.
    """
    metadata = writecache_metadata(blocks)
    most = Account(0, 0, -(-metadata // _REGION) + 3, metadata + 2 * 4 * KIB)
    turns = 2 * look.ran.loops + int(look.ran.seconds * 1000 / max(period, 1))
    return (
        Besides(fast, most=most.times(turns)),
        Besides(fast, most=most, event="asked_flushes"),
    )


def _in_runs(layer: str, fast: str) -> Iterator[Besides]:
    """What a request of several blocks may be cut into: as many as it has blocks, or not at all.

    It is cut where a block is found, or lies elsewhere than behind the one before.

    Source: dm-writecache.c, `writecache_map_read()`, `writecache_bio_copy_ssd()`.
    """
    for way, account in (("reads", Account(1, 0, 0, 0)), ("writes", Account(0, 0, 1, 0))):
        for event, more in ((way, account), (f"asked_{way}", account.times(-1))):
            yield Besides(layer, most=more, event=event, alone=True)
            yield Besides(fast, least=more.times(-1), most=more, event=event)


_ENTRY = 16  # dm-writecache: entry of a block, bytes


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """All writes go to the fast layer; what it holds is read from there, the rest from below.

    Source: Linux 6.1, drivers/md/dm-writecache.c (`calculate_memory_size()`: metadata, then the
    blocks; `AUTOCOMMIT_BLOCKS_SSD`).
    """
    declared: Any = site.declared
    slow, fast = scene.below
    rate = request_rate(site, scene)
    block, room = declared.block_size, fast.size - HEADER * SECTOR
    blocks = max(room, 0) // (block + _ENTRY)
    while blocks > 0 and -(-writecache_metadata(blocks) // block) * block + blocks * block > room:
        blocks -= 1
    if blocks < 1:
        raise site.wrong("the fast layer has no room for a block")
    rule = Writecache(
        block=block, blocks=blocks, start=HEADER * SECTOR, high=declared.high_watermark,
        low=declared.low_watermark, commit=DEFAULTS["autocommit_blocks"], rate=rate,
    )  # fmt: skip
    notes = ("commits of its metadata by time (one a second), and those of what was written back",)
    approximate = (
        "it writes back at once, unless there was a flush or a write past it in the last 3 s, "
        f"which are taken to be {3 * rate} requests",
    )
    return LedgerLayer(rule, slow.size, notes=notes, approximate=approximate)


def writecache_metadata(blocks: int) -> int:
    """Bytes of metadata for so many blocks.

    Source: Linux 6.1, drivers/md/dm-writecache.c (`struct wc_memory_superblock`: 64 bytes before
    the first entry; `wc_memory_entry`).
    """
    return 64 + _ENTRY * blocks


ACCOUNTING = Accounting(
    declared=_declared,
    discovered=mapped,
    target=_target,
    extra={"request_rate": "requests a second, where it goes by the clock"},
)
