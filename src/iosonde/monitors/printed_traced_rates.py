"""cachestat, dcstat, vfsstat: what page cache, directory cache and VFS did, a line an interval.

Source: bcc, tools/cachestat.py, dcstat.py and vfsstat.py, and libbpf-tools/cachestat.c, vfsstat.c;
perf-tools, fs/cachestat. Hits, misses and dirties are counted in pages, by interval; BUFFERS_MB
and CACHED_MB are of /proc/meminfo, in 2^20 bytes; what ends with /s is per second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.monitors import _traced_rows as traced
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_CLOCK = rf"{traced.CLOCK}:?"
_SHARE = r"-?\d{1,9}\.\d{1,2}%?|-?nan%?|-%?"
_PAGES = r"-?\d{1,15}"
_RATE = r"\d{1,15}"


class _Column(NamedTuple):
    """What a column is called in the record, what its cells look like, and what they count in."""

    name: str
    cell: str = _PAGES
    scale: float = 1


class _Rates(StateOutput):
    """A table with one line an interval."""

    columns: ClassVar[Mapping[str, _Column]]
    needed: ClassVar[frozenset[str]]
    by_interval: ClassVar[bool] = False
    """Whether its figures are of an interval, not per second."""
    nothing = "no interval follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if self._is_head(cursor.line(cursor.at).split()) else None

    def _is_head(self, cells: Sequence[str]) -> bool:
        return self.needed <= set(cells) <= set(self.columns) and len(set(cells)) == len(cells)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first).split()
        cells = {name: column.cell for name, column in self.columns.items()}
        values: dict[str, list[Json]] = {self.columns[name].name: [] for name in head}
        last = first
        for index, row in traced.rows_below(cursor, first, head, cells):
            last = index
            for name, cell in row.items():
                values[self.columns[name].name].append(_figure(cell, self.columns[name]))
        if last == first:
            return last, []
        said: dict[str, Json] = {**values}
        if self.by_interval and prompt.command:
            named = re.search(rf"{self.tool}\S*(?:\s+-\w+)*\s+(\d{{1,6}})\b", prompt.command)
            said["interval"] = float(named[1]) if named else 1.0
        return last, [self.counted("host", "", said, prompt)]


def _figure(cell: str, column: _Column) -> Json:
    """A cell's figure; none where the tool had nothing to divide by."""
    if column.cell is _CLOCK:
        return cell.rstrip(":")
    if column.cell is _SHARE:
        digits = cell.rstrip("%")
        return None if digits == "-" or "nan" in digits else traced.scaled(digits, -2)
    return int(cell) * int(column.scale)


class Cachestat(_Rates):
    tool = "cachestat"
    anchors = ("MISSES  DIRTIES", "DIRTIES ")
    commands = (
        "cachestat", "cachestat-bpfcc", "cachestat.py", "cachestat-perf",
    )  # fmt: skip
    columns: ClassVar[Mapping[str, _Column]] = {
        "TIME": _Column("time", _CLOCK), "TOTAL": _Column("total"), "HITS": _Column("hits"),
        "MISSES": _Column("misses"), "DIRTIES": _Column("dirties"),
        "HITRATIO": _Column("hit_ratio", _SHARE), "RATIO": _Column("hit_ratio", _SHARE),
        "READ_HIT%": _Column("read_hit_ratio", _SHARE),
        "WRITE_HIT%": _Column("write_hit_ratio", _SHARE),
        "BUFFERS_MB": _Column("buffers", _RATE, units.MIB),
        "CACHED_MB": _Column("page_cache", _RATE, units.MIB),
        "CACHE_MB": _Column("page_cache", _RATE, units.MIB),
    }  # fmt: skip
    needed = frozenset({"HITS", "MISSES", "DIRTIES", "BUFFERS_MB"})
    by_interval = True


class Dcstat(_Rates):
    tool = "dcstat"
    anchors = ("REFS/s", "SLOW/s")
    commands = ("dcstat", "dcstat-bpfcc", "dcstat.py")
    columns: ClassVar[Mapping[str, _Column]] = {
        "TIME": _Column("time", _CLOCK), "REFS/s": _Column("refs/s", _RATE),
        "SLOW/s": _Column("slow/s", _RATE), "MISS/s": _Column("miss/s", _RATE),
        "HIT%": _Column("hit_ratio", _SHARE),
    }  # fmt: skip
    needed = frozenset({"REFS/s", "SLOW/s", "MISS/s", "HIT%"})


class Vfsstat(_Rates):
    tool = "vfsstat"
    anchors = ("FSYNC/s", "UNLINK/s")
    commands = ("vfsstat", "vfsstat-bpfcc", "vfsstat.py")
    columns: ClassVar[Mapping[str, _Column]] = {
        "TIME": _Column("time", _CLOCK),
        **{
            f"{name}/s": _Column(f"{name.lower()}/s", _RATE)
            for name in (
                "READ", "WRITE", "FSYNC", "OPEN", "CREATE", "UNLINK", "MKDIR", "RMDIR",
            )
        },
    }  # fmt: skip
    needed = frozenset({"READ/s", "WRITE/s", "FSYNC/s", "OPEN/s"})
