"""Labels and their values as a tool prints them, for what has no name of discovery's.

A reader names what rules and predictions use; everything else that stands in the same lines is kept
by the tool's own words, so that nothing that was printed is missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from iosonde.records.stack import Scalar

_APART = re.compile(r"[^0-9a-z]+")
_WHOLE = re.compile(r"-?\d{1,18}")
_LONGEST = 200  # characters of a value


def as_labelled(pairs: Mapping[str, str], read: Collection[str] = ()) -> dict[str, Scalar]:
    """Values by their labels in lower case, words joined by underscores; whole numbers as numbers.

    Args:
        pairs: label → value, both as printed.
        read: labels that the reader gives other names.
    """
    values: dict[str, Scalar] = {}
    for label, text in pairs.items():
        name = _APART.sub("_", label.lower()).strip("_")
        value = text.strip()
        if label in read or not name or not value:
            continue
        values.setdefault(name, int(value) if _WHOLE.fullmatch(value) else value[:_LONGEST])
    return values
