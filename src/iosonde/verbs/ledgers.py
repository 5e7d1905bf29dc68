"""What a run with --ledger counted, beside what was predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iosonde.records.prediction import Ledger
    from iosonde.records.sheet import RunSheet


def ledgers(whole: RunSheet) -> dict[str, Ledger]:
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

    accounts = {}
    for sheet in trials:
        case = of_run(_alone(whole, sheet.trial.id), ())
        for trial in case.trials:
            if trial.ledger is not None:
                said = tuple(differences(case))
                accounts[sheet.trial.id] = replace(trial.ledger, findings=said)
    return accounts


def _alone(whole: RunSheet, trial: str) -> RunSheet:
    return replace(whole, trials=tuple(sheet for sheet in whole.trials if sheet.trial.id == trial))
