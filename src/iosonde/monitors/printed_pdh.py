"""Counters as CSV: Windows' Performance Monitor (`typeperf`, `relog`, logman) and esxtop -b.

The head names each column by host, group, instance and counter. Of disks, adapters and processors
the mean and the most of each column over the rows is kept: there are thousands of columns and rows.

Source: Microsoft, typeperf and PDH log files ("(PDH-CSV 4.0) (ZONE)(MINUTES)"; "Disk Reads/sec",
"Avg. Disk sec/Read" in seconds, "Disk Read Bytes/sec", "Avg. Disk Queue Length", "% Idle Time"; the
first row lacks rates: a blank); VMware, vSphere Resource Management, "Performance Monitoring
Utilities: resxtop and esxtop" (batch mode; "MBytes Read/sec" of 2^20 bytes, "Average Guest
MilliSec/Command" GAVG, "Device" DAVG, "Kernel" KAVG, "Queue" QAVG).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from statistics import fmean

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r'\s*"\(PDH-CSV 4\.0\)[^"]{0,200}"(?=,)')
_ROW = re.compile(
    r'\s*"(?P<time>\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4} \d{1,2}:\d\d:\d\d(?:\.\d{1,3})?)",'
)
_COLUMN = re.compile(
    r"\\\\(?P<host>[^\\]{1,120})\\(?P<group>[^\\(]{1,80})(?:\((?P<name>[^\\]{0,200})\))?\\"
    r"(?P<counter>[^\\]{1,120})"
)
_KINDS = {
    "PhysicalDisk": "disk", "LogicalDisk": "filesystem", "Processor": "host",
    "Processor Information": "host", "Physical Disk Adapter": "adapter",
    "Physical Disk SCSI Device": "disk", "Physical Disk": "disk", "Virtual Disk": "guest",
    "Physical Cpu": "host", "NFS Volume": "mount",
}  # fmt: skip
_COUNTERS = {
    "Disk Reads/sec": ("read.iops", 1.0), "Disk Writes/sec": ("write.iops", 1.0),
    "Disk Transfers/sec": ("iops", 1.0), "Disk Read Bytes/sec": ("read.bandwidth", 1.0),
    "Disk Write Bytes/sec": ("write.bandwidth", 1.0), "Disk Bytes/sec": ("bandwidth", 1.0),
    "Avg. Disk sec/Read": ("read.await", 1.0), "Avg. Disk sec/Write": ("write.await", 1.0),
    "Avg. Disk sec/Transfer": ("await", 1.0), "Avg. Disk Bytes/Read": ("read.size", 1.0),
    "Avg. Disk Bytes/Write": ("write.size", 1.0), "Avg. Disk Bytes/Transfer": ("size", 1.0),
    "Avg. Disk Queue Length": ("queue", 1.0), "Current Disk Queue Length": ("queue_now", 1.0),
    "% Idle Time": ("idle", 0.01), "% Disk Time": ("disk_time", 0.01),
    "% Processor Time": ("cpu_busy", 0.01), "% User Time": ("cpu_user", 0.01),
    "% Privileged Time": ("cpu_system", 0.01), "% Interrupt Time": ("cpu_irq", 0.01),
    "Commands/sec": ("iops", 1.0), "Reads/sec": ("read.iops", 1.0),
    "Writes/sec": ("write.iops", 1.0), "MBytes Read/sec": ("read.bandwidth", float(units.MIB)),
    "MBytes Written/sec": ("write.bandwidth", float(units.MIB)),
    "Average Guest MilliSec/Command": ("await", 1e-3),
    "Average Guest MilliSec/Read": ("read.await", 1e-3),
    "Average Guest MilliSec/Write": ("write.await", 1e-3),
    "Average Driver MilliSec/Command": ("device.await", 1e-3),
    "Average Kernel MilliSec/Command": ("kernel.await", 1e-3),
    "Average Queue MilliSec/Command": ("queue.await", 1e-3),
    "Average MilliSec/Read": ("read.await", 1e-3), "Average MilliSec/Write": ("write.await", 1e-3),
    "Aborts/sec": ("aborts", 1.0), "Resets/sec": ("resets", 1.0),
    "% Util Time": ("cpu_busy", 0.01),
}  # fmt: skip
_FIGURE = re.compile(r"\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?")
_MOST = 100_000
_MOST_COLUMNS = 100_000


class PdhCsv(StateOutput):
    tool = "performance counters"
    anchors = ('"(PDH-CSV 4.0)',)
    commands = ("typeperf", "relog", "esxtop", "resxtop", "type")
    reach = 3
    beginning = _HEAD
    nothing = "it has no column of a disk, an adapter or a processor"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns = _cells(cursor.line(first))[1:]
        figures = dict[int, list[float]]()
        times, last = list[str](), first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            row = _ROW.match(line)
            if row is None:
                break
            cells = _cells(line)[1:]
            if len(cells) != len(columns) or not line.rstrip().endswith('"'):
                if times:
                    break  # it is cut off
                raise Unreadable("a row has not as many cells as its head", index)
            times.append(row["time"])
            last = index
            for place, cell in enumerate(cells):
                if _FIGURE.fullmatch(cell):
                    figures.setdefault(place, []).append(float(cell))
        if not times:
            raise Unreadable("no row follows its head", last)
        span: dict[str, Json] = {"first": times[0], "last": times[-1], "rows": len(times)}
        return last, list(self._things(columns, figures, span, prompt))

    def _things(
        self,
        columns: list[str],
        figures: dict[int, list[float]],
        span: dict[str, Json],
        prompt: Prompt,
    ) -> Iterator[PrintedCounters]:
        """Each thing with its counters over all rows."""
        things = dict[tuple[str, str, str], dict[str, Json]]()
        for place, text in enumerate(columns):
            column = _COLUMN.fullmatch(text)
            counter = _COUNTERS.get(column["counter"].strip()) if column else None
            if column is None or counter is None or not figures.get(place):
                continue
            kind = _KINDS.get(column["group"].strip())
            if kind is None:
                continue
            name, scale = counter
            rows = [figure * scale for figure in figures[place]]
            host = prompt.host or column["host"]
            values = things.setdefault((host, kind, column["name"] or ""), {})
            values[name] = round(fmean(rows), 9)
            values[f"{name}.max"] = round(max(rows), 9)
        for (host, kind, name), values in things.items():
            own = Prompt(prompt.command, host)
            yield self.counted(kind, _name(kind, name), {**span, **values}, own)


def _cells(line: str) -> list[str]:
    return next(csv.reader([line.strip()]), [])[:_MOST_COLUMNS]


def _name(kind: str, name: str) -> str:
    """Of all processors none, of one `cpu3`; all disks are `_Total`."""
    if kind != "host":
        return name
    return "" if name == "_Total" else f"cpu{name}"
