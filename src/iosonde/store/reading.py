"""Reads the list of runs from a store's file by sqlite3 alone: nothing large is imported for it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Self
from urllib.parse import quote

from iosonde.outputs import followed
from iosonde.records.stack import Capture, Scalar
from iosonde.store import lines, outline
from iosonde.store.alive import RunLocks
from iosonde.store.database import HEAD, StoreFile, sqlite_path
from iosonde.store.lines import RunLine, RunOutline

_AT_ONCE = 200  # outlines that are computed here; more are a store's, in several transactions


class QuickReader:
    """The runs of a store that is a file. It makes and migrates nothing.

    What it had to compute it keeps in the store, if that takes it at once.

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
            # SQLite opens a file that it may not write as mode=ro does (sqlite3_open_v2).
            uri = f"file:{quote(file.path)}?mode=rw"
            connection = sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None)
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
            self._connection.execute("PRAGMA query_only=ON")
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
        """The outlines that are kept and, if few are missing, those too; Raises as `heads`."""
        outlines = lines.outlines(self._query, runs)
        missing = [run for run in runs if run not in outlines]
        if not missing or len(missing) > _AT_ONCE:
            return outlines
        computed = outline.computed(self._query, missing)
        self._keep(lambda: outline.keep_all(self._query, computed, self._locks.state))
        return outlines | computed

    def settings(self, runs: Sequence[str]) -> dict[str, dict[str, Scalar]]:
        """See `iosonde.store.store.Store.settings`; Raises as `heads`."""
        return lines.settings(self._query, runs)

    def keep_settings(self, settings: Mapping[str, Mapping[str, Scalar]]) -> None:
        """See `iosonde.store.store.Store.keep_settings`."""
        self._keep(lambda: outline.keep_settings(self._query, settings))

    def first_capture(self, run: str) -> tuple[Capture, str, str] | None:
        """See `iosonde.store.outline.first_capture`; Raises as `heads`, too."""
        return outline.first_capture(self._query, run)

    def _keep(self, write: Callable[[], None]) -> None:
        """One transaction; what the store does not take now is computed again the next time."""
        if not self._file.is_in_place():
            return
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA query_only=OFF")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                write()
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                raise
            finally:
                self._connection.execute("PRAGMA query_only=ON")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        self._file.close()

    def _query(self, sql: str, values: lines.Values) -> Sequence[tuple[object, ...]]:
        return self._connection.execute(sql, dict(values)).fetchall()
