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
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, before, close_lines

_ROW = re.compile(
    r"\s*(?P<name>[^\d\s:：][^\d:：|]{0,20}?)\s?[:：]\s*"
    r"(?P<cells>\d[\d.,]*(?:[KMGTP]i?|Bi?)?B?(?:\s+\d[\d.,]*(?:[KMGTP]i?|Bi?)?B?){1,6})\s*$"
)
_CELL = re.compile(r"(?P<figure>\d+(?:[.,]\d+)?)(?P<unit>[KMGTP]i?|B)?B?")
_HEAD = re.compile(r"\s{2,}\S+(?:\s+\S+){3,8}\s*$")
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
_FOREIGN = {
    **dict.fromkeys(("Gesamt", "ჯამი", "총  계", "Razem", "Totalt", "Загалом", "Tổng", "总量"),
                    "Total"),
    **dict.fromkeys(("Niedrig", "Baja", "Basse", "დაბალი", "하  위", "Niska", "Baixa", "Lågt",
                     "Нижня", "Thấp", "低"), "Low"),
    **dict.fromkeys(("Hoch", "Alta", "Haute", "მაღალი", "상  위", "Wysoka", "Högt", "Верхня",
                     "Cao", "高"), "High"),
}  # fmt: skip
"""Names of rows in other languages. Source: po/*.po of procps-ng 4.0."""
_PARTS = ("total", "used", "free")
_SHARED = re.compile(
    r"(?P<command>\bfree(?:\s-\S{1,12}){0,4})(?P<head>\s{2,}total\s+used\s+free\s.{5,80})$"
)
_CELL_ALONE = re.compile(r"\s*(?P<cells>\d[\d.,]{0,18}(?:[KMGTP]i?|Bi?)?B?)\s*$")
_WORD = re.compile(r"\s*[^\W\d][\w/-]{2,16}\s*$")
_BINARY = re.compile(r"\d[\d.]{0,8}(?:[KMGTP]i|B)")
_CALLED = re.compile(r"(?:^|[\s;&|(/])free((?:\s+-[\w-]+(?:[\s=]\d+)?)*)(?=[\s;&|)]|$)")
_LINE = re.compile(
    r"\s*SwapUse\s+(\d[\w.]{0,15})\s+CachUse\s+(\d[\w.]{0,15})\s+MemUse\s+(\d[\w.]{0,15})\s+"
    r"MemFree\s+(\d[\w.]{0,15})\s*$"
)
_LINE_NAMES = ("swap_used", "buffers_and_cache", "memory_used", "memory_free")
_MOST = 16
_FAR = 40


class Free(StateOutput):
    tool = "free"
    anchors = (
        "Mem: ", "Speicher: ", "Mém: ", "Mem.: ", "Память: ", "内存：", "内存: ", "内存:",
        "メモリ:", "記憶體：", "Pamięć:", "Paměť:", "Bellek: ", "메모리:", "Minne:", "Пам.:",
        "BNhớ:", "მეხს:",
    )  # fmt: skip
    commands = ("free",)
    reach = 4
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        row = _ROW.match(cursor.line(cursor.at))
        if not row:
            return None
        above = before(cursor, cursor.at)
        if _is_head(_head(cursor, above)):
            return above
        if _WORD.match(cursor.line(above)) and _is_head(_head(cursor, above - 1)):
            return above - 1  # a mail broke it
        below = _ROW.match(cursor.line(cursor.at + 1))
        cells = row["cells"].split()
        alone = len(cells) in {len(_NEW), len(_WIDE)} and all(map(_BINARY.fullmatch, cells))
        return cursor.at if alone and below and len(below["cells"].split()) == 3 else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: list[tuple[str, list[str]]] = []
        head = _head(cursor, first)
        begins = first + 1 if _is_head(head) else first
        if shared := _SHARED.search(cursor.line(first)):
            prompt = Prompt(shared["command"], (prompt_in(cursor.line(first)) or prompt).host)
        elif not prompt.command:
            prompt = _command_further_above(cursor, first) or prompt
        last = first
        for index, line in close_lines(cursor, begins, _MOST):
            row = _ROW.match(line) or _without_caches(line)
            cell = _CELL_ALONE.match(line)
            if row is None and index == begins and _WORD.match(line):
                head = f"{head}  {line.strip()}"
            elif row is None and cell and rows and len(rows[-1][1]) < len(head.split()):
                rows[-1][1].append(cell["cells"])
            elif row is None:
                break
            else:
                rows.append((row["name"].strip(), row["cells"].split()))
            last = index
        scale = _scale(prompt.command, rows)
        if scale is None:
            columns = ["", *head.split()]
            values: dict[str, Json] = {"columns": [*columns], "rows": [[a, *b] for a, b in rows]}
            return last, [PrintedCounters(PRINTED, AS_PRINTED, "free", values, prompt.host)]
        old = "cached" in head or head.rstrip().endswith("buffers")
        values = {}
        for place, (name, cells) in enumerate(rows):
            names = _names(place, name, len(cells), old=old)
            figures = [_bytes(cell, scale) for cell in cells]
            values |= dict(zip(names, figures, strict=False))
        return last, [self.counted("memory", "", values, prompt)]


