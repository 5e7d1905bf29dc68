"""Runs as the machine-readable contract has them: `iosonde.run/1`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.contract import as_json
from iosonde.exact import json_text
from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.run import Metric
from iosonde.records.sheet import JointSheet, RunSheet, TrialSheet
from iosonde.records.stack import Json


def metric_document(metric: Metric) -> dict[str, Json]:
    """One metric as the contract has it, plus `merged` (percentile over all loops together)."""
    return {
        "unit": metric.unit,
        "loops": [_known(value) for value in metric.loops],
        "mean": _known(metric.mean),
        "median": _known(metric.median),
        "stdev": _known(metric.stdev),
        "cv": _known(metric.cv),
        "ci95": None if metric.ci95 is None else [_known(bound) for bound in metric.ci95],
        "rounded": metric.rounded,
        "merged": _known(metric.merged),
    }


def trial_document(sheet: TrialSheet) -> dict[str, Json]:
    """One trial as the contract has it."""
    trial = sheet.trial
    settings: Mapping[str, Json] = dict(sheet.settings)
    return {
        "id": trial.id,
        "host": trial.host,
        "probe": trial.probe,
        "target": trial.target.path,
        "load": {"engine": trial.load.engine, "name": trial.load.name, "command": trial.command},
        "headline": sheet.headline or None,
        "headlines": list(sheet.headlines),
        "metrics": {metric.name: metric_document(metric) for metric in sheet.metrics},
        "flags": list(trial.flags),
        "capture": dict(settings),
        "faults": list(trial.faults),
    }


def _joint_document(sheet: JointSheet) -> dict[str, Json]:
    """What the targets of one load did together."""
    return {
        "load": sheet.load,
        "trials": list(sheet.trials),
        "loops": sheet.loops,
        "headline": sheet.headline or None,
        "headlines": list(sheet.headlines),
        "metrics": {metric.name: metric_document(metric) for metric in sheet.metrics},
    }


def run_document(sheet: RunSheet) -> dict[str, Json]:
    """One run as the contract has it."""
    run = sheet.run
    return {
        "schema": "iosonde.run/1",
        "id": run.id,
        "study": run.study,
        "state": run.state.value,
        "created": run.created,
        "trials": [trial_document(trial) for trial in sheet.trials],
        "together": [_joint_document(joint) for joint in sheet.joint],
        "requirements": [as_json(result) for result in sheet.requirements],
    }


def runs_document(sheets: Sequence[RunSheet]) -> dict[str, Json]:
    """Several runs in one object, each as `run_document` has it."""
    return {"schema": "iosonde.run/1", "runs": [run_document(sheet) for sheet in sheets]}


def _known(value: float | None) -> float | None:
    """A figure that is not known is null; so is one that JSON can't carry."""
    return value if value is not None and math.isfinite(value) else None


class JsonFormat:
    """One run as an object; several as one object that holds them as `runs`."""

    name: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """See `Format.serialize`. Verdicts are `iosonde compare --json`'s."""
        del compared
        whole = run_document(runs[0]) if len(runs) == 1 else runs_document(runs)
        return json_text(whole).encode() + b"\n"
