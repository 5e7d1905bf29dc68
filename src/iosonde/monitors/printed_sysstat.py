"""mpstat and sar -u, -b and -n DEV of sysstat: rates of each interval.

Source: sysstat 12.6, mpstat.c, write_cpu_stats();
pr_stats.c, print_cpu_stats(), print_io_stats() (blocks of 512 bytes), print_net_dev_stats() (kB are
1024 bytes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.monitors.clocked import CLOCK, GLUE, NO_CLOCK, ClockedCursor, as_printed
from iosonde.monitors.sysstat_head import SysstatOutput
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items
from iosonde.text.table import TextTable, read_table

_K, _S = float(units.KIB), float(units.SECTOR)
CPU: dict[str, tuple[str, float]] = {
    "%usr": ("cpu_user", 0.01), "%user": ("cpu_user", 0.01), "%nice": ("cpu_nice", 0.01),
    "%sys": ("cpu_system", 0.01), "%system": ("cpu_system", 0.01),
    "%iowait": ("cpu_iowait", 0.01), "%irq": ("cpu_irq", 0.01), "%soft": ("cpu_softirq", 0.01),
    "%steal": ("cpu_steal", 0.01), "%guest": ("cpu_guest", 0.01),
    "%gnice": ("cpu_guest_nice", 0.01), "%idle": ("cpu_idle", 0.01), "intr/s": ("interrupts", 1),
}  # fmt: skip
_FIGURE = re.compile(r"-?\d{1,15}(?:[.,]\d{1,6})?")
_BLANKS = 3


class SysstatTable(SysstatOutput):
    """A table with the time in its first column, one row per interval and thing."""

    kind: ClassVar[str] = "host"
    key: ClassVar[str] = ""
    """Column that names the thing; empty: all rows are of the host."""
    columns: ClassVar[Mapping[str, tuple[str, float]]]
    """Columns of figures: name, and what one of it is in bytes, seconds or as a fraction."""
    text_columns: ClassVar[frozenset[str]] = frozenset()
    """Columns that are taken as they are."""
    needed: ClassVar[frozenset[str]]
    """Columns without which a head is another table's."""
    text_last: ClassVar[bool] = False
    """Whether the last column may hold blanks."""
    nothing = "no row follows its head"

    def is_head(self, cells: Sequence[str]) -> bool:
        """Whether these words are a whole head."""
        rest = cells[1:]
        allowed = {*self.columns, *self.text_columns, *((self.key,) if self.key else ())}
        return (
            bool(cells)
            and CLOCK.fullmatch(cells[0]) is not None
            and self.needed <= set(rest)
            and all(cell in allowed for cell in rest)
            and (not self.key or self.key in rest)
        )

    def _is_row(self, head: Sequence[str], cells: Sequence[str]) -> bool:
        return CLOCK.fullmatch(cells[0]) is not None and all(
            _FIGURE.fullmatch(cell)
            for column, cell in zip(head, cells, strict=False)
            if column in self.columns
        )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        clocked = self._clocked(cursor, cursor.at)
        for first in range(cursor.at, max(cursor.at - 3, -1), -1):
            if self._whole_head(clocked, first):
                return first
        return None

    def _clocked(self, cursor: TextCursor, head: int, cells: int = 0) -> ClockedCursor:
        """The lines with their clocks; of a table that begins with its things, without any."""
        names = cursor.line(head).split()[:1]
        without = bool(self.key) and names in ([self.key], ["UID"], ["USER"])
        return ClockedCursor(cursor, cells=cells, without=without)

    def _whole_head(self, cursor: TextCursor, first: int) -> list[str]:
        """The longest head that begins in a line, whatever broke it; empty where none does."""
        parts = cursor.block(first, 4)
        for count in range(len(parts), 0, -1):
            for gap in (" ", ""):
                cells = gap.join(parts[:count]).split()
                if self.is_head(cells):
                    return cells
        return []

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        clocked = self._clocked(cursor, first)
        columns = self._whole_head(clocked, first)[1:]
        if self.text_last:
            clocked = self._clocked(cursor, first, len(columns) + 1)

        def is_own(cells: Sequence[str]) -> bool:
            return list(cells[1:]) == columns and CLOCK.fullmatch(cells[0]) is not None

        def is_row(cells: Sequence[str]) -> bool:
            """Whether it may be one, and is no head of another table: of nodes, of interrupts."""
            return any(map(_FIGURE.fullmatch, cells[1:]))

        counters: list[PrintedCounters] = []
        index, last = first, first
        while (
            table := read_table(clocked, index, is_own, is_row=is_row)
        ) is not None and table.rows:
            counters += [
                self._row(table, row, prompt) for row in table.rows if self._is_row(table.head, row)
            ]
            last = table.last
            index = last + 1
            while not cursor.line(index) and index < last + _BLANKS:
                index += 1
        return last, counters

    def _row(self, table: TextTable, row: Sequence[str], prompt: Prompt) -> PrintedCounters:
        values: dict[str, Json] = {} if row[0] == NO_CLOCK else {"time": as_printed(row[0])}
        name = ""
        for column, cell in zip(table.head[1:], row[1:], strict=True):
            if column == self.key:
                name = "" if self.key == "CPU" and cell == "all" else cell
            elif column in self.text_columns:
                values[column.lower()] = cell.replace(GLUE, " ")
            else:
                field, scale = self.columns[column]
                values[field] = float(cell.replace(",", ".")) * scale
        if self.key == "CPU" and name:
            name = f"cpu{name}"
        return self.counted(self.kind, name, values, prompt)


class Mpstat(SysstatTable):
    tool = "mpstat"
    anchors = ("%iowait",)
    commands = ("mpstat",)
    key = "CPU"
    columns = CPU
    needed = frozenset({"%irq", "%iowait", "%idle"})


class SarCpu(SysstatTable):
    tool = "sar"
    anchors = ("%iowait",)
    commands = ("sar",)
    key = "CPU"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        name: CPU[name] for name in ("%user", "%nice", "%system", "%iowait", "%steal", "%idle")
    }
    needed = frozenset({"%user", "%iowait", "%idle"})


class SarBlocks(SysstatTable):
    tool = "sar"
    anchors = ("bread/s", "bwrtn/s")
    commands = ("sar",)
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "tps": ("iops", 1), "rtps": ("read.iops", 1), "wtps": ("write.iops", 1),
        "dtps": ("discard.iops", 1), "bread/s": ("read.bandwidth", _S),
        "bwrtn/s": ("write.bandwidth", _S), "bdscd/s": ("discard.bandwidth", _S),
    }  # fmt: skip
    needed = frozenset({"tps", "bread/s", "bwrtn/s"})


class SarNetwork(SysstatTable):
    tool = "sar"
    anchors = ("rxpck/s", "rxkB/s", "txkB/s")
    commands = ("sar",)
    kind = "link"
    key = "IFACE"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {
        "rxpck/s": ("receive.packets", 1), "txpck/s": ("send.packets", 1),
        "rxkB/s": ("receive.bandwidth", _K), "txkB/s": ("send.bandwidth", _K),
        "rxbyt/s": ("receive.bandwidth", 1), "txbyt/s": ("send.bandwidth", 1),
        "rxcmp/s": ("receive.compressed", 1), "txcmp/s": ("send.compressed", 1),
        "rxmcst/s": ("receive.multicast", 1), "%ifutil": ("util", 0.01),
    }  # fmt: skip
    needed = frozenset({"rxpck/s", "txpck/s"})
