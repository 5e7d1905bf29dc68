"""strace -c and ltrace -c: the time and the calls of each system call, or function.

Source: strace 6.1, src/count.c, call_summary_pers(); with -C and -w the same; -U chooses columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*% time\s+seconds\s+usecs/call\s+calls(?:\s+errors)?\s+(?:syscall|function)\s*$"
)
_RULE = re.compile(r"\s*-{4,}(?: +-{4,})+\s*$")
_CELL = re.compile(r"\d+(?:[.,]\d+)?")
_NAME = re.compile(r"(?<=\s)[a-z_]\w{1,40}\s*$")
_COLUMNS = ("% time", "seconds", "usecs/call", "calls", "errors")
_MOST = 400


class StraceCounts(StateOutput):
    tool = "strace"
    anchors = ("usecs/call",)
    commands = ("strace",)
    nothing = "no call follows"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first)
        ends = {head.index(name) + len(name): name for name in _COLUMNS if name in head}
        counters, last = [], first
        for index, line in close_lines(cursor, first + 1, _MOST):
            name = _NAME.search(line)
            values = _values(line[: name.start()], ends) if name else {}
            if name is None or not values:
                if not _RULE.match(line):
                    break
                continue
            last = index
            whole = name[0].strip() == "total"
            call = "" if whole else name[0].strip()
            counters.append(self.counted("system_call", call, values, prompt))
            if whole:
                break
        return last, counters


def _values(text: str, ends: Mapping[int, str]) -> dict[str, Json]:
    """The figures of a row, each of which ends where the name of its column does; else none."""
    cells = {match.end(): match[0].replace(",", ".") for match in _CELL.finditer(text)}
    named = {ends[end]: cell for end, cell in cells.items() if end in ends}
    if len(named) != len(cells) or not {"% time", "seconds", "calls"} <= named.keys():
        return {}
    values: dict[str, Json] = {
        "share": float(named["% time"]) / 100,
        "seconds": float(named["seconds"]),
        "calls": int(named["calls"]),
        "errors": int(named.get("errors", 0)),
    }
    if "usecs/call" in named:
        values["seconds_per_call"] = round(float(named["usecs/call"]) * 1e-6, 9)
    return values
