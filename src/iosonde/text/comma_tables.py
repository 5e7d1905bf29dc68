"""Tables whose cells are parted by commas, semicolons or tabs, as scripts print them.

A line of names, none of them a figure, and rows of as many cells with figures in them. Nothing is
concluded from them: what a column means is its author's.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from iosonde.records.stack import Json
from iosonde.text.figures import FigureGroup, has_figure, is_other

_SEPARATORS = (",", ";", "\t")
_FEWEST_COLUMNS, _FEWEST_ROWS = 4, 2
_SHARE = 0.3  # of the cells, how many are figures
_MOST = 400
_LINE = 1000
_NAME = re.compile(r"[^\W\d_][^{}=\"<>]{0,40}")
_ENDS = (".", ":", "?", "!", ",", ";")


def comma_table_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The table whose line of names is a line, with indices among all; None where it is none.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    line = lines[at]
    for separator in _SEPARATORS:
        if line.count(separator) < _FEWEST_COLUMNS - 1 or len(line) > _LINE:
            continue
        names = _cells(line, separator)
        if not all(map(_NAME.fullmatch, names)) or line.endswith(_ENDS):
            continue
        rows = _rows(lines[at + 1 : at + 1 + _MOST], separator, len(names))
        if _is_sure(rows, len(names)) and not is_other(lines[at : at + 1 + len(rows)]):
            table: list[Json] = [[*row] for row in rows]
            return FigureGroup("", {"columns": [*names], "rows": table}, at, at + len(rows))
    return None


def _rows(lines: Sequence[str], separator: str, width: int) -> list[list[str]]:
    """The rows below the names: as many cells, one of them a figure."""
    rows: list[list[str]] = []
    for line in lines:
        if line.count(separator) < width - 1 or len(line) > _LINE:
            break
        cells = _cells(line, separator)
        if len(cells) != width or not any(map(has_figure, cells)):
            break
        rows.append(cells)
    return rows


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line; a quoted one may hold separators (RFC 4180)."""
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _is_sure(rows: Sequence[Sequence[str]], width: int) -> bool:
    figures = sum(has_figure(cell) for row in rows for cell in row)
    return len(rows) >= _FEWEST_ROWS and figures >= _SHARE * width * len(rows)
