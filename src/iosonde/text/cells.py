"""Tables whose cells may be empty: read by where cells stand, or, once wrapped, by what they are.

A line that nothing broke is read by position: a cell belongs to the column whose name stands over
it. A wrap destroys positions; then each word is given to a column that takes such a word, in order,
and a row is believed only if all its words find a place and no column that must be filled is left
over.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from iosonde.text.cursor import TextCursor

_PIECES = 4  # lines that one line of a table may have become
_AHEAD = 32  # lines asked for at once
_LONG = 56  # shorter lines are not broken by anyone
_WORD = re.compile(r"\S+")
_CUT = re.compile(r"\s*(?:\.+|…|\[(?:\.{3}|…|snip|cut)\])\s*")
"""A line where somebody left rows out."""
_NAMES = re.compile(r"[\sA-Za-z0-9:#%.-]+")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in the head, what its cells look like, whether they may be empty."""

    name: str
    cell: re.Pattern[str]
    empty: bool = False
    blanks: bool = False
    """Its cells may hold blanks."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a table: its columns, where their names begin and end, and its last line."""

    columns: tuple[Column, ...]
    spans: tuple[tuple[int, int], ...]
    last: int
    broken: bool
    width: tuple[int, bool]
    """Length of the longest line, and whether there are several of it."""
    pieces: tuple[Head, ...] = ()
    """Of a head that was broken between names: the names of each of its lines."""


@dataclass(frozen=True, slots=True)
class CellRow:
    """Cells by the names of their columns. `start` is where the first word stands in its line."""

    cells: Mapping[str, str]
    start: int
    last: int


def head_at(
    cursor: TextCursor, first: int, named: Mapping[str, Column], *, alike: bool = False
) -> Head | None:
    """The head that begins in a line, if all its words are names of columns.

    Names of two words ("1st PE") are known with a blank. A head that was broken goes on as long as
    the lines that follow hold nothing but names, or the rest of one.

    Args:
        cursor: to look at.
        first: index of the line.
        named: the columns that there are, by their names.
        alike: rows are tried first as broken where the head is, since few cells are of several
            words that a wrap parts.
    """
    line = cursor.line(first)
    if not line:
        return None
    width = _width(cursor, first)
    best: Head | None = None
    parts, index = [line], first
    while True:
        for text in _joinings(parts, width):
            columns = _columns(text, named)
            if columns is not None:
                broken = len(parts) > 1
                spans = _spans(columns, text if broken else line)
                pieces = _pieces(parts, columns, named, width) if alike else ()
                best = Head(columns, spans, index, broken, width, pieces)
                break
        else:
            if best is not None:
                return best
        while not (more := cursor.line(index := index + 1)) and index < first + 2 * _PIECES:
            pass
        torn = len(parts[-1]) >= _LONG and _NAMES.fullmatch(more)
        if not more or not (torn or _are_capitals(more, named)) or len(parts) == _PIECES:
            return best
        parts.append(more)


def _pieces(
    parts: Sequence[str],
    whole: tuple[Column, ...],
    named: Mapping[str, Column],
    width: tuple[int, bool],
) -> tuple[Head, ...]:
    """The heads that the lines of a broken one are; none where it was broken within a name.

    Nor where a line has one name alone: what stands below it may be of the line before as well.
    """
    heads: list[Head] = []
    for part in parts if len(parts) > 1 else ():
        columns = _columns(part, named)
        if columns is None:
            return ()
        heads.append(Head(columns, _spans(columns, part), 0, broken=False, width=width))
    return tuple(heads) if sum((head.columns for head in heads), ()) == whole else ()


def _are_capitals(line: str, named: Mapping[str, Column]) -> bool:
    """Whether a line holds nothing but names of columns in capitals, which no row does.

    The wrap that put them there took the blanks at the end of the line above away.
    """
    return line.isupper() and all(part in named for part in line.split())


def _width(cursor: TextCursor, first: int) -> tuple[int, bool]:
    """The longest of the lines from here on, and whether several are as long: they were cut then.

    A line that is shorter was not cut within a word, whatever broke it.
    """
    lengths = [len(line) for line in cursor.block(first, 40)]
    return max(lengths), lengths.count(max(lengths)) > 1


def _joinings(parts: Sequence[str], width: tuple[int, bool]) -> Iterator[str]:
    """The ways to make one line of several: words are torn only at the end of the longest lines."""
    gaps = [("", " ") if len(part) == width[0] else (" ",) for part in parts[:-1]]
    for between in product(*(gap if width[1] else gap[::-1] for gap in gaps)):
        yield "".join(part + gap for part, gap in zip(parts, (*between, ""), strict=True))


