"""`compsize`: what compression saves of files of btrfs, in all and by its algorithm.

Source: compsize 1.5, compsize.c (print_table(), "Processed %llu file%s, …"); sizes are in powers of
1024.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_PROCESSED = re.compile(
    r"\s*Processed (?P<files>\d{1,15}) files?, (?P<extents>\d{1,15}) regular extents?"
    r" \((?P<references>\d{1,15}) refs\), (?P<inline>\d{1,15}) inline"
    r"(?:, (?P<fragments>\d{1,15}) fragments)?\.?\s*$"
)
_HEAD = re.compile(r"\s*Type\s+Perc\s+Disk Usage\s+Uncompressed\s+Referenced\s*$")
_SIZE = r"(?P<{}>\d{{1,20}}(?:\.\d)?[BKMGTPE]?)"
_ROW = re.compile(
    rf"\s*(?P<type>TOTAL|none|zlib|lzo|zstd|prealloc|\?\d{{1,3}})\s+(?P<share>\d{{1,3}})%\s+"
    rf"{_SIZE.format('disk')}\s+{_SIZE.format('uncompressed')}\s+{_SIZE.format('referenced')}\s*$"
)
_COUNTS = ("files", "extents", "references", "inline", "fragments")


class Compsize(StateOutput):
    tool = "compsize"
    anchors = ("Disk Usage",)
    commands = ("compsize",)
    reach = 3
    nothing = "no row follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        above = before(cursor, cursor.at)
        return above if _PROCESSED.match(cursor.line(above)) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first):
            if row := _ROW.match(line):
                name = "" if row["type"] == "TOTAL" else f"{row['type']}_"
                values[f"{name}compressed_share"] = int(row["share"]) / 100
                for column in ("disk", "uncompressed", "referenced"):
                    values[f"{name}{column}"] = units.parse_bytes(row[column].removesuffix("B"))
            elif processed := _PROCESSED.match(line):
                values |= {name: int(processed[name]) for name in _COUNTS if processed[name]}
            elif not _HEAD.match(line):
                break
            last = index
        path = prompt.command.rpartition(" ")[2] if "compsize " in prompt.command else ""
        has_rows = "disk" in values
        return last, [PrintedSubject("btrfs", path, values, prompt.host)] if has_rows else []
