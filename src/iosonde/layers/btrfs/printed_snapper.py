"""`snapper list`: how many snapshots there are, by what cleans them up, and which one is booted.

Heads and descriptions are translated; the words of types and of the algorithms are looked for in
any cell.

Source: snapper 0.10, client/cmd-list.cc (output_table(): "#", "Type", "Pre #", "Date", "User",
"Used Space", "Cleanup", "Description", "Userdata"; 0.8 and before Type stood first; behind a number
"-" what is mounted, "+" what is mounted next, "*" both); client/utils/Table.cc (the lines between).
"""

from __future__ import annotations

import re
from collections import Counter

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_RULE = re.compile(r"\s*[-+┼╇│|─━=]{5,600}\s*$")
_BAR = re.compile(r"[|│┃]")
_NUMBER = re.compile(r"(?P<number>\d{1,9})(?P<mark>[-+*]?)")
_TYPES = frozenset({"single", "pre", "post"})
_COUNTED = ("single", "pre", "post", "number", "timeline", "empty-pre-post")
_CONFIGURATION = re.compile(r"\s(?:-c|--config)[ =](?P<name>[\w.-]{1,60})")
_MOST = 4000


class SnapperList(StateOutput):
    tool = "snapper"
    anchors = ("# | ", "Pre #", "#|Ty", "# |Ty", "# │", "#│T", "# ┃")
    commands = ("snapper",)
    reach = 4
    nothing = "no snapshot follows the head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        cells = _cells(cursor.line(cursor.at))
        is_head = "#" in cells[:2] and len(cells) >= 5 and _RULE.match(cursor.line(cursor.at + 1))
        return cursor.at if is_head else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        place = _cells(cursor.line(first)).index("#")
        numbers: list[int] = []
        values: dict[str, Json] = {}
        counts: Counter[str] = Counter()
        last = first + 1
        for index, line in close_lines(cursor, first + 2, _MOST):
            cells = _cells(line)
            match = _NUMBER.fullmatch(cells[place]) if len(cells) > place + 2 else None
            if match is None or _TYPES.isdisjoint(cells):
                break
            number, last = int(match["number"]), index
            if match["mark"] in {"-", "*"}:
                values["mounted"] = number
            if match["mark"] in {"+", "*"}:
                values["default"] = number
            if number:  # 0 is what is in use, and no snapshot
                numbers.append(number)
                counts.update(word for word in _COUNTED if word in cells)
        if last == first + 1:
            return last, ()
        values["snapshots"] = len(numbers)
        if numbers:
            values |= {"first": min(numbers), "last": max(numbers)}
        values |= {word.replace("-", "_"): counts[word] for word in counts}
        named = _CONFIGURATION.search(prompt.command)
        return last, [self.counted("snapshots", named["name"] if named else "", values, prompt)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(line)]