def _columns(text: str, named: Mapping[str, Column]) -> tuple[Column, ...] | None:
    parts, matched, at = text.split(), list[Column](), 0
    while at < len(parts):
        pair = " ".join(parts[at : at + 2])
        column = named.get(pair) if len(parts) > at + 1 else None
        at += 2 if column else 1
        column = column or named.get(parts[at - 1])
        if column is None and matched and parts[at - 1].islower():
            column = named.get(parts[at - 1].upper())  # as a web page changed it
        if column is None:
            return None
        matched.append(column)
    return tuple(matched) if len(matched) > 1 else None


def _spans(columns: Sequence[Column], text: str) -> tuple[tuple[int, int], ...]:
    spans, at = [], 0
    for column in columns:
        if " " in column.name:
            gap = re.compile(r"\s+".join(map(re.escape, column.name.split())))
            place = gap.search(text, at)
            begin, at = place.span() if place else (at, at)
        elif (begin := text.find(column.name, at)) >= 0 or (
            begin := text.find(column.name.lower(), at)
        ) >= 0:
            at = begin + len(column.name)
        else:
            begin = at
        spans.append((begin, at))
    return tuple(spans)


def rows(
    cursor: TextCursor, head: Head, *, plain: Callable[[str], str] = str, most: int = 2000
) -> Iterator[CellRow]:
    """The rows under a head.

    Args:
        cursor: to look at.
        head: of the table.
        plain: takes a tree's branches off a line and leaves blanks for them.
        most: lines to look at.
    """

    @lru_cache(maxsize=2)  # a row is looked at as the one after another, too
    def placed(line: str) -> tuple[str, dict[str, str] | None]:
        row = plain(line)
        return row, None if head.broken else _placed(head, row)

    lines: list[tuple[int, str]] = []
    place, last, end = 0, head.last, False
    while True:
        if place + 2 * _PIECES > len(lines) and not end:  # few tables are long
            at = head.last + 1 + len(lines)
            more = cursor.block(at, min(_AHEAD, most - len(lines)))
            end = len(more) < _AHEAD
            lines += enumerate(more, at)
        if place >= len(lines):
            return
        index, line = lines[place]
        if not line.strip() or _CUT.fullmatch(line):
            last = index if line.strip() else last
            if index - last > 2:
                return
            place += 1
            continue
        parsed = _row(lines[place : place + 2 * _PIECES], head, placed)
        if parsed is None:
            return
        cells, used, start = parsed
        place += used
        last = lines[place - 1][0]
        yield CellRow(cells, start, last)


def _row(
    lines: Sequence[tuple[int, str]],
    head: Head,
    placed: Callable[[str], tuple[str, dict[str, str] | None]],
) -> tuple[dict[str, str], int, int] | None:
    """The cells of the row that begins here, how many lines it takes, and where it starts.

    `placed` gives a line without branches, and its cells where they stand under their names.
    """
    first, cells = placed(lines[0][1])
    start = len(first) - len(first.lstrip())
    if cells:
        after = lines[1][1] if len(lines) > 1 else ""
        if len(first) < _LONG or not after or placed(after)[1]:
            return cells, 1, start
    pieced = _in_pieces(lines, head, placed)
    if pieced := pieced or (None if cells else _below_its_name(first, lines[1:2], head)):
        return *pieced, start
    parts, used = [first], 1
    for count, (_, line) in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        whole = len(lines[used - 1][1]) < _LONG and not head.broken
        if whole or len(parts) == _PIECES or _begins(placed(line)[0].split(), head.columns):
            break
        parts.append(line)
        used = count
    for count in range(len(parts), 0, -1):
        for text in _joinings(parts[:count], head.width):
            typed = assign(text.split(), head.columns) if count > 1 or not cells else cells
            if typed is not None and (not cells or _goes_on(cells, typed)):
                return typed, used if count == len(parts) else count, start
    return (cells, 1, start) if cells else None  # its last cell has more words than are tried


def _below_its_name(
    first: str, lines: Sequence[tuple[int, str]], head: Head
) -> tuple[dict[str, str], int] | None:
    """The cells of a row whose name is longer than its column: the others stand in the next line.

    Source: util-linux 2.20 to 2.24, lib/tt.c, print_data().
    """
    name, second = first.split(), head.columns[1]
    below = lines[0][1].split() if lines and len(name) == 1 else []
    if not below or second.empty or not second.cell.fullmatch(below[0]):
        return None
    rest = assign(below, head.columns[1:])
    own = rest is not None and head.columns[0].cell.fullmatch(name[0])
    return ({head.columns[0].name: name[0], **rest}, 2) if own and rest else None


def _goes_on(cells: Mapping[str, str], whole: Mapping[str, str]) -> bool:
    """Whether a row of several lines has the cells that its first line has by where they stand.

    The last one of these may be a part of a word, or of words.
    """
    *names, last = cells
    is_same = all(whole.get(name) == cells[name] for name in names)
    return is_same and whole.get(last, "").startswith(cells[last])


