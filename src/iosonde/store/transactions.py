"""Transactions of a store, which goes to another file where its own is gone or takes no more."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from iosonde import kerneltext
from iosonde.config import value_beside_file
from iosonde.errors import StoreFailed
from iosonde.store.alive import RunLocks
from iosonde.store.database import Database
from iosonde.store.migrate import upgrade
from iosonde.store.rescue import carried, closed, made_anew, other_folders

T = TypeVar("T")


class Transactions:
    """A database as a store uses it: all that it does is one transaction or another.

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
        self._locks = _locks_of(database)
        self._place = _shown(database) or place
        self._tell = tell
        self._rescued: StoreFailed | None = None
        try:
            with self._database_errors():
                upgrade(self._engine, self._place)
        except BaseException:
            closed(database)
            raise

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
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
        with self._database_errors(), self._engine.connect() as connection, connection.begin():
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
            self._database_errors(),
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
        self._locks = _locks_of(new)
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


def _shown(database: Database) -> str:
    """Where a database is, for messages."""
    file, url = database.file, database.engine.url
    return file.path if file else url.render_as_string(hide_password=True)


def _locks_of(database: Database) -> RunLocks:
    return RunLocks(database.file.path if database.file else None)
