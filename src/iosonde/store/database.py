"""A database that a store is kept in, and the file that it lies in."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import Refused, UsageError
from iosonde.outputs import kind_of_file

if TYPE_CHECKING:
    from sqlalchemy import Engine

HEAD = "0006"
"""Number of today's schema: the newest of migrations/."""
BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite appends to the names of its other files (https://www.sqlite.org/tempfiles.html)."""
_GONE = (FileNotFoundError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class Database:
    """An engine and, of SQLite, its file; None: the database is a server's."""

    engine: Engine
    file: StoreFile | None = None


class StoreFile:
    """The file of a store: examined before SQLite opens it, and known again while it is used.

    It is held by a descriptor of O_PATH, which opens no device, waits for no FIFO and, when it is
    closed, drops none of SQLite's locks as another descriptor would (fcntl(2), fs/open.c); while it
    is held, no other file gets the same number.

    Args:
        path: without links; the file is made where there is none.

    Raises:
        UsageError: there is something else than a regular file.
        Refused: others may put links beside it.
        OSError: it can be neither made nor reached.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        _require_own_directory(path)
        try:
            self._seen = _seen(path)
        except FileNotFoundError:
            with suppress(FileExistsError):
                # Its user's alone, whatever the umask; SQLite gives the files beside it the same
                # mode (os_unix.c, findCreateFileMode).
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._seen = _seen(path)
        try:
            _require_regular(os.fstat(self._seen), path)
            for name in BESIDE:
                with suppress(FileNotFoundError):
                    _require_regular(os.lstat(path + name), path + name)
        except BaseException:
            self.close()
            raise

    def is_open(self) -> bool:
        """Whether this process has opened this very file."""
        return self._number() in open_files(but=self._seen)

    def is_in_place(self) -> bool:
        """Whether its name still leads to it; also where that cannot be found out just now."""
        try:
            there = os.lstat(self.path)
        except _GONE:
            return False
        except OSError:
            return True
        return (there.st_dev, there.st_ino) == self._number()

    def fate(self) -> str:
        """What became of it, for a sentence: "was deleted"."""
        if not os.fstat(self._seen).st_nlink:
            return "was deleted"
        now = str(Path(f"/proc/self/fd/{self._seen}").readlink())
        return f"was moved to {now}" if now != self.path else "was replaced"

    def close(self) -> None:
        """Let go of it."""
        os.close(self._seen)

    def _number(self) -> tuple[int, int]:
        state = os.fstat(self._seen)
        return state.st_dev, state.st_ino


def sqlite_path(place: str) -> Path:
    """The file of a store, by its path or a `sqlite:///PATH` URL.

    Raises:
        UsageError: it is no such URL.
    """
    scheme, separator, rest = place.partition("://")
    if not separator or not scheme.startswith("sqlite"):
        return Path(place).expanduser()
    if len(rest) < 2 or not rest.startswith("/"):
        raise UsageError("expected sqlite:///PATH", where=place)
    return Path(rest[1:]).expanduser()


def open_files(*, but: int = -1) -> set[tuple[int, int]]:
    """Device and inode numbers of what this process has open, without one descriptor."""
    files = set()
    for number in (int(entry.name) for entry in Path("/proc/self/fd").iterdir()):
        with suppress(OSError):
            if number != but:
                state = os.fstat(number)
                files.add((state.st_dev, state.st_ino))
    return files


def _seen(path: str) -> int:
    return os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)


def _require_regular(state: os.stat_result, path: str) -> None:
    kind = kind_of_file(state.st_mode)
    if kind:
        raise UsageError(
            f"a store is a file, this is {kind}", where=path,
            hint="name a file, or one that is not there yet",
        )  # fmt: skip


def _require_own_directory(path: str) -> None:
    """SQLite opens the files beside by their names and follows links (os_unix.c, unixOpen).

    In a directory like /tmp the kernel follows no link of others (proc_sys_fs(5),
    protected_symlinks).
    """
    place = Path(path).parent
    mode = place.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise Refused(
            "every user may put links beside a store in this directory", where=str(place),
            evidence=f"its mode is {stat.S_IMODE(mode):o}", hint=f"chmod o-w {place}",
        )  # fmt: skip
