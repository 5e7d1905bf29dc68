"""The store over SQL: every method one transaction, durable when it returns."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Table,
    delete,
    func,
    insert,
    select,
    text,
    update,
)
from typing_extensions import override

from iosonde.errors import StoreFailed, UsageError
from iosonde.records.campaign import Campaign, Measurement, Result
from iosonde.records.prediction import Forecast
from iosonde.records.printed import StoredExtra
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import Json, Scalar
from iosonde.store import campaigns, labels, lines, outline, rows
from iosonde.store.lines import RunLine, RunOutline
from iosonde.store.owner import this_process
from iosonde.store.packed import Packed, placed
from iosonde.store.packed import Row as Filled
from iosonde.store.rescue import closed
from iosonde.store.schema import BASELINES, CAMPAIGNS, EVIDENCE, LOOPS, RUNS, TRIALS
from iosonde.store.store import Store
from iosonde.store.transactions import Transactions

_OUTLINES = 200  # that are computed in one transaction
_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"  # nothing that is misread aloud


def _new_id() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


class SqlStore(Transactions, Store):
    """See `iosonde.store.store.Store`."""

    @property
    @override
    def rescued(self) -> StoreFailed | None:
        return self._rescued

    @override
    def begin(
        self, study: str, plan: Mapping[str, Json], *, created: float, owner: str,
        name: str = "", tags: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        run = Run(
            _new_id(), study, dict(plan), created, RunState.RUNNING, owner=owner, name=name,
            tags=tuple(sorted(set(tags))),
        )  # fmt: skip
        row = {
            "id": run.id, "study": study, "plan": json.dumps(run.plan), "created": created,
            "state": run.state.value, "owner": owner, "name": name,
        }  # fmt: skip

        def add(connection: Connection) -> None:
            labels.require_free_name(connection, name)
            connection.execute(insert(RUNS).values(**row))
            labels.add_tags(connection, run.id, run.tags)

        self._locks.hold(run.id)
        try:
            self._write(add)
        except BaseException:
            self._locks.release(run.id)
            raise
        return run

    @override
    def require_free_name(self, name: str) -> None:
        with self._reading() as connection:
            labels.require_free_name(connection, name)

    @override
    def label(
        self, run: str, *, name: str | None = None, add: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> Run:  # fmt: skip
        def change(connection: Connection) -> Run:
            row = self._find(connection, run)
            if name is not None:
                labels.rename(connection, row.id, name)
            labels.remove_tags(connection, row.id, remove)
            labels.add_tags(connection, row.id, add)
            return self._bare(connection, self._find(connection, row.id))

        return self._write(change)

    @override
    def baselines(self) -> dict[str, str]:
        with self._reading() as connection:
            rows = connection.execute(select(BASELINES).order_by(BASELINES.c.name))
            return {row.name: row.run for row in rows}

    @override
    def set_baseline(self, name: str, run: str) -> None:
        def change(connection: Connection) -> None:
            row = self._find(connection, run)
            connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
            connection.execute(insert(BASELINES).values(name=name, run=row.id))

        self._write(change)

    @override
    def remove_baseline(self, name: str) -> None:
        def change(connection: Connection) -> int:
            return connection.execute(delete(BASELINES).where(BASELINES.c.name == name)).rowcount

        if not self._write(change):
            names = ", ".join(self.baselines()) or "none"
            raise UsageError(f"there is no baseline {name!r}", hint=f"baselines: {names}")

    @override
    def find(self, run: str) -> Run:
        with self._reading() as connection:
            return self._bare(connection, self._find(connection, run))

    @override
    def add_trial(self, run: str, trial: Trial) -> None:
        def add(connection: Connection) -> None:
            position = _count(connection, TRIALS, run)
            connection.execute(insert(TRIALS).values(rows.trial_row(run, position, trial)))
            every = (*trial.loops, *trial.unread)
            if every:
                of_loops = [rows.loop_row(run, trial.id, loop, 1) for loop in every]
                connection.execute(insert(LOOPS), of_loops)

        self._write(add, run)

    @override
    def add_imported(self, run: str, packed: Sequence[Packed]) -> None:
        def add(connection: Connection) -> None:
            trials, loops, kept = list[Filled](), list[Filled](), list[Filled]()
            number, beside = _count(connection, TRIALS, run), _count(connection, EVIDENCE, run)
            for imported in packed:
                parts = placed(imported, run, number + len(trials), beside + len(kept))
                for filled, more in zip((trials, loops, kept), parts, strict=True):
                    filled.extend(more)
            for table, filled in ((TRIALS, trials), (LOOPS, loops), (EVIDENCE, kept)):
                if filled:
                    connection.execute(insert(table), filled)

        self._write(add, run)

    @override
    def evidence(self, run: str) -> tuple[StoredExtra, ...]:
        with self._reading() as connection:
            row = self._find(connection, run)
            stored = connection.execute(
                select(EVIDENCE).where(EVIDENCE.c.run == row.id).order_by(EVIDENCE.c.position)
            )
            return tuple(rows.kept_of(line) for line in stored)

    @override
    def imported(self, digest: str) -> str | None:
        with self._reading() as connection:
            stored = connection.execute(
                select(RUNS.c.id)
                .where(RUNS.c.plan.contains(digest, autoescape=True))
                .where(RUNS.c.state == RunState.FINISHED.value)
                .order_by(RUNS.c.created.desc())
            ).first()
        return None if stored is None else str(stored.id)

    @override
    def add_loop(self, run: str, trial: str, loop: Loop, *, parser_version: int = 1) -> None:
        row = rows.loop_row(run, trial, loop, parser_version)
        self._write(lambda connection: connection.execute(insert(LOOPS).values(row)), run)

    @override
    def mark(
        self, run: str, trial: str, *, flags: tuple[str, ...], faults: tuple[str, ...]
    ) -> None:
        change = (
            update(TRIALS)
            .where(TRIALS.c.run == run, TRIALS.c.id == trial)
            .values(flags=json.dumps(flags), faults=json.dumps(faults))
        )
        self._write(lambda connection: connection.execute(change), run)

    @override
    def add_measurement(
        self,
        run: str,
        measurement: Measurement,
        loop: Loop | None = None,
        *,
        parser_version: int = 1,
    ) -> None:
        def add(connection: Connection) -> None:
            if loop is not None:
                row = rows.loop_row(run, measurement.trial, loop, parser_version)
                connection.execute(insert(LOOPS).values(row))
            position = _count(connection, CAMPAIGNS, run)
            connection.execute(insert(CAMPAIGNS).values(campaigns.row(run, position, measurement)))

        self._write(add, run)

    @override
    def add_result(self, run: str, result: Result) -> None:
        def add(connection: Connection) -> None:
            position = _count(connection, CAMPAIGNS, run)
            connection.execute(insert(CAMPAIGNS).values(campaigns.row(run, position, result)))

        self._write(add, run)

    @override
    def campaign(self, run: str) -> Campaign | None:
        with self._reading() as connection:
            row = self._find(connection, run)
            stored = connection.execute(
                select(CAMPAIGNS).where(CAMPAIGNS.c.run == row.id).order_by(CAMPAIGNS.c.position)
            )
            return campaigns.campaign_of(row.id, json.loads(row.plan), stored)

    @override
    def finish(self, run: str, state: RunState) -> None:
        def change(connection: Connection) -> None:
            connection.execute(
                update(RUNS).where(RUNS.c.id == run).values(state=state.value, owner="")
            )
            outline.keep(_query(connection), run)

        self._write(change, run)
        self._locks.release(run)

    @override
    def resume(self, run: str, *, owner: str) -> Run:
        def change(connection: Connection) -> Run:
            row = self._find(connection, run)
            state = self._locks.state(row.id, row.state, row.owner)
            if state in {RunState.FINISHED, RunState.RUNNING}:
                raise UsageError(
                    f"run {row.id} is {state.value}, so there is nothing to resume",
                    hint="`iosonde list` shows the interrupted ones",
                )
            self._locks.hold(row.id)
            outline.forget(_query(connection), row.id)
            connection.execute(
                update(RUNS)
                .where(RUNS.c.id == row.id)
                .values(state=RunState.RUNNING.value, owner=owner)
            )
            return self._whole(connection, self._find(connection, row.id))

        return self._write(change)

    @override
    def load(self, run: str) -> Run:
        with self._reading() as connection:
            return self._whole(connection, self._find(connection, run))

    @override
    def heads(self) -> tuple[RunLine, ...]:
        with self._reading() as connection:
            return lines.heads(_query(connection), self._locks.state)

    @override
    def runs(self) -> tuple[RunLine, ...]:
        heads = self.heads()
        return lines.outlined(heads, self.outlines([line.id for line in heads]))

    @override
    def outlines(self, runs: Sequence[str]) -> dict[str, RunOutline]:
        with self._reading() as connection:
            outlines = lines.outlines(_query(connection), runs)
        missing = [run for run in runs if run not in outlines]
        for start in range(0, len(missing), _OUTLINES):
            some = missing[start : start + _OUTLINES]
            with self._reading() as connection:
                computed = outline.computed(_query(connection), some)
            outlines |= computed
            with suppress(StoreFailed):  # one that takes no more can still be read
                self._write(partial(self._keep_outlines, outlines=computed))
        return outlines

    def _keep_outlines(self, connection: Connection, *, outlines: Mapping[str, RunOutline]) -> None:
        outline.keep_all(_query(connection), outlines, self._locks.state)

    @override
    def settings(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        with self._reading() as connection:
            return lines.settings(_query(connection), runs)

    @override
    def keep_settings(self, settings: Mapping[str, Mapping[str, Scalar]]) -> None:
        with suppress(StoreFailed):  # computed again the next time
            self._write(lambda on: outline.keep_settings(_query(on), settings))

    @override
    def first_trial(self, run: str) -> Trial | None:
        with self._reading() as connection:
            row = self._find(connection, run)
            query = select(TRIALS).where(TRIALS.c.run == row.id).order_by(TRIALS.c.position)
            first = connection.execute(query.limit(1)).first()
        return None if first is None else rows.trial_of(first, ())

    @override
    def forecast_models(self) -> dict[str, frozenset[str]]:
        models: dict[str, frozenset[str]] = {}
        with self._reading() as connection:
            query = select(EVIDENCE).where(EVIDENCE.c.kind == rows.FORECAST)
            for row in connection.execute(query):
                forecast = rows.kept_of(row).what
                assert isinstance(forecast, Forecast)  # noqa: S101 - by its kind
                models[row.run] = models.get(row.run, frozenset()) | {*forecast.devices.values()}
        return models

    @override
    def delete_all(self, runs: Sequence[str]) -> None:
        def change(connection: Connection) -> list[str]:
            return [self._forget(connection, run) for run in runs]

        for run in self._write(change):
            self._locks.release(run)

    @override
    def delete(self, run: str) -> None:
        self.delete_all([run])

    def _forget(self, connection: Connection, run: str) -> str:
        row = self._find(connection, run)
        if (
            self._locks.state(row.id, row.state, row.owner) is RunState.RUNNING
            and row.owner != this_process()
        ):
            raise UsageError(
                f"run {row.id} is being measured, so it was not removed",
                hint="end it first, or wait until `iosonde list` shows that it has ended",
            )
        connection.execute(delete(RUNS).where(RUNS.c.id == row.id))
        return str(row.id)

    @override
    def close(self) -> None:
        self._locks.close()
        closed(self._database)

    def _find(self, connection: Connection, run: str) -> Row[tuple[object, ...]]:
        return labels.find_run(connection, run, self._place)

    def _whole(self, connection: Connection, row: Row[tuple[object, ...]]) -> Run:
        loops: dict[str, list[Loop]] = {}
        for loop in connection.execute(
            select(LOOPS).where(LOOPS.c.run == row.id).order_by(LOOPS.c.trial, LOOPS.c.index)
        ):
            loops.setdefault(loop.trial, []).append(rows.loop_of(loop))
        trials = connection.execute(
            select(TRIALS).where(TRIALS.c.run == row.id).order_by(TRIALS.c.position)
        )
        return replace(
            self._bare(connection, row),
            trials=tuple(rows.trial_of(trial, loops.get(trial.id, ())) for trial in trials),
        )

    def _bare(self, connection: Connection, row: Row[tuple[object, ...]]) -> Run:
        """A run without its trials."""
        return Run(
            id=row.id,
            study=row.study,
            plan=json.loads(row.plan),
            created=row.created,
            state=self._locks.state(row.id, row.state, row.owner),
            owner=row.owner,
            name=row.name,
            tags=labels.tags_of(connection, row.id),
        )


def _query(connection: Connection) -> lines.Query:
    """As `lines` and `outline` ask."""

    def rows_of(sql: str, values: lines.Values) -> Sequence[Row[Any]]:
        result = connection.execute(text(sql), values)
        return result.all() if result.returns_rows else ()

    return rows_of


def _count(connection: Connection, table: Table, run: str) -> int:
    return connection.execute(
        select(func.count()).select_from(table).where(table.c.run == run)
    ).scalar_one()
