"""dm-writecache as it is found.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/writecache.rst (table, status);
drivers/md/dm-writecache.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from iosonde.case import Account
from iosonde.layers.layer import Target
from iosonde.predict.cached import UNKNOWN, routed, said
from iosonde.predict.caches import writecache_metadata
from iosonde.predict.layer import Besides, Layer, Met
from iosonde.predict.look import Look, NotCovered
from iosonde.records import StackLayer
from iosonde.units import KIB, SECTOR

_OPTIONS = {"high_watermark": 50, "low_watermark": 45, "autocommit_time": 1000}
"""Of a table that does not name them (dm-writecache.c); %, %, ms."""
_FLAGS = frozenset({"cleaner", "metadata_only", "max_age"})
_REGION = 64 * KIB  # dm-writecache.c, BITMAP_GRANULARITY: of the metadata, what is written at once


@dataclass(frozen=True, slots=True)
class _Filled:
    """A write cache: blocks in all and in use when the load began.

    `misses`: blocks read that it did not hold; `around`: blocks written past it; None where the
    kernel does not count them (before 5.16).
    """

    blocks: int
    used: int
    misses: int | None
    around: int | None

    @classmethod
    def of(cls, loops: Sequence[tuple[Sequence[str], Sequence[str]]]) -> _Filled:
        """From its status in each loop: error, blocks, free, under write-back, then counters.

        Raises:
            NotCovered: it is none, or the cache met an error.
        """
        texts = [words for both in loops for words in both]
        if not all(len(one) >= 4 and "".join(one).isdecimal() for one in texts):
            raise NotCovered(UNKNOWN)
        if any(one[0] != "0" for one in texts):
            raise NotCovered("it met an error")
        blocks, free = (int(one) for one in texts[0][1:3])
        if min(len(one) for one in texts) < 10:
            return cls(blocks, blocks - free, None, None)
        reads, hits, around = (
            sum(int(after[at]) - int(before[at]) for before, after in loops) for at in (4, 5, 9)
        )
        return cls(blocks, blocks - free, reads - hits, around)

    def met(self, slow: str, fast: str, block: int) -> Met | None:
        """Of reads that it did not hold, the slow layer has got as many as it says at most."""
        if self.misses is None:
            return None
        reads = Account(self.misses, self.misses * block, inf, inf)
        return Met(slow, fast, reads, Account(inf, inf, inf, inf))

    def told(self, high: int) -> Iterator[str]:
        """What a user should know of it."""
        yield (
            f"when the load began, {self.used} of its {self.blocks} blocks were in use, and it "
            f"writes back from {high} on"
        )
        if self.around:
            yield f"{self.around} blocks were written past it, as it was full"


def dm_writecache(look: Look, layer: StackLayer, target: Target) -> Layer:
    """All writes go to the fast layer, and back from there once more than a share is in use.

    Reads of what it holds come from the fast layer. What it held at the beginning is not known, but
    how much that was: if nothing, all is known until it writes back.

    Source: dm-writecache.c: `writecache_map_write()`, `writecache_map_read()`,
    `writecache_writeback()` (blocks go in the order in which they came, from `high_watermark` on
    until no more than `low_watermark` is in use).
    """
    words = target.words
    if len(words) < 5 or words[0] != "s" or not words[3].isdecimal():
        raise NotCovered("a write cache in persistent memory is not covered")
    options = _options(words[5:])
    if found := _FLAGS & options.keys():
        raise NotCovered(f"a write cache with {', '.join(sorted(found))} is not covered")
    slow, fast = (look.numbered(layer, word) for word in words[1:3])
    filled = _Filled.of(said(look, layer))
    block, size = int(words[3]), target.length * SECTOR
    high, low = (filled.blocks * options[f"{name}_watermark"] // 100 for name in ("high", "low"))

    def keeping(room: int, only_with: str = "cleanings") -> Layer:
        figures = {
            "block": block, "blocks": max(room, 1), "ways": 0, "lru": 0, "mode": 0, "fills": 0,
        }  # fmt: skip
        return Layer("cache", size, figures, order=(slow, fast), only_with=only_with)

    otherwise = [keeping(low - filled.used)]
    if filled.used:
        # What was there may be what is written: then no more is in use than that.
        otherwise.append(keeping(high))
    if filled.used and look.ran.reads:
        otherwise.append(routed(size, slow, fast, fast, (fast,)))
    names = [one.id for one in look.below(layer)]
    besides = (
        *_written_back(names[slow], names[fast], block, max(filled.used - low, 0)),
        *_committed(look, names[fast], filled.blocks, options["autocommit_time"]),
        *_passed(names[slow], names[fast], block, filled.around or 0),
        *(_in_runs(layer.id, names[fast]) if look.ran.largest > block else ()),
    )
    return replace(
        keeping(high - filled.used, ""), otherwise=tuple(otherwise), besides=besides,
        met=filled.met(names[slow], names[fast], block), remarks=tuple(filled.told(high)),
    )  # fmt: skip


def _options(words: Sequence[str]) -> dict[str, int]:
    """The options of a table by name, with those that are left out; flags are 1."""
    found = dict(_OPTIONS)
    rest = list(words)
    while rest:
        name = rest.pop(0)
        has_value = bool(rest) and rest[0].isdecimal()
        found[name] = int(rest.pop(0)) if has_value else 1
    return found


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
    for way, one in (("reads", Account(1, 0, 0, 0)), ("writes", Account(0, 0, 1, 0))):
        for event, more in ((way, one), (f"asked_{way}", one.times(-1))):
            yield Besides(layer, most=more, event=event, alone=True)
            yield Besides(fast, least=more.times(-1), most=more, event=event)
