"""biotop, cachetop and filetop: which process read and wrote most, by disk, page or file.

Source: bcc, tools/biotop.py and libbpf-tools/biotop.c: PID COMM D MAJ MIN DISK I/O Kbytes AVGms;
tools/cachetop.py: PID UID CMD HITS MISSES DIRTIES READ_HIT% WRITE_HIT% below a line with Buffers MB
and Cached MB; tools/filetop.py and libbpf-tools/filetop.c: TID COMM READS WRITES R_Kb W_Kb T FILE,
T one of R (regular), S (socket), O (others). Kb and Kbytes are 1024 bytes, MB 2^20.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.monitors import _traced_rows as traced
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_KBYTES = r"\d{1,15}(?:\.\d{1,9})?"
_PERCENT = r"-?\d{1,9}\.\d%"
_TITLE = re.compile(
    r"\s*\d\d:\d\d:\d\d Buffers MB: (?P<buffers>\d{1,9}) / Cached MB: (?P<cached>\d{1,9})(?: / .*)?"
)
_LOAD = re.compile(
    r"\s*(?P<time>\d\d:\d\d:\d\d) loadavg: (?P<load>\d{1,6}\.\d\d(?: \d{1,6}\.\d\d){2}) .{3,40}"
)
_NEAR = 3
_NEAR_TITLE = 5


class _Top(StateOutput):
    """A table of processes."""

    head: ClassVar[list[str]]
    cells: ClassVar[Mapping[str, str]]
    nothing = "no process follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        is_head = cursor.line(cursor.at).split() == self.head
        return cursor.at if is_head else None

    def above(self, cursor: TextCursor, first: int) -> dict[str, Json]:
        """Time and load that stand above the head."""
        for index in range(first - 1, max(first - _NEAR_TITLE, -1), -1):
            if match := _LOAD.fullmatch(cursor.line(index)):
                load: list[Json] = [float(figure) for figure in match["load"].split()]
                return {"time": match["time"], "load_average": load}
        return {}

    def rows(self, cursor: TextCursor, first: int) -> tuple[int, list[dict[str, str]]]:
        """Index of the last row, and the cells of the rows."""
        last, rows = first, list[dict[str, str]]()
        for index, row in traced.rows_below(cursor, first, self.head, self.cells, most=500):
            last = index
            rows.append(row)
        return last, rows


class Biotop(_Top):
    tool = "biotop"
    anchors = ("MAJ MIN DISK", "I/O  Kbytes")
    commands = ("biotop", "biotop-bpfcc", "biotop.py")
    head: ClassVar[list[str]] = [
        "PID", "COMM", "D", "MAJ", "MIN", "DISK", "I/O", "Kbytes", "AVGms",
    ]  # fmt: skip
    cells: ClassVar[Mapping[str, str]] = {
        "PID": traced.WHOLE, "COMM": traced.COMM, "D": "[RW]", "MAJ": r"\d{1,4}",
        "MIN": r"\d{1,7}", "DISK": traced.WORD, "I/O": traced.WHOLE, "Kbytes": _KBYTES,
        "AVGms": r"\d{1,12}\.\d{1,3}",
    }  # fmt: skip

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, rows = self.rows(cursor, first)
        disks: dict[str, list[Json]] = {}
        for row in rows:
            numbers = f"{row['MAJ']}:{row['MIN']}"
            disk = row["DISK"] if row["DISK"] not in {"?", "Unknown"} else numbers
            disks.setdefault(disk, []).append({
                "pid": int(row["PID"]), "process": row["COMM"], "way": traced.way_of(row["D"]),
                "device_number": numbers, "requests": int(row["I/O"]),
                "bytes": float(row["Kbytes"]) * 1024, "latency": traced.scaled(row["AVGms"], -3),
            })  # fmt: skip
        counters = [
            self.counted("disk", disk, {"processes": own}, prompt) for disk, own in disks.items()
        ]
        if counters and (above := self.above(cursor, first)):
            counters.append(self.counted("host", "", above, prompt))
        return last, counters


class Cachetop(_Top):
    tool = "cachetop"
    anchors = ("READ_HIT%", "MISSES   DIRTIES")
    commands = ("cachetop", "cachetop-bpfcc", "cachetop.py")
    head: ClassVar[list[str]] = [
        "PID", "UID", "CMD", "HITS", "MISSES", "DIRTIES", "READ_HIT%", "WRITE_HIT%",
    ]  # fmt: skip
    cells: ClassVar[Mapping[str, str]] = {
        "PID": traced.WHOLE, "UID": r"\S{1,32}", "CMD": traced.COMM, "HITS": traced.SIGNED,
        "MISSES": traced.SIGNED, "DIRTIES": traced.SIGNED, "READ_HIT%": _PERCENT,
        "WRITE_HIT%": _PERCENT,
    }  # fmt: skip

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, rows = self.rows(cursor, first)
        values: dict[str, Json] = {}
        for index in range(first - 1, max(first - _NEAR, -1), -1):
            if title := _TITLE.fullmatch(cursor.line(index)):
                values["buffers"] = int(title["buffers"]) * units.MIB
                values["page_cache"] = int(title["cached"]) * units.MIB
        values["processes"] = [
            {
                "pid": int(row["PID"]), "user": row["UID"], "process": row["CMD"],
                "hits": int(row["HITS"]), "misses": int(row["MISSES"]),
                "dirties": int(row["DIRTIES"]),
                "read_hit_ratio": traced.scaled(row["READ_HIT%"][:-1], -2),
                "write_hit_ratio": traced.scaled(row["WRITE_HIT%"][:-1], -2),
            }
            for row in rows
        ]  # fmt: skip
        return last, [self.counted("host", "", values, prompt)] if rows else []


class Filetop(_Top):
    tool = "filetop"
    anchors = ("R_Kb", "W_Kb", "READS  WRITES")
    commands = ("filetop", "filetop-bpfcc", "filetop.py")
    head: ClassVar[list[str]] = ["TID", "COMM", "READS", "WRITES", "R_Kb", "W_Kb", "T", "FILE"]
    cells: ClassVar[Mapping[str, str]] = {
        "TID": traced.WHOLE, "COMM": traced.COMM, "READS": traced.WHOLE, "WRITES": traced.WHOLE,
        "R_Kb": _KBYTES, "W_Kb": _KBYTES, "T": "[RSO]", "FILE": traced.TEXT,
    }  # fmt: skip
    types: ClassVar[Mapping[str, str]] = {"R": "regular", "S": "socket", "O": "other"}

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, rows = self.rows(cursor, first)
        files: list[Json] = [
            {
                "tid": int(row["TID"]), "process": row["COMM"], "file": row["FILE"],
                "type": self.types[row["T"]], "read.operations": int(row["READS"]),
                "write.operations": int(row["WRITES"]),
                "read.bytes": float(row["R_Kb"]) * 1024, "write.bytes": float(row["W_Kb"]) * 1024,
            }
            for row in rows
        ]  # fmt: skip
        counters: list[PrintedCounters] = []
        if files:
            values = {**self.above(cursor, first), "files": files}
            counters.append(self.counted("host", "", values, prompt))
        return last, counters
