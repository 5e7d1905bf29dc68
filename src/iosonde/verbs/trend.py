"""Is it still what it was?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from iosonde.errors import UsageError
from iosonde.measure.again import read_again
from iosonde.measure.sheet import sheet
from iosonde.records.run import Metric, Run, RunState
from iosonde.records.sheet import TrialSheet
from iosonde.records.trend import StudyTrend, TrendChange, TrendPoint, TrendSeries
from iosonde.statistics.direction import higher_is_better
from iosonde.statistics.trend import LevelChange, level_changes
from iosonde.store import open_store
from iosonde.store.lines import outlined
from iosonde.verbs.selection import parse_filter


def trend(
    study: str = "",
    *,
    filters: Sequence[str] = (),
    metrics: Sequence[str] = (),
    limit: int | None = 200,
    margin: float = 0.02,
    store: str | None = None,
) -> StudyTrend:
    """A series for each headline metric of each load and place, over finished runs.

    Args:
        study: whose runs; empty: those that fit the filters.
        filters: as of `list_runs`.
        metrics: only these; none: the headlines.
        limit: the newest so many runs; None: all.
        margin: a change for the worse within this fraction does not count.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: neither study nor filter is given, nothing fits, or no run has the metric.
    """
    if not study and not filters:
        raise UsageError("say which runs", hint="iosonde trend STUDY, or --filter tag=nightly")
    conditions = [parse_filter(text) for text in filters]
    kept = open_store(store)
    try:
        lines = [
            line for line in kept.heads()
            if line.state is RunState.FINISHED and study in {"", line.study}
        ]  # fmt: skip
        if any(condition.asks_outline for condition in conditions):
            lines = list(outlined(lines, kept.outlines([line.id for line in lines])))
        ids = [line.id for line in lines if all(condition.holds(line) for condition in conditions)][
            :limit
        ]
        if not ids:
            studies = sorted({line.study for line in lines})[:6] if not study else []
            raise UsageError(
                f"no finished run of {study!r} fits" if study else "no finished run fits",
                hint=f"studies: {', '.join(studies)}" if studies else "`iosonde list` shows them",
            )
        series: dict[tuple[str, ...], list[tuple[Run, Metric]]] = {}
        for run in reversed(ids):
            whole = sheet(read_again(kept.load(run)))
            for trial in whole.trials:
                for metric in _chosen(trial, metrics):
                    key = (
                        whole.run.study,
                        trial.trial.load.name,
                        trial.trial.probe,
                        trial.trial.host,
                        metric.name,
                    )
                    series.setdefault(key, []).append((whole.run, metric))
    finally:
        kept.close()
    if metrics and not series:
        raise UsageError(f"no run has the metric {metrics[0]!r}", where="--metric")
    return StudyTrend(tuple(_series(key, points, margin) for key, points in series.items()), margin)


def _chosen(sheet: TrialSheet, metrics: Sequence[str]) -> Iterator[Metric]:
    wanted = metrics or sheet.headlines
    return (metric for metric in sheet.metrics if metric.name in wanted and metric.mean > 0)


def _series(
    key: tuple[str, ...], points: Sequence[tuple[Run, Metric]], margin: float
) -> TrendSeries:
    study, load, probe, host, name = key
    runs = [run for run, _ in points]
    metrics = [metric for _, metric in points]
    changes = level_changes(
        [metric.mean for metric in metrics], [_error(metric) for metric in metrics]
    )
    return TrendSeries(
        study, name, metrics[0].unit, load, probe, host,
        tuple(
            TrendPoint(run.id, run.name, run.created, metric.mean, metric.ci95, len(metric.loops))
            for run, metric in points
        ),
        tuple(_change(change, runs, higher_is_better(name), margin) for change in changes),
    )  # fmt: skip


def _change(change: LevelChange, runs: Sequence[Run], higher: bool, margin: float) -> TrendChange:
    bad = -change.change if higher else change.change
    return TrendChange(
        runs[change.at].id,
        change.before,
        change.after,
        change.change,
        change.interval,
        worse=bad > margin,
    )


def _error(metric: Metric) -> float | None:
    """Standard error of a mean as a fraction of it; None with one loop."""
    if metric.stdev is None:
        return None
    return metric.stdev / sqrt(len(metric.loops)) / metric.mean
