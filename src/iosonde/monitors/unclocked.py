"""Lines without the time of day that some print before each of them, such as ts or a script."""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.text.rewritten import RewrittenCursor

_CLOCK = re.compile(r"^\s*\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: ?[AP]M)?\s+(?=\S)")


class UnclockedCursor(RewrittenCursor):
    """A cursor over another's lines in which no line begins with a time of day."""

    @override
    def rewritten(self, line: str) -> str:
        return _CLOCK.sub("", line)


LEFT_OUT = re.compile(
    r"\s*(?:[(\[<{]\s?(?:snip\w{0,6}|cut|skipped|\.{2,6}|\u2026)\s?[)\]>}]|\.{3,6}|\u2026"
    r"|-{1,8}\s?snip\w{0,6}\s?-{1,8})\s*",
    re.IGNORECASE,
)
"""What people write in place of rows that they left out."""


class UnsnippedCursor(UnclockedCursor):
    """The same, in which what says that rows were left out is a blank line."""

    @override
    def rewritten(self, line: str) -> str:
        return "" if LEFT_OUT.fullmatch(line) else super().rewritten(line)
