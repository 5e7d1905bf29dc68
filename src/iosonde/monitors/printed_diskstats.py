"""/proc/diskstats: what each device has done since boot.

Source: Linux Documentation/admin-guide/iostats.rst: 14 fields a line, 18 with discards since 4.18,
20 with flushes since 5.5; sectors of 512 bytes, times in ms; block/genhd.c, diskstats_show():
major and minor number in four and seven places. Partitions had 7 fields before 2.6.25.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, end_of

_FIELDS: tuple[tuple[str, float], ...] = (
    ("reads", 1), ("read_merges", 1), ("read_bytes", units.SECTOR), ("read_time", 1e-3),
    ("writes", 1), ("write_merges", 1), ("write_bytes", units.SECTOR), ("write_time", 1e-3),
    ("in_flight", 1), ("busy_time", 1e-3), ("queue_time", 1e-3),
    ("discards", 1), ("discard_merges", 1), ("discard_bytes", units.SECTOR), ("discard_time", 1e-3),
    ("flushes", 1), ("flush_time", 1e-3),
)  # fmt: skip
_BEGINS = re.compile(r"\s*\d{1,4}\s+\d{1,7} (?P<name>[A-Za-z][\w!.-]{0,31})\s+\d+(?:\s+\d+)+\s*$")
_GOES_ON = re.compile(r"\s*\d+(?:\s+\d+)*\s*$")
_COUNTS = (11, 15, 17)


class DiskstatsOutput(StateOutput):
    """Its lines have no words but the names of devices."""

    tool = "diskstats"
    anchors = (
        "/proc/diskstats", " 8       0 sda ", " 259       0 nvme", " 252       0 ",
        " 253       0 ", " 254       0 ", " 7       0 loop0 ", " 1       0 ram0 ", " 9       0 md",
    )  # fmt: skip

    commands = ("cat", "grep", "watch")
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first line of figures."""
        first = None
        if _BEGINS.match(cursor.line(cursor.at)):
            for index in range(cursor.at, max(cursor.at - 60, -1), -1):
                line = cursor.line(index)
                if line and not _begins_or_goes_on(line):
                    break
                if line and _BEGINS.match(line):
                    first = index
            return first
        for index in range(cursor.at + 1, cursor.at + 4):
            if _BEGINS.match(cursor.line(index)):
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _begins_or_goes_on, gap=2, most=4000)
        held = [line for line in cursor.block(first, last - first + 1) if line]
        return last, [self.counted("disk", name, values, prompt) for name, values in _devices(held)]


def _begins_or_goes_on(line: str) -> bool:
    return bool(_BEGINS.match(line) or _GOES_ON.match(line))


def _devices(held: list[str]) -> Iterator[tuple[str, dict[str, Json]]]:
    """The devices with their figures. What a wrap tore apart is joined at the longest lines."""
    width = max(map(len, held), default=0)
    starts = [place for place, line in enumerate(held) if _BEGINS.match(line)]
    for start, end in zip(starts, [*starts[1:], len(held)], strict=True):
        parts = held[start].split()
        figures = _figures(held[start:end], width)
        if figures is not None:
            named = zip(_FIELDS, figures, strict=False)
            values: dict[str, Json] = {
                name: figure if scale == 1 else figure * scale for (name, scale), figure in named
            }
            yield parts[2].replace("!", "/"), values


def _figures(parts: list[str], width: int) -> list[int] | None:
    """The figures after the name, if there are as many as a kernel prints."""
    for torn in (True, False):
        text = parts[0]
        for place, part in enumerate(parts[1:]):
            text += part if torn and len(parts[place]) == width else f" {part}"
        figures = [int(word) for word in text.split()[3:] if len(word) < 24]
        if len(figures) in _COUNTS:
            return figures
    return None
