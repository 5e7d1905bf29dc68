"""dm-writecache: its line in `dmsetup status` (what it counts) and in `dmsetup table`.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst; drivers/md/dm-writecache.c,
writecache_status(): four figures, and ten more since 5.15; the block size is in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.dm_writecache import status_facts, table_facts
from iosonde.layers.layer import Target
from iosonde.layers.outputs._dmsetup import Told, begin_listing, read_listing
from iosonde.passage import Passage
from iosonde.printed import Reading
from iosonde.records import Scalar

_STATES = ("cache_blocks", "used_share", "writeback_blocks")


class DmWritecache:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "dm-writecache"
    anchors: ClassVar[tuple[str, ...]] = (" writecache ",)

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        return begin_listing(passage)

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        return read_listing(passage, first)


def told(target: Target) -> Told | None:
    """What a line of the writecache target says, of table or status."""
    words = target.words
    return _table(words) if words[:1] and words[0] in {"s", "p"} else _status(words)


def _table(words: Sequence[str]) -> Told | None:
    facts = table_facts(words)
    if not facts or not words[4].isdecimal() or len(words) != 5 + int(words[4]):
        return None
    devices: dict[str, Scalar] = {"origin_device": words[1], "cache_device": words[2]}
    return Told("dm_writecache", {**facts, **devices})


def _status(words: Sequence[str]) -> Told | None:
    facts = status_facts(words)
    if len(words) not in {4, 14} or not facts:
        return None
    values: dict[str, Scalar] = {name: facts[name] for name in _STATES}
    if words[0] != "0":
        values["state"] = "failed"
    counted = {name: value for name, value in facts.items() if name not in _STATES}
    return Told("dm_writecache", values, counted)
