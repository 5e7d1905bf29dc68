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
