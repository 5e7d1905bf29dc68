"""The store over SQL: every method one transaction, durable when it returns."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from iosonde.campaign import Campaign, Measurement, Result
from iosonde.errors import StoreFailed, UsageError
from iosonde.printed import Kept
from iosonde.records import Json, Loop, Run, RunState, Trial
from iosonde.store import campaigns, rows
from iosonde.store.migrate import upgrade
from iosonde.store.owner import is_gone
from iosonde.store.packed import Packed, placed
from iosonde.store.packed import Row as Filled
from iosonde.store.schema import CAMPAIGNS, EVIDENCE, LOOPS, RUNS, TRIALS
from iosonde.store.store import RunLine

_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"  # nothing that is misread aloud


def _new_id() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


class SqlStore:
    """See `iosonde.store.store.Store`.

    Args:
        engine: of SQLite or PostgreSQL.
        place: path or URL, for messages.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self._place = engine.url.render_as_string(hide_password=True) if engine.url else place
        with self._told():
            upgrade(engine, self._place)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The database's complaint as an error of ours."""
        try:
            yield
        except SQLAlchemyError as problem:
            reason = str(getattr(problem, "orig", None) or problem).strip().splitlines()[0]
            raise StoreFailed(
                f"the store does not answer as it should: {reason}",
                where=self._place,
                hint="check its disk, its rights and --store",
            ) from problem

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._told(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with (
            self._told(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    def begin(self, study: str, plan: Mapping[str, Json], *, created: float, owner: str) -> Run:
        """See `Store.begin`."""
        run = Run(_new_id(), study, dict(plan), created, RunState.RUNNING, owner=owner)
        with self._writing() as connection:
            connection.execute(
                insert(RUNS).values(
                    id=run.id,
                    study=study,
                    plan=json.dumps(run.plan),
                    created=created,
                    state=run.state.value,
                    owner=owner,
                )
            )
        return run

    def add_trial(self, run: str, trial: Trial) -> None:
        """See `Store.add_trial`."""
        with self._writing() as connection:
            position = _count(connection, TRIALS, run)
            connection.execute(insert(TRIALS).values(rows.trial_row(run, position, trial)))
            if trial.loops:
                of_loops = [rows.loop_row(run, trial.id, loop, 1) for loop in trial.loops]
                connection.execute(insert(LOOPS), of_loops)

    def add_imported(self, run: str, packed: Sequence[Packed]) -> None:
        """See `Store.add_imported`."""
        trials, loops, kept = list[Filled](), list[Filled](), list[Filled]()
        with self._writing() as connection:
            number, beside = _count(connection, TRIALS, run), _count(connection, EVIDENCE, run)
            for one in packed:
                found = placed(one, run, number + len(trials), beside + len(kept))
                for filled, more in zip((trials, loops, kept), found, strict=True):
                    filled.extend(more)
            for table, filled in ((TRIALS, trials), (LOOPS, loops), (EVIDENCE, kept)):
                if filled:
                    connection.execute(insert(table), filled)

    def evidence(self, run: str) -> tuple[Kept, ...]:
        """See `Store.evidence`."""
        with self._reading() as connection:
            row = self._find(connection, run)
            found = connection.execute(
                select(EVIDENCE).where(EVIDENCE.c.run == row.id).order_by(EVIDENCE.c.position)
            )
            return tuple(rows.kept_of(one) for one in found)

    def imported(self, digest: str) -> str | None:
        """See `Store.imported`."""
        with self._reading() as connection:
            found = connection.execute(
                select(RUNS.c.id)
                .where(RUNS.c.plan.contains(digest, autoescape=True))
                .where(RUNS.c.state == RunState.FINISHED.value)
                .order_by(RUNS.c.created.desc())
            ).first()
        return None if found is None else str(found.id)

    def add_loop(self, run: str, trial: str, loop: Loop, *, parser_version: int = 1) -> None:
        """See `Store.add_loop`."""
        with self._writing() as connection:
            connection.execute(
                insert(LOOPS).values(rows.loop_row(run, trial, loop, parser_version))
            )

    def mark(
        self, run: str, trial: str, *, flags: tuple[str, ...], faults: tuple[str, ...]
    ) -> None:
        """See `Store.mark`."""
        with self._writing() as connection:
            connection.execute(
                update(TRIALS)
                .where(TRIALS.c.run == run, TRIALS.c.id == trial)
                .values(flags=json.dumps(flags), faults=json.dumps(faults))
            )

    def add_measurement(
        self, run: str, one: Measurement, loop: Loop | None = None, *, parser_version: int = 1
    ) -> None:
        """See `Store.add_measurement`."""
        with self._writing() as connection:
            if loop is not None:
                row = rows.loop_row(run, one.trial, loop, parser_version)
                connection.execute(insert(LOOPS).values(row))
            position = _count(connection, CAMPAIGNS, run)
            connection.execute(insert(CAMPAIGNS).values(campaigns.row(run, position, one)))

    def add_result(self, run: str, result: Result) -> None:
        """See `Store.add_result`."""
        with self._writing() as connection:
            position = _count(connection, CAMPAIGNS, run)
            connection.execute(insert(CAMPAIGNS).values(campaigns.row(run, position, result)))

    def campaign(self, run: str) -> Campaign | None:
        """See `Store.campaign`."""
        with self._reading() as connection:
            row = self._find(connection, run)
            found = connection.execute(
                select(CAMPAIGNS).where(CAMPAIGNS.c.run == row.id).order_by(CAMPAIGNS.c.position)
            )
            return campaigns.campaign_of(row.id, json.loads(row.plan), found)

    def finish(self, run: str, state: RunState) -> None:
        """See `Store.finish`."""
        with self._writing() as connection:
            connection.execute(
                update(RUNS).where(RUNS.c.id == run).values(state=state.value, owner="")
            )

    def resume(self, run: str, *, owner: str) -> Run:
        """See `Store.resume`."""
        with self._writing() as connection:
            row = self._find(connection, run)
            state = _state(row)
            if state in {RunState.FINISHED, RunState.RUNNING}:
                raise UsageError(
                    f"run {row.id} is {state.value}, so there is nothing to resume",
                    hint="`iosonde list` shows the interrupted ones",
                )
            connection.execute(
                update(RUNS)
                .where(RUNS.c.id == row.id)
                .values(state=RunState.RUNNING.value, owner=owner)
            )
            return self._whole(connection, self._find(connection, row.id))

    def load(self, run: str) -> Run:
        """See `Store.load`."""
        with self._reading() as connection:
            return self._whole(connection, self._find(connection, run))

    def runs(self) -> tuple[RunLine, ...]:
        """See `Store.runs`."""
        trials = select(TRIALS.c.run, func.count().label("n")).group_by(TRIALS.c.run).subquery()
        loops = select(LOOPS.c.run, func.count().label("n")).group_by(LOOPS.c.run).subquery()
        with self._reading() as connection:
            hosts: dict[str, list[str]] = {}
            for run, host in connection.execute(select(TRIALS.c.run, TRIALS.c.host).distinct()):
                hosts.setdefault(run, []).append(host)
            found = connection.execute(
                select(RUNS, trials.c.n.label("trials"), loops.c.n.label("loops"))
                .outerjoin(trials, trials.c.run == RUNS.c.id)
                .outerjoin(loops, loops.c.run == RUNS.c.id)
                .order_by(RUNS.c.created.desc(), RUNS.c.id)
            ).all()
        return tuple(
            RunLine(
                id=row.id,
                study=row.study,
                created=row.created,
                state=_state(row),
                trials=row.trials or 0,
                loops=row.loops or 0,
                hosts=tuple(sorted(hosts.get(row.id, ()))),
            )
            for row in found
        )

    def delete(self, run: str) -> None:
        """See `Store.delete`."""
        with self._writing() as connection:
            row = self._find(connection, run)
            connection.execute(delete(RUNS).where(RUNS.c.id == row.id))

    def close(self) -> None:
        """See `Store.close`."""
        self._engine.dispose()

    def _find(self, connection: Connection, run: str) -> Row[tuple[object, ...]]:
        """The row of the run that an id, a unique beginning of one, or "last" names."""
        if run == "last":
            query = select(RUNS).order_by(RUNS.c.created.desc(), RUNS.c.id).limit(1)
        else:
            query = select(RUNS).where(RUNS.c.id.startswith(run, autoescape=True))
        found = connection.execute(query).all()
        exact = [row for row in found if row.id == run]
        found = exact or found
        if run and len(found) == 1:
            return found[0]
        if not run or not found:
            raise UsageError(
                f"there is no run {run!r}", where=self._place, hint="`iosonde list` shows them"
            )
        ids = ", ".join(sorted(row.id for row in found))
        raise UsageError(f"{run!r} fits several runs: {ids}", hint="write one of them out")

    @staticmethod
    def _whole(connection: Connection, row: Row[tuple[object, ...]]) -> Run:
        loops: dict[str, list[Loop]] = {}
        for loop in connection.execute(
            select(LOOPS).where(LOOPS.c.run == row.id).order_by(LOOPS.c.trial, LOOPS.c.index)
        ):
            loops.setdefault(loop.trial, []).append(rows.loop_of(loop))
        trials = connection.execute(
            select(TRIALS).where(TRIALS.c.run == row.id).order_by(TRIALS.c.position)
        )
        return Run(
            id=row.id,
            study=row.study,
            plan=json.loads(row.plan),
            created=row.created,
            state=_state(row),
            trials=tuple(rows.trial_of(trial, loops.get(trial.id, ())) for trial in trials),
            owner=row.owner,
        )


def _count(connection: Connection, table: Table, run: str) -> int:
    return connection.execute(
        select(func.count()).select_from(table).where(table.c.run == run)
    ).scalar_one()


def _state(row: Row[tuple[object, ...]]) -> RunState:
    """How a run stands: one whose process is gone without a word was interrupted."""
    state = RunState(row.state)
    if state is RunState.RUNNING and is_gone(row.owner):
        return RunState.INTERRUPTED
    return state
