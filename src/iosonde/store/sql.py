"""The store over SQL: every method one transaction, durable when it returns."""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import (
    Connection,
    Row,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from iosonde import kerneltext
from iosonde.config import value_beside_file
from iosonde.errors import StoreFailed, UsageError
from iosonde.records.campaign import Campaign, Measurement, Result
from iosonde.records.printed import StoredExtra
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import Json
from iosonde.store import campaigns, labels, rows
from iosonde.store.alive import RunLocks
from iosonde.store.database import Database
from iosonde.store.migrate import upgrade
from iosonde.store.owner import is_gone, this_process
from iosonde.store.packed import Packed, placed
from iosonde.store.packed import Row as Filled
from iosonde.store.rescue import carried, closed, made_anew, other_folders
from iosonde.store.schema import CAMPAIGNS, EVIDENCE, LOOPS, RUNS, TRIALS
from iosonde.store.store import RunLine, Store

T = TypeVar("T")

_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"  # nothing that is misread aloud


def _new_id() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


class SqlStore(Store):
    """See `iosonde.store.store.Store`.

    Args:
        database: SQLite or PostgreSQL.
        place: path or URL, for messages.
        tell: hears at once what `rescued` says at the end.
    """

    def __init__(
        self, database: Database, place: str, tell: Callable[[str], None] | None = None
    ) -> None:
        self._database = database
        self._engine = database.engine
        self._locks = RunLocks(self._engine)
        self._place = _shown(database) or place
        self._tell = tell
        self._rescued: StoreFailed | None = None
        try:
            with self._told():
                upgrade(self._engine, self._place)
        except BaseException:
            closed(database)
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The database's complaint as an error of ours."""
        try:
            yield
        except SQLAlchemyError as problem:
            reason = kerneltext.lines(str(getattr(problem, "orig", None) or problem).strip())[0]
            raise StoreFailed(
                f"the store does not answer as it should: {reason}",
                where=self._place,
                hint="check its disk, its rights and --store",
            ) from problem

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._told(), self._engine.connect() as connection, connection.begin():
            yield connection

    def _write(self, change: Callable[[Connection], T], run: str = "") -> T:
        """One transaction; in another file, where the store's takes no more or has gone.

        Args:
            change: what is done in it; it may be done twice.
            run: whose data it adds, without which they would be lost; empty: none.
        """
        self._stay()
        try:
            answer = self._committed(change)
        except StoreFailed as problem:
            if not run or not self._carry(run, problem):
                raise
            answer = self._committed(change)
        self._stay()
        return answer

    def _committed(self, change: Callable[[Connection], T]) -> T:
        with (
            self._told(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            return change(connection)

    def _stay(self) -> None:
        """The store gets a new file where its own was deleted, moved or replaced."""
        file = self._database.file
        if file is None or file.is_in_place():
            return
        fate, old = file.fate(), self._place
        new = made_anew(self._database, self._folders)
        if new is None:
            raise StoreFailed(
                f"the store {fate} while it was in use, and no disk takes a copy of it", where=old,
                hint="it is gone when this process ends" if "deleted" in fate else "",
            )  # fmt: skip
        self._adopt(new, f"the store {fate} while it was in use; all of it is now in", old)

    def _carry(self, run: str, problem: StoreFailed) -> bool:
        """One run goes to a store elsewhere; False where that is not possible."""
        new = carried(self._database, run, self._folders) if self._database.file else None
        if new is None:
            return False
        old = self._place
        closed(self._database)
        self._adopt(new, f"{problem.message}; run {run} goes on in", old)
        return True

    def _adopt(self, new: Database, what: str, old: str) -> None:
        runs = self._locks.runs()
        self._locks.close()
        self._database, self._engine, self._place = new, new.engine, _shown(new)
        self._locks = RunLocks(self._engine)
        for run in runs:
            self._locks.hold(run)
        name = "a new file of that name" if self._place == old else self._place
        self._rescued = StoreFailed(
            f"{what} {name}", where=old, hint=f"iosonde list --store {shlex.quote(self._place)}"
        )
        if self._tell:
            self._tell(str(self._rescued))

    @staticmethod
    def _folders() -> Iterator[Path]:
        return other_folders(str(value_beside_file("store").value))

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
            for one in packed:
                found = placed(one, run, number + len(trials), beside + len(kept))
                for filled, more in zip((trials, loops, kept), found, strict=True):
                    filled.extend(more)
            for table, filled in ((TRIALS, trials), (LOOPS, loops), (EVIDENCE, kept)):
                if filled:
                    connection.execute(insert(table), filled)

        self._write(add, run)

    @override
    def evidence(self, run: str) -> tuple[StoredExtra, ...]:
        with self._reading() as connection:
            row = self._find(connection, run)
            found = connection.execute(
                select(EVIDENCE).where(EVIDENCE.c.run == row.id).order_by(EVIDENCE.c.position)
            )
            return tuple(rows.kept_of(one) for one in found)

    @override
    def imported(self, digest: str) -> str | None:
        with self._reading() as connection:
            found = connection.execute(
                select(RUNS.c.id)
                .where(RUNS.c.plan.contains(digest, autoescape=True))
                .where(RUNS.c.state == RunState.FINISHED.value)
                .order_by(RUNS.c.created.desc())
            ).first()
        return None if found is None else str(found.id)

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
        self, run: str, one: Measurement, loop: Loop | None = None, *, parser_version: int = 1
    ) -> None:
        def add(connection: Connection) -> None:
            if loop is not None:
                row = rows.loop_row(run, one.trial, loop, parser_version)
                connection.execute(insert(LOOPS).values(row))
            position = _count(connection, CAMPAIGNS, run)
            connection.execute(insert(CAMPAIGNS).values(campaigns.row(run, position, one)))

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
            found = connection.execute(
                select(CAMPAIGNS).where(CAMPAIGNS.c.run == row.id).order_by(CAMPAIGNS.c.position)
            )
            return campaigns.campaign_of(row.id, json.loads(row.plan), found)

    @override
    def finish(self, run: str, state: RunState) -> None:
        change = update(RUNS).where(RUNS.c.id == run).values(state=state.value, owner="")
        self._write(lambda connection: connection.execute(change), run)
        self._locks.release(run)

    @override
    def resume(self, run: str, *, owner: str) -> Run:
        def change(connection: Connection) -> Run:
            row = self._find(connection, run)
            state = self._state(row)
            if state in {RunState.FINISHED, RunState.RUNNING}:
                raise UsageError(
                    f"run {row.id} is {state.value}, so there is nothing to resume",
                    hint="`iosonde list` shows the interrupted ones",
                )
            self._locks.hold(row.id)
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
    def runs(self) -> tuple[RunLine, ...]:
        trials = select(TRIALS.c.run, func.count().label("n")).group_by(TRIALS.c.run).subquery()
        loops = (
            select(LOOPS.c.run, func.count().label("n"))
            .where(LOOPS.c.parser_version > 0)  # 0: not read
            .group_by(LOOPS.c.run)
            .subquery()
        )
        with self._reading() as connection:
            tags = labels.all_tags(connection)
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
                state=self._state(row),
                trials=row.trials or 0,
                loops=row.loops or 0,
                hosts=tuple(sorted(hosts.get(row.id, ()))),
                name=row.name,
                tags=tags.get(row.id, ()),
            )
            for row in found
        )

    @override
    def delete(self, run: str) -> None:
        def change(connection: Connection) -> str:
            row = self._find(connection, run)
            if self._state(row) is RunState.RUNNING and row.owner != this_process():
                raise UsageError(
                    f"run {row.id} is being measured, so it was not removed",
                    hint="end it first, or wait until `iosonde list` shows that it has ended",
                )
            connection.execute(delete(RUNS).where(RUNS.c.id == row.id))
            return str(row.id)

        self._locks.release(self._write(change))

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
            state=self._state(row),
            owner=row.owner,
            name=row.name,
            tags=labels.tags_of(connection, row.id),
        )

    def _state(self, row: Row[tuple[object, ...]]) -> RunState:
        """How a run stands: one whose process is gone without a word was interrupted."""
        state = RunState(row.state)
        if state is RunState.RUNNING and is_gone(
            row.owner, let_go=lambda: self._locks.is_free(row.id)
        ):
            return RunState.INTERRUPTED
        return state


def _shown(database: Database) -> str:
    """Where a database is, for messages."""
    file, url = database.file, database.engine.url
    return file.path if file else url.render_as_string(hide_password=True)


def _count(connection: Connection, table: Table, run: str) -> int:
    return connection.execute(
        select(func.count()).select_from(table).where(table.c.run == run)
    ).scalar_one()
