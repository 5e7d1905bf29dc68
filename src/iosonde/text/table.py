"""Tables with a head: rows of one word a column, also broken ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from iosonde.text.cursor import TextCursor

_PIECES = 4
_BLANKS = 3
_AHEAD = 48  # lines asked for at first


@dataclass(frozen=True, slots=True)
class TextTable:
    """Words of the head, of each row as many; `last` is the index of the last line."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    last: int


def read_table(
    cursor: TextCursor,
    first: int,
    is_head: Callable[[Sequence[str]], bool],
    *,
    is_row: Callable[[Sequence[str]], bool] = bool,
    most: int = 400,
    longest: bool = False,
) -> TextTable | None:
    """A table whose cells are single words.

    A head that a wrap broke into pieces says how many lines each row has; a cut leaves all pieces
    but the last equally long and tears words apart, a fold does not.

    Args:
        cursor: to look at.
        first: index of the head's first line.
        is_head: whether these words are a whole head.
        is_row: whether these words, as many as the head has, are a row.
        most: lines to look at.
        longest: a part of a head may be one as well: the most lines that are one count.

    Returns:
        None where no head begins there.
    """
    size = _AHEAD
    while True:
        block = cursor.block(first, min(size, most))
        table = _table([(first + at, line) for at, line in enumerate(block) if line],
                       is_head, is_row, longest=longest)  # fmt: skip
        ended = len(block) < size or size >= most
        if ended or table is None or table.last + _AHEAD // 2 < first + size:
            return table
        size *= 4  # few tables are long


def _table(
    lines: list[tuple[int, str]],
    is_head: Callable[[Sequence[str]], bool],
    is_row: Callable[[Sequence[str]], bool],
    *,
    longest: bool,
) -> TextTable | None:
    counts = range(1, min(_PIECES, len(lines)) + 1)
    for pieces in reversed(counts) if longest else counts:
        for between in ("", " ") if pieces > 1 else (" ",):
            head = between.join(line for _, line in lines[:pieces]).split()
            if is_head(head):
                return _rows(tuple(head), lines, (pieces, between), is_head, is_row)
    return None


def _rows(
    head: tuple[str, ...],
    lines: list[tuple[int, str]],
    broken: tuple[int, str],
    is_head: Callable[[Sequence[str]], bool],
    is_row: Callable[[Sequence[str]], bool],
) -> TextTable:
    """The rows; `broken` says into how many pieces, and what to put between them."""
    pieces, between = broken
    rows: list[tuple[str, ...]] = []

    @cache
    def alone(place: int) -> tuple[str, ...]:
        """The words of a line that is a row by itself; it is asked for twice."""
        cells = tuple(lines[place][1].split())
        return cells if len(cells) == len(head) and is_row(cells) else ()

    place, last = pieces, lines[pieces - 1][0]
    while place < len(lines) and lines[place][0] - last <= _BLANKS:
        count, cells = 0, alone(place)
        if cells:
            count = 1
        for more in range(1 + count, pieces + 2):
            group = [line for _, line in lines[place : place + more]]
            if len(group) < more or (more > 1 and alone(place + more - 1)):
                break
            row = _rejoined(group, between, len(head))
            if row and (is_row(row) or is_head(row)):
                count, cells = more, row
        if not count or is_head(cells):
            break
        place += count
        last = lines[place - 1][0]
        rows.append(cells)
    return TextTable(head, tuple(rows), last)


def _rejoined(parts: Sequence[str], between: str, count: int) -> tuple[str, ...]:
    """The words of several lines as of one, joined as the head was or by blanks, if so many."""
    for glue in (between, " "):
        cells = tuple(glue.join(parts).split())
        if len(cells) == count:
            return cells
    return ()


def head_before(
    cursor: TextCursor,
    at: int,
    is_head: Callable[[Sequence[str]], bool],
    reach: int = 3,
    *,
    longest: bool = False,
) -> int | None:
    """Index of the line at which a head begins that goes over line `at`; None where none does."""
    for first in range(at, max(at - reach, -1), -1):
        line = cursor.line(first)
        table = read_table(cursor, first, is_head, most=40, longest=longest) if line else None
        if table is not None:
            return first if table.rows else None
    return None


def following_head(
    cursor: TextCursor,
    last: int,
    is_head: Callable[[Sequence[str]], bool],
    between: re.Pattern[str],
    gap: int,
) -> int | None:
    """Index of the head of the next report behind a table; None where none follows closely.

    Args:
        cursor: to look at.
        last: index of the table's last line.
        is_head: whether the words of a line are a head.
        between: how a line begins that may stand before it, as a time or a title.
        gap: lines to look at.
    """
    for index in range(last + 1, last + gap + 1):
        line = cursor.line(index)
        if is_head(line.split()):
            return index
        if line and not between.match(line):
            return None
    return None
