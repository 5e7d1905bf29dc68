"""nmon's file (`nmon -f`): disks and processors at each snapshot.

Rows of a section have the columns that its first line names; disks beyond the first 150 stand in
sections with a number behind their name. What the other sections count is not taken.

Source: nmon 16n, lnmon.c: header lines ("DISKBUSY%s,Disk %%Busy %s" and the disks; KB are of 1024
bytes, as sectors over 2), "ZZZZ,%s,%s,%s" (the snapshot's number, clock and date), "CPU_ALL"
(shares of all processors in per cent), "AAA,host", "AAA,interval".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, start_of

_LINE = re.compile(r"\s*[A-Z][A-Z0-9_]{1,20},\S")
_BEGINS = re.compile(
    r"\s*(?:AAA,(?:progname|host|interval|command|version),|ZZZZ,T\d|DISK(?:BUSY|READ|WRITE|XFER)\d*,)"
)
_SECTION = re.compile(r"(?P<name>DISK(?:BUSY|READ|WRITE|XFER|BSIZE)|CPU_ALL)\d{0,3}$")
_SNAPSHOT = re.compile(r"T\d{1,7}$")
_FIGURE = re.compile(r"-?\d{1,15}(?:\.\d{1,4})?$")
_DISK = {
    "DISKBUSY": ("util", 0.01), "DISKREAD": ("read.bandwidth", float(units.KIB)),
    "DISKWRITE": ("write.bandwidth", float(units.KIB)), "DISKXFER": ("iops", 1.0),
    "DISKBSIZE": ("size", float(units.KIB)),
}  # fmt: skip
_CPU = {
    "User%": "cpu_user", "Sys%": "cpu_system", "Wait%": "cpu_iowait", "Idle%": "cpu_idle",
    "Steal%": "cpu_steal",
}  # fmt: skip
_MOST = 400_000
_MOST_HEAD = 80


class Nmon(StateOutput):
    tool = "nmon"
    anchors = ("AAA,progname,", "AAA,host,", "AAA,interval,", "DISKBUSY,", "DISKREAD,", "ZZZZ,T0")
    commands = ("nmon", "cat", "head", "grep")
    reach = 3
    nothing = "no snapshot of disks or processors follows that its heads name"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _BEGINS.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _LINE.match, most=_MOST_HEAD)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        reading, last = _Reading(), first
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if not _LINE.match(line):
                break
            reading.take([cell.strip() for cell in line.strip().split(",")])
            last = index
        own = prompt if prompt.host else prompt._replace(host=reading.host)
        return last, list(reading.counters(self, own))


class _Reading:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.host = ""
        self._interval: int | None = None
        self._heads = dict[str, list[str]]()
        self._times = dict[str, str]()
        self._disks = dict[tuple[str, str], dict[str, Json]]()
        self._cpus = dict[str, dict[str, Json]]()

    def take(self, cells: Sequence[str]) -> None:
        """Notes what a line says."""
        name, what = cells[0], cells[1]
        if name == "AAA" and len(cells) > 2:
            if what == "host":
                self.host = cells[2]
            elif what == "interval" and cells[2].isdecimal():
                self._interval = int(cells[2])
        elif name == "ZZZZ" and len(cells) > 3:
            self._times[what] = f"{cells[3]} {cells[2]}"
        elif section := _SECTION.match(name):
            if not _SNAPSHOT.match(what):
                self._heads[name] = list(cells[2:])
            elif name in self._heads:
                self._row(name, section["name"], what, cells[2:])

    def _row(self, name: str, section: str, snapshot: str, cells: Sequence[str]) -> None:
        columns = self._heads[name]
        if len(cells) < len([column for column in columns if column]):
            return  # it was cut off
        for column, cell in zip(columns, cells, strict=False):
            if not column or not _FIGURE.match(cell) or cell.startswith("-"):
                continue
            if section in _DISK:
                field, scale = _DISK[section]
                values = self._disks.setdefault((snapshot, column), {})
                values[field] = round(float(cell) * scale, 6)
            elif column in _CPU:
                values = self._cpus.setdefault(snapshot, {})
                values[_CPU[column]] = round(float(cell) / 100, 6)

    def counters(self, output: Nmon, prompt: Prompt) -> Iterator[PrintedCounters]:
        """The figures of each snapshot, processors first."""
        for snapshot, values in self._cpus.items():
            yield output.counted("host", "", self._stamp(snapshot) | values, prompt)
        for (snapshot, disk), values in self._disks.items():
            yield output.counted("disk", disk, self._stamp(snapshot) | values, prompt)

    def _stamp(self, snapshot: str) -> dict[str, Json]:
        values: dict[str, Json] = {"time": self._times.get(snapshot, snapshot)}
        return values if self._interval is None else {**values, "interval": self._interval}
