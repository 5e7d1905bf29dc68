"""A cursor over another's lines in which each line is written differently."""

from __future__ import annotations

from abc import abstractmethod

from typing_extensions import override

from iosonde.text.cursor import TextCursor


class RewrittenCursor(TextCursor):
    """What is before a line's own text, such as a time, stays in `stamped`."""

    def __init__(self, cursor: TextCursor) -> None:
        self._cursor = cursor
        self.at, self.host = cursor.at, cursor.host

    @abstractmethod
    def rewritten(self, line: str) -> str:
        """A line as it is to be read; an empty one stays empty."""

    @override
    def has(self, index: int) -> bool:
        return self._cursor.has(index)

    @override
    def line(self, index: int) -> str:
        return self.rewritten(self._cursor.line(index))

    @override
    def stamped(self, index: int) -> str:
        return self._cursor.stamped(index)

    @override
    def block(self, first: int, most: int) -> list[str]:
        return list(map(self.rewritten, self._cursor.block(first, most)))
