"""pg_test_fsync: how many writes a second each way to make them durable allows, a trial for each.

One figure is of a write, or of several, and what makes them durable together; a file is written
over and over at the same place. How open_sync and open_datasync write is O_DIRECT where the head
says that it is supported.

Source: PostgreSQL 9.1 to 17, src/bin/pg_test_fsync/pg_test_fsync.c, test_sync(), test_open_sync(),
test_file_descriptor_sync(), test_non_sync(), print_elapse() (OPS_FORMAT: "%13.3f ops/sec  %6.0f
usecs/op", before 9.3 without the time); 9.1 counts operations, not seconds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import nearest

_HEAD = re.compile(
    r"\s*(?:Compare file sync methods using (?P<count>one|two) (?P<size>\d{1,4})kB writes?:"
    r"|(?P<sizes>Compare open_sync with different write sizes:)"
    r"|(?P<descriptor>Test if fsync on non-write file descriptor is honored:)"
    r"|Non-[Ss]ync'ed (?P<unsynced>\d{1,4})kB writes:)\s*$"
)
_ROW = re.compile(
    r"\s*(?P<name>open_datasync|fdatasync|fsync|fsync_writethrough|open_sync|write"
    r"|write, fsync, close|write, close, fsync"
    r"|(?P<count>\d{1,3}) \* {1,3}(?P<size>\d{1,4})kB open_sync writes?)\s+"
    r"(?:(?P<rate>\d{1,12}\.\d{3}) ops/sec(?:\s+(?P<time>\d{1,12}) usecs/op)?|n/a\*?)\s*$"
)
_SECONDS = re.compile(r"\s*(?P<count>\d{1,9}) (?P<unit>seconds|operations) per test\s*$")
_DIRECT = "O_DIRECT supported on this platform"
_SAID = re.compile(
    r"\s*(?:O_DIRECT |Direct I/O is not|\(in \"?wal_sync_method|\(This is designed to"
    r"|\(If the times are similar|is Linux'?s default\)|open_sync sizes\.\)|open_sync\.$"
    r"|descriptor\.\)|different write|\* This file system and its mount|options, e\.g\. ext4)"
)
_COUNTS = {"one": 1, "two": 2}
_MOST = 120


class _Part(NamedTuple):
    """A table: what its rows are called by, how many writes one has, and of how many bytes."""

    name: str
    writes: int
    size: int


class PgTestFsync(Output):
    tool = "pg_test_fsync"
    anchors = (
        "Compare file sync methods using", "Compare open_sync with different",
        "Test if fsync on non-write", "ync'ed 8kB writes:",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        top = nearest(cursor, 8, _SECONDS.match)
        return cursor.at if top is None else top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("pg_test_fsync",), reach=6)
        trials, last = list[PrintedTrial](), first
        part, elapsed, direct = _Part("", 1, 0), tuple[float, ...](), False
        for index, line in lines(cursor, first, _MOST):
            head, row, seconds = _HEAD.match(line), _ROW.match(line), _SECONDS.match(line)
            own = head or row or seconds or _SAID.match(line)
            if (line and not own) or index > last + 4 or prompt_in(line) or (seconds and trials):
                break
            last = index if line else last
            direct = direct or _DIRECT in line
            if seconds and seconds["unit"] == "seconds":
                elapsed = (float(seconds["count"]),)
            if head:
                part = _part(head, part.size)
            elif row and row["rate"] and part.name:
                trials.append(PrintedTrial(
                    tool=self.tool, loops=(LoadResult.of(_metrics(row, part)),),
                    command=prompt.command, host=prompt.host, label=_label(row, part),
                    options=_options(row, part, direct=direct), steps=_steps(row, part),
                    elapsed=elapsed or None,
                ))  # fmt: skip
        if not trials:
            raise Unreadable("no rate follows", last)
        return OutputReading(begin, last, trials=tuple(trials))


def _part(head: re.Match[str], size: int) -> _Part:
    """The table that a head begins; its page's size is that of the tables before it."""
    if head["count"]:
        size = int(head["size"]) * units.KIB
        writes = _COUNTS[head["count"]]
        name = f"{head['count']} {head['size']}kB write{'s' if writes > 1 else ''}"
        return _Part(name, writes, size)
    if head["unsynced"]:
        return _Part("not synced", 1, int(head["unsynced"]) * units.KIB)
    return _Part("sizes" if head["sizes"] else "descriptor", 1, size)


def _label(row: re.Match[str], part: _Part) -> str:
    name = " ".join(row["name"].split())
    return name if part.name in {"sizes", "descriptor"} else f"{part.name}, {name}"


def _writes(row: re.Match[str], part: _Part) -> int:
    return int(row["count"]) if row["count"] else part.writes


def _syncs(row: re.Match[str]) -> str:
    """The call that makes all writes of an operation durable; empty where each write does."""
    name = row["name"]
    return "fdatasync" if name == "fdatasync" else "fsync" if "fsync" in name else ""


def _metrics(row: re.Match[str], part: _Part) -> dict[str, float]:
    rate, _ = units.printed(row["rate"])
    metrics = {"write.iops": rate * _writes(row, part)}
    return metrics | ({"sync.iops": rate} if _syncs(row) else {})


def _steps(row: re.Match[str], part: _Part) -> dict[str, float]:
    _, step = units.printed(row["rate"])
    steps = {"write.iops": step * _writes(row, part)}
    return steps | ({"sync.iops": step} if _syncs(row) else {})


def _options(row: re.Match[str], part: _Part, *, direct: bool) -> dict[str, Scalar]:
    """The load in fio's words."""
    size = int(row["size"]) * units.KIB if row["size"] else part.size
    options: dict[str, Scalar] = {"rw": "write"} | ({"bs": size} if size else {})
    if call := _syncs(row):
        options[call] = _writes(row, part)
    elif row["name"] == "open_datasync":
        options["sync"] = "dsync"
    elif row["name"] != "write":
        options["sync"] = "sync"
    if direct and "sync" in options:
        options["direct"] = True
    options["test"] = _label(row, part)
    return options
