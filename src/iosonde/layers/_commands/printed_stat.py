"""`stat FILE`: how large a file is and how many bytes it takes, as counters of the host.

Source: coreutils 9.1, src/stat.c, default_format() ("Size: %-10s Blocks: %-10b IO Block: %-6o");
stat(2): a block of `Blocks` has 512 bytes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before

_FILE = re.compile(r"\s*File: (?P<quote>['\"‘`]?)(?P<name>/?\S.{0,300}?)['\"’]?\s*$")
_SIZE = re.compile(
    r"\s*Size: (?P<size>\d{1,20})\s{1,20}Blocks: (?P<blocks>\d{1,20})\s{1,20}"
    r"IO Block: (?P<io_block>\d{1,12})\s{1,12}(?P<type>[a-z][a-z ]{2,40})?\s*$"
)
_DEVICE = re.compile(
    r"\s*Device: (?P<device>[\da-f]{1,8}h/\d{1,10}d|\d{1,8},\d{1,8})\s{1,12}"
    r"Inode: (?P<inode>\d{1,20})\s{1,20}Links: (?P<links>\d{1,12})\b.{0,60}$"
)
_OTHERS = re.compile(r"\s*(?:Access|Modify|Change|Birth|Context): .{0,200}$|\s*Birth:\s*-?\s*$")
_MOST = 12


class StatOutput(StateOutput):
    tool = "stat"
    anchors = (" IO Block: ",)
    commands = ("stat",)
    reach = 14

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _SIZE.match(cursor.line(cursor.at)):
            return None
        above = before(cursor, cursor.at)
        return above if _FILE.match(cursor.line(above)) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if file := _FILE.match(line):
                if values:
                    break
                name = file["name"]
            elif size := _SIZE.match(line):
                if values:
                    break
                values |= {
                    "size": int(size["size"]), "allocated": int(size["blocks"]) * units.SECTOR,
                    "io_block": int(size["io_block"]), "type": (size["type"] or "").strip(),
                }  # fmt: skip
            elif device := _DEVICE.match(line):
                values |= {
                    "device": device["device"], "inode": int(device["inode"]),
                    "links": int(device["links"]),
                }  # fmt: skip
            elif line and not _OTHERS.match(line):
                break
            last = index if line else last
        return last, [self.counted("host", name, values, prompt)]
