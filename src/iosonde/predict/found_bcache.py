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
from typing import TypeAlias

from iosonde.case import Account
from iosonde.layers.bcache import chosen, size
from iosonde.predict.cached import routed
from iosonde.predict.caches import MODES, bcache_buckets
from iosonde.predict.layer import Besides, Layer
from iosonde.predict.look import Look, NotCovered
from iosonde.records import StackLayer
from iosonde.stack.model import kernel_name
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


def bcache(look: Look, layer: StackLayer) -> Layer:
    """What is there is read from the fast layer; writes go where its mode says."""
    place = f"/sys/block/{kernel_name(layer)}/bcache"
    below = look.below(layer)
    backing = look.text(layer, f"{place}/backing_dev_name")
    slow = [at for at, one in enumerate(below) if kernel_name(one) == backing]
    if len(slow) != 1 or len(below) > 2:
        raise NotCovered("which of the layers below are its slow and its fast one is not known")
    offset = (below[slow[0]].size or 0) - (layer.size or 0)
    if offset < 0:
        raise NotCovered("where its data begin is not known")
    if len(below) == 1:
        return Layer("linear", layer.size or 0, {"start": offset}, order=(slow[0],))
    one = _set(look, layer, place)
    return _cached(look, layer, place, one, (slow[0], 1 - slow[0]), offset)


def _set(look: Look, layer: StackLayer, place: str) -> _Set:
    mode = chosen(look.text(layer, f"{place}/cache_mode"))
    figures = [
        size(look.text(layer, f"{place}/{name}"))
        for name in ("cache/bucket_size", "cache/block_size", "sequential_cutoff")
    ]
    bucket, block, cutoff = figures
    if mode not in MODES or not bucket or not block or cutoff is None:
        raise NotCovered("its settings are not known")
    thresholds = [
        look.text(layer, f"{place}/cache/congested_{way}_threshold_us") for way in ("read", "write")
    ]
    return _Set(mode, bucket, block, cutoff, congested=thresholds != ["0", "0"])


def _cached(
    look: Look, layer: StackLayer, place: str, one: _Set, order: tuple[int, int], offset: int
) -> Layer:
    slow, fast = order
    below, whole = look.below(layer), layer.size or 0
    buckets = bcache_buckets(below[fast].size or 0, one.bucket)
    if buckets < 2:
        raise NotCovered("its fast layer has no room for two buckets")
    figures = {
        "bucket": one.bucket, "buckets": buckets, "mode": MODES[one.mode], "cutoff": one.cutoff,
        "percent": 100,  # what is written back is told by how much is dirty: see `_written_back`
    }  # fmt: skip
    base = Layer("bcache", whole, figures, (offset, 0), order=order)
    otherwise = []

    def may_be(reads: int, writes: tuple[int, ...]) -> None:
        route = routed(whole, slow, fast, reads, writes)
        starts = tuple(offset if at == slow else 0 for at in route.order)
        otherwise.append(replace(route, starts=starts))

    besides = [*_metadata(look, layer, place, below[fast].id, one.block)]
    if one.mode == "writeback":
        may_be(fast, (fast,))
    if one.mode == "writethrough" or _is_full(look, layer, place):
        may_be(fast, (fast, slow))
    if one.mode in {"writearound", "none"}:
        besides += _found(below[slow].id, below[fast].id, look.ran.largest)
    if one.congested:
        may_be(slow, (slow,))
    besides += _written_back(look, layer, place, (below[slow].id, below[fast].id), one)
    return replace(
        base, otherwise=tuple(otherwise), besides=tuple(besides), remarks=tuple(_told(one))
    )


def _is_full(look: Look, layer: StackLayer, place: str) -> bool:
    """Whether so little of the cache is free that writes may go to both layers."""
    texts = look.states(layer, f"{place}/cache/cache_available_percent")
    every = [one for both in texts for one in both]
    return any(not one.isdecimal() or int(one) <= _LEAST_FREE for one in every)


def _found(slow: str, fast: str, largest: int) -> Iterator[Besides]:
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
    for before, after in states:
        yield _span(before, path), _span(after, path)
    if not states:
        raise NotCovered(f"{path} was not read before the load")


def _span(text: str, path: str) -> _Span:
    """The least and the most bytes that "4.0M" can stand for: it is cut, not rounded."""
    found = size(text)
    if found is None:
        raise NotCovered(f"{path} was not to be had")
    unit = text[-1] if not text[-1].isdecimal() else ""
    return found, found + ((size(f"1{unit}") or 1) // 10 + 1 if unit else 0)


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
    look: Look, layer: StackLayer, place: str, names: Sequence[str], one: _Set
) -> Iterator[Besides]:
    """Dirty data that were written back: what there was, and came, and is not there any more.

    A request becomes at most a piece more than it has places in the cache.
    """
    slow, fast = names
    for before, after in _spans(look, layer, f"{place}/dirty_data"):
        if one.mode != "writeback" and not before[1] // KIB:
            continue
        low, high = max(before[0] - after[1], 0), before[1] - after[0]
        count = -(-before[1] // one.block)
        yield Besides(slow, least=Account(0, 0, 0, low), most=Account(0, 0, count, high))
        yield Besides(fast, least=Account(0, low, 0, 0), most=Account(count, high, 0, 0))
    if one.mode == "writeback":
        for event, each in (("asked_writes", (2, 0)), ("asked_write_bytes", (0, 1))):
            yield Besides(slow, most=Account(0, 0, *each), event=event)
            yield Besides(fast, most=Account(*each, 0, 0), event=event)


def _told(one: _Set) -> Iterator[str]:
    yield "what of the reads it held when the load began is not known: all, or nothing"
    if one.congested:
        yield (
            "it lets requests pass where it takes its device for congested, so all may have gone "
            "past it (cache/congested_read_threshold_us and _write_ of 0 forbid it)"
        )
