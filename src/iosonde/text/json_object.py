"""JSON objects that stand in a text, also where a wrap tore their lines."""

from __future__ import annotations

import json
import re
from typing import Any

from iosonde.records.printed import Unreadable
from iosonde.text.cursor import TextCursor


def opening(cursor: TextCursor, first: int) -> int:
    """Index of the line that opens the object whose first key stands in line `first`."""
    for index in range(first, max(first - 3, 0) - 1, -1):
        if (cursor.line(index) or "").lstrip().startswith("{"):
            return index
    return first


def decoded(text: str, key: re.Pattern[str]) -> dict[str, Any]:
    """The JSON object that a key begins, in a text whose lines a wrap may have torn.

    Raises:
        Unreadable: it is no JSON even so.
    """
    found = key.search(text)
    start = text.rfind("{", 0, found.start() if found else 0)
    lines = text[max(start, 0) :].split("\n")
    longest = max(map(len, lines))
    cut = sum(len(line) == longest for line in lines) > 1  # by a terminal; mail folds at blanks
    for between in ("\n", "", " ") if cut else ("\n", " ", ""):
        try:
            value = json.JSONDecoder().raw_decode(between.join(lines))[0]
        except json.JSONDecodeError:
            continue
        if isinstance(value, dict):
            return value
    raise Unreadable("its JSON is broken")
