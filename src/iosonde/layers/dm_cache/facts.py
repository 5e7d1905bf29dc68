"""dm-cache: its table and its status, as every reader of them has them.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst (table: metadata, cache, origin,
block size, number of features, features, policy; status: metadata block size, used/total metadata
blocks, cache block size, used/total cache blocks, read hits, read misses, write hits, write
misses, demotions, promotions, dirty, features, core arguments, policy, mode, needs_check);
drivers/md/dm-cache-target.c, cache_status(): status since 3.13, with rw or ro since 3.16 and
needs_check since 4.2; sizes in sectors; `Fail` alone where the metadata are lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iosonde.layers._mapper.facts import (
    DmTarget,
    MapperTarget,
    TargetFacts,
    counted,
    has_failed,
    part_of,
)
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.units import SECTOR

MODES = ("writeback", "writethrough", "passthrough")
COUNTERS = (
    "read_hits", "read_misses", "write_hits", "write_misses", "demotions", "promotions",
)  # fmt: skip
# In a text anything may stand behind a status; nothing else is believed to belong to it.
_ENDINGS = frozenset({
    (), ("rw",), ("ro",),
    ("rw", "-"), ("ro", "-"), ("rw", "needs_check"), ("ro", "needs_check"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class CacheTable:
    """How a cache is made: devices as they are named ("MAJOR:MINOR"), bytes of a block."""

    metadata: str
    cache: str
    origin: str
    block_size: int
    mode: str
    policy: str

    def facts(self) -> dict[str, Scalar]:
        """What does not name a device."""
        return {"block_size": self.block_size, "mode": self.mode, "policy": self.policy}


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """How full and how dirty a cache is, in blocks, and what it counted, by `COUNTERS`."""

    block_size: int
    metadata_used_share: float
    used_blocks: int
    blocks: int
    dirty_blocks: int
    counters: Mapping[str, int]
    mode: str | None
    policy: str
    migration_threshold: int | None
    """Bytes."""
    ending: tuple[str, ...]
    """What stands behind the policy: whether its metadata are read-only or want a check."""

    @property
    def read_only(self) -> bool:
        """Whether its metadata are."""
        return "ro" in self.ending

    @property
    def needs_check(self) -> bool:
        """Whether its metadata want a check."""
        return "needs_check" in self.ending

    def facts(self) -> dict[str, Scalar]:
        """Its blocks, and shares of them."""
        return {
            "cache_blocks": self.blocks,
            "used_share": self.used_blocks / self.blocks,
            "dirty_share": self.dirty_blocks / self.blocks,
        }

    def hazards(self) -> tuple[str, ...]:
        """A cache whose metadata failed is read-only or wants a check."""
        read_only = ("metadata read-only",) * self.read_only
        return (*read_only, *("needs check",) * self.needs_check)


def read_table(arguments: Sequence[str]) -> CacheTable | None:
    """The arguments of a cache in a table; None where they are not whole."""
    features, block = counted(arguments[4:]), arguments[3:4]
    if features is None or not block[0].isdecimal():
        return None
    policy, *rest = arguments[5 + len(features) :] or ("",)
    own = counted(rest)
    if own is None or len(rest) != 1 + len(own):
        return None
    mode = next((feature for feature in features if feature in MODES), "writeback")
    metadata, cache, origin = arguments[:3]
    return CacheTable(metadata, cache, origin, int(block[0]) * SECTOR, mode, policy)


def read_status(arguments: Sequence[str]) -> CacheStatus | None:
    """The arguments of a cache in a status; None where they are not whole, or it has failed.

    A later kernel may say more at the end.
    """
    metadata, blocks = (part_of(figures) for figures in (*arguments, "", "", "", "")[1:4:2])
    figures, features = arguments[4:11], counted(arguments[11:])
    if metadata is None or blocks is None or features is None:
        return None
    if not all(figure.isdecimal() for figure in (arguments[2], *figures)):
        return None
    rest = arguments[12 + len(features) :]
    core = counted(rest)
    policy = rest[1 + len(core) :] if core is not None else ()
    own = counted(policy[1:])
    if core is None or own is None or policy[0].isdecimal():
        return None
    threshold = dict(zip(core[::2], core[1::2], strict=False)).get("migration_threshold", "")
    return CacheStatus(
        block_size=int(arguments[2]) * SECTOR,
        metadata_used_share=metadata[0] / metadata[1],
        used_blocks=blocks[0],
        blocks=blocks[1],
        dirty_blocks=int(figures[6]),
        counters={name: int(figure) for name, figure in zip(COUNTERS, figures, strict=False)},
        mode=next((feature for feature in features if feature in MODES), None),
        policy=policy[0],
        migration_threshold=int(threshold) * SECTOR if threshold.isdecimal() else None,
        ending=tuple(policy[2 + len(own) :]),
    )


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the cache target, of table or status."""
    arguments = target.arguments
    if has_failed(arguments):
        return TargetFacts("dm_cache", {"state": "failed"})
    if table := read_table(arguments):
        devices: dict[str, Scalar] = {
            "metadata_device": table.metadata, "cache_device": table.cache,
            "origin_device": table.origin,
        }  # fmt: skip
        return TargetFacts("dm_cache", {**table.facts(), **devices})
    status = read_status(arguments)
    if status is None or status.ending not in _ENDINGS:
        return None
    values: dict[str, Scalar] = {
        "block_size": status.block_size,
        "mode": status.mode,
        "policy": status.policy,
        "dirty_blocks": status.dirty_blocks,
        "metadata_used_share": status.metadata_used_share,
        "migration_threshold": status.migration_threshold,
        "metadata_read_only": status.read_only or None,
        "needs_check": status.needs_check or None,
        **status.facts(),
    }
    return TargetFacts("dm_cache", without_none(values), status.counters)


TARGET = DmTarget("dm_cache", read_target, modes=MODES)
