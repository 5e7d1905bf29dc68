"""fs_mark: how many files a second were made, and how long their calls took.

Source: fs_mark 3.3, fs_mark.c (print_run_info(): the comments above the table; with -v six triples
of min, avg and max; print_iteration_stats(): files a second, App Overhead and all times in
microseconds).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_HEAD = re.compile(
    r"\s*(?:#\s{0,8})?FSUse%\s{1,20}Count\s{1,20}Size\s{1,20}Files/sec\s{1,20}App Overhead"
    r"(?P<rest>\s.{0,800})?$"
)
_CALLS = re.compile(r"(CREAT|WRITE|FSYNC|SYNC|CLOSE|UNLINK)\s{1,8}\(Min/Avg/Max\)")
_CALL_NAMES = ["CREAT", "WRITE", "FSYNC", "SYNC", "CLOSE", "UNLINK"]
_FIGURE = re.compile(r"\d{1,20}(?:\.\d{1,3})?")
_ROW = ("full", "files", "size", "files_per_second", "overhead")
_SHORT = len(_ROW)
_COMMENTS = (
    re.compile(
        r"\s*#\s{1,8}Version (?P<version>[\d.]{1,8}), (?P<threads>\d{1,6}) thread\(s\) starting at "
        r"(?P<started>\S.{10,40}?)\s*$"
    ),
    re.compile(r"\s*#\s{1,8}Sync method: (?P<sync_method>\S.{1,120}?)\s*$"),
    re.compile(r"\s*#\s{1,8}Directories:\s{1,4}(?P<directories>\S.{1,160}?)\s*$"),
    re.compile(r"\s*#\s{1,8}File names: (?P<name_bytes>\d{1,6}) bytes long\b.{0,120}$"),
    re.compile(
        r"\s*#\s{1,8}Files info: size (?P<file_size>\d{1,18}) bytes, written with an IO size of "
        r"(?P<io_size>\d{1,18}) bytes per write\s*$"
    ),
)
_NUMERIC = {"threads", "name_bytes", "file_size", "io_size"}
_COMMENT = re.compile(
    r"\s*#(?:$|\s{1,8}(?:Version|Sync method|Directories|File names|Files info|App|All)\b.*)"
)
_LAST_COMMENT = re.compile(r"\s*#\s{1,8}App overhead is time in microseconds\b.*")
_ELLIPSIS = re.compile(r"\s*(?:\.{2,12}|\[\.{3}\]|…|#)\s*$")
_MOST = 4000
_GAP = 2


class FsMark(StateOutput):
    tool = "fs_mark"
    anchors = (
        "Files/sec     App Overhead", "App Overhead", "App overhead is time", "Sync method: ",
        " thread(s) starting at ",
    )  # fmt: skip
    commands = ("fs_mark",)
    reach = 16

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _HEAD.match(line) and not _COMMENT.match(line):
            return None
        first = top_of(cursor, _COMMENT.match, most=12)
        return first if _table_below(cursor) is not None else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        table = _table_below(cursor)
        if table is None:
            raise Unreadable("no row follows")
        for line in cursor.block(first, table - first):
            for comment in _COMMENTS:
                if match := comment.match(line):
                    values |= {
                        name: int(text) if name in _NUMERIC else text
                        for name, text in match.groupdict().items()
                    }
        begins, columns = _columns(cursor, table)
        last, rows = _rows(cursor, begins, len(columns))
        if not rows:
            raise Unreadable("no row follows", last)
        for place, name in enumerate(columns):
            figures: list[Json] = [_exact(name, row[place]) for row in rows]
            values[name] = figures[0] if len(figures) == 1 else figures
        return last, (self.counted("host", "", values, prompt),)


def _figures(line: str) -> list[str]:
    """The figures of a line that has nothing else but a name before them; none where it has."""
    parts = fields(line.lstrip(" #"))
    parts = parts[1:] if parts and parts[0].endswith(":") else parts
    return parts if all(map(_FIGURE.fullmatch, parts)) else []


def _table_below(cursor: TextCursor) -> int | None:
    """Index of the table's head, or of its first row where the head was cut off; None: neither."""
    for index in range(cursor.at, cursor.at + 16):
        line = cursor.line(index)
        if prompt_in(line.lstrip("# \t")):
            return None
        if _HEAD.match(line):
            return index
        if len(_figures(line)) in {_SHORT, _SHORT + 3 * len(_CALL_NAMES)}:
            above = cursor.block(max(cursor.at - 8, 0), index)
            return index if any(map(_LAST_COMMENT.match, above)) else None
    return None


def _columns(cursor: TextCursor, table: int) -> tuple[int, list[str]]:
    """Index of the line below the head, which a mail may have broken, and what the columns are."""
    line = cursor.line(table)
    head = _HEAD.match(line)
    if head is None:
        long = len(_figures(line)) > _SHORT
        return table, [*_ROW, *(_triples(_CALL_NAMES) if long else ())]
    text, begins = head["rest"] or "", table + 1
    for index, below in lines(cursor, table + 1, 8):
        if not re.search(r"Min/Avg|Avg/Max|CREAT|WRITE|FSYNC|CLOSE|UNLINK", below):
            break
        text, begins = f"{text} {below.strip()}", index + 1
    calls = _CALLS.findall(text)
    if text.strip() and calls != _CALL_NAMES:
        raise Unreadable("the calls that its head names are not fs_mark's", begins - 1)
    return begins, [*_ROW, *_triples(calls)]


def _triples(calls: Sequence[str]) -> list[str]:
    return [f"{call.lower()}_{which}" for call in calls for which in ("min", "avg", "max")]


def _rows(cursor: TextCursor, first: int, count: int) -> tuple[int, list[list[str]]]:
    """Index of the last row, and the figures of each, which may go over several lines."""
    rows, held, last = list[list[str]](), list[str](), first - 1
    for index, line in lines(cursor, first, _MOST):
        if index > last + _GAP + 1:
            break
        figures = _figures(line)
        if not figures:
            if line and not _ELLIPSIS.match(line):
                break
            continue
        held += figures
        last = index
        if len(held) > count:
            raise Unreadable(f"a row has not {count} figures", last)
        if len(held) == count:
            rows.append(held)
            held = []
    if held:
        raise Unreadable("its last row is cut off", last)
    return last, rows


def _exact(name: str, text: str) -> Json:
    """A figure in seconds, bytes or as a fraction."""
    if name == "full":
        return int(text) / 100
    if name == "files_per_second":
        return float(text)
    return int(text) if name in {"files", "size"} else int(text) / 1e6
