"""`zpool iostat` with -l, -q, -r or -w: waits, queues, and histograms of sizes and latencies.

Source: OpenZFS 2.3, cmd/zpool/zpool_main.c, iostat_top_labels and iostat_bottom_labels (their
order; trim since 0.8, rebuild since 2.0), print_iostat_latency(); lib/libzutil/zutil_nicenum.c
(nicetime: always with a unit; -p: nanoseconds without one; counts with prefixes of 1024);
zpool-iostat(8): the first report is of the time since boot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde.layers.zfs.facts import number, since_boot
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput
from iosonde.text.table import TextTable, read_table

_CAPACITY = ("alloc", "free", "read", "write", "read", "write")
_FIRST = ("allocated", "free", "read.iops", "write.iops", "read.bandwidth", "write.bandwidth")
_WAITS = ("total_wait", "disk_wait", "syncq_wait", "asyncq_wait")
_LATE = ("scrub_wait", "trim_wait", "rebuild_wait")
_QUEUES = ("syncq_read", "syncq_write", "asyncq_read", "asyncq_write", "scrubq_read",
           "trimq_write", "rebuildq_write")  # fmt: skip
_REQUESTS = ("sync_read", "sync_write", "async_read", "async_write", "scrub", "trim", "rebuild")
_PAIR, _SPAN = ("read", "write"), ("pend", "activ")
_TIME = re.compile(r"(?P<time>\d{1,19}(?:[.,]\d{1,3})?)(?P<unit>ns|us|ms|s)?$")
_EXPONENTS = {"ns": "e-9", "us": "e-6", "ms": "e-3", "s": "", None: "e-9"}
_COUNT = re.compile(r"\d{1,20}(?:[.,]\d{1,3})?[KMGTPE]?$")
_CELL = re.compile(r"-$|\d{1,20}(?:[.,]\d{1,3})?(?:[KMGTPE]B?|B|ns|us|ms|s)?$")
_DASHES = re.compile(r"-{3,}$")
_TOP = re.compile(r"(?:^|\s)(?:capacity|total_wait|syncq?_read|disk_wait|[a]?sync_queue)\b")
_RULE = re.compile(r"(?=\s*+-{4})[\s-]++$")


class ZpoolIostatWide(StateOutput):
    tool = "zpool iostat"
    anchors = (
        "total_wait", "disk_wait", "syncq_read", "asyncq_read", "async_read", "req_size",
        "pend  activ", "alloc   free   read", "ind    agg    ind", "latency      read",
    )  # fmt: skip
    commands = ("zpool",)
    nothing = "no pool follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_TOP.search(line) or _names(line.split()) or line.split()[:1] == ["latency"]):
            return None
        if _head_below(cursor, cursor.at) is None:
            return None
        first = cursor.at
        while first and first > cursor.at - 4:
            above = cursor.line(first - 1)
            if not (_TOP.search(above) or _RULE.match(above)):
                break
            first -= 1
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        read = _head_below(cursor, first)
        if read is None:
            return first, ()
        begin, table = read
        if table.head[0] in {"latency", "req_size"}:
            name = _pool_above(cursor, begin)
            values = _histogram(table)
            if not values:
                return table.last, ()
            return table.last, [self.counted("zpool", name, values, prompt)]
        return table.last, list(self._rows(cursor, begin, table, prompt))

    def _rows(
        self, cursor: TextCursor, begin: int, table: TextTable, prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        names = _names(table.head) or []
        margins: dict[str, int] = {}
        for _, line in lines(cursor, begin, table.last - begin + 1):
            if line.strip():
                margins.setdefault(line.split()[0], len(line) - len(line.lstrip()))
        outer = margins.get(table.head[0], 0)
        seen: dict[str, int] = {}
        alone = len({row[0] for row in table.rows}) == len(table.rows)
        for row in table.rows:
            if _DASHES.match(row[0]):
                continue
            values = _values(names, row[1:])
            if not values:  # the line of a section, such as "logs"
                continue
            seen[row[0]] = report = seen.get(row[0], 0) + 1
            boot = since_boot(report, prompt.command, is_alone=alone)
            values |= {"report": report, "since_boot": boot}
            kind = "zpool" if margins.get(row[0], 0) <= outer else "zpool_device"
            yield self.counted(kind, row[0], values, prompt)


def _head_below(cursor: TextCursor, first: int) -> tuple[int, TextTable] | None:
    """The table whose line of names stands at most a few lines further on, and where."""
    for index in range(first, first + 7):
        line = cursor.line(index)
        if not line.strip():
            continue
        longest = line.split()[0] in {"latency", "req_size", "pool", "vdev"}
        table = read_table(cursor, index, _is_head, is_row=_is_row, most=4000, longest=longest)
        if table is not None and longest:
            return index, table
    return None


def _is_head(cells: Sequence[str]) -> bool:
    return bool(_names(cells))


def _names(cells: Sequence[str]) -> list[str]:
    """What the columns hold, by their order; nothing where the cells are no such head."""
    if len(cells) < 5:
        return []
    first, rest = cells[0], tuple(cells[1:])
    if first == "latency":
        return _split(rest, _WAITS, _PAIR, ("scrub", "trim", "rebuild"))
    if first == "req_size":
        return _split(rest, _REQUESTS, ("ind", "agg"), ())
    return _wide(rest[6:]) if first in {"pool", "vdev"} and rest[:6] == _CAPACITY else []


def _wide(more: Sequence[str]) -> list[str]:
    """The names of a pool's columns with those of waits, queues or both behind them."""
    count = next((at for at, name in enumerate(more) if name == "pend"), len(more))
    waits, queues = more[:count], more[count:]
    late = [name for name in waits if name == "wait"]
    names = list(_FIRST) if more else []
    if waits:
        if waits[:8] != _PAIR * 4 or len(late) > 3 or len(waits) != 8 + len(late):
            return []
        names += _split(waits[:8], _WAITS, _PAIR, ()) + list(_LATE[: len(late)])
    if queues:
        split = _split(queues, _QUEUES, _SPAN, ())
        names = names + split if split else []
    return names


