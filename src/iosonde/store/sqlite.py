"""SQLite: one file, readable after a kill -9 at any moment.

Write-ahead log with synchronous=FULL: a transaction that returned survives a power cut
(https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from iosonde.errors import UsageError


def connect(place: str) -> Engine:
    """An engine for a file's path or a `sqlite:///PATH` URL; the directory is made.

    Raises:
        UsageError: the directory cannot be made.
    """
    path = Path(place.removeprefix("sqlite:///")).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(
            f"no directory for the store: {problem.strerror}",
            where=str(path.parent),
            hint="name another place with --store or IOSONDE_STORE",
        ) from None
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - the dialect's own driver
    connection.isolation_level = None  # transactions begin where _begin says, not in the driver
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: a deferred one can fail half-way with SQLITE_BUSY.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
