"""bcache as it is found: in use, with contents that nobody can list.

Its counters of hits and misses are moved to where they can be read every 13.6 s only (stats.c,
`accounting_delay`), so they tell nothing about a short load. Reads are therefore between all found
and none found. What is dirty and what of the journal and the btree has been written it says at
once, rounded to a tenth of a unit (util.c, `bch_hprint()`).

Source: Linux 6.1, Documentation/admin-guide/bcache.rst; drivers/md/bcache/request.c
(`check_should_bypass()`, `should_writeback()`), super.c (`backing_dev_name`, where data begin),
sysfs.c (`metadata_written`), writeback.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from iosonde._core import Bcache, Linear
from iosonde.layers._caches.ledger import routed
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, Besides, LedgerContext, LedgerLayer
from iosonde.layers.bcache.facts import MODES, buckets_on, chosen, size, span
from iosonde.layers.layer import kernel_name
from iosonde.layers.site import Site
from iosonde.records.prediction import Account
from iosonde.records.stack import StackLayer
from iosonde.units import KIB

_LEAST_FREE = 30  # %: with less the cache takes no dirty data (CUTOFF_WRITEBACK_SYNC)


@dataclass(frozen=True, slots=True)
class _Set:
    """How a cache is set.

    Args:
        mode: the kernel's word.
        bucket, block: bytes.
        cutoff: bytes from which streams go past it; 0: none does.
        congested: it lets requests pass where it takes its device for congested.
    """

    mode: str
    bucket: int
    block: int
    cutoff: int
    congested: bool


def discovered(look: Look, layer: StackLayer) -> LedgerLayer:
    """What is there is read from the fast layer; writes go where its mode says."""
    place = f"/sys/block/{kernel_name(layer)}/bcache"
    below = look.below(layer)
    backing = look.text(layer, f"{place}/backing_dev_name")
    slow = [at for at, lower in enumerate(below) if kernel_name(lower) == backing]
    if len(slow) != 1 or len(below) > 2:
        raise NotCovered("which of the layers below are its slow and its fast one is not known")
    offset = (below[slow[0]].size or 0) - (layer.size or 0)
    if offset < 0:
        raise NotCovered("where its data begin is not known")
    if len(below) == 1:
        return LedgerLayer(Linear(start=offset), layer.size or 0, order=(slow[0],))
    cache_set = _set(look, layer, place)
    return _cached(look, layer, place, cache_set, (slow[0], 1 - slow[0]), offset)


def _set(look: Look, layer: StackLayer, place: str) -> _Set:
    mode = chosen(look.text(layer, f"{place}/cache_mode"))
    figures = [
        size(look.text(layer, f"{place}/{name}"))
        for name in ("cache/bucket_size", "cache/block_size", "sequential_cutoff")
    ]
    bucket, block, cutoff = figures
    if mode is None or mode not in MODES or not bucket or not block or cutoff is None:
        raise NotCovered("its settings are not known")
    thresholds = [
        look.text(layer, f"{place}/cache/congested_{way}_threshold_us") for way in ("read", "write")
    ]
    return _Set(mode, bucket, block, cutoff, congested=thresholds != ["0", "0"])


def _cached(
    look: Look, layer: StackLayer, place: str, cache_set: _Set, order: tuple[int, int], offset: int
) -> LedgerLayer:
    slow, fast = order
    below, whole = look.below(layer), layer.size or 0
    buckets = buckets_on(below[fast].size or 0, cache_set.bucket)
    if buckets < 2:
        raise NotCovered("its fast layer has no room for two buckets")
    rule = Bcache(
        bucket=cache_set.bucket,
        buckets=buckets,
        mode=MODES[cache_set.mode],
        cutoff=cache_set.cutoff,
        percent=100,  # what is written back is told by how much is dirty: see `_written_back`
    )
    base = LedgerLayer(rule, whole, starts=(offset, 0), order=order)
    otherwise = []

    def may_be(reads: int, writes: tuple[int, ...]) -> None:
        route = routed(whole, slow, fast, reads, writes)
        starts = tuple(offset if at == slow else 0 for at in route.order)
        otherwise.append(replace(route, starts=starts))

    besides = [*_metadata(look, layer, place, below[fast].id, cache_set.block)]
    if cache_set.mode == "writeback":
        may_be(fast, (fast,))
    if cache_set.mode == "writethrough" or _is_full(look, layer, place):
        may_be(fast, (fast, slow))
    if cache_set.mode in {"writearound", "none"}:
        besides += _possible_hits(below[slow].id, below[fast].id, look.ran.largest)
    if cache_set.congested:
        may_be(slow, (slow,))
    besides += _written_back(look, layer, place, (below[slow].id, below[fast].id), cache_set)
    return replace(
        base, otherwise=tuple(otherwise), besides=tuple(besides), remarks=tuple(_remarks(cache_set))
    )


def _is_full(look: Look, layer: StackLayer, place: str) -> bool:
    """Whether so little of the cache is free that writes may go to both layers."""
    texts = look.states(layer, f"{place}/cache/cache_available_percent")
    every = [text for both in texts for text in both]
    return any(not text.isdecimal() or int(text) <= _LEAST_FREE for text in every)


def _possible_hits(slow: str, fast: str, largest: int) -> Iterator[Besides]:
    """Reads that were taken as missed and may have been found."""
    yield Besides(slow, least=Account(-1, -largest, 0, 0), event="asked_reads")
    yield Besides(fast, least=Account(0, 0, -1, -largest), most=Account(1, largest, 0, 0),
                  event="asked_reads")  # fmt: skip


_Span: TypeAlias = tuple[int, int]


def _spans(look: Look, layer: StackLayer, path: str) -> Iterator[tuple[_Span, _Span]]:
    """What a file said in each loop before the load and after it, each the least and the most.

    Raises:
        NotCovered: it said no size.
    """
    states = look.states(layer, path)
    if not states:
        raise NotCovered(f"{path} was not read before the load")
    for before, after in states:
        first, then = span(before), span(after)
        if first is None or then is None:
            raise NotCovered(f"{path} was not to be had")
        yield first, then


def _metadata(
    look: Look, layer: StackLayer, place: str, fast: str, block: int
) -> Iterator[Besides]:
    """Its journal, its btree and where its buckets stand: by its own count of all three.

    Source: sysfs.c, `SHOW(__bch_cache)`: `metadata_written` has the btree in it.
    """
    for before, after in _spans(look, layer, f"{place}/cache/cache0/metadata_written"):
        low, high = max(after[0] - before[1], 0), after[1] - before[0]
        most = Account(0, 0, -(-high // block), high)
        yield Besides(fast, least=Account(0, 0, 0, low), most=most)


def _written_back(
    look: Look, layer: StackLayer, place: str, names: Sequence[str], cache_set: _Set
) -> Iterator[Besides]:
    """Dirty data that were written back: what there was, and came, and is not there any more.

    A request becomes at most a piece more than it has places in the cache.
    """
    slow, fast = names
    for before, after in _spans(look, layer, f"{place}/dirty_data"):
        if cache_set.mode != "writeback" and not before[1] // KIB:
            continue
        low, high = max(before[0] - after[1], 0), before[1] - after[0]
        count = -(-before[1] // cache_set.block)
        yield Besides(slow, least=Account(0, 0, 0, low), most=Account(0, 0, count, high))
        yield Besides(fast, least=Account(0, low, 0, 0), most=Account(count, high, 0, 0))
    if cache_set.mode == "writeback":
        for event, each in (("asked_writes", (2, 0)), ("asked_write_bytes", (0, 1))):
            yield Besides(slow, most=Account(0, 0, *each), event=event)
            yield Besides(fast, most=Account(*each, 0, 0), event=event)


def _remarks(cache_set: _Set) -> Iterator[str]:
    yield "what of the reads it held when the load began is not known: all, or nothing"
    if cache_set.congested:
        yield (
            "it lets requests pass where it takes its device for congested, so all may have gone "
            "past it (cache/congested_read_threshold_us and _write_ of 0 forbid it)"
        )


_BACKING = 8 * KIB  # bcache: where the slow device's data begin (BDEV_DATA_START_DEFAULT)


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """Buckets of the fast layer that are filled with what is read and written."""
    declared: Any = site.declared
    slow, fast = scene.below
    bucket = declared.bucket_size
    buckets = buckets_on(fast.size, bucket)
    if buckets < 2:
        raise site.wrong("the fast layer has no room for two buckets")
    rule = Bcache(
        bucket=bucket, buckets=buckets, mode=MODES[declared.cache_mode],
        cutoff=declared.sequential_cutoff, percent=declared.writeback_percent,
    )  # fmt: skip
    approximate = ["one program writes, and the least recently used bucket is emptied first"]
    if declared.cache_mode == "writeback":
        approximate.append(
            f"dirty data are held at {declared.writeback_percent} % of the cache at once, which "
            "the kernel only comes near to"
        )
    if declared.sequential_cutoff:
        approximate.append("a stream is one that goes on where one of the last 128 ended")
    return LedgerLayer(
        rule, slow.size - _BACKING, starts=(_BACKING, 0),
        notes=("its journal and its btree on the fast layer",), approximate=tuple(approximate),
    )  # fmt: skip


ACCOUNTING = Accounting(
    declared=_declared,
    discovered=discovered,
    files=tuple(f"bcache/{file}" for file in (
        "backing_dev_name", "cache_mode", "sequential_cutoff", "cache/bucket_size",
        "cache/block_size", "cache/congested_read_threshold_us",
        "cache/congested_write_threshold_us",
    )),
    state=tuple(f"bcache/{file}" for file in (
        "dirty_data", "cache/cache_available_percent", "cache/cache0/metadata_written",
    )),
    recognised=lambda _: "bcache",
)  # fmt: skip
