"""`ps`: the processes of a host, each with its state; D waits for a disk or for NFS.

The columns are those that stand in the head. Rows without one, as `ps aux | grep` leaves them, are
read where they are of `ps aux`, `ps -ef` or `ps -elf`.

Source: procps-ng 4.0, src/ps/output.c (format_array: names of columns; VSZ and RSS in KiB, %CPU and
%MEM in per cent, TIME as [days-]hours:minutes:seconds, in BSD's way as minutes:seconds), ps(1),
PROCESS STATE CODES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(
    r"^\s*(?=.{0,120}\bPID\b)(?:(?:F|S|STAT?|UID|USER|PID|SPID|LWP|TID|PPID|PGID|SID|C|NLWP|%CPU|%MEM"
    r"|CPU|PRI|NI|RTPRIO|CLS|PSR|ADDR|SZ|VSZ|RSS|WCHAN|STIME|START|STARTED|ELAPSED|TTY?|TIME"
    r"|COMMAND|CMD|COMM)(?=\s|$)\s*){3,20}$"
)
_LAST = frozenset({"COMMAND", "CMD", "COMM"})
_AUX = ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"]
_EF = ["UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"]
_ELF = ["F", "S", *_EF[:4], "PRI", "NI", "ADDR", "SZ", "WCHAN", *_EF[4:]]
_HEADLESS = (_AUX, _ELF, _EF)
_TERMINAL = r"\?|-|pts/\d{1,5}|tty\w{1,8}|console|hvc\d|\d{1,3}"
_CELLS = {
    **dict.fromkeys(("PID", "SPID", "LWP", "TID", "PPID", "VSZ", "RSS"), re.compile(r"\d{1,15}")),
    **dict.fromkeys(("%CPU", "%MEM"), re.compile(r"\d{1,6}(?:[.,]\d)?")),
    **dict.fromkeys(("S", "STAT", "STA"), re.compile(r"[DRSTtWXZIPK][<NLsl+|]{0,5}")),
    **dict.fromkeys(("TT", "TTY"), re.compile(_TERMINAL)),
    "TIME": re.compile(r"(?:\d{1,5}-)?\d{1,7}(?::\d\d){1,2}"),
    "F": re.compile(r"[0-9a-f]{1,2}"),
    "C": re.compile(r"\d{1,3}|-"),
    "PRI": re.compile(r"-?\d{1,3}|-"),
}
_TEXTS = {
    "UID": "user", "USER": "user", "S": "state", "STAT": "state", "TTY": "terminal",
    "TT": "terminal", "STIME": "started", "START": "started", "STARTED": "started",
    "ELAPSED": "elapsed", "CLS": "scheduling_class",
}  # fmt: skip
"""Columns that are kept as they stand."""
_SHARES = {"C": "cpu", "%CPU": "cpu", "%MEM": "memory"}
_WHOLE = {
    "PPID": "parent", "LWP": "thread", "SPID": "thread", "TID": "thread", "NLWP": "threads",
    "PRI": "priority", "NI": "nice", "SZ": "pages", "PSR": "processor",
    "RTPRIO": "realtime_priority",
}  # fmt: skip
"""Columns of whole numbers; SZ is counted in pages."""
_ANY = re.compile(r"\S+")
_EMPTY_PROMPT = re.compile(r"[\w\])~][#$%>]$")
_FOREST = re.compile(r"(?:[|\s]*\\?_ +)+")
"""What --forest draws before a command, with its sign or without, where Markdown took that."""
_FEW = 3  # cells that show a row, where it is broken in two
_BROKEN = 60  # characters of a line that a mail may have broken
_MOST = 4000


class Ps(StateOutput):
    tool = "ps"
    anchors = (
        "%CPU", " PPID", " WCHAN", " STAT ", "TIME CMD", "  PID TTY", "?        ", " pts/",
        "ps -e", "ps a",
    )  # fmt: skip
    commands = ("ps",)
    reach = 4
    nothing = "no process follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _head(cursor, cursor.at):
            return cursor.at
        rows = (cursor.at, cursor.at + 1)  # the second, where the anchor is the command
        return next((index for index in rows if _headless(cursor, index)), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns, begin = _head(cursor, first) or (_headless(cursor, first), first)
        last, rows = _rows(cursor, begin, columns)
        if not rows:
            return last, ()
        processes: list[Json] = [_process(columns, row) for row in rows]
        return last, [self.counted("host", "", {"processes": processes}, prompt)]


def _head(cursor: TextCursor, index: int) -> tuple[list[str], int] | None:
    """The columns that a line names, and the index of the line below; a mail may break the head."""
    line = cursor.line(index)
    if "PID" not in line:
        return None
    for more in (0, 1):
        text = f"{line} {cursor.line(index + 1) if more else ''}"
        columns = text.split()
        if _HEAD.match(text) and columns[-1] in _LAST and "PID" in columns:
            return columns, index + more + 1
    return None


def _headless(cursor: TextCursor, index: int) -> list[str]:
    """The columns of a row whose head is not there; none where a line is no such row."""
    line = cursor.line(index)
    following = cursor.line(index + 1)
    if following and _goes_on(line, following):
        line = f"{line} {following}"
    for columns in _HEADLESS:
        cells = line.split(None, len(columns) - 1)
        if len(cells) == len(columns) and _fits(cells, columns):
            return columns
    return []


def _fits(cells: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether the cells that there are can stand in these columns; the last may hold anything."""
    pairs = list(zip(cells[: len(columns) - 1], columns, strict=False))
    if len(pairs) < min(_FEW, len(columns) - 1):
        return False
    return all(_CELLS.get(column, _ANY).fullmatch(cell) for cell, column in pairs)