class FreeLine(StateOutput):
    tool = "free"
    anchors = (" CachUse ",)
    commands = ("free",)
    reach = 4
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        cells = list(self.first_line(cursor, first).groups())
        scale = _scale(prompt.command, [("", cells)])
        if scale is None:
            values: dict[str, Json] = {"columns": [*_LINE_NAMES], "rows": [[*cells]]}
            return first, [PrintedCounters(PRINTED, AS_PRINTED, "free", values, prompt.host)]
        values = {name: _bytes(cell, scale) for name, cell in zip(_LINE_NAMES, cells, strict=True)}
        return first, [self.counted("memory", "", values, prompt)]


def _head(cursor: TextCursor, index: int) -> str:
    """The head in a line, without a command that stands before it."""
    line = cursor.line(index)
    shared = _SHARED.search(line)
    return shared["head"] if shared else line


def _is_head(line: str) -> bool:
    return _HEAD.match(line) is not None and not any(map(str.isdigit, line))


def _command_further_above(cursor: TextCursor, first: int) -> Prompt | None:
    """The command further above that printed several of these."""
    for index in range(first - 1, max(first - _FAR, -1), -1):
        prompt = prompt_in(cursor.line(index))
        if prompt is None:
            continue
        called = _CALLED.findall(prompt.command)
        return prompt if len(called) > 1 or re.search(r"\s-\w*s\s?\d", "".join(called)) else None
    return None


def _without_caches(line: str) -> re.Match[str] | None:
    return re.match(r"\s*(?P<name>-/\+ buffers/cache):\s*(?P<cells>\d\S*\s+\d\S*)\s*$", line)


def _names(place: int, name: str, count: int, *, old: bool) -> Sequence[str]:
    """What the cells of a row are called."""
    if name.startswith("-/+"):
        return _WITHOUT
    if place == 0:
        return _WIDE if count == len(_WIDE) else _OLD if old else _NEW
    name = _FOREIGN.get(name, name)
    if name in _OTHERS:
        return tuple(f"{name.lower()}_{part}" for part in _PARTS)
    return _SWAP


def _scale(command: str, rows: Sequence[tuple[str, list[str]]]) -> tuple[float, bool] | None:
    """What one of a cell without a unit is in bytes, and whether units are powers of 1000."""
    thousands = "--si" in command
    matches = [_CELL.fullmatch(cell) for _, cells in rows for cell in cells]
    if any(match is not None and match["unit"] for match in matches):
        return 1.0, thousands
    options = set(_CALLED.findall(command))
    if len(options) != 1:
        return None  # of several calls, which printed it is not said
    option = options.pop()
    for pattern, scale in _UNITS:
        if pattern.search(option):
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
