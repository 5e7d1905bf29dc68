"""Tables of Markdown and of Org: a head, a line that draws the columns, and rows with bars.

The drawn line makes them sure, whatever their cells hold, so they need fewer figures than tables
that nobody draws.

Source: GitHub Flavored Markdown 0.29, 4.10 and 6.4 (emphasis); the Org manual 9.6, 3.1 (its
columns part at plus signs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.records.stack import Json
from iosonde.text.figures import FigureGroup, has_digit

_DRAWN = re.compile(
    r"[ \t]*+\|?+(?:[ \t]*+:?-{1,200}+:?[ \t]*+[|+])+(?:[ \t]*+:?-{1,200}+:?[ \t]*+)?"
)
_MARKS = re.compile(
    r"(\*{1,3}|`|~~)(?P<text>\S(?:.{0,300}\S)?)\1"
    r"|(?<!\w)(_{1,2})(?P<words>[^\s_](?:.{0,300}[^\s_])?)\3(?!\w)"
)
"""Bold, struck out and code; underscores within a word mark nothing (`read_time_ms`)."""
_FEW = 2  # columns
_MOST = 400  # rows


def pipe_table_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The table whose head is a line, with indices among all lines; None where none is there.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    if "|" not in lines[at] or at + 2 >= len(lines) or "-" not in lines[at + 1]:
        return None
    if not _DRAWN.fullmatch(lines[at + 1]):
        return None
    names, drawn = _cells(lines[at]), _cells(lines[at + 1].replace("+", "|"))
    if len(names) != len(drawn) or len(names) < _FEW or _DRAWN.fullmatch(lines[at]):
        return None
    rows: list[Json] = []
    last = at + 1
    for place in range(at + 2, min(at + 2 + _MOST, len(lines))):
        if "|" not in lines[place]:
            break
        last = place
        if not _DRAWN.fullmatch(lines[place]):
            cells = _cells(lines[place])[: len(names)]
            rows.append([*cells, *[""] * (len(names) - len(cells))])
    if not any(has_digit(cell) for row in rows if isinstance(row, list) for cell in map(str, row)):
        return None
    return FigureGroup("", {"columns": [*names], "rows": rows}, at, last)


def _cells(line: str) -> list[str]:
    """The cells of a row, without what marks them as bold, struck out or code."""
    parts = line.strip().removeprefix("|").removesuffix("|").split("|")
    return [_MARKS.sub(r"\g<text>\g<words>", part.strip()) for part in parts]
