"""iostat -x and -d of sysstat, old and new columns: rates of each device over an interval.

Source: sysstat 12.6, iostat.c and iostat(1); sysstat 9 and 10 for rsec/s, avgrq-sz, await, svctm.
kB and MB are of 1024, sectors of 512 bytes, awaits in ms. The first report is since boot, unless -y
was given; of a report above which no command stands it is not known. Lines that sum devices up
(those of -g, and what scripts append: sum, avg, stddev) are no device: their kind is `disks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from typing_extensions import override

from iosonde import units
from iosonde.monitors.sysstat_head import SysstatOutput
from iosonde.monitors.unclocked import UnclockedCursor, UnsnippedCursor
from iosonde.records.printed import OutputReading, PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.intervals import prints_many
from iosonde.text.reader import Items
from iosonde.text.table import head_before, read_table

_K, _M, _S = float(units.KIB), float(units.MIB), float(units.SECTOR)
COLUMNS: dict[str, tuple[str, float]] = {
    "r/s": ("read.iops", 1), "w/s": ("write.iops", 1), "d/s": ("discard.iops", 1),
    "f/s": ("flush.iops", 1), "tps": ("iops", 1),
    "rkB/s": ("read.bandwidth", _K), "wkB/s": ("write.bandwidth", _K),
    "dkB/s": ("discard.bandwidth", _K), "rMB/s": ("read.bandwidth", _M),
    "wMB/s": ("write.bandwidth", _M), "dMB/s": ("discard.bandwidth", _M),
    "rsec/s": ("read.bandwidth", _S), "wsec/s": ("write.bandwidth", _S),
    "rrqm/s": ("read.merges", 1), "wrqm/s": ("write.merges", 1), "drqm/s": ("discard.merges", 1),
    "%rrqm": ("read.merged", 0.01), "%wrqm": ("write.merged", 0.01),
    "%drqm": ("discard.merged", 0.01),
    "r_await": ("read.await", 1e-3), "w_await": ("write.await", 1e-3),
    "d_await": ("discard.await", 1e-3), "f_await": ("flush.await", 1e-3), "await": ("await", 1e-3),
    "svctm": ("svctm", 1e-3), "rareq-sz": ("read.size", _K), "wareq-sz": ("write.size", _K),
    "dareq-sz": ("discard.size", _K), "areq-sz": ("size", _K), "avgrq-sz": ("size", _S),
    "aqu-sz": ("queue", 1), "avgqu-sz": ("queue", 1), "%util": ("util", 0.01),
    "kB/s": ("bandwidth", _K), "MB/s": ("bandwidth", _M), "sec/s": ("bandwidth", _S),
    "rqm/s": ("merges", 1), "%rqm": ("merged", 0.01),
    "kB_read/s": ("read.bandwidth", _K), "kB_wrtn/s": ("write.bandwidth", _K),
    "kB_dscd/s": ("discard.bandwidth", _K), "MB_read/s": ("read.bandwidth", _M),
    "MB_wrtn/s": ("write.bandwidth", _M), "MB_dscd/s": ("discard.bandwidth", _M),
    "Blk_read/s": ("read.bandwidth", _S), "Blk_wrtn/s": ("write.bandwidth", _S),
    "kB_read": ("read.bytes", _K), "kB_wrtn": ("write.bytes", _K), "kB_dscd": ("discard.bytes", _K),
    "MB_read": ("read.bytes", _M), "MB_wrtn": ("write.bytes", _M), "MB_dscd": ("discard.bytes", _M),
    "Blk_read": ("read.bytes", _S), "Blk_wrtn": ("write.bytes", _S),
    "Blk_dscd/s": ("discard.bandwidth", _S), "Blk_dscd": ("discard.bytes", _S),
    "kB_w+d/s": ("write_and_discard.bandwidth", _K), "kB_w+d": ("write_and_discard.bytes", _K),
    "MB_w+d/s": ("write_and_discard.bandwidth", _M), "MB_w+d": ("write_and_discard.bytes", _M),
    "Blk_w+d/s": ("write_and_discard.bandwidth", _S), "Blk_w+d": ("write_and_discard.bytes", _S),
    "kB_r/s": ("read.bandwidth", _K), "kB_w/s": ("write.bandwidth", _K),  # as scripts cut them
    "kB_r": ("read.bytes", _K), "kB_w": ("write.bytes", _K),
}  # fmt: skip
"""Columns of devices: name, and what one of it is in bytes, seconds or as a fraction."""
CPU = {
    "%user": "cpu_user", "%nice": "cpu_nice", "%system": "cpu_system", "%sys": "cpu_system",
    "%iowait": "cpu_iowait", "%steal": "cpu_steal", "%idle": "cpu_idle",
}  # fmt: skip
"""Columns of the report on CPUs, all in per cent."""
_FEW = 4  # words of a head of which columns were left out
_CUT = {"kB_r": "kB_r/s", "kB_w": "kB_w/s"}
"""Last columns of a script, and what must stand with each: else it is the torn end of a line."""
_REPORTS = 5000
WITHOUT_BOOT = re.compile(r"(?:^|[\s/])iostat\s(?:.*\s)?-[a-eh-ik-np-zA-Z]*y")
"""An option -y, also beside others; -f, -g, -j and -o take what follows them."""
_SYSTEM = re.compile(r"Linux \S{1,80} \(")
GROUP = re.compile(r"\s-[a-zA-Z]*g\s*(\S+)")
SUMMED_UP = frozenset({
    "sum", "avg", "average", "mean", "median", "min", "max", "stddev", "stdev", "std", "total",
})  # fmt: skip
_CELL = re.compile(r"(?:\*\*)?(\d+(?:[.,]\d+)?)([BkKMGTP])?%?(?:\*\*)?")  # bold in Markdown
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)? )*\d+(?:\.\d+)?")
"""A row of figures as most are: one pattern for all of them takes a tenth of the time."""
_DEVICE = frozenset({"Device", "Device:", "Device\uff1a"})


def is_head(cells: Sequence[str]) -> bool:
    """Whether these are all columns of a report; with -h the device is the last."""
    if len(cells) < _FEW:
        return False
    if cells[-1] == "Device":
        cells = (cells[-1], *cells[:-1])
    torn = cells[-1] in _CUT and _CUT[cells[-1]] not in cells
    return cells[0] in _DEVICE and not torn and all(word in COLUMNS for word in cells[1:])


def is_row(cells: Sequence[str]) -> bool:
    """Whether these may be a device and its figures."""
    if _PLAIN.fullmatch(" ".join(cells[1:])):
        return not _PLAIN.fullmatch(cells[0])
    return sum(_CELL.fullmatch(word) is not None for word in cells) == len(cells) - 1


def figures(head: Sequence[str], row: Sequence[str]) -> dict[str, Json]:
    """Name → figure in 1/s, B/s, s, bytes and fractions; decimal commas are read too.

    With -h cells have prefixes of 1024 ("1.5M", "3.2k") or a percent sign of their own.
    """
    values: dict[str, Json] = {}
    if len(head) == len(row) and _PLAIN.fullmatch(" ".join(row)):
        for column, cell in zip(head, row, strict=True):
            name, scale = COLUMNS[column]
            values[name] = float(cell) * scale
        return values
    for column, cell in zip(head, row, strict=True):
        name, scale = COLUMNS[column]
        match = _CELL.fullmatch(cell)
        if not match:
            raise Unreadable(f"{cell} is no figure of {column}")
        number = float(match[1].replace(",", "."))
        if match[2] and scale >= _S:
            values[name] = number * 1024.0 ** "BkMGTP".index(match[2].replace("K", "k"))
        else:
            values[name] = number * scale
    return values


class Iostat(SysstatOutput):
    tool = "iostat"
    anchors = (
        "Device:  ", "Device   ", "Device: rrqm", "Device r/s", "Device tps", "Device: tps",
        "%util Device", "kB_wrtn Device", "kB_read/s", "MB_read/s", "_dscd Device",
        "Blk_read/s", "r_await w_await", "Device\u00a0", "Device:\u00a0", "Device\uff1a ",
    )  # fmt: skip

    commands = ("iostat",)
    nothing = "no device can be read below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The head of a report that no report of the same output precedes."""
        return head_before(UnsnippedCursor(cursor), cursor.at, is_head, longest=True)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """The first report on CPUs, above the head, is a part of it."""
        reading = super().read(cursor, first)
        cpus = _head_of_cpus(UnclockedCursor(cursor), first)
        return replace(reading, first=min(reading.first, first if cpus is None else cpus))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        rows, command, cursor = UnsnippedCursor(cursor), prompt.command, UnclockedCursor(cursor)
        groups = frozenset(GROUP.findall(command))
        index, last = first, first
        for report in range(1, _REPORTS + 1):
            table = read_table(rows, index, is_head, is_row=is_row, longest=True)
            if table is None:
                break
            last = table.last
            following = _next_head(cursor, last)
            since_boot = (
                False
                if report > 1
                else _is_since_boot(cursor, first, command, is_alone=following is None)
            )
            if of_cpus := _of_cpus(cursor, index):
                of_cpus |= {"report": report, "since_boot": since_boot}
                counters.append(self.counted("host", "", of_cpus, prompt))
            seen = set[str]()
            for row in table.rows:
                device, cells, names = row[0], row[1:], table.head[1:]
                if table.head[-1] == "Device":
                    device, cells, names = row[-1], row[:-1], table.head[:-1]
                values = figures(names, cells)
                again = device in seen  # rows and heads between them were left out
                seen.add(device)
                values |= {
                    "report": None if again else report,
                    "since_boot": None if again else since_boot,
                }
                name = device.rstrip(":")
                kind = "disks" if name.lower() in SUMMED_UP or name in groups else "disk"
                counters.append(self.counted(kind, name, values, prompt))
            if following is None:
                break
            index = following
        return last, counters


