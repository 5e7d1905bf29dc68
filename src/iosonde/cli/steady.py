"""Steady states, as the terminal shows them: where they are, and the matrix of figures in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from iosonde.cli.output import out, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.report.figures import number, scale
from iosonde.report.grid import grids_of
from iosonde.sentences import shortened_sentence, window_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from iosonde.records.sheet import RunSheet
    from iosonde.report.grid import Grid


def steady_answer(whole: RunSheet) -> Text:
    """Whether, where and at what each tracked load is steady."""
    return styled("[bold]{}[/bold]", "; ".join(map(window_sentence, whole.windows)))


def print_grids(whole: RunSheet) -> None:
    """A table for each matrix with a window; of latencies two."""
    short = shortened_sentence(cast("Mapping[str, Any]", whole.run.plan.get("study") or {}))
    if short and whole.windows:
        out().print(styled("shorter than SNIA PTS 2.0.2: {}", short))
        out().print()
    for grid in grids_of(whole):
        divisor, unit = scale(grid.unit, [value for row in grid.cells for value in row if value])
        mix = "reads/writes" if grid.columns == "rwmixread" else grid.columns
        title = grid.title if grid.title.endswith(unit) else f"{grid.title}, {unit}"
        out().print(styled("[bold]{}[/bold], by {}", title, mix))
        out().print(_table(grid, divisor))
        out().print()


def _table(grid: Grid, divisor: float) -> object:
    columns = [
        TableColumn({"bs": "block size"}.get(grid.rows, grid.rows) or "load"),
        *(TableColumn(head, right=True, rank=at) for at, head in enumerate(grid.heads)),
    ]
    rows = [
        [name or grid.load, *("–" if value is None else number(value / divisor) for value in row)]
        for name, row in zip(grid.names, grid.cells, strict=True)
    ]
    return fitted(columns, rows)
