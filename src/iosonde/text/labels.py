"""Labels and their values as a tool prints them, for what has no name of discovery's.

A reader names what rules and predictions use; everything else that stands in the same lines is kept
by the tool's own words, so that nothing that was printed is missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from iosonde.records.stack import Scalar

_APART = re.compile(r"[^0-9a-z]+")
_WHOLE = re.compile(r"-?\d{1,18}")
_IDENTITY = re.compile(r"(?:.*_)?(?:serial(?:_n(?:o|umber|um))?|sn|wwn|wwid|guid|uuid|eui64)")
_LONGEST = 200  # characters of a value
_PAIR = re.compile(r"(?P<margin>\s*+)(?P<label>\S[^\n]{0,80}?)(?:\s*[:=]\s+|\s{2,})(?=\S)")
_FEW = 3  # labels from which on where they stand says something
_MOST = 40  # lines above that are looked at
_UNPADDED = 3  # characters between a label and its value where nothing aligns them


def as_labelled(pairs: Mapping[str, str], read: Collection[str] = ()) -> dict[str, Scalar]:
    """Values by their labels in lower case, words joined by underscores; whole numbers as numbers.

    Serial numbers and other identities keep the zeros that they begin with.

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
        is_number = _WHOLE.fullmatch(value) and not (value[0] == "0" and _IDENTITY.fullmatch(name))
        values.setdefault(name, int(value) if is_number else value[:_LONGEST])
    return values


def is_apart(line: str, above: Sequence[str]) -> bool:
    """Whether a label is no more of the thing whose labels stand above: somebody wrote it there.

    It stands further left than all of them; or, where they are not indented, below a blank line
    while hardly one is between them, or with its value in another column than all of theirs.

    Args:
        line: with a label.
        above: the lines of the thing so far, blank ones only where these count.
    """
    labels = [label for text in above[-_MOST:] if (label := _PAIR.match(text))]
    own = len(line) - len(line.lstrip())
    least = min((len(label["margin"]) for label in labels), default=0)
    if least:
        return own < least
    if own or len(labels) < _FEW:
        return False
    blank = [text for text in above[-_MOST:] if not text.strip()]
    if not above[-1].strip() and (len(blank) - 1) * _FEW < len(labels):
        return True
    here, columns = _PAIR.match(line), {label.end() for label in labels}
    if here is None or len(columns) > 1 or len({label.end("label") for label in labels}) == 1:
        return False
    return here.end() - here.end("label") <= _UNPADDED < columns.pop() - here.end("label")
