"""What a run with --ledger counted, beside what was predicted: for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import err, out

if TYPE_CHECKING:
    from collections.abc import Callable

    from iosonde.case import Account, Ledger, LedgerRow
    from iosonde.records import Finding, Json
    from iosonde.sheets import RunSheet


def ledgers(whole: RunSheet) -> dict[str, tuple[Ledger, tuple[Finding, ...]]]:
    """Of each trial that has one, by its id, with what is found in it."""
    from iosonde.measure.counting import COUNTED

    trials = [
        sheet
        for sheet in whole.trials
        if any(COUNTED in loop.raw.files for loop in sheet.trial.loops)
    ]
    if not trials:
        return {}
    from iosonde.explain.gather import of_run
    from iosonde.explain.rules.ledger import differences

    found = {}
    for sheet in trials:
        case = of_run(_alone(whole, sheet.trial.id), ())
        for trial in case.trials:
            if trial.ledger is not None:
                found[sheet.trial.id] = trial.ledger, tuple(differences(case))
    return found


def _alone(whole: RunSheet, trial: str) -> RunSheet:
    from dataclasses import replace

    return replace(whole, trials=tuple(one for one in whole.trials if one.trial.id == trial))


def ledger_document(ledger: Ledger, findings: tuple[Finding, ...]) -> dict[str, Json]:
    """A ledger as `iosonde.run/1` has it."""
    from iosonde.cli.explained import finding_document

    return {
        "depth": ledger.depth,
        "recorded": ledger.recorded,
        "layers": [_row_document(row) for row in ledger.rows],
        "not_covered": list(ledger.uncovered),
        "notes": list(ledger.notes),
        "findings": [finding_document(one) for one in findings],
    }


def _row_document(row: LedgerRow) -> dict[str, Json]:
    return {
        "id": row.layer,
        "kind": row.kind,
        "device": row.device or None,
        "predicted": _account(row.predicted),
        "writes_band": list(row.writes_band),
        "between": None if row.between is None else [_account(one) for one in row.between],
        "counted": None if row.counted is None else _account(row.counted),
        "idle": _account(row.idle),
    }


def _account(account: Account) -> dict[str, Json]:
    return {
        "reads": account.reads, "read_bytes": account.read_bytes,
        "writes": account.writes, "write_bytes": account.write_bytes,
    }  # fmt: skip


def print_ledger(ledger: Ledger, findings: tuple[Finding, ...]) -> None:
    """A table of the layers from the target down, then what is to be said of it."""
    from rich.table import Table

    title = "predicted / counted I/Os of each device, all loops"
    if ledger.depth > 1:
        title += f"; predicted one at a time, made {ledger.depth} at a time"
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("device")
    for heading in ("kind", "reads", "read", "writes", "written", "others'"):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for row in ledger.rows:
        table.add_row(row.device or row.layer, row.kind, *_cells(row))
    if ledger.rows:
        out().print(table)
    for text in (*ledger.uncovered, *ledger.notes):
        err().print(f"ledger: {text}", style="yellow", markup=False)
    for finding in findings:
        out().print(f"  [yellow]{finding.rule}[/yellow]: ", end="")
        out().print(finding.message, markup=False)
    if ledger.rows and not findings:
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
    both = [f"{one} / {other}" for one, other in zip(said, own, strict=True)]
    return [*both, _number(row.idle.reads + row.idle.writes)]


def _number(value: float) -> str:
    return f"{value:.0f}"


def _band(low: float, high: float, shown: Callable[[float], str]) -> str:
    """One value, or both ends."""
    return shown(low) if low == high else f"{shown(low)}–{shown(high)}"