def _split(
    cells: Sequence[str], groups: Sequence[str], parts: tuple[str, str], singles: Sequence[str]
) -> list[str]:
    """The names of columns that come in pairs, then alone; nothing where they are others."""
    names: list[str] = []
    at = 0
    for group in groups:
        if tuple(cells[at : at + 2]) != parts:
            break
        names += [f"{group}.{part}" for part in parts]
        at += 2
    rest = list(cells[at:])
    if at < 8 or rest != list(singles[: len(rest)]):
        return []
    return names + rest


def _is_row(cells: Sequence[str]) -> bool:
    if all(map(_DASHES.match, cells)):
        return True
    return all(map(_CELL.match, cells[1:]))


def _values(names: Sequence[str], cells: Sequence[str]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell == "-":
            continue
        if "_wait" in name:
            if (seconds := _seconds(cell)) is not None:
                values[name] = seconds
        elif _COUNT.match(cell.removesuffix("B")):
            values[name] = number(cell)
    return values


def _seconds(cell: str) -> float | None:
    match = _TIME.match(cell)
    return float(match["time"].replace(",", ".") + _EXPONENTS[match["unit"]]) if match else None


def _histogram(table: TextTable) -> dict[str, Json]:
    """The upper ends of the buckets, in s or bytes, and how many fell into each."""
    names = _names(table.head)
    rows = [row for row in table.rows if not _DASHES.match(row[0])]
    time = table.head[0] == "latency"
    ends: list[Json] = [_seconds(row[0]) if time else number(row[0]) for row in rows]
    if not rows or None in ends or not all(_COUNT.match(x) for row in rows for x in row[1:]):
        return {}
    values: dict[str, Json] = {"latency" if time else "request_size": ends}
    for place, name in enumerate(names, 1):
        column: list[Json] = [number(row[place]) for row in rows]
        values[name] = column
    return values


def _pool_above(cursor: TextCursor, begin: int) -> str:
    """What the line of groups above a histogram's names begins with."""
    for index in range(begin - 1, max(begin - 5, -1), -1):
        match = re.match(r"\s*(\S{1,120})\s+(?:total_wait|sync_read)\b", cursor.line(index))
        if match:
            return match[1]
    return ""
