"""Reads the list of runs from a store's file by sqlite3 alone: nothing large is imported for it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import Self
from urllib.parse import quote

from iosonde.outputs import followed
from iosonde.records.stack import Scalar
from iosonde.store import lines
from iosonde.store.alive import RunLocks
from iosonde.store.database import HEAD, StoreFile, sqlite_path
from iosonde.store.lines import RunLine, RunOutline


class QuickReader:
    """The runs of a store that is a file. It makes, migrates and writes nothing.

    Args:
        file: examined as `iosonde.store.sqlite` does.
        connection: to it, at today's schema.
    """

    def __init__(self, file: StoreFile, connection: sqlite3.Connection) -> None:
        self._file, self._connection = file, connection
        self._locks = RunLocks(file.path)

    @classmethod
    def of(cls, place: str) -> Self | None:
        """A reader; None where the store is no file, not there, older, or cannot be read so.

        Raises:
            UsageError, Refused: as `iosonde.store.sqlite.connect`.
        """
        if "://" in place and not place.startswith("sqlite"):
            return None
        path = sqlite_path(place)
        try:
            if not path.is_file():
                return None
            file = StoreFile(os.path.realpath(followed(path, "the store")))
        except OSError:
            return None
        try:
            uri = f"file:{quote(file.path)}?mode=ro"
            connection = sqlite3.connect(uri, uri=True, timeout=5)
        except sqlite3.Error:
            file.close()
            return None
        reader = cls(file, connection)
        if not reader._is_usable():
            reader.close()
            return None
        return reader

    def _is_usable(self) -> bool:
        try:
            version = self._connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.Error:
            return False
        return version == (HEAD,) and self._file.is_open()

    def heads(self) -> tuple[RunLine, ...]:
        """See `iosonde.store.store.Store.heads`.

        Raises:
            sqlite3.Error: the file is damaged or locked.
        """
        return lines.heads(self._query, self._locks.state)

    def outlines(self, runs: Sequence[str]) -> dict[str, RunOutline]:
        """The outlines that are kept; Raises as `heads`."""
        return lines.outlines(self._query, runs)

    def settings(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """See `iosonde.store.store.Store.settings`; Raises as `heads`."""
        return lines.settings(self._query, runs)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        self._file.close()

    def _query(self, sql: str, values: lines.Values) -> Sequence[tuple[object, ...]]:
        return self._connection.execute(sql, dict(values)).fetchall()
