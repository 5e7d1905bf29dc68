"""Tables of results as people set them in the middle of a text, without bars or with them.

Nobody marks them off, so they must show more than what a command printed: names above three columns
or more, three rows or more of as many cells, and figures in most of the cells. Nothing is concluded
from them: what a column means is its author's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from iosonde.records.stack import Json
from iosonde.text.figures import (
    FigureGroup,
    has_digit,
    has_figure,
    headed_table,
    is_other,
    ruled_table,
)
from iosonde.text.prose import is_sentence

_DRAWN = str.maketrans("─━═│┃║┼┬┴├┤┌┐└┘╋┳┻┣┫┏┓┗┛╪╤╧╞╡╔╗╚╝╠╣╦╩╬", "---|||" + "+" * 32)
_GAP = re.compile(r"\S(?: {2,}|\t)\s*\S")
_GAPS = re.compile(r" {2,}|\t+")
_SECTION = re.compile(r"[-=*]{3,} ?(?P<title>[A-Za-z][^-=*|]{1,60}?) ?[-=*]{3,}")
_TITLE = re.compile(r"[A-Za-z0-9(\[][^;{}<>|]{1,78}")
_LONGEST = 8  # words of a title
_FEW = 3  # rows, and columns
_SHARE = 0.5  # of the cells that hold something, how many are figures
_BARRED_SHARE = 0.3  # of those that bars part
_REACH = 80
_APART = 3  # blank lines between two rows with bars, which some mail programs double


def table_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The table that begins in a line, with indices among all lines; None where none surely does.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    line = _in_ascii(lines[at])
    barred = line.count("|") > 1
    if not barred and not _has_gap(line.strip()):
        return None
    below = next((text for text in lines[at + 1 : at + 5] if has_digit(text)), "")
    if not below or not (barred or _has_gap(below.strip())):
        return None
    figures = not barred and any(map(has_figure, _GAPS.split(line.strip())))
    if figures and not any("--" in text for text in lines[at + 1 : at + 4]):
        return None  # a row: only above a line that draws columns may a name begin with a figure
    places = _own(lines, at, barred=barred)
    rows = [_in_ascii(lines[place]) for place in places]
    for read in _WAYS:
        group = read(rows)
        if group and _is_sure(group, barred=barred) and not is_other(rows[: group.last + 1]):
            return FigureGroup(_title(lines, at), group.values, at, places[group.last])
    return None


def _has_gap(text: str) -> bool:
    """Whether a line has columns, without blanks around it; most have one blank at a time."""
    return ("  " in text or "\t" in text) and _GAP.search(text) is not None


def _in_ascii(line: str) -> str:
    """A line with bars and dashes for the lines that a terminal draws."""
    return line if line.isascii() else line.translate(_DRAWN)


def _title(lines: Sequence[str], at: int) -> str:
    """The words of the line right above a table, where it is no sentence and no other's row."""
    text = lines[at - 1].strip().strip("=-*#|").strip().removesuffix(":") if at else ""
    is_title = _TITLE.fullmatch(text) and len(text.split()) <= _LONGEST and not is_sentence(text)
    return text if is_title and not _GAP.search(text) else ""


def _own(lines: Sequence[str], at: int, *, barred: bool) -> list[int]:
    """Indices of the lines that may belong to a table; blank lines may part those with bars.

    One blank line may stand between two rows of others, where the next one has columns too.
    """
    places = [at]
    for place in range(at + 1, min(at + _REACH, len(lines))):
        if lines[place].strip():
            places.append(place)
        elif barred:
            if place - places[-1] > _APART:
                break
        elif place - places[-1] > 1 or not _is_row(lines[place + 1 : place + 2]):
            break
    return places


def _is_row(lines: Sequence[str]) -> bool:
    """Whether a line has a figure in the second of its columns, or in a later one."""
    return any(any(map(has_figure, _GAPS.split(line.strip())[1:])) for line in lines)


def _counted(rows: Sequence[str]) -> FigureGroup | None:
    """A table whose cells do not stand below their names, but are as many, with gaps between.

    Lines such as `---- HDD ----` between the rows name what the rows below them are of.
    """
    names = [name for name in _GAPS.split(rows[0].strip()) if name]
    if len(names) <= _FEW or any(map(has_figure, names)):
        return None
    cells, section, sectioned, last = list[list[str]](), "", False, 0
    for place, row in enumerate(rows[1:], 1):
        if head := _SECTION.fullmatch(row.strip()):
            section, sectioned = head["title"], True
            continue
        if not cells and not row.strip("-=+ \t"):
            continue
        parts = _GAPS.split(row.strip())
        if len(parts) != len(names) or not has_figure(parts[-1]):
            break
        cells.append([section, *parts])
        last = place
    if not cells:
        return None
    table: dict[str, Json] = {
        "columns": ["", *names] if sectioned else [*names],
        "rows": [list(row if sectioned else row[1:]) for row in cells],
    }
    return FigureGroup("", table, 0, last)


def _grid(rows: Sequence[str]) -> FigureGroup | None:
    """Rows with bars that have no line of names, or several: their cells, and no names.

    Lines that only draw stand between them. Of a row that has fewer cells than most, as a head over
    several columns has, the cells are kept too.
    """
    cells, last = list[list[str]](), -1
    if "|" not in rows[0]:
        return None
    for place, row in enumerate(rows):
        if not row.strip(" |+-=\t"):
            continue
        if "|" not in row:
            break
        parts = [
            part.strip() for part in row.strip().removeprefix("|").removesuffix("|").split("|")
        ]
        cells.append(parts)
        last = place
    width = max((len(row) for row in cells), default=0)
    figured = sum(has_figure(row[1:]) for row in cells)
    drawn = any(not row.strip(" |+-=\t") for row in rows[:last])
    if not drawn or width < 2 or figured < 2 or any(len(row) * 2 < width for row in cells):
        return None
    padded: list[Json] = [[*row, *[""] * (width - len(row))] for row in cells]
    return FigureGroup("", {"columns": [""] * width, "rows": padded}, 0, last)


_WAYS: tuple[Callable[[Sequence[str]], FigureGroup | None], ...] = (
    lambda rows: ruled_table(rows, 0, ""),
    lambda rows: headed_table(rows, 0, ""),
    _counted,
    _grid,
)


def _is_sure(group: FigureGroup, *, barred: bool) -> bool:
    columns, rows = group.values.get("columns"), group.values.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return False
    cells = [cell for row in rows if isinstance(row, list) for cell in row if cell]
    figures = sum(has_figure(cell) for cell in cells)
    few, share = (2, _BARRED_SHARE) if barred else (_FEW, _SHARE)
    return len(columns) >= few and len(rows) >= few and figures >= share * len(cells)
