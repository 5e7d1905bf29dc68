"""free: memory and swap, of any version and in any language.

Where no command stands above it and cells have no unit of their own, whether they are KiB, MiB or
GiB is not said: then they are kept as they are printed.

Source: procps-ng 4.0, free.c and free(1) (KiB, -b, -m, -g, -h, --mega, --si); before 3.3.10 with
buffers and cached apart, and "-/+ buffers/cache"; po/*.po for its words; busybox, procps/free.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_ROW = re.compile(
    r"\s*(?P<name>[^\d\s:：][^\d:：|]{1,20}?)\s?[:：]\s*"
    r"(?P<cells>\d[\d.,]*(?:[KMGTP]i?|Bi?)?B?(?:\s+\d[\d.,]*(?:[KMGTP]i?|Bi?)?B?){1,6})\s*$"
)
_CELL = re.compile(r"(?P<figure>\d+(?:[.,]\d+)?)(?P<unit>[KMGTP]i?|B)?B?")
_HEAD = re.compile(r"\s{2,}\S+(?:\s+\S+){3,8}\s*$")
_OPTION = re.compile(r"(?:^|[\s/])free(?:\s+-\S+(?:\s+\d+)?)*")
_UNITS = (
    (re.compile(r"\s(?:-[a-zA-Z]*b|--bytes)(?=[a-z]*(?:\s|$))"), 1.0),
    (re.compile(r"\s(?:-[a-zA-Z]*m|--mebi)(?=[a-z]*(?:\s|$))"), float(units.MIB)),
    (re.compile(r"\s(?:-[a-zA-Z]*g|--gibi)(?=[a-z]*(?:\s|$))"), float(units.GIB)),
    (re.compile(r"\s--kilo\b"), 1e3), (re.compile(r"\s--mega\b"), 1e6),
    (re.compile(r"\s--giga\b"), 1e9), (re.compile(r"\s--tera\b"), 1e12),
)  # fmt: skip
_SI = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_NEW = ("memory_total", "memory_used", "memory_free", "shared", "buffers_and_cache",
        "memory_available")  # fmt: skip
_WIDE = (*_NEW[:4], "buffers", "page_cache", "memory_available")
_OLD = (*_NEW[:4], "buffers", "page_cache")
_SWAP = ("swap_total", "swap_used", "swap_free")
_WITHOUT = ("used_without_caches", "free_with_caches")
_OTHERS = ("Low", "High", "Total", "Comm")
_MOST = 16


class Free(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "free"
    anchors: ClassVar[tuple[str, ...]] = (
        "Mem: ", "Speicher: ", "Mém: ", "Mem.: ", "Память: ", "内存：", "内存: ", "内存:",
        "メモリ:", "記憶體：", "Pamięć:", "Paměť:", "Bellek: ", "메모리:",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("free",)
    reach: ClassVar[int] = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ROW.match(cursor.line(cursor.at) or ""):
            return None
        above = before(cursor, cursor.at)
        head = cursor.line(above) or ""
        return above if _HEAD.match(head) and not any(map(str.isdigit, head)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: list[tuple[str, list[str]]] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST):
            row = _ROW.match(line) or _without_caches(line)
            if row is None:
                break
            rows.append((row["name"].strip(), row["cells"].split()))
            last = index
        scale = _scale(prompt.command, rows)
        if scale is None:
            columns = ["", *(cursor.line(first) or "").split()]
            values: dict[str, Json] = {"columns": [*columns], "rows": [[a, *b] for a, b in rows]}
            return last, [PrintedCounters(PRINTED, AS_PRINTED, "free", values, prompt.host)]
        old = "cached" in (cursor.line(first) or "")
        values = {}
        for place, (name, cells) in enumerate(rows):
            names = _names(place, name, len(cells), old=old)
            figures = [_bytes(cell, scale) for cell in cells]
            values |= dict(zip(names, figures, strict=False))
        return last, [self.counted("memory", "", values, prompt)]


def _without_caches(line: str) -> re.Match[str] | None:
    return re.match(r"\s*(?P<name>-/\+ buffers/cache):\s*(?P<cells>\d\S*\s+\d\S*)\s*$", line)


def _names(place: int, name: str, count: int, *, old: bool) -> Sequence[str]:
    """What the cells of a row are called."""
    if name.startswith("-/+"):
        return _WITHOUT
    if place == 0:
        return _WIDE if count == len(_WIDE) else _OLD if old else _NEW
    return () if name in _OTHERS else _SWAP


def _scale(command: str, rows: Sequence[tuple[str, list[str]]]) -> tuple[float, bool] | None:
    """What one of a cell without a unit is in bytes, and whether units are powers of 1000."""
    thousands = "--si" in command
    matches = [_CELL.fullmatch(cell) for _, cells in rows for cell in cells]
    if any(match is not None and match["unit"] for match in matches):
        return 1.0, thousands
    option = _OPTION.search(command)
    if option is None:
        return None
    for pattern, scale in _UNITS:
        if pattern.search(option[0]):
            return scale, thousands
    return (1e3 if thousands else float(units.KIB)), thousands


def _bytes(cell: str, scale: tuple[float, bool]) -> Json:
    match = _CELL.fullmatch(cell)
    if match is None:
        return None
    figure, unit = float(match["figure"].replace(",", ".")), match["unit"]
    if unit is None or unit == "B":
        size = figure if unit else figure * scale[0]
    elif scale[1]:
        size = figure * _SI[unit[0]]
    else:
        size = figure * 1024.0 ** ("KMGTP".index(unit[0]) + 1)
    return int(size) if size.is_integer() else size
