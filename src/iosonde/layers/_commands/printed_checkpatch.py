"""checkpatch.pl: what it finds in a patch to the kernel, by severity, with places and totals.

Source: Linux 6.12, scripts/checkpatch.pl (report(): "LEVEL:TYPE: text" or "LEVEL: text",
"#%d: FILE: %s:%d:"; process(): "total: %d errors, %d warnings, %d checks, %d lines checked",
without checks unless --strict asks for them).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_MESSAGE = re.compile(
    r"\s*(?P<level>ERROR|WARNING|CHECK):(?:(?P<type>[A-Z][A-Z_]{3,60}): ?|\s)"
    r"(?P<message>\S.{0,300})$"
)
_PLACE = re.compile(
    r"\s*#(?P<at>\d{1,6}): ?(?:FILE: (?P<file>[\w./+-]{1,200}):(?P<line>\d{1,7}):?)?\s*$"
)
_TOTAL = re.compile(
    r"\s*total: (?P<errors>\d{1,6}) errors, (?P<warnings>\d{1,6}) warnings, "
    r"(?:(?P<checks>\d{1,6}) checks, )?(?P<lines_checked>\d{1,8}) lines checked\s*$"
)
_TERSE = re.compile(
    r"\s*(?P<file>[\w./+-]{1,200}|-):(?P<line>\d{1,7}): (?P<level>ERROR|WARNING|CHECK):"
    r"(?P<type>[A-Z][A-Z_]{3,60}): (?P<message>\S.{0,300})$"
)
_MOST = 3000
_GAP = 16  # lines of a hunk between two messages
_KEPT = 200
_COUNTED = {"ERROR": "errors", "WARNING": "warnings", "CHECK": "checks"}


class Checkpatch(StateOutput):
    tool = "checkpatch"
    anchors = (
        ": FILE: ", " lines checked", ": WARNING:", ": ERROR:", ": CHECK:",
    )  # fmt: skip
    commands = ("checkpatch.pl", "checkpatch", "scripts/checkpatch.pl")
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _TERSE.match(line):
            return cursor.at
        if _PLACE.match(line):
            return nearest(cursor, 3, _MESSAGE.match)
        return cursor.at if _TOTAL.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: list[dict[str, Json]] = []
        totals: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and prompt_in(line) and "#" not in line[:3]):
                break
            message, place = _TERSE.match(line) or _MESSAGE.match(line), _PLACE.match(line)
            if total := _TOTAL.match(line):
                totals = {name: int(text) for name, text in total.groupdict().items() if text}
                last = index
                break
            if message:
                rows.append(_row(message))
            elif place and rows:
                rows[-1] |= _place(place)
            else:
                continue
            last = index
        counts = {
            name: sum(row["level"] == level for row in rows) for level, name in _COUNTED.items()
        }
        if totals and any(count > int(str(totals.get(name, 0))) for name, count in counts.items()):
            raise Unreadable("it lists more messages than its last line counts", last)
        values: dict[str, Json] = {**{n: count for n, count in counts.items() if count}, **totals}
        if rows:
            values["messages"] = [*rows[:_KEPT]]
        return last, [self.counted("host", "", values, prompt)]


def _row(message: re.Match[str]) -> dict[str, Json]:
    """A message; a terse one has its place before it."""
    parts = message.groupdict()
    row: dict[str, Json] = {"level": parts["level"]}
    if parts["type"]:
        row["type"] = parts["type"]
    row["message"] = parts["message"].strip()
    if parts.get("file"):
        row |= {"file": parts["file"], "line": int(parts["line"])}
    return row


def _place(place: re.Match[str]) -> dict[str, Json]:
    """Where a message is meant: a line of the patch, and of the file."""
    row: dict[str, Json] = {"patch_line": int(place["at"])}
    if place["file"]:
        row |= {"file": place["file"], "line": int(place["line"])}
    return row
