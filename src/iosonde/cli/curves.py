"""Response curves of a load matrix, as the terminal shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.sentences import curve_sentence

if TYPE_CHECKING:
    from rich.text import Text

    from iosonde.records.curve import Curve, CurvePoint
    from iosonde.records.sheet import RunSheet

_SHOWN = 4  # named in the first line


def curves_answer(whole: RunSheet) -> Text:
    """Where the knees are."""
    parts = [curve_sentence(curve, whole.curves) for curve in whole.curves]
    if len(parts) > _SHOWN:
        parts = [*parts[:_SHOWN], f"and {len(parts) - _SHOWN} more curves"]
    return styled("[bold]{}[/bold]", "; ".join(parts))


def print_curves(whole: RunSheet) -> None:
    """A table for each curve, a row for each of its points; the knee is marked."""
    for curve in whole.curves:
        columns = (
            TableColumn(curve.axis, right=True), TableColumn("in flight", right=True, rank=3),
            TableColumn("rate", right=True), TableColumn("± 95 %", right=True, rank=1),
            TableColumn("bandwidth", right=True, rank=2), TableColumn("mean", right=True),
            TableColumn("p99", right=True), TableColumn(""),
        )  # fmt: skip
        rows = [_row(curve, point) for point in curve.points]
        out().print(styled("[bold]{}[/bold]", curve_sentence(curve, whole.curves)))
        out().print(fitted(columns, rows))
        out().print()


def _row(curve: Curve, point: CurvePoint) -> list[str]:
    spread = "–"
    if point.interval is not None and point.iops:
        half = (point.interval[1] - point.interval[0]) / 2
        spread = units.show_spread(half / point.iops)
    mark = "← knee" if curve.knee and curve.knee.trial == point.trial else ""
    return [
        str(point.matrix[curve.axis]), str(point.in_flight or "–"),
        units.show(point.iops, "1/s"), spread, units.show(point.bandwidth, "B/s"),
        units.show(point.latency, "s"), units.show(point.p99, "s"), mark,
    ]  # fmt: skip
