"""What a run with --ledger counted, beside what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.contract import as_json

if TYPE_CHECKING:
    from iosonde.records.finding import Finding
    from iosonde.records.prediction import Ledger, LedgerRow
    from iosonde.records.sheet import RunSheet
    from iosonde.records.stack import Json


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
    return {
        "depth": ledger.depth,
        "recorded": ledger.recorded,
        "layers": [_row_document(row) for row in ledger.rows],
        "not_covered": list(ledger.uncovered),
        "notes": list(ledger.notes),
        "findings": as_json(findings),
    }


def _row_document(row: LedgerRow) -> dict[str, Json]:
    return {
        "id": row.layer,
        "kind": row.kind,
        "device": row.device or None,
        "predicted": as_json(row.predicted),
        "writes_band": list(row.writes_band),
        "between": as_json(row.between),
        "counted": as_json(row.counted),
        "idle": as_json(row.idle),
    }
