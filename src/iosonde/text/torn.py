"""Words and lines that a wrap tore apart: where an output has no delimiters of its own but blanks.

Mail programs fold at a blank, terminals cut at a column. Which of the two happened to a line is not
written anywhere; what the line must hold decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from iosonde.kerneltext import fields

_BREAKS = 4
"""Breaks of one line for which every way of joining is tried."""


def torn_words(parts: Sequence[str], count: int) -> list[str]:
    """The words of one line that now goes over several.

    Where there are more than `count`, words at breaks are joined, those after the longest lines
    first: a line is cut at the column, and folded before it.

    Args:
        parts: the lines as they stand, without blanks at their ends.
        count: how many words there must be.
    """
    pieces: list[str] = []
    joints: list[tuple[int, int]] = []  # (length of the line before, index of the word after)
    for place, part in enumerate(parts):
        if place and pieces and not part[:1].isspace():
            joints.append((len(parts[place - 1]), len(pieces)))
        pieces += part.split()
    surplus = len(pieces) - count
    if surplus <= 0:
        return pieces
    for index in sorted((index for _, index in sorted(joints)[-surplus:]), reverse=True):
        pieces[index - 1] += pieces.pop(index)
    return pieces


def across_wraps(pattern: str) -> re.Pattern[str]:
    """A pattern in which a blank stands for whatever a wrap made of it."""
    return re.compile(pattern.replace(" ", r"\s{1,12}"))


def is_full(width: int, below: str, column: int) -> bool:
    """Whether the first word of the line below had no place before a column: a mail broke there.

    Args:
        width: of the line above, in characters.
        below: the line that may be its rest.
        column: where mails of that kind break their lines.
    """
    return width + 1 + len((fields(below) or [""])[0]) >= column


def joinings(parts: Sequence[str]) -> Iterator[str]:
    """Every way to make one line of several: at each break nothing or a blank.

    With more than a few breaks only the two where all are alike; of no parts none.
    """
    whole = [part.strip() for part in parts]
    if not whole:
        return
    if len(whole) - 1 > _BREAKS:
        yield "".join(whole)
        yield " ".join(whole)
        return
    for between in product(("", " "), repeat=len(whole) - 1):
        yield "".join(part + gap for part, gap in zip(whole, (*between, ""), strict=True))


def joined_match(pattern: re.Pattern[str], parts: Sequence[str]) -> re.Match[str] | None:
    """The first match of a pattern at the begin of a line that several parts may have been."""
    return next((match for text in joinings(parts) if (match := pattern.match(text))), None)
