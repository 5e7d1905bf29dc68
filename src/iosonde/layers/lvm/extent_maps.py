"""The segments that `lvdisplay --maps` and `pvdisplay --maps` print below a volume or device.

Source: LVM2 2.03, lib/display/display.c (lvdisplay_segments(): "Logical extents %u to %u:", before
2.02.107 "Logical extent"), tools/pvdisplay.c and lib/display/display.c (pvdisplay_segments():
"Physical extent %u to %u:", "FREE"), lib/striped/striped.c, raid/raid.c, thin/thin.c (labels).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.records.stack import Scalar

_HEAD = re.compile(r"\s*--- (?:Physical )?Segments ---\s*$")
_EXTENTS = re.compile(r"\s+(?:Logical|Physical) extents? (?P<range>\d{1,12} to \d{1,12}):\s*$")
_PAIR = re.compile(
    r"\s+(?P<label>[A-Z][\w -]{1,40}?)(?:\t+| {2,}| (?=/dev/|\d{1,12} to |\w+$))"
    r"(?P<value>\S.*?)\s*$"
)
_PLAIN = re.compile(r"\s+(?P<text>FREE|[A-Z][a-z]+(?: [\w ]{1,30})?:?)\s*$")
_LONGEST = 20_000


def is_map(lines: Sequence[str]) -> bool:
    """Whether the head of a list of segments is among some lines, which `lines` ends with."""
    return any(_HEAD.match(line) for line in lines)


def of_map(line: str) -> bool:
    """Whether a line belongs to such a list."""
    return any(form.match(line) for form in (_HEAD, _EXTENTS, _PAIR, _PLAIN))


def extent_map(lines: Sequence[str]) -> dict[str, Scalar]:
    """Each segment with what its lines say, in their order.

    "0 to 127: type linear, physical volume /dev/sda2, physical extents 0 to 127; 128 to 255: …"
    """
    segments: list[list[str]] = []
    for line in lines:
        if extents := _EXTENTS.match(line):
            segments.append([extents["range"]])
        elif segments and (pair := _PAIR.match(line)):
            segments[-1].append(f"{pair['label'].strip().lower()} {pair['value']}")
        elif segments and (plain := _PLAIN.match(line)):
            segments[-1].append(plain["text"].lower().strip(":"))
    texts = [f"{parts[0]}: {', '.join(parts[1:])}" for parts in segments if len(parts) > 1]
    return {"extent_map": "; ".join(texts)[:_LONGEST]} if texts else {}