def _in_pieces(
    lines: Sequence[tuple[int, str]],
    head: Head,
    placed: Callable[[str], tuple[str, dict[str, str] | None]],
) -> tuple[dict[str, str], int] | None:
    """The cells of a row that was broken where its head was, and how many lines it takes.

    Its first line has its cells under the names of the head's first one, where nothing moved them;
    a further one has a cell for each name of the head's. Behind them the next row begins.
    """
    cells = _placed(head.pieces[0], placed(lines[0][1])[0]) if head.pieces else None
    if cells is None:
        return None
    used = 1
    for piece in head.pieces[1:]:
        more = assign(lines[used][1].split(), piece.columns) if used < len(lines) else None
        if more and len(more) == len(piece.columns):
            cells |= more
            used += 1
        elif not all(column.empty for column in piece.columns):
            return None
    after = lines[used][1] if used < len(lines) else ""
    is_whole = not after or _begins(placed(after)[0].split(), head.columns)
    return (cells, used) if is_whole else None


def _begins(cells: Sequence[str], columns: Sequence[Column]) -> bool:
    """Whether a row may begin with these words: enough of them are what the columns take."""
    if len(cells) < 2:
        return (
            bool(cells)
            and all(column.empty for column in columns[1:])
            and bool(columns[0].cell.fullmatch(cells[0]))
        )
    return any(_ways(cells, columns)[-1][2:])


def _placed(head: Head, row: str) -> dict[str, str] | None:
    """The cells of a row by where they stand: under the name of the column, or nearest to it.

    None where they are not what these columns hold.
    """
    cells: dict[str, str] = {}
    column, stop = head.columns[0], -1
    begins, ends = zip(*head.spans, strict=True)
    for match in _WORD.finditer(row):
        start, end = match.span()
        first, past = bisect_right(ends, start), bisect_left(begins, end)
        if not cells and not column.empty:
            first, past = 0, 1  # however deep it stands in a tree
        if first >= past:  # under no name: the nearest is one of the two around
            first, past = max(first - 1, 0), min(first + 1, len(ends))
        if past == first + 1:
            at, shared = first, min(end, ends[first]) - max(start, begins[first])
        else:
            shared, _, at = max(
                (min(end, to) - max(start, begin), -min(abs(start - begin), abs(end - to)), place)
                for place, (begin, to) in enumerate(head.spans[first:past], first)
            )
        if shared > 0 or start != stop + 1 or not column.blanks:
            column = head.columns[at]
        stop = end
        name = column.name
        cells[name] = f"{cells[name]} {match[0]}" if name in cells else match[0]
    for column in head.columns:
        cell = cells.get(column.name)
        if not column.empty if cell is None else not column.cell.fullmatch(cell):
            return None
    return cells


def assign(parts: Sequence[str], columns: Sequence[Column]) -> dict[str, str] | None:
    """The words given to columns in order; None if they do not fit.

    Of several ways the one counts that leaves few columns empty, and rather the later ones.
    """
    reach = _ways(parts, columns)
    if reach[-1][-1] is None:
        return None
    cells: dict[str, str] = {}
    i = len(parts)
    for j in range(len(columns), 0, -1):
        way = reach[i][j]
        if way is None:
            return None
        if way[1]:
            cells[columns[j - 1].name] = " ".join(parts[i - way[1] : i])
        i -= way[1]
    return dict(reversed(cells.items()))


def _ways(cells: Sequence[str], columns: Sequence[Column]) -> list[list[tuple[int, int] | None]]:
    """The best way to place the first i words in the first j columns, as [i][j]."""
    width = len(columns) + 1
    # reach[i][j]: the way to place i words in j columns, as (cost, words of the last column)
    reach: list[list[tuple[int, int] | None]] = [[None] * width for _ in range(len(cells) + 1)]
    reach[0][0] = (0, 0)
    for j, column in enumerate(columns):
        for i in range(len(cells) + 1):
            here = reach[i][j]
            if here is None:
                continue
            _offer(reach, i, j + 1, here[0] + (len(columns) - j if column.empty else 0), 0,
                   allowed=column.empty)  # fmt: skip
            most = min(8, len(cells) - i) if column.blanks else min(1, len(cells) - i)
            for count in range(1, most + 1):
                fits = column.cell.fullmatch(" ".join(cells[i : i + count])) is not None
                _offer(reach, i + count, j + 1, here[0], count, allowed=fits)
    return reach


def _offer(
    reach: list[list[tuple[int, int] | None]], i: int, j: int, cost: int, count: int, *,
    allowed: bool,
) -> None:  # fmt: skip
    best = reach[i][j]
    if allowed and (best is None or cost < best[0]):
        reach[i][j] = (cost, count)
