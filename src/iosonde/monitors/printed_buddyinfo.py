"""/proc/buddyinfo: how many free pieces of memory of each size a zone has.

The first count is of single pages, each further one of pieces twice as long: what wants a long
piece waits where the last counts are 0, however much memory is free.

Source: Linux Documentation/filesystems/proc.rst, buddyinfo; mm/vmstat.c, frag_show_print() ("Node
%d, zone %8s ", then "%6lu " for each order: 11 of them, fewer or more by the kernel's
configuration, mm/Kconfig, ARCH_FORCE_MAX_ORDER).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_ZONE = re.compile(
    r"\s*(?:/proc/buddyinfo:)?Node (?P<node>\d{1,4}), zone {1,8}"
    r"(?P<zone>DMA|DMA32|Normal|HighMem|Movable|Device) {1,8}"
    r"(?P<counts>\d{1,12}(?: {1,8}\d{1,12}){6,18})\s*$"
)


class Buddyinfo(StateOutput):
    tool = "buddyinfo"
    anchors = (", zone  ",)
    commands = ("cat", "grep", "head", "watch")
    about = "buddyinfo"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _ZONE.match, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        zones, last = dict[str, PrintedCounters](), first
        for index, line in close_lines(cursor, first, 80):
            match = _ZONE.match(line)
            name = f"node {match['node']}, {match['zone']}" if match else ""
            if match is None or name in zones:
                break
            counts = [int(count) for count in fields(match["counts"])]
            pages = sum(count << order for order, count in enumerate(counts))
            values: dict[str, Json] = {"free_pieces": [*counts], "free_pages": pages}
            zones[name] = self.counted("memory_zone", name, values, prompt)
            last = index
        return last, zones.values()
