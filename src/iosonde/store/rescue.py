"""Takes what is in a store to another file, while the one it was in is gone or takes no more."""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, select
from sqlalchemy.exc import SQLAlchemyError

from iosonde.errors import IosondeError
from iosonde.private_folder import make_folders
from iosonde.store.database import BESIDE, Database, open_files
from iosonde.store.migrate import upgrade
from iosonde.store.schema import CAMPAIGNS, EVIDENCE, LOOPS, RUNS, TAGS, TRIALS
from iosonde.store.sqlite import connect

_SEVERAL = 9
"""Names that are tried beside one that is taken."""
_OWN_FOLDER = "iosonde-rescued-"
_FAILURES = (IosondeError, SQLAlchemyError, sqlite3.Error, OSError)


def made_anew(old: Database, folders: Callable[[], Iterator[Path]]) -> Database | None:
    """A store whose name does not lead to it any more, whole, in a new file; the old one is closed.

    SQLite goes on in the file that it has open, which nobody will find. The new file gets the old
    name where that is free.

    Args:
        old: a database of SQLite.
        folders: where else to try.

    Returns:
        The new one; None where nothing could be written anywhere, and `old` is as it was.
    """
    assert old.file is not None  # noqa: S101 - of a server's database nothing is made anew
    path = Path(old.file.path)
    copy = _copied(old.engine, chain([path.parent], folders()))
    if copy is None:
        return None
    # SQLite neither writes back nor removes a log whose database has been moved (pager.c,
    # databaseIsUnmoved): left there it would be taken for the new file's.
    ours = open_files()
    old.engine.dispose()
    old.file.close()
    return connect(str(_named(copy, path, ours)))


def _copied(engine: Engine, folders: Iterable[Path]) -> Path | None:
    """A copy of all that a database holds, with an unlikely name; None where no disk takes it."""
    for folder in folders:
        copy = folder / f"iosonde-{secrets.token_hex(8)}.sqlite"
        try:
            make_folders(folder)
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            raw = engine.raw_connection()
            with closing(raw), closing(sqlite3.connect(copy)) as new:
                assert isinstance(raw.driver_connection, sqlite3.Connection)  # noqa: S101
                raw.driver_connection.backup(new)
        except _FAILURES:
            _removed(copy, folder)
            continue
        return copy
    return None


def _named(copy: Path, path: Path, ours: set[tuple[int, int]]) -> Path:
    """The copy under the store's name if that is free, or a name like it."""
    if copy.parent == path.parent and _is_free(path, ours) and _moved(copy, path):
        return path
    for number in range(1, _SEVERAL + 1):
        other = copy.with_name(f"{path.name}.rescued-{number}")
        if _is_free(other, set()) and _moved(copy, other):
            return other
    return copy


def _is_free(path: Path, ours: set[tuple[int, int]]) -> bool:
    """Whether nothing has a store's name or those beside it, once what is left of ours is away."""
    for name in (f"{path}{end}" for end in BESIDE):
        with suppress(FileNotFoundError):
            state = os.lstat(name)
            if (state.st_dev, state.st_ino) not in ours:
                return False
            os.unlink(name)  # noqa: PTH108 - one of SQLite's own; its content is in the copy
    return not os.path.lexists(path)


def _moved(copy: Path, path: Path) -> bool:
    """Give the copy a name that nothing has; False where something has it."""
    try:
        os.link(copy, path, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        copy.rename(path)
        return True
    copy.unlink()
    return True


def carried(old: Database, run: str, folders: Callable[[], Iterator[Path]]) -> Database | None:
    """One run of a store that takes no more, in a new store elsewhere.

    Args:
        old: it can be read; a full disk allows that.
        run: id of the run.
        folders: where to try.

    Returns:
        The new store; None where the old one cannot be read, or no disk takes it.
    """
    for folder in folders():
        path = folder / f"iosonde-rescued-{run}.sqlite"
        if os.path.lexists(path):
            path = folder / f"iosonde-rescued-{run}-{secrets.token_hex(4)}.sqlite"
        new: Database | None = None
        try:
            new = connect(str(path))
            upgrade(new.engine, str(path))
            with (
                old.engine.connect() as reading,
                new.engine.connect().execution_options(writes=True) as writing,
                writing.begin(),
            ):
                _carry(reading, writing, run)
        except _FAILURES:
            if new is not None:
                closed(new)
            _removed(path, folder)
            continue
        return new
    return None


def _carry(reading: Connection, writing: Connection, run: str) -> None:
    for table in (RUNS, TAGS, TRIALS, LOOPS, EVIDENCE, CAMPAIGNS):
        column = table.c.id if table is RUNS else table.c.run
        for row in reading.execute(select(table).where(column == run)).mappings():
            writing.execute(insert(table).values(**row))


def closed(database: Database) -> None:
    """Let go of a database and its file."""
    database.engine.dispose()
    if database.file is not None:
        database.file.close()


def _removed(path: Path, folder: Path) -> None:
    """Nothing is left of what could not be written."""
    for name in (str(path), *(f"{path}{end}" for end in BESIDE)):
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108 - made by us under a name that nobody knew
    if folder.name.startswith(_OWN_FOLDER):
        with suppress(OSError):
            folder.rmdir()


def other_folders(home: str) -> Iterator[Path]:
    """Where a store goes that cannot stay: beside the default store, here, /var/tmp.

    Args:
        home: the default store.
    """
    yield Path(home).parent
    with suppress(OSError):
        yield Path.cwd()
    with suppress(OSError):
        yield Path(tempfile.mkdtemp(prefix=_OWN_FOLDER, dir="/var/tmp"))