def _is_since_boot(cursor: TextCursor, head: int, command: str, *, is_alone: bool) -> bool | None:
    """Whether the first report that is shown is of the time since boot; None where unknown.

    A single one of a command that prints many is the first only where the line of the system
    stands above it: somebody may have picked any of them.

    Args:
        cursor: at the output.
        head: index of the report's head.
        command: that printed it.
        is_alone: no other report follows.
    """
    if not command:
        return None
    if WITHOUT_BOOT.search(command):
        return False
    if is_alone and prints_many(command, "iostat") and not _has_system_above(cursor, head):
        return None
    return True


def _has_system_above(cursor: TextCursor, head: int) -> bool:
    """Whether the line with which iostat begins stands above a head, below any other head."""
    return any(_SYSTEM.match(line) for _, line in _lines_of_report_above(cursor, head))


def _head_of_cpus(cursor: TextCursor, head: int) -> int | None:
    """Index of the head of the report on all CPUs right above a head of devices.

    Above the line with which iostat begins it is of another command.
    """
    for index, line in _lines_of_report_above(cursor, head):
        if line.startswith("avg-cpu"):
            return index
        if _SYSTEM.match(line):
            break
    return None


def _lines_of_report_above(cursor: TextCursor, head: int) -> Iterator[tuple[int, str]]:
    """The lines above a head of devices, up to a command or to another head."""
    for index in range(head - 1, max(head - 12, -1), -1):
        line = cursor.line(index).lstrip()
        if line.startswith("Device") or prompt_in(line):
            return
        yield index, line


def _of_cpus(cursor: TextCursor, head: int) -> dict[str, Json]:
    """The report on all CPUs right above a head of devices, as fractions; empty without one."""
    index = _head_of_cpus(cursor, head)
    if index is None:
        return {}
    cells = " ".join(cursor.block(index, head - index)).split()[1:]
    columns = list(takewhile(CPU.__contains__, cells))
    values = [_CELL.fullmatch(cell) for cell in cells[len(columns) : 2 * len(columns)]]
    if len(values) != len(columns):
        return {}
    return {
        CPU[column]: float(value[1].replace(",", ".")) / 100
        for column, value in zip(columns, values, strict=True)
        if value
    }


def _next_head(cursor: TextCursor, last: int) -> int | None:
    """Index of the next report's head: after blank lines, a time, or the report on CPUs."""
    for index in range(last + 1, last + 24):
        line = cursor.line(index)
        if line.lstrip().startswith("Device"):
            return index
        expected = (
            not line
            or line.lstrip().startswith(("avg-cpu", "Linux"))
            or line[:1] in " \t0123456789"
        )
        if not expected:
            return None
    return None
