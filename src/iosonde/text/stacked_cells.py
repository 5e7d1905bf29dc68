"""Tables of which every cell stands on a line of its own, a bar behind it.

Some pages are copied so. The names of the columns come first, none of them a figure, then the rows.
How many columns there are is not said: it is the greatest number of names of which every column but
the first, that of the rows' names, holds figures in all rows or in none. With a column too many the
figures of the rows would stand in another one each time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.records.stack import Json
from iosonde.text.figures import FigureGroup, has_figure

_CELL = re.compile(r"[^|]{0,120}\|")
_MOST = 600  # cells
_MOST_COLUMNS = 16
_FEWEST = 2  # rows
_EMPTY = frozenset({"", "-", "–", "—", "N/A", "n/a"})


def stacked_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The table whose first cell is a line, with indices among all; None where none begins there.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    if not _is_cell(lines[at]) or (at and _is_cell(lines[at - 1])):
        return None
    last = at
    while last + 1 < len(lines) and last - at + 1 < _MOST and _is_cell(lines[last + 1]):
        last += 1
    cells = [line.strip().removesuffix("|").strip() for line in lines[at : last + 1]]
    names = next((place for place, cell in enumerate(cells) if has_figure(cell)), 0)
    widths = range(min(names, _MOST_COLUMNS), 1, -1)
    width = next((width for width in widths if _fits(cells, width)), None)
    if width is None:
        return None
    rows: list[Json] = [[*_padded(row, width)] for row in _parted(cells[width:], width)]
    return FigureGroup("", {"columns": [*cells[:width]], "rows": rows}, at, last)


def _is_cell(line: str) -> bool:
    return line.endswith("|") and _CELL.fullmatch(line) is not None


def _parted(cells: Sequence[str], width: int) -> list[Sequence[str]]:
    return [cells[at : at + width] for at in range(0, len(cells), width)]


def _padded(row: Sequence[str], width: int) -> list[str]:
    """A row that a cut left shorter, with empty cells."""
    return [*row, *[""] * (width - len(row))]


def _fits(cells: Sequence[str], width: int) -> bool:
    """Whether cells are a line of names and rows of so many, of which some columns are figures."""
    rows = _parted(cells[width:], width)
    if len(rows) < _FEWEST or len(rows[_FEWEST - 1]) < width:
        return False
    figures = 0
    for place in range(1, width):
        column = [row[place] for row in rows if place < len(row) and row[place] not in _EMPTY]
        kinds = set(map(has_figure, column))
        if len(kinds) > 1:
            return False
        figures += True in kinds
    return figures > 0
