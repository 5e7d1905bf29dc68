"""Lines without the time of day that some print before each of them, such as ts or a script."""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.text.cursor import TextCursor

_CLOCK = re.compile(r"^\s*\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: ?[AP]M)?\s+(?=\S)")


class UnclockedCursor(TextCursor):
    """A cursor over another's lines in which no line begins with a time of day."""

    def __init__(self, cursor: TextCursor) -> None:
        self._cursor = cursor
        self.at, self.host = cursor.at, cursor.host

    @override
    def line(self, index: int) -> str | None:
        line = self._cursor.line(index)
        return line and _CLOCK.sub("", line)

    @override
    def stamped(self, index: int) -> str | None:
        return self._cursor.stamped(index)

    @override
    def block(self, first: int, most: int) -> list[str]:
        return [_CLOCK.sub("", line) for line in self._cursor.block(first, most)]
