"""dm-cache as it is found, LVM's among them.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/cache.rst (table, status);
drivers/md/dm-cache-target.c, dm-kcopyd.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from iosonde.case import Account
from iosonde.layers.dm_cache import table_facts
from iosonde.layers.layer import Target
from iosonde.predict.cached import UNKNOWN, routed, said
from iosonde.predict.layer import Besides, Layer, Met
from iosonde.predict.look import Look, NotCovered
from iosonde.records import StackLayer
from iosonde.stack.model import kernel_name
from iosonde.units import KIB, SECTOR

_COPY = 512 * KIB  # dm-kcopyd.c, DEFAULT_SUB_JOB_SIZE_KB: copies are cut to it


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a cache counted while the load ran.

    `dirty`: blocks that were so when the first loop began; `dirtier`: how many more in each loop.
    """

    dirty: int
    dirtier: tuple[int, ...]
    read_hits: int
    read_misses: int
    write_hits: int
    write_misses: int
    demotions: int
    promotions: int

    @classmethod
    def of(cls, loops: Sequence[tuple[Sequence[str], Sequence[str]]]) -> _Counted:
        """From its status in each loop.

        Raises:
            NotCovered: it is none, as of a cache that failed.
        """
        texts = [words[4:11] for both in loops for words in both]
        if not all(len(one) == 7 and "".join(one).isdecimal() for one in texts):
            raise NotCovered(UNKNOWN)
        more = [
            [int(two) - int(one) for one, two in zip(before[4:11], after[4:11], strict=True)]
            for before, after in loops
        ]
        counts = [sum(one[at] for one in more) for at in range(6)]
        return cls(int(texts[0][6]), tuple(one[6] for one in more), *counts)

    def met(self, slow: str, fast: str, most: int, *, both: bool, covered: bool) -> Met:
        """What each of the two got at most.

        Args:
            slow: name of the layer below.
            fast: the other one's.
            most: bytes of an I/O at most.
            both: writes go to both.
            covered: writes may stand for blocks that were taken in.
        """
        missed, hit = self.write_misses, self.write_hits + covered * self.promotions
        to_slow = (inf, inf) if both else (missed, missed * most)
        to_fast = (inf, inf) if both else (hit, hit * most)
        return Met(
            slow, fast, Account(self.read_misses, self.read_misses * most, *to_slow),
            Account(self.read_hits, self.read_hits * most, *to_fast),
        )  # fmt: skip

    def written_back(self, dirtied: int) -> tuple[int, int]:
        """The least and the most blocks: as many as were dirty, or became so, and are not."""
        least = sum(max(-one, 0) for one in self.dirtier)
        return least, max(dirtied - sum(self.dirtier), least)

    def told(self) -> Iterator[str]:
        """What a user should know of it."""
        yield (
            f"while the load ran it counted {self.read_hits} reads and {self.write_hits} writes of "
            f"what it held, {self.read_misses} and {self.write_misses} of what it did not, "
            f"{self.promotions} blocks taken in, {self.demotions} let go"
        )

    @property
    def hits(self) -> int:
        """I/Os that found their block there."""
        return self.read_hits + self.write_hits

    @property
    def misses(self) -> int:
        """I/Os that did not."""
        return self.read_misses + self.write_misses


def dm_cache(look: Look, layer: StackLayer, target: Target) -> Layer:
    """What is there is read and written on the fast layer, all else on the slow one.

    Which blocks are there is not known; the cache tells how many I/Os found theirs, and how many
    blocks it took in and let go.

    Source: dm-cache-target.c: `map_bio()`, `mg_start()` … `mg_copy()` (a whole block is copied, but
    not for a write that covers it: `optimisable_bio()`), `passthrough_mode()`; a block is written
    back whole.
    """
    words = target.words
    facts = table_facts(words)
    block = facts.get("block_size")
    if not isinstance(block, int):
        raise NotCovered("its table is not known")
    meta, fast, slow = (look.numbered(layer, word) for word in words[:3])
    counted = _Counted.of(said(look, layer))
    size, mode = target.length * SECTOR, facts["mode"]
    if mode == "writethrough" and counted.dirty:
        raise NotCovered("it has dirty blocks from another mode, whose writes go to the fast one")
    everywhere = (slow, fast) if mode == "writethrough" else (fast,)
    missed = routed(size, slow, fast, slow, (slow,), boundary=block)
    hit = routed(size, slow, fast, fast, everywhere, boundary=block)
    taken = counted.promotions
    covered = taken > 0 and not 0 < look.ran.largest < block  # a write may stand for a copy
    none: tuple[Layer, ...] = ()
    if mode == "passthrough" or not (counted.hits or covered):
        base, otherwise = missed, none
    elif not counted.misses:
        base, otherwise = hit, none
    else:
        base, otherwise = missed, (hit,)
    dirtied = counted.write_hits + covered * taken if mode == "writeback" else 0
    names = [one.id for one in look.below(layer)]
    besides = (
        *_copied(names[slow], names[fast], block, 0 if covered else taken, taken),
        *_copied(names[fast], names[slow], block, *counted.written_back(dirtied)),
        *_metadata(look, look.below(layer)[meta]),
    )
    met = None
    if mode != "passthrough" and look.ran.largest:
        most = min(look.ran.largest, block)
        met = counted.met(names[slow], names[fast], most, both=len(everywhere) > 1, covered=covered)
    return replace(
        base, otherwise=otherwise, besides=besides, met=met, remarks=tuple(counted.told())
    )


def _copied(whence: str, to: str, block: int, least: int, most: int) -> tuple[Besides, ...]:
    """Blocks that go from one layer to the other, whole. Neighbours may be merged on the way."""
    pieces = -(-block // _COPY)
    ways = (
        (whence, Account(1, 0, 0, 0), Account(0, 1, 0, 0)),
        (to, Account(0, 0, 1, 0), Account(0, 0, 0, 1)),
    )
    return tuple(
        Besides(
            on, least=size.times(least * block),
            most=size.times(most * block) + one.times(most * pieces),
        )
        for on, one, size in ways
        if most
    )  # fmt: skip


def _metadata(look: Look, meta: StackLayer) -> Iterator[Besides]:
    """What the device of the metadata counted, for the layers that it stands on.

    Raises:
        NotCovered: it has no counters of its own.
    """
    counted = look.ran.counted.get((meta.host, kernel_name(meta)))
    if counted is None:
        raise NotCovered(f"what its metadata on {meta.id} brought was not counted")
    yield Besides(meta.id, least=counted, most=counted)
