"""vmstat N: blocks in and out, waiting and the CPU, one line an interval.

Source: procps-ng 4.0, vmstat.c and vmstat(8): bi and bo are KiB/s, si and so KiB/s, memory in KiB
unless -S says otherwise (also of si and so: unitConvert() in new_format(), although the page denies
it), the CPU in percent; the first line is since boot, unless -y was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.monitors.unclocked import UnclockedCursor
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.intervals import prints_many
from iosonde.text.reader import Items, StateOutput
from iosonde.text.rewritten import RewrittenCursor
from iosonde.text.table import TextTable, read_table

_K = float(units.KIB)
_COLUMNS: dict[str, tuple[str, float]] = {
    "r": ("running", 1), "b": ("blocked", 1), "swpd": ("swap_used", _K),
    "free": ("memory_free", _K),
    "buff": ("buffers", _K), "cache": ("page_cache", _K), "inact": ("inactive", _K),
    "active": ("active", _K), "si": ("swap_in", _K), "so": ("swap_out", _K),
    "bi": ("blocks_in", _K), "bo": ("blocks_out", _K), "in": ("interrupts", 1),
    "cs": ("context_switches", 1), "us": ("cpu_user", 0.01), "sy": ("cpu_system", 0.01),
    "id": ("cpu_idle", 0.01), "wa": ("cpu_iowait", 0.01), "st": ("cpu_steal", 0.01),
    "gu": ("cpu_guest", 0.01),
}  # fmt: skip

_MEMORY = frozenset({"swap_used", "memory_free", "buffers", "page_cache", "inactive", "active"})
_NOTHING = "no line below its head can be read"
_SWAPPED = frozenset({"swap_in", "swap_out"})
_COARSE = 1e5
"""A unit of -S in which versions before 4 print 0 for whatever is swapped."""
_UNITS = {"k": 1000.0, "K": _K, "m": 1e6, "M": float(units.MIB)}
_UNIT = re.compile(r"\s(?:-[a-zA-Z]*S\s?|--unit[ =])(?P<unit>[kKmM])(?:\s|$)")
_WITHOUT_BOOT = re.compile(r"vmstat\s(?:.*\s)?-[a-zA-Z]*y")
_STAMP = re.compile(
    r"(?<=\s)(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z][A-Z0-9+-]{1,5})?|[A-Z][A-Z0-9+-]{1,5})\s*$"
)


class _Unstamped(RewrittenCursor):
    """A cursor without the time stamps that -t prints behind the figures."""

    @override
    def rewritten(self, line: str) -> str:
        return _STAMP.sub("", line).rstrip()


def _is_head(cells: Sequence[str]) -> bool:
    return (
        list(cells[:2]) == ["r", "b"]
        and cells[-1] in {"wa", "st", "gu"}
        and all(word in _COLUMNS for word in cells)
    )


class Vmstat(StateOutput):
    tool = "vmstat"
    anchors = ("swpd", "---memory---", "-----io----")

    commands = ("vmstat",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line with the names of the columns."""
        for index in (cursor.at, cursor.at + 1, cursor.at + 2):
            if cursor.line(index).split()[:2] == ["r", "b"]:
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table = read_table(_Unstamped(UnclockedCursor(cursor)), first, _is_head)
        if table is None:
            raise Unreadable(_NOTHING)
        last, rows = table.last, list(table.rows)
        while (more := _same_head_again(cursor, last, table)) is not None:
            last = more.last
            rows += more.rows
        rows = [row for row in rows if all(cell.lstrip("-").isdecimal() for cell in row)]
        if not rows:
            raise Unreadable(_NOTHING)
        command = prompt.command
        unit = _UNIT.search(command)
        memory = _UNITS[unit["unit"]] if unit else _K
        values: dict[str, Json] = {"since_boot": _is_since_boot(command, len(rows))}
        for place, column in enumerate(table.head):
            name, scale = _COLUMNS.get(column, (column, 1.0))
            scale = memory if name in _MEMORY | _SWAPPED else scale
            figures = [int(row[place]) * scale for row in rows]
            if name in _SWAPPED and memory > _COARSE and not any(figures):
                continue
            values[name] = [*figures]
        return last, [self.counted("host", "", values, prompt)]


def _is_since_boot(command: str, lines: int) -> bool | None:
    """Whether the first line that is shown is of the time since boot; None where unknown.

    Of a command that prints many, somebody may have picked the single one.
    """
    if not command:
        return None
    if _WITHOUT_BOOT.search(command):
        return False
    return None if lines == 1 and prints_many(command, "vmstat") else True


def _same_head_again(cursor: TextCursor, last: int, table: TextTable) -> TextTable | None:
    """The table goes on: vmstat repeats its head after as many lines as the terminal has."""
    for index in range(last + 1, last + 3):
        cells = cursor.line(index).split()
        if cells[:2] == ["r", "b"]:
            more = read_table(_Unstamped(UnclockedCursor(cursor)), index, _is_head)
            return more if more and more.rows and more.head == table.head else None
        if not cells or not cells[0].startswith("procs"):
            return None
    return None
