"""dm-writecache: its table and its status, as every reader of them has them.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst (table: p or s for persistent
memory or SSD, origin, cache, block size in bytes, number of options; status: error, blocks, free
blocks, blocks under write-back; then ten counters since 5.15); drivers/md/dm-writecache.c,
writecache_status().
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iosonde.layers._mapper.facts import DmTarget, MapperTarget, TargetFacts, counted
from iosonde.records.stack import Scalar

DEFAULTS = {
    "high_watermark": 50, "low_watermark": 45, "writeback_jobs": 0, "autocommit_blocks": 65536,
    "autocommit_time": 1000,
}  # fmt: skip
"""Options, and what counts where the table has none; %, %, jobs, blocks, ms.

Source: dm-writecache.c, HIGH_WATERMARK, LOW_WATERMARK, AUTOCOMMIT_BLOCKS_SSD, AUTOCOMMIT_MSEC.
"""
_MEDIA = {"s": "ssd", "p": "persistent memory"}
_COUNTERS = (
    "read_requests", "read_hits", "write_requests", "write_hits_uncommitted",
    "write_hits_committed", "writes_around", "writes_allocated", "writes_blocked", "flushes",
    "discards",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WritecacheTable:
    """How a write cache is made: devices as they are named ("MAJOR:MINOR"), bytes of a block."""

    medium: str
    origin: str
    cache: str
    block_size: int
    options: tuple[str, ...]

    def facts(self) -> dict[str, Scalar]:
        """What does not name a device."""
        options = {"options": " ".join(self.options)} if self.options else {}
        return {"medium": self.medium, "block_size": self.block_size, **options}

    def values(self) -> dict[str, int]:
        """The options by name, with those that are left out; flags are 1."""
        values = dict(DEFAULTS)
        rest = list(self.options)
        while rest:
            name = rest.pop(0)
            has_value = bool(rest) and rest[0].isdecimal()
            values[name] = int(rest.pop(0)) if has_value else 1
        return values


@dataclass(frozen=True, slots=True)
class WritecacheStatus:
    """The error that a cache met (0: none), its blocks, and what it counted since Linux 5.15."""

    error: int
    blocks: int
    free_blocks: int
    writeback_blocks: int
    counters: Mapping[str, int]

    def facts(self) -> dict[str, Scalar]:
        """How full it is."""
        return {
            "cache_blocks": self.blocks,
            "used_share": 1 - self.free_blocks / self.blocks,
            "writeback_blocks": self.writeback_blocks,
        }


def read_table(arguments: Sequence[str]) -> WritecacheTable | None:
    """The arguments of a writecache in a table; None where they are not whole."""
    options = counted(arguments[4:])
    if options is None or len(arguments) != 5 + len(options):
        return None
    medium, origin, cache, block = arguments[:4]
    if medium not in _MEDIA or not block.isdecimal():
        return None
    return WritecacheTable(_MEDIA[medium], origin, cache, int(block), tuple(options))


def read_status(arguments: Sequence[str]) -> WritecacheStatus | None:
    """The arguments of a writecache in a status; None where they are not whole.

    A later kernel may count more.
    """
    enough = len(arguments) == 4 or len(arguments) >= 4 + len(_COUNTERS)
    if not enough or not "".join(arguments).isdecimal():
        return None
    error, blocks, free, writeback, *counters = (int(figure) for figure in arguments)
    if not blocks:
        return None
    return WritecacheStatus(
        error, blocks, free, writeback, dict(zip(_COUNTERS, counters, strict=False))
    )


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the writecache target, of table or status."""
    if table := read_table(target.arguments):
        devices: dict[str, Scalar] = {"origin_device": table.origin, "cache_device": table.cache}
        return TargetFacts("dm_writecache", {**table.facts(), **devices})
    status = read_status(target.arguments)
    if status is None or len(target.arguments) > 4 + len(_COUNTERS):
        return None
    failed: dict[str, Scalar] = {"state": "failed"} if status.error else {}
    return TargetFacts("dm_writecache", {**status.facts(), **failed}, status.counters)


TARGET = DmTarget("dm_writecache", read_target, defaults=DEFAULTS)
