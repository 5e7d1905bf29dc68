"""lvmcache-stats: what a cache of LVM counted, a figure a line.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, whose status line it prints with
names: start, end, metadata block and cache block in sectors.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers._mapper.facts import part_of
from iosonde.layers.dm_cache.facts import COUNTERS
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_NAMES = (
    "start", "end", "segment_type", "md_block_size", "md_utilization", "cache_block_size",
    "cache_utilization", "read_hits", "read_misses", "read_hit_ratio", "write_hits",
    "write_misses", "write_hit_ratio", "demotions", "promotions", "dirty", "features",
)  # fmt: skip
_PAIR = re.compile(rf"\s*(?P<name>{'|'.join(_NAMES)})\s+(?P<value>\S{{1,40}})\s*$")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)%$")
_OF = re.compile(r"lvmcache-stats\s+(?:-\S+ )*(?P<volume>[\w.+-]+/[\w.+-]+)")


class LvmcacheStats(StateOutput):
    tool = "lvmcache-stats"
    anchors = ("utilization     ", "utilization  ")
    commands = ("lvmcache-stats",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PAIR.match(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - 3 * len(_NAMES), -1), -1):
            line = cursor.line(index)
            if line and not _PAIR.match(line):
                break
            first = index if line else first
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs, last = close_rows(cursor, first, _PAIR.match, 3 * len(_NAMES))
        texts = {pair["name"]: pair["value"] for pair in pairs}
        blocks = part_of(texts.get("cache_utilization", ""))
        counters: dict[str, Json] = {
            name: int(texts[name]) for name in COUNTERS if texts.get(name, "").isdecimal()
        }
        counters |= {
            name: round(float(share[1]) / 100, 6)
            for name in ("read_hit_ratio", "write_hit_ratio")
            if (share := _SHARE.match(texts.get(name, "")))
        }
        if blocks is None or not counters:
            raise Unreadable("its blocks or its counters are cut off", last)
        values: dict[str, Scalar] = {"cache_blocks": blocks[1], "used_share": blocks[0] / blocks[1]}
        if texts.get("dirty", "").isdecimal():
            values["dirty_blocks"] = int(texts["dirty"])  # in which mode, it does not say
        if texts.get("cache_block_size", "").isdecimal():
            values["block_size"] = int(texts["cache_block_size"]) * units.SECTOR
        if metadata := part_of(texts.get("md_utilization", "")):
            values["metadata_used_share"] = metadata[0] / metadata[1]
        volume = _OF.search(prompt.command)
        name = volume["volume"] if volume else ""
        return last, [
            PrintedSubject("dm_cache", name, values, prompt.host),
            self.counted("dm_cache", name, counters, prompt),
        ]