def _rows(cursor: TextCursor, first: int, columns: Sequence[str]) -> tuple[int, list[list[str]]]:
    """Index of the last row's last line, and the cells of each row."""
    last, rows, before = first - 1, list[list[str]](), ""
    for index, line in lines(cursor, first, _MOST):
        if not line and index <= last + 1 and rows:
            continue
        cells = line.split(None, len(columns) - 1)
        if _fits(cells, columns):
            if rows and len(rows[-1]) < len(columns):
                break
            rows.append(cells)
        elif rows and line and index == last + 1 and _goes_on(before, line):
            rows[-1] = " ".join([*rows[-1], line.strip()]).split(None, len(columns) - 1)
            if not _fits(rows[-1], columns):
                rows.pop()
                break
        else:
            break
        last, before = index, line
    if rows and len(rows[-1]) < len(columns):
        rows.pop()
    return last, rows


def _goes_on(before: str, line: str) -> bool:
    """Whether a mail broke a line there: the next word had no place in it."""
    broken = len(before) + len(line.split(maxsplit=1)[0]) >= _BROKEN
    return broken and prompt_in(line) is None and not _EMPTY_PROMPT.search(line)


def _process(columns: Sequence[str], cells: Sequence[str]) -> dict[str, Json]:
    """What a row says: shares as fractions, sizes in bytes, times in seconds."""
    row = dict(zip(columns, cells, strict=True))
    process: dict[str, Json] = {"pid": int(row["PID"]), **dict(_of_columns(row))}
    if "TIME" in row:
        process["cpu_seconds"] = _seconds(row["TIME"])
    if row.get("WCHAN", "-") != "-":
        process["waits_in"] = row["WCHAN"]
    process["command"] = cells[-1][forest.end() if (forest := _FOREST.match(cells[-1])) else 0 :]
    return process


def _of_columns(row: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    """What the plain columns of a row say; a sign for nothing says nothing."""
    for column, name in _TEXTS.items():
        if row.get(column, "-") != "-":
            yield name, row[column]
    for column, name in _SHARES.items():
        if column in row and row[column] != "-":
            yield name, float(row[column].replace(",", ".")) / 100
    for column, name in (("VSZ", "virtual"), ("RSS", "resident")):
        if column in row:
            yield name, int(row[column]) * 1024
    for column, name in _WHOLE.items():
        if row.get(column, "").lstrip("-").isdecimal():
            yield name, int(row[column])


def _seconds(time: str) -> int:
    """Of [days-]hours:minutes:seconds or minutes:seconds."""
    days, _, rest = time.rpartition("-")
    return int(days or 0) * 86_400 + units.clock_seconds(rest)
