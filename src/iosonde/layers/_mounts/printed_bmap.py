"""`xfs_bmap` and xfs_io's `fiemap`: where the extents of files lie.

Source: xfsprogs 6.1, io/bmap.c (bmap_f: "%d: [%lld..%lld]: %lld..%lld" in blocks of 512 bytes,
"hole"; -v with a head of columns and AG) and io/fiemap.c, which prints the same.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before
from iosonde.units import SECTOR

_ROW = re.compile(
    r"\s*(?P<number>\d{1,9}): \[(?P<from>\d{1,18})\.\.(?P<to>\d{1,18})\]:\s+"
    r"(?:(?P<hole>hole)|(?P<start>\d{1,18})\.\.(?P<end>\d{1,18}))"
    r"(?:\s+[\d.() ]{0,80}[\da-fx]{0,10})?\s*$"
)
_HEAD = re.compile(r"\s*EXT: FILE-OFFSET\s+BLOCK-RANGE\b")
_FILE = re.compile(r"\s*(?P<file>/\S{1,300}|[\w.-][^\s:]{0,200}):\s*$")
_MOST = 20_000
_FEW = 2  # a lone line without its file is quoted in prose


class Bmap(StateOutput):
    tool = "xfs_bmap"
    anchors = ("EXT: FILE-OFFSET", "0: [0..")
    commands = ("xfs_bmap", "xfs_io")
    reach = 4
    nothing = "no extent follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        first = cursor.at
        if not _HEAD.match(line):
            row = _ROW.match(line)
            if row is None or row["number"] != "0":
                return None
            above = before(cursor, first)
            first = above if _HEAD.match(cursor.line(above)) else first
        above = before(cursor, first)
        return above if _FILE.match(cursor.line(above)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        file = _FILE.match(cursor.line(first))
        rows, last = list[re.Match[str]](), first
        for index, line in lines(cursor, first + bool(file), _MOST):
            row = _ROW.match(line)
            if row is None and not _HEAD.match(line) and (line or index > last + 3):
                break
            if row:
                if int(row["number"]) != len(rows):
                    break  # another file's, or rows were left out
                rows.append(row)
            last = index if line else last
        if not rows or (len(rows) < _FEW and not file):
            return last, ()
        extents = [row for row in rows if not row["hole"]]
        blocks = sum(int(row["to"]) - int(row["from"]) + 1 for row in extents)
        values: dict[str, Json] = {
            "extents": len(extents), "holes": len(rows) - len(extents),
            "mapped": blocks * SECTOR, "size": (int(rows[-1]["to"]) + 1) * SECTOR,
        }  # fmt: skip
        return last, [self.counted("file", file["file"] if file else "", values, prompt)]
