"""The text that a part of a mail holds in base64: logs that are attached, bodies of some mailers.

Source: RFC 2045 section 6.8 (base64: four characters are three bytes, lines of at most 76).
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Sequence

_CODED = re.compile(rb"[A-Za-z0-9+/]{1,998}={0,2}\r?")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))


def from_base64(lines: Sequence[bytes]) -> tuple[bytes, list[int]] | None:
    """The text meant, and for each of its lines the number of the line where it began, from 1.

    Args:
        lines: of a part's body. Blank ones may stand before the coded ones, and behind them
            others, such as the boundary of the next part: both stay as they are.

    Returns:
        None where what is coded is no text (a picture, a packed file), or damaged.
    """
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    last = first
    while last < len(lines) and _CODED.fullmatch(lines[last]):
        last += 1
    coded = [line.rstrip(b"\r") for line in lines[first:last]]
    try:
        data = binascii.a2b_base64(b"".join(coded), strict_mode=True)
    except binascii.Error:
        return None
    if not data or data.translate(None, _CONTROLS) != data:
        return None
    starts, characters = list[int](), 0
    for line in coded:
        starts.append(characters)
        characters += len(line)
    whole, numbers, place = list(lines[:first]), list(range(1, first + 1)), 0
    for line in data.removesuffix(b"\n").split(b"\n"):
        whole.append(line.removesuffix(b"\r"))
        numbers.append(first + bisect_right(starts, place // 3 * 4))
        place += len(line) + 1
    return b"\n".join([*whole, *lines[last:]]), [*numbers, *range(last + 1, len(lines) + 1)]
