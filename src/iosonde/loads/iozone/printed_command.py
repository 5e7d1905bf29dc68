"""Command lines of iozone in a text: loads that can be run.

Source: iozone 3.489, iozone.c, main(): options.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import OutputReading, PrintedLoad, Unreadable
from iosonde.text.cursor import Output, TextCursor, is_head_of_columns, lines, prompt_in

_CALL = re.compile(r"(?:^|[\s`$#>])(?:sudo\s+|time\s+)?(?:\S*/)?(?P<call>iozone(?:\s+-\S.*)?)$")
_OPTION = re.compile(r"\s-(?:\+?[A-Za-z])")
_GOES_ON = re.compile(r"^\s*(?:-\+?[a-zA-Z]|/|~|\\|\d+[kmg]?\b|\S+\.(?:xls|tmp|csv)\b)")
_MOST = 8
_WIDE = 60


class IozoneCommand(Output):
    tool = "iozone"
    anchors = ("iozone -",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line iozone prints itself is no command of its own."""
        line = cursor.line(cursor.at)
        if "Command line used" in line:
            return None
        call = _CALL.search(line.strip("` "))
        return cursor.at if call and _is_balanced(call["call"]) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        whole, last, width = "", first, 0
        for index, line in lines(cursor, first, _MOST):
            part = line.strip().strip("`")
            if index > first:
                open_end = whole.endswith("\\") or (width > _WIDE and not is_head_of_columns(line))
                if not part or not open_end or not _GOES_ON.match(part) or prompt_in(line):
                    break
            whole = f"{whole.rstrip(chr(92)).rstrip()} {part}".strip()
            last, width = index, len(line)
        prompt = prompt_in(cursor.line(first))
        match = _CALL.search(whole)
        if not match or not _OPTION.search(match["call"]):
            raise Unreadable("no option follows")
        command = re.split(r"\s*(?:[;|>&]|$)", match["call"])[0].strip()
        load = PrintedLoad(self.tool, command, prompt.host if prompt else "")
        return OutputReading(first, last, loads=(load,))


def _is_balanced(call: str) -> bool:
    """Whether no bracket or quote of a sentence around it ends in a command."""
    return call.count("(") == call.count(")") and call.count('"') % 2 == call.count("'") % 2 == 0
