"""dm-cache as it is found, LVM's among them.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/cache.rst (table, status);
drivers/md/dm-cache-target.c, dm-kcopyd.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal

from iosonde._core import Promote
from iosonde.layers._caches.building import HEADER
from iosonde.layers._caches.ledger import request_rate, routed, states_of
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, Besides, LedgerContext, LedgerLayer, Met
from iosonde.layers._ledger.shapes import mapped
from iosonde.layers._mapper.facts import MapperTarget
from iosonde.layers.dm_cache.facts import COUNTERS, CacheStatus, read_status, read_table
from iosonde.layers.layer import kernel_name
from iosonde.layers.site import Site
from iosonde.records.prediction import Account
from iosonde.records.stack import StackLayer
from iosonde.units import KIB, MIB, SECTOR

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
    def of(cls, loops: Sequence[tuple[CacheStatus, CacheStatus]]) -> _Counted:
        """From its status in each loop."""
        dirtier = tuple(after.dirty_blocks - before.dirty_blocks for before, after in loops)
        counts = {
            name: sum(after.counters[name] - before.counters[name] for before, after in loops)
            for name in COUNTERS
        }
        return cls(loops[0][0].dirty_blocks, dirtier, **counts)

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
        least = sum(max(-change, 0) for change in self.dirtier)
        return least, max(dirtied - sum(self.dirtier), least)

    def remarks(self) -> Iterator[str]:
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


def _target(look: Look, layer: StackLayer, target: MapperTarget) -> LedgerLayer:
    """What is there is read and written on the fast layer, all else on the slow one.

    Which blocks are there is not known; the cache tells how many I/Os found theirs, and how many
    blocks it took in and let go.

    Source: dm-cache-target.c: `map_bio()`, `mg_start()` … `mg_copy()` (a whole block is copied, but
    not for a write that covers it: `optimisable_bio()`), `passthrough_mode()`; a block is written
    back whole.
    """
    table = read_table(target.arguments)
    if table is None:
        raise NotCovered("its table is not known")
    meta, fast, slow = (
        look.numbered(layer, number) for number in (table.metadata, table.cache, table.origin)
    )
    counted = _Counted.of(states_of(look, layer, read_status))
    size, block, mode = target.length * SECTOR, table.block_size, table.mode
    if mode == "writethrough" and counted.dirty:
        raise NotCovered("it has dirty blocks from another mode, whose writes go to the fast one")
    everywhere = (slow, fast) if mode == "writethrough" else (fast,)
    missed = routed(size, slow, fast, slow, (slow,), boundary=block)
    hit = routed(size, slow, fast, fast, everywhere, boundary=block)
    taken = counted.promotions
    covered = taken > 0 and not 0 < look.ran.largest < block  # a write may stand for a copy
    none: tuple[LedgerLayer, ...] = ()
    if mode == "passthrough" or not (counted.hits or covered):
        base, otherwise = missed, none
    elif not counted.misses:
        base, otherwise = hit, none
    else:
        base, otherwise = missed, (hit,)
    dirtied = counted.write_hits + covered * taken if mode == "writeback" else 0
    names = [lower.id for lower in look.below(layer)]
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
        base, otherwise=otherwise, besides=besides, met=met, remarks=tuple(counted.remarks())
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
            most=size.times(most * block) + account.times(most * pieces),
        )
        for on, account, size in ways
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


_MODES: Mapping[str, Literal["back", "through", "around"]] = {
    "writeback": "back", "writethrough": "through", "passthrough": "around",
}  # fmt: skip
"""dm-cache's, as the core names them."""


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """A block that is asked for again is copied to the fast layer."""
    declared: Any = site.declared
    slow, fast = scene.below
    rate = request_rate(site, scene)
    block = declared.block_size
    mode = "passthrough" if declared.policy == "cleaner" else declared.mode
    blocks = dm_cache_blocks(fast.size, block)
    if blocks < 1:
        raise site.wrong("the fast layer has no room for a block")
    rule = Promote(
        block=block, blocks=blocks, mode=_MODES[mode], origin=slow.size // block, rate=rate,
        start=_dm_cache_start(fast.size, block),
    )  # fmt: skip
    if mode == "passthrough":
        return LedgerLayer(rule, slow.size, notes=("its metadata, and what it holds already",))
    approximate = (
        f"{declared.policy} goes by the clock: it is taken to be asked {rate} times a second",
    )
    return LedgerLayer(rule, slow.size, notes=("its metadata",), approximate=approximate)


def dm_cache_blocks(size: int, block: int) -> int:
    """Blocks of data that a fast device of so many bytes has room for; 0 or less: none."""
    return (size - _dm_cache_start(size, block)) // block


def _dm_cache_start(size: int, block: int) -> int:
    """Where data begin on the fast device.

    Source: dm_cache/layout.sh, how it is divided: header, metadata, then blocks.
    """
    header = HEADER * SECTOR
    metadata = 4 * MIB + -(-(size // block * 28) // SECTOR) * SECTOR
    start = header + -(-metadata // header) * header
    return -(-start // block) * block


ACCOUNTING = Accounting(
    declared=_declared,
    discovered=mapped,
    target=_target,
    extra={"request_rate": "requests a second, where it goes by the clock"},
)
