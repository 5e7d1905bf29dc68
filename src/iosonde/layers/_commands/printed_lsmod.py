"""`lsmod`: the kernel's modules that are loaded, each with its size and who uses it.

Source: kmod 30, tools/lsmod.c (do_lsmod), which prints /proc/modules: name, bytes, number of users
and their names.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_HEAD = re.compile(r"\s*Module\s{2,}Size\s{2,}Used by\s*(?:Not tainted|Tainted: .{1,40})?$")
_ROW = re.compile(
    r"\s*(?P<name>[a-z]\w{1,55})\s+(?P<size>\d{4,9})\s+(?P<users>-?\d{1,6})"
    r"(?:\s+(?P<by>[A-Za-z]\w{0,55}(?:,\w{1,56}){0,80}))?(?:\s+<==?.{0,60}|,?\s*\[permanent\],?)?$"
)
_COMMAND = re.compile(r"(?:^|[#$]\s*|\s)lsmod\b")
_MOST = 600


class Lsmod(StateOutput):
    tool = "lsmod"
    anchors = ("Used by", "lsmod")
    commands = ("lsmod",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        if _COMMAND.search(line):  # `lsmod | grep` leaves no head
            rows = (cursor.at + 1, cursor.at + 2)
            return next((row for row in rows if _ROW.match(cursor.line(row))), None)
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first + bool(_HEAD.match(cursor.line(first)))
        modules: list[PrintedSubject] = []
        rows, last = close_rows(cursor, begin, _ROW.match, _MOST, no_prompts=True)
        for row in rows:
            values: dict[str, Scalar] = {"size": int(row["size"]), "users": int(row["users"])}
            if row["by"]:
                values["used_by"] = row["by"]
            modules.append(PrintedSubject("module", row["name"], values))
        return last, modules
