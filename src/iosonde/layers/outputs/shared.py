"""What the tools of several RAID controllers say in different words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from iosonde import units
from iosonde.errors import UsageError
from iosonde.passage import Passage
from iosonde.printed import Unreadable
from iosonde.records import Scalar

_BATTERIES = (
    ("missing", ("missing", "msng", "absent", "not present", "abs", "notpresent")),
    ("learning", ("learn",)),
    ("charging", ("charg", "chrg")),
    ("ok", ("optimal", "operational", "opt", "ok")),
    ("failed", ("fail", "fld", "degraded", "dgd", "replace", "bad", "dead", "unkn", "need")),
)


def battery_state(text: str) -> str | None:
    """State of a battery by a controller's words: ok, charging, learning, missing, failed."""
    words = text.strip().lower()
    if not words or words in {"n/a", "-", "unknown"}:
        return None
    for state, starts in _BATTERIES:
        if any(start in words if len(start) > 3 else words == start for start in starts):
            return state
    return None


def data_disks(level: str | None, disks: int | None, spans: int | None) -> int | None:
    """Members whose space holds data.

    Args:
        level: "raid6"; None where unknown.
        disks: members in all spans.
        spans: of raid50 and raid60; None where unknown.
    """
    if level is None or not disks:
        return None
    each = {"raid5": 1, "raid6": 2, "raid50": 1, "raid60": 2}.get(level)
    if level in {"raid0", "raid00"}:
        return disks
    if level in {"raid1", "raid10"}:
        return disks // 2 or None
    if each is None or (level in {"raid50", "raid60"} and not spans):
        return None
    left = disks - each * (spans or 1)
    return left if left > 0 else None


def size_of(text: str | None) -> int | None:
    """Bytes of "14.551 TB" or "512MB", where makers of controllers mean 1024; None if none."""
    try:
        return None if text is None else units.parse_bytes(text.replace(" ", ""))
    except UsageError:
        return None


def known(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The values that are known."""
    return {name: value for name, value in values.items() if value is not None}


def opening(passage: Passage, first: int) -> int:
    """Index of the line that opens the object whose first key stands in line `first`."""
    for index in range(first, max(first - 3, 0) - 1, -1):
        if (passage.line(index) or "").lstrip().startswith("{"):
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
