"""`filefrag` and `filefrag -v`: the extents of files, and xfs_db's `frag` of a whole file system.

Source: e2fsprogs 1.47, misc/filefrag.c (frag_report, print_extent_info); xfsprogs 6.1, db/frag.c
(frag_f: actual and ideal extents, extents per file).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before

_EXTENTS = re.compile(r"\s*(?P<file>\S.{0,300}): (?P<count>\d{1,9}) extents? found")
_SIZE = re.compile(
    r"\s*File size of (?P<file>\S.{0,300}) is (?P<size>\d{1,18}) \((?P<blocks>\d{1,15}) blocks?"
    r"(?:, blocksize (?P<old>\d{1,7})| of (?P<block>\d{1,7}) bytes)"
)
_TYPE = re.compile(r"\s*Filesystem type is: (?P<type>[0-9a-f]{2,8})\s*$")
_HEAD = re.compile(r"\s*ext:?\s+logical(?:_offset:)?\s+physical")
_ROW = re.compile(
    r"\s*\d{1,9}:\s+(?P<logical>\d{1,15})\.\.\s*(?P<logical_end>\d{1,15}):"
    r"\s+(?P<physical>\d{1,15})\.\.\s*(?P<physical_end>\d{1,15}):\s+(?P<length>\d{1,15}):"
    r"(?:\s+(?P<expected>\d{1,15}):)?(?:\s*(?P<flags>[a-z][\w,]{1,80}))?\s*$"
)
_OLD_ROW = re.compile(
    r"\s*\d{1,9}\s+(?P<logical>\d{1,15})\s+(?P<physical>\d{1,15})(?:\s+(?P<expected>\d{1,15}))?"
    r"\s+(?P<length>\d{1,15})(?:\s+(?P<flags>[a-z][\w,]{1,80}))?\s*$"
)
"""Up to e2fsprogs 1.42: below "ext logical physical expected length flags"."""
_IDEAL = re.compile(r", perfection would be (?P<ideal>\d{1,9}) extents?\s*$")
_FRAG = re.compile(
    r"\s*actual (?P<actual>\d{1,15}), ideal (?P<ideal>\d{1,15}), "
    r"fragmentation factor (?P<factor>\d{1,3}\.\d{1,2})%"
)
_MEAN = re.compile(
    r"\s*Files on this filesystem average (?P<mean>\d{1,9}\.\d\d) extents per file\s*$"
)
_NOTE = re.compile(r"\s*Note, this number is largely meaningless\.\s*$")
_GROUPS = re.compile(
    r"\s*Filesystem cylinder groups (?:is )?approximately (?P<groups>\d{1,10})\s*$"
)
_BLOCK = re.compile(r"\s*Blocksize of file \S.{0,300} is (?P<size>\d{1,7})\s*$")
_MOST = 20000
_KEPT = 400  # extents with their places


class Filefrag(StateOutput):
    tool = "filefrag"
    anchors = (
        " extents found", " extent found", "File size of ", "physical_offset:",
        "fragmentation factor ",
    )  # fmt: skip
    commands = ("filefrag", "xfs_db")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        patterns = (_EXTENTS, _SIZE, _HEAD, _FRAG)
        if not any(pattern.match(line) for pattern in patterns):
            return None
        first = cursor.at
        for _ in range(2):
            above = before(cursor, first)
            if _TYPE.match(cursor.line(above)) or _GROUPS.match(cursor.line(above)):
                first = above
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        report, last = _Report(), first
        for index, line in lines(cursor, first, _MOST):
            if report.ended and not (_MEAN.match(line) or _NOTE.match(line)):
                break
            if index > last + 2 or (line and not report.takes(line)):
                break
            last = index if line else last
        if report.rows:
            report.values |= {"listed_extents": report.rows, "listed_blocks": report.blocks}
            report.values["rows"] = report.places
        if not report.values.keys() - {"filesystem_type", "block_groups"}:
            raise Unreadable("no extent follows", last)
        kind = "filesystem" if "fragmentation" in report.values else "file"
        counters = PrintedCounters(
            self.tool, kind, report.name, report.values, prompt.host, prompt.command
        )
        return last, [counters]


@dataclass(slots=True)
class _Report:
    """What the lines of one file, or of one file system, have said so far."""

    name: str = ""
    values: dict[str, Json] = field(default_factory=dict)
    rows: int = 0
    blocks: int = 0
    places: list[Json] = field(default_factory=list)
    is_old: bool = False
    ended: bool = False

    def takes(self, line: str) -> bool:
        """Whether a line is of the same report; what it says is kept."""
        if (size := _SIZE.match(line)) and not self.name:
            self.name = size["file"]
            self.values |= {"size": int(size["size"]), "blocks": int(size["blocks"])}
            self.values["block_size"] = int(size["block"] or size["old"])
        elif row := (_OLD_ROW if self.is_old else _ROW).match(line):
            self.rows, self.blocks = self.rows + 1, self.blocks + int(row["length"])
            if self.rows <= _KEPT:
                self.places.append({
                    name: text if name == "flags" else int(text)
                    for name, text in row.groupdict().items()
                    if text
                })  # fmt: skip
        elif count := _EXTENTS.match(line):
            self.name, self.ended = self.name or count["file"], True
            self.values["extents"] = int(count["count"])
            if ideal := _IDEAL.search(line):
                self.values["ideal_extents"] = int(ideal["ideal"])
        elif frag := _FRAG.match(line):
            self.values |= {"extents": int(frag["actual"]), "ideal_extents": int(frag["ideal"])}
            self.values["fragmentation"] = round(float(frag["factor"]) / 100, 6)
            self.ended = True
        elif kind := _TYPE.match(line):
            self.values["filesystem_type"] = f"0x{kind['type']}"
        elif _HEAD.match(line):
            self.is_old = ":" not in line
        else:
            return self._takes_rest(line)
        return True

    def _takes_rest(self, line: str) -> bool:
        """The same, of lines that few versions print."""
        if groups := _GROUPS.match(line):
            self.values["block_groups"] = int(groups["groups"])
        elif block := _BLOCK.match(line):
            self.values["block_size"] = int(block["size"])
        elif (mean := _MEAN.match(line)) and "fragmentation" in self.values:
            self.values["extents_per_file"] = float(mean["mean"])
        else:
            return _NOTE.match(line) is not None
        return True
