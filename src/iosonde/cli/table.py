"""Tables that fit a terminal: the columns that matter least go first, names lose their middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.cli.output import out
from iosonde.visible import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_PLACE = 4  # characters of a place that are kept
_GAP = 2  # columns of the terminal between two of a table
_READABLE = 32  # characters that are left of a name before a column goes
_SHORTEST = 12  # where none may go


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Args:
        heading: above it.
        right: figures stand at the right.
        rank: 0 is never dropped; of the others the highest is dropped first.
        name: its texts may lose their middle.
    """

    heading: str
    right: bool = False
    rank: int = 0
    name: bool = False


def fitted(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str | Text]], *, title: str = "",
    width: int | None = None,
) -> Table:  # fmt: skip
    """A table without lines that is no wider than the terminal, if that can be.

    Columns without any text are left out.

    Args:
        columns: from left to right.
        rows: a text for each column.
        title: above the table.
        width: columns of the terminal; None: those of standard output, any number in a pipe.
    """
    from rich.table import Table

    if width is None:
        width = out().width
    kept = [place for place in range(len(columns)) if any(str(row[place]) for row in rows)]
    widths = {place: _widest(columns[place], [row[place] for row in rows]) for place in kept}
    widths = _chosen(widths, columns, width)
    excess = max(0, _needed(widths) - width)
    table = Table(
        title=visible(title) or None, title_justify="left", title_style="bold", box=None,
        padding=(0, _GAP, 0, 0), pad_edge=False,
    )  # fmt: skip
    for place in list(widths):
        column = columns[place]
        table.add_column(
            column.heading, justify="right" if column.right else "left", overflow="fold"
        )
        if column.name and excess:
            shorter = max(_SHORTEST, widths[place] - excess)
            excess -= widths[place] - shorter
            widths[place] = shorter
    for row in rows:
        table.add_row(*(_cut(row[place], widths[place], columns[place]) for place in widths))
    return table


def _widest(column: TableColumn, texts: Sequence[str | Text]) -> int:
    from rich.cells import cell_len

    return max(cell_len(visible(str(text))) for text in (column.heading, *texts))


def _chosen(widths: dict[int, int], columns: Sequence[TableColumn], width: int) -> dict[int, int]:
    """The columns that fit: those of the highest rank go first, and narrow ones of them come back.

    Names are shortened before a column goes, as long as they can be read.

    Args:
        widths: place of a column → its width.
        columns: all.
        width: of the terminal.
    """
    least = {
        place: min(wide, _READABLE) if columns[place].name else wide
        for place, wide in widths.items()
    }
    chosen, gone = dict(least), list[int]()
    while _needed(chosen) > width and any(columns[place].rank for place in chosen):
        last = max(chosen, key=lambda place: columns[place].rank)
        gone.append(last)
        del chosen[last]
    for place in reversed(gone):
        if _needed({**chosen, place: least[place]}) <= width:
            chosen[place] = least[place]
    return {place: widths[place] for place in sorted(chosen)}


def _needed(widths: dict[int, int]) -> int:
    return sum(widths.values()) + _GAP * (len(widths) - 1)


def _cut(text: str | Text, width: int, column: TableColumn) -> str | Text:
    """A name without its middle, where it is too long for its column."""
    plain = str(text)
    if not column.name or len(plain) <= width:
        return text
    return shortened(plain, width)


def shortened(name: str, width: int) -> str:
    """A name in at most so many characters, without its middle where it is longer."""
    if len(name) <= width:
        return name
    head = (width - 1) // 2
    return f"{name[:head]}…{name[len(name) - (width - 1 - head) :]}"


def shortened_trial(trial: str, width: int) -> str:
    """A trial's name, LOAD [POINT]@PLACE, in at most so many characters; its point goes last.

    The place loses its beginning, then the name gives up the load's, which all points share.
    """
    load, _, place = trial.partition("@")
    point = load.partition(" ")[2]
    for kept, least in ((load, _PLACE), (point, 1)):
        room = width - len(kept) - len("@…")
        if kept and place and len(trial) > width and room >= least:
            return f"{kept}@…{place[-room:]}"
    return shortened(trial, width)
