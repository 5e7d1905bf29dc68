"""mpstat's other tables: nodes (-N), the topology (-T), interrupts of each CPU (-I).

Source: sysstat 12.7, mpstat.c: write_node_stats_core() (NODE), print_topology headers ("CPU CORE
SOCK NODE", blank for all CPUs), write_isumcpu_stats() ("intr/s"), write_irqcpu_stats() ("%s/s" of
each interrupt and each softirq, a second).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde.monitors.clocked import CLOCK, NO_CLOCK, ClockedCursor, as_printed
from iosonde.monitors.printed_sysstat import CPU, SysstatTable
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.table import TextTable

_PLACES = ("CORE", "SOCK", "NODE")
_ALL = re.compile(r"^(?P<clock>\S+\s+)?all(?=\s+\d)")
_NONE = "-"
_COLUMN = re.compile(r"(?:intr|\d{1,5}|[A-Z][A-Z_\d]{1,11})/s")
_RATE = re.compile(r"\d{1,15}(?:[.,]\d{1,6})?")


class MpstatNodes(SysstatTable):
    tool = "mpstat"
    anchors = ("%iowait",)
    commands = ("mpstat",)
    key = "NODE"
    columns = CPU
    needed = frozenset({"%irq", "%iowait", "%idle"})

    @override
    def _row(self, table: TextTable, row: Sequence[str], prompt: Prompt) -> PrintedCounters:
        counted = super()._row(table, row, prompt)
        return replace(counted, name="" if counted.name == "all" else f"node{counted.name}")


class _FilledCursor(ClockedCursor):
    """Of all CPUs there is no core, socket or node: signs stand for them."""

    @override
    def rewritten(self, line: str) -> str:
        filled = f"{' '.join(_NONE for _ in _PLACES)}"
        return _ALL.sub(lambda match: f"{match[0]} {filled}", super().rewritten(line))


class MpstatTopology(SysstatTable):
    tool = "mpstat"
    anchors = ("CORE SOCK NODE",)
    commands = ("mpstat",)
    key = "CPU"
    columns = CPU
    text_columns = frozenset(_PLACES)
    needed = frozenset({*_PLACES, "%idle"})

    @override
    def _clocked(self, cursor: TextCursor, head: int, cells: int = 0) -> ClockedCursor:
        without = cursor.line(head).split()[:1] == [self.key]
        return _FilledCursor(cursor, cells=cells, without=without)

    @override
    def _row(self, table: TextTable, row: Sequence[str], prompt: Prompt) -> PrintedCounters:
        counted = super()._row(table, row, prompt)
        values: dict[str, Json] = {
            name: int(value) if isinstance(value, str) and value.isdecimal() and name != "time"
            else value
            for name, value in counted.values.items() if value != _NONE
        }  # fmt: skip
        return replace(counted, values=values)


class MpstatInterrupts(SysstatTable):
    tool = "mpstat"
    anchors = (
        "intr/s", "TIMER/s", "NET_RX/s", "LOC/s", "RES/s", "IPI0/s", " 0/s ",
    )  # fmt: skip
    commands = ("mpstat",)
    key = "CPU"
    columns: ClassVar[Mapping[str, tuple[str, float]]] = {}
    needed = frozenset()

    @override
    def is_head(self, cells: Sequence[str]) -> bool:
        return (
            len(cells) > 2
            and CLOCK.fullmatch(cells[0]) is not None
            and cells[1] == self.key
            and all(_COLUMN.fullmatch(cell) for cell in cells[2:])
        )

    @override
    def _is_row(self, head: Sequence[str], cells: Sequence[str]) -> bool:
        return CLOCK.fullmatch(cells[0]) is not None and all(map(_RATE.fullmatch, cells[2:]))

    @override
    def _row(self, table: TextTable, row: Sequence[str], prompt: Prompt) -> PrintedCounters:
        values: dict[str, Json] = {} if row[0] == NO_CLOCK else {"time": as_printed(row[0])}
        for column, cell in zip(table.head[2:], row[2:], strict=True):
            name = "interrupts" if column == "intr/s" else column
            values[name] = float(cell.replace(",", "."))
        name = "" if row[1] == "all" else f"cpu{row[1]}"
        return self.counted(self.kind, name, values, prompt)
