"""Computes what `list` shows of a run from its rows, when it ends or is first listed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from iosonde.records.run import Metric, RunState
from iosonde.records.stack import Scalar
from iosonde.statistics.direction import headline_among
from iosonde.statistics.estimates import summarise
from iosonde.store.deflated import inflated
from iosonde.store.lines import RunOutline, packed_settings
from iosonde.store.schema import LOOPS, OUTLINES, RUNS, TRIALS

_LOOKED_AT = 20  # trials, for one that has figures
_NAMED = 20  # targets and loads that are kept


def outline_of(connection: Connection, run: str) -> RunOutline:
    """What a run is about, without a look at more loops than those of one trial."""
    columns = (TRIALS.c.id, TRIALS.c.host, TRIALS.c.probe, TRIALS.c.load)
    trials = connection.execute(
        select(*columns).where(TRIALS.c.run == run).order_by(TRIALS.c.position)
    ).all()
    loops = connection.execute(
        select(func.count()).where(LOOPS.c.run == run, LOOPS.c.parser_version > 0)  # 0: not read
    ).scalar_one()
    figures = (_headline(_results(connection, run, trial.id)) for trial in trials[:_LOOKED_AT])
    return RunOutline(
        trials=len(trials),
        loops=loops,
        hosts=tuple(sorted({trial.host for trial in trials})),
        targets=_first(trial.probe for trial in trials),
        loads=_first(json.loads(trial.load)["name"] for trial in trials),
        headline=next(filter(None, figures), None),
    )


def computed(connection: Connection, runs: Sequence[str]) -> dict[str, RunOutline]:
    """The outlines of those runs that are there."""
    there = connection.execute(select(RUNS.c.id).where(RUNS.c.id.in_(runs)))
    return {row.id: outline_of(connection, row.id) for row in there.all()}


def keep(connection: Connection, run: str) -> None:
    """Compute the outline of a run that has ended, and keep it."""
    forget(connection, run)
    connection.execute(
        insert(OUTLINES).values(run=run, content=outline_of(connection, run).to_text())
    )


def keep_all(
    connection: Connection,
    outlines: Mapping[str, RunOutline],
    state: Callable[[str, str, str], RunState],
) -> None:
    """Keep the outlines of those runs that have ended meanwhile and have none.

    Args:
        connection: that writes.
        outlines: by the id of the run.
        state: how a run stands, by its id, its stored state and its owner.
    """
    ids = list(outlines)
    kept = set(connection.execute(select(OUTLINES.c.run).where(OUTLINES.c.run.in_(ids))).scalars())
    for row in connection.execute(select(RUNS).where(RUNS.c.id.in_(ids))).all():
        if row.id not in kept and state(row.id, row.state, row.owner) is not RunState.RUNNING:
            connection.execute(
                insert(OUTLINES).values(run=row.id, content=outlines[row.id].to_text())
            )


def keep_settings(connection: Connection, settings: Mapping[str, Mapping[str, Scalar]]) -> None:
    """Keep beside the outlines what was set when the runs were measured."""
    for run, values in settings.items():
        connection.execute(
            update(OUTLINES).where(OUTLINES.c.run == run).values(settings=packed_settings(values))
        )


def forget(connection: Connection, run: str) -> None:
    """A run goes on: its outline will be another."""
    connection.execute(delete(OUTLINES).where(OUTLINES.c.run == run))


def _first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_NAMED]


def _results(connection: Connection, run: str, trial: str) -> list[dict[str, Any]]:
    rows = connection.execute(
        select(LOOPS.c.result)
        .where(LOOPS.c.run == run, LOOPS.c.trial == trial)
        .order_by(LOOPS.c.index)
    )
    results = [json.loads(inflated(row.result)) for row in rows]
    return [result for result in results if not result.get("unread") and not result.get("left_out")]


def _headline(results: Sequence[dict[str, Any]]) -> Metric | None:
    """The metric that stands for a trial, over its loops; None where it has no figures."""
    values: dict[str, list[float]] = {}
    for result in results:
        for name, value in result["metrics"].items():
            if value is not None:
                values.setdefault(name, []).append(value)
    headline = headline_among({name: sum(some) / len(some) for name, some in values.items()})
    if not headline:
        return None
    units = {name: unit for result in results for name, unit in result["units"].items()}
    return summarise(headline, units.get(headline, ""), values[headline])
