"""Runs as flat rows, one a metric of a trial: what tables and spreadsheets are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.records.run import Trial
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar

COLUMNS = (
    "run", "study", "state", "trial", "host", "probe", "target", "engine", "load", "metric",
    "unit", "loops", "mean", "median", "stdev", "cv", "ci95_low", "ci95_high", "merged",
    "rounded", "headline", "flags", "faults",
)  # fmt: skip


def title_of(trial: Trial) -> str:
    """A trial as a heading names it: where it was imported from, or load and probe."""
    origin = trial.origin
    if origin is None:
        return f"{trial.load.name} at {trial.probe}"
    parts = [origin.heading, origin.label, trial.host]
    return ", ".join(dict.fromkeys(part for part in parts if part)) or trial.load.engine


def name_of(trial: Trial) -> str:
    """A trial as tables and axes name it, different for each of a run."""
    if trial.origin is None:
        return trial.id
    number, dash, _ = trial.id.partition("-")
    return f"{number} {title_of(trial)}" if dash else trial.id


def metric_rows(runs: Sequence[RunSheet]) -> Iterator[dict[str, Scalar]]:
    """One row a metric of each trial, keys as COLUMNS; bytes, seconds, 1/s and fractions."""
    for sheet in runs:
        for trial in sheet.trials:
            for metric in trial.metrics:
                yield {
                    "run": sheet.run.id,
                    "study": sheet.run.study,
                    "state": sheet.run.state.value,
                    "trial": trial.trial.id,
                    "host": trial.trial.host,
                    "probe": trial.trial.probe,
                    "target": trial.trial.target.path,
                    "engine": trial.trial.load.engine,
                    "load": trial.trial.load.name,
                    "metric": metric.name,
                    "unit": metric.unit,
                    "loops": len(metric.loops),
                    "mean": metric.mean,
                    "median": metric.median,
                    "stdev": metric.stdev,
                    "cv": metric.cv,
                    "ci95_low": metric.ci95[0] if metric.ci95 else None,
                    "ci95_high": metric.ci95[1] if metric.ci95 else None,
                    "merged": metric.merged,
                    "rounded": metric.rounded,
                    "headline": metric.name in trial.headlines,
                    "flags": " ".join(trial.trial.flags),
                    "faults": "; ".join(trial.trial.faults),
                }


def loop_rows(runs: Sequence[RunSheet]) -> Iterator[dict[str, Scalar]]:
    """One row a loop of each metric; loops count from 1."""
    for sheet in runs:
        for trial in sheet.trials:
            for metric in trial.metrics:
                for number, value in enumerate(metric.loops, 1):
                    yield {
                        "run": sheet.run.id,
                        "trial": trial.trial.id,
                        "metric": metric.name,
                        "unit": metric.unit,
                        "loop": number,
                        "value": value,
                    }
