"""SQLite: one file, readable after a kill -9 at any moment.

Write-ahead log with synchronous=FULL: a transaction that returned survives a power cut
(https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous).
"""

from __future__ import annotations

import os
import sqlite3
from functools import partial

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from iosonde.errors import StoreFailed, UsageError
from iosonde.outputs import followed
from iosonde.private_folder import make_folders
from iosonde.store.database import Database, StoreFile, sqlite_path


def connect(place: str) -> Database:
    """The database in a file, by its path or a `sqlite:///PATH` URL; the directory is made.

    Raises:
        UsageError: it is no file, or the directory cannot be made.
        Refused: a link of another user leads there, or others may put links beside it.
        StoreFailed: the file cannot be made.
    """
    path = sqlite_path(place)
    try:
        make_folders(path.parent)
    except OSError as problem:
        raise UsageError(
            f"no directory for the store: {problem.strerror}",
            where=str(path.parent),
            hint="name another place with --store or IOSONDE_STORE",
        ) from None
    try:
        file = StoreFile(os.path.realpath(followed(path, "the store")))
    except OSError as problem:
        raise StoreFailed(
            f"the store cannot be opened: {problem.strerror}", where=str(path),
            hint="check its disk, its rights and --store",
        ) from None  # fmt: skip
    # Not as text: a name may hold what means something in a URL.
    url = URL.create("sqlite", database=file.path)
    engine = create_engine(url, connect_args={"timeout": 30})
    event.listen(engine, "connect", partial(_prepare, file))
    event.listen(engine, "begin", _begin)
    return Database(engine, file)


def _prepare(file: StoreFile, connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 - the dialect's own driver
    # SQLite opened it by its name and has written nothing yet.
    if not file.is_open():
        raise UsageError("the store became another file while it was opened", where=file.path)
    connection.isolation_level = None  # transactions begin where _begin says, not in the driver
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    # A writer takes its lock at once: a deferred one can fail half-way with SQLITE_BUSY.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
