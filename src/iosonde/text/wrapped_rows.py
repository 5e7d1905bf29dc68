"""Rows that a tool prints one a line, each of one thing, where a mail may have broken them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.text.cursor import TextCursor, prompt_in
from iosonde.text.torn import joinings

_PIECES = 4  # lines that a row may have become
_LONG = 48  # shorter lines are not broken by anyone


def any_of(forms: Sequence[str]) -> re.Pattern[str]:
    """A pattern of rows that come in several forms, whose groups may have the same names."""
    return re.compile("|".join(
        re.sub(r"\?P<(\w+)>", rf"?P<\g<1>_{number}>", form) for number, form in enumerate(forms)
    ))  # fmt: skip


def cells_of(row: re.Match[str]) -> dict[str, str]:
    """The groups of `any_of` that took part, by the names that they have in their form."""
    return {
        name.rpartition("_")[0]: text for name, text in row.groupdict().items() if text is not None
    }


def wrapped_rows(
    cursor: TextCursor,
    first: int,
    row: re.Pattern[str],
    begins: re.Pattern[str],
    *,
    gap: int = 2,
    most: int = 400,
) -> Iterator[tuple[re.Match[str], int]]:
    """The rows from a line on, each with the index of its last line; they end at another line.

    Args:
        cursor: to look at.
        first: index of a line.
        row: what a whole row matches, without the blanks at its ends.
        begins: what the first words of a row match.
        gap: blank lines that end them.
        most: lines to look at.
    """  # fmt: skip
    index = last = first
    while index < first + most and index <= last + gap + 1:
        line = cursor.line(index)
        if not line.strip():
            index += 1
            continue
        whole = _whole(cursor, index, row, begins)
        if whole is None:
            return
        yield whole
        last = whole[1]
        index = last + 1


def _whole(
    cursor: TextCursor, first: int, row: re.Pattern[str], begins: re.Pattern[str]
) -> tuple[re.Match[str], int] | None:
    """The longest row that begins in a line, and the index of its last one."""
    parts: list[str] = []
    best: tuple[re.Match[str], int] | None = None
    for index in range(first, first + _PIECES):
        line = cursor.line(index).strip()
        torn = not parts or (len(parts[-1]) >= _LONG and not begins.match(line))
        if not line or not torn or (parts and prompt_in(line)):
            break
        parts.append(line)
        if match := next(filter(None, map(row.fullmatch, joinings(parts))), None):
            best = match, index
    return best
