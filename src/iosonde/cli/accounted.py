"""What a run with --ledger counted, beside what was predicted, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import err, out, styled
from iosonde.cli.table import TableColumn, fitted

if TYPE_CHECKING:
    from collections.abc import Callable

    from iosonde.records.prediction import Ledger, LedgerRow

_COLUMNS = (
    TableColumn("device", name=True), TableColumn("kind", rank=2),
    TableColumn("reads", right=True), TableColumn("read", right=True),
    TableColumn("writes", right=True), TableColumn("written", right=True),
    TableColumn("others'", right=True, rank=1),
)  # fmt: skip


def print_ledger(ledger: Ledger) -> None:
    """A table of the layers from the target down, then what is to be said of it."""
    title = "predicted / counted I/Os of each device, all loops"
    if ledger.depth > 1:
        title += f"; predicted one at a time, made {ledger.depth} at a time"
    if ledger.rows:
        rows = [[row.device or row.layer, row.kind, *_cells(row)] for row in ledger.rows]
        out().print(fitted(_COLUMNS, rows, title=title))
    for text in (*ledger.uncovered, *ledger.notes):
        err().print(f"ledger: {text}", style="yellow")
    for finding in ledger.findings:
        out().print(styled("  [yellow]{}[/yellow]: {}", finding.rule, finding.message))
    if ledger.rows and not ledger.findings:
        out().print("  the ledger holds: devices counted what was predicted")


def _cells(row: LedgerRow) -> list[str]:
    counted = row.counted
    least, most = row.between or (row.predicted, row.predicted)
    said = [
        _band(least.reads, most.reads, _number),
        _band(least.read_bytes, most.read_bytes, units.show_bytes),
        _band(*row.writes_band, _number),
        _band(least.write_bytes, most.write_bytes, units.show_bytes),
    ]
    if counted is None:
        return [*said, "–"]
    own = [
        _number(counted.reads), units.show_bytes(counted.read_bytes), _number(counted.writes),
        units.show_bytes(counted.write_bytes),
    ]  # fmt: skip
    both = [f"{predicted} / {other}" for predicted, other in zip(said, own, strict=True)]
    return [*both, _number(row.idle.reads + row.idle.writes)]


def _number(value: float) -> str:
    return f"{value:.0f}"


def _band(low: float, high: float, shown: Callable[[float], str]) -> str:
    """One value, or both ends."""
    return shown(low) if low == high else f"{shown(low)}–{shown(high)}"
