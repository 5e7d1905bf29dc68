"""collectl: CPUs, disks and networks in one line a second, and its details of disks.

Source: collectl 4.3, formatit.ph, briefFormatit() ("#cpu sys inter  ctxsw KBRead  Reads …", KB of
1024 bytes) and printTerm() ("# DISK STATISTICS (/sec)": sizes in KB, waits in ms).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_K = float(units.KIB)
_BRIEF: dict[str, tuple[str, float]] = {
    "cpu": ("cpu_busy", 0.01), "sys": ("cpu_system", 0.01), "inter": ("interrupts", 1),
    "ctxsw": ("context_switches", 1), "KBRead": ("read.bandwidth", _K), "Reads": ("read.iops", 1),
    "KBWrit": ("write.bandwidth", _K), "Writes": ("write.iops", 1),
    "KBIn": ("receive.bandwidth", _K), "PktIn": ("receive.packets", 1),
    "KBOut": ("send.bandwidth", _K), "PktOut": ("send.packets", 1),
    "Free": ("memory_free", 1), "Buff": ("buffers", 1), "Cach": ("page_cache", 1),
    "Inac": ("inactive", 1), "Slab": ("slab", 1), "Map": ("mapped", 1), "Fragments": ("", 1),
    "Reads/s": ("read.iops", 1), "Size": ("", 1),
}  # fmt: skip
_DISK: tuple[tuple[str, float], ...] = (
    ("read.bandwidth", _K), ("read.merges", 1), ("read.iops", 1), ("read.size", _K),
    ("read.await", 1e-3), ("write.bandwidth", _K), ("write.merges", 1), ("write.iops", 1),
    ("write.size", _K), ("write.await", 1e-3), ("size", _K), ("queue", 1), ("await", 1e-3),
    ("svctm", 1e-3), ("util", 0.01),
)  # fmt: skip
_DISK_HEAD = re.compile(
    r"\s*#(?:Date\s+)?(?:Time\s+)?Name\s+KBytes Merged\s+IOs Size(?:\s+Wait)?"
    r"\s+KBytes Merged\s+IOs Size(?P<waits>\s+Wait)?\s+RWSize\s+QLen\s+Wait SvcTim Util\s*$"
)
_CLOCK = re.compile(r"\s*(?:\d{8} )?\d\d:\d\d:\d\d(?:\.\d{3})?\s+")
_FIGURE = re.compile(r"(?P<figure>\d+(?:\.\d+)?)(?P<unit>[KMG])?")
_COMMENT = re.compile(r"\s*+(?:#.*|Ouch!\s*+)?$")
_MOST = 4000


class Collectl(StateOutput):
    tool = "collectl"
    anchors = ("#cpu sys inter", "KBRead  Reads", "KBytes Merged ")
    commands = ("collectl",)
    nothing = "no line of figures follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if _DISK_HEAD.match(line) or _columns(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first)
        if disk := _DISK_HEAD.match(head):
            return self._disks(cursor, first, prompt, waits=bool(disk["waits"]))
        columns = _columns(head)
        values: dict[str, Json] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            cells = _CLOCK.sub("", line).split()
            if len(cells) != len(columns) or not all(map(_FIGURE.fullmatch, cells)):
                if not _COMMENT.match(line):
                    break
                if line and (other := _columns(line)) and other != columns:
                    break
                continue
            last = index
            for column, cell in zip(columns, cells, strict=True):
                field, scale = _BRIEF[column]
                listed = values.setdefault(field or column, [])
                if isinstance(listed, list):
                    listed.append(_number(cell) * scale)
        return last, [self.counted("host", "", values, prompt)] if values else []

    def _disks(self, cursor: TextCursor, first: int, prompt: Prompt, *, waits: bool) -> Items:
        fields = [
            field for field in _DISK if waits or "." not in field[0] or "await" not in field[0]
        ]
        counters: list[PrintedCounters] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            cells = _CLOCK.sub("", line).split()
            if len(cells) != len(fields) + 1 or not all(map(_FIGURE.fullmatch, cells[1:])):
                if not _COMMENT.match(line):
                    break
                continue
            last = index
            values: dict[str, Json] = {
                name: _number(cell) * scale
                for (name, scale), cell in zip(fields, cells[1:], strict=True)
            }
            counters.append(self.counted("disk", cells[0], values, prompt))
        return last, counters


def _columns(line: str) -> Sequence[str]:
    """The names of the columns of a line of the brief form; none where it is no such line."""
    if not line.lstrip().startswith("#"):
        return ()
    names = [name for name in line.lstrip(" #").split() if name not in {"Time", "Date"}]
    return names if len(names) > 3 and all(name in _BRIEF for name in names) else ()


def _number(text: str) -> float:
    match = _FIGURE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return float(match["figure"]) * 1024.0 ** (" KMG".index(match["unit"] or " "))
