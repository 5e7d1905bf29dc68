"""Tables whose names are underlined by dashes: ESXi's, PowerShell's.

The rows are read by `iosonde.text.cells`: by where their cells stand, or, once wrapped, by what
they are; then none begins with an empty cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from iosonde.text.cells import Column, Head, head_at
from iosonde.text.cursor import TextCursor

_RULE = re.compile(r"\s*+-[\s-]*+")
_MOST = 6


def ruled_head(
    cursor: TextCursor, first: int, named: Mapping[str, Column], *, second: Collection[str] = ()
) -> Head | None:
    """The head that begins in a line and is underlined below; None where none is.

    Args:
        cursor: to look at.
        first: index of the head's first line.
        named: the columns that may stand in it, by their names.
        second: words that stand in a second line of the head, below the first ones of names.
    """
    head = head_at(cursor, first, named)
    if head is None:
        return None
    last = head.last
    for index in range(head.last + 1, head.last + 1 + _MOST):
        line = cursor.line(index)
        if _RULE.fullmatch(line):
            last = index
        elif line and line.strip() not in second:
            break
    if last == head.last:
        return None
    columns = head.columns
    if head.broken and columns[0].empty:  # else what was broken off a row begins one, too
        columns = (replace(columns[0], empty=False), *columns[1:])
    return replace(head, columns=columns, last=last)
