"""sar -d of sysstat: rates of each device, interval by interval, and their averages.

Source: sysstat 12.6, pr_stats.c, print_disk_stats(); sysstat 10 for rd_sec/s, avgrq-sz, svctm.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.monitors.clocked import CLOCK, ClockedCursor, as_printed
from iosonde.monitors.sysstat_head import SysstatOutput
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items
from iosonde.text.table import head_before, read_table

_K, _S = float(units.KIB), float(units.SECTOR)
_COLUMNS: dict[str, tuple[str, float]] = {
    "tps": ("iops", 1), "rkB/s": ("read.bandwidth", _K), "wkB/s": ("write.bandwidth", _K),
    "dkB/s": ("discard.bandwidth", _K), "rd_sec/s": ("read.bandwidth", _S),
    "wr_sec/s": ("write.bandwidth", _S), "areq-sz": ("size", _K), "avgrq-sz": ("size", _S),
    "aqu-sz": ("queue", 1), "avgqu-sz": ("queue", 1), "await": ("await", 1e-3),
    "svctm": ("svctm", 1e-3), "%util": ("util", 0.01),
}  # fmt: skip
_CELL = re.compile(r"(?P<number>-?\d{1,15}(?:[.,]\d{1,6})?)(?:(?P<prefix>[BkMGTP])|%)?")


def _figure(cell: str, scale: float) -> float:
    """A figure in bytes, seconds or as a fraction; with -h it has a prefix of 1024 or per cent."""
    match = _CELL.fullmatch(cell)
    if match is None:
        raise Unreadable(f"{cell} is no figure")
    number = float(match["number"].replace(",", "."))
    if match["prefix"] and scale >= units.SECTOR:
        return number * 1024.0 ** "BkMGTP".index(match["prefix"])
    return number * scale


def _is_head(cells: Sequence[str]) -> bool:
    try:
        at = cells.index("DEV")
    except ValueError:
        return False
    if at == len(cells) - 1:  # pretty (-p, -h): the device is the last
        return len(cells) > 6 and all(cell in _COLUMNS for cell in cells[2:-1])
    return at <= 2 and cells[-1] == "%util" and all(cell in _COLUMNS for cell in cells[at + 1 :])


class SarDisk(SysstatOutput):
    tool = "sar"
    anchors = (" DEV ", "%util DEV")

    commands = ("sar",)
    columns: ClassVar[Mapping[str, tuple[str, float]]] = _COLUMNS
    """Columns: name, and what one of it is in bytes, seconds or as a fraction."""
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(ClockedCursor(cursor), cursor.at, _is_head)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters, index, last = [], first, first
        cursor = ClockedCursor(cursor)
        while (table := read_table(cursor, index, _is_head)) is not None and table.rows:
            at = table.head.index("DEV")
            begin = next(place for place, cell in enumerate(table.head) if cell in _COLUMNS)
            clock = min(at, begin)
            for row in table.rows:
                if not CLOCK.fullmatch(row[0]):
                    continue
                values: dict[str, Json] = {
                    name: _figure(cell, scale)
                    for column, cell in zip(table.head, row, strict=True)
                    if column in _COLUMNS
                    for name, scale in [_COLUMNS[column]]
                }
                values["time"] = as_printed(" ".join(row[:clock]))
                counters.append(self.counted("disk", row[at], values, prompt))
            last = table.last
            index = last + 1
            while not (line := cursor.line(index)) and index < last + 4:
                index += 1
            if "DEV" not in line:
                break
        return last, counters
