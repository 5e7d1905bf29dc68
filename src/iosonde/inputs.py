"""Opens what a user names as input: the one place that decides what may be read, and how much.

Regular files are read, pipes, terminals and /dev/null. A device has no end, and a FIFO to which
nobody writes would be waited for for ever.
"""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from iosonde import limits
from iosonde.contract import NULL
from iosonde.errors import UsageError
from iosonde.outputs import kind_of_file

_STDIN = 0
_LOOKED_AT = 5000  # names in a folder, of which one may have been meant
_ALIKE = 0.8
_STEP = 1 << 16
_PART = 1 << 20
_STDIN_NAMES = frozenset({"-", "/dev/stdin"})
_NULL = os.makedev(1, 3)  # Documentation/admin-guide/devices.txt: 1 char 3 is /dev/null

_TERMINALS = frozenset({4, 5, *range(136, 144)})  # the same: ttys and pseudo-terminals, by major


@dataclass(frozen=True, slots=True)
class UnreadInput:
    """A file that could not be read, beside others that could."""

    file: str
    error: str
    hint: str = field(metadata=NULL)

    @classmethod
    def of(cls, problem: UsageError) -> UnreadInput:
        """What its reader said of it."""
        return cls(problem.where, problem.message, problem.hint)

    @property
    def problem(self) -> UsageError:
        """The same, to be raised or printed."""
        return UsageError(self.error, where=self.file, hint=self.hint)


@contextmanager
def open_input(name: str | Path) -> Iterator[BinaryIO]:
    """A file that is to be read; "-" is standard input, which is not closed afterwards.

    Raises:
        UsageError: it cannot be opened, or is a directory, a device, or a FIFO without a writer.
    """
    if str(name) in _STDIN_NAMES:
        _check(_STDIN, str(name))
        with os.fdopen(_STDIN, "rb", closefd=False) as file:
            yield file
        return
    try:
        number = _opened(name)
    except (OSError, ValueError) as problem:  # ValueError: a name with NUL in it
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(
            f"cannot be read: {reason}", where=str(name), hint=_hint(problem, name)
        ) from None
    try:
        _check(number, str(name))
        os.set_blocking(number, True)
    except BaseException:
        os.close(number)
        raise
    with os.fdopen(number, "rb") as file:
        yield file


def _hint(problem: Exception, name: str | Path) -> str:
    """What to do about a file that cannot be opened."""
    if isinstance(problem, FileNotFoundError | NotADirectoryError | ValueError):
        return hint_of_missing(name)
    if isinstance(problem, PermissionError):
        return "start iosonde as a user who may read it"
    return ""


def hint_of_missing(name: str | Path) -> str:
    """What to do where there is no file of a name: the one that was meant, if one is like it."""
    from difflib import get_close_matches  # only errors need it

    path = Path(name)
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        names = [entry.name for entry in islice(entries, _LOOKED_AT)]
        near = get_close_matches(path.name, names, n=1, cutoff=_ALIKE)
        if near:
            return f"did you mean {path.with_name(near[0])}?"
        folder = "this folder" if path.parent == Path() else str(path.parent)
        return f"check the name: nothing like it is in {folder}"
    return f"check the path: there is no folder {path.parent}"


@contextmanager
def input_path(name: str | Path) -> Iterator[str]:
    """As `open_input`, for readers of the core, which open a path themselves.

    The path leads to the very file that was examined, whatever its name leads to by now.
    """
    with open_input(name) as file:
        number = file.fileno()
        if not stat.S_ISFIFO(os.fstat(number).st_mode) or os.fstat(number).st_dev == _pipes():
            yield f"/proc/self/fd/{number}"
            return
        # A FIFO with a name that is opened once more waits for another writer; a pipe does not.
        source = os.dup(number)
        ends = os.pipe()
        Thread(target=_relay, args=(source, ends[1]), daemon=True).start()
        try:
            yield f"/proc/self/fd/{ends[0]}"
        finally:
            os.close(ends[0])


def _relay(source: int, target: int) -> None:
    """Move what comes through one pipe to another until either end closes; closes both here."""
    try:
        with suppress(BrokenPipeError):
            while os.splice(source, target, _STEP):
                pass
    finally:
        os.close(source)
        os.close(target)


def read_input(name: str | Path, most: int, *, what: str, hint: str = "") -> bytes:
    """A whole file, or all of a pipe.

    Args:
        name: of the file; "-" is standard input.
        most: bytes that are read of it.
        what: it is to be, for the message: "a study".
        hint: what to do where it is longer.

    Raises:
        UsageError: as `open_input`; it is longer; reading failed.
    """
    with open_input(name) as file:
        content = read_at_most(file, most, str(name))
    if len(content) > most:
        raise UsageError(
            f"is longer than {limits.shown(most)}, the limit for {what}",
            where=str(name),
            hint=hint,
        )
    return content


def read_at_most(file: BinaryIO, most: int, name: str) -> bytes:
    """What a file holds, up to one byte more than `most`, which tells that there is more.

    Raises:
        UsageError: reading failed.
    """
    # In parts: files of /proc/sys answer reads of 4 MiB and more with ENOMEM.
    parts: list[bytes] = []
    room = most + 1
    try:
        while room > 0 and (part := file.read(min(room, _PART))):
            parts.append(part)
            room -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    except OSError as problem:
        raise UsageError(f"cannot be read: {problem.strerror}", where=name) from None


def read_declaration_file(file: Path, what: str) -> str:
    """The text of a file that a person wrote for iosonde.

    Args:
        file: where it is.
        what: it is to be, for the message: "the study".

    Raises:
        UsageError: as `open_input`; it is too long, or not UTF-8.
    """
    try:
        content = read_input(file, limits.DECLARATION, what=f"a file like {what}")
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise UsageError(f"{what} cannot be read: {problem}", where=str(file)) from None
    except UsageError as problem:
        raise UsageError(
            f"{what} {problem.message}", where=problem.where, hint=problem.hint
        ) from None


def _opened(name: str | Path) -> int:
    """A descriptor for reading; a device is not opened, which may do something by itself.

    Opening a watchdog starts it, closing a tape rewinds it (st(4); Documentation/watchdog of
    the kernel, watchdog-api.rst). O_PATH looks without opening, and what it saw is what is opened
    then (open(2)).

    Raises:
        UsageError: a device, or a socket.
        OSError: it cannot be opened.
    """
    seen = os.open(name, os.O_PATH | os.O_CLOEXEC)
    try:
        state = os.fstat(seen)
        is_safe = state.st_rdev == _NULL or os.major(state.st_rdev) in _TERMINALS
        if stat.S_ISBLK(state.st_mode) or (stat.S_ISCHR(state.st_mode) and not is_safe):
            raise _refusal(kind_of_file(state.st_mode), str(name))
        if stat.S_ISSOCK(state.st_mode):
            raise _refusal("a socket", str(name))
        # Without O_NONBLOCK the opening of a FIFO waits for its writer.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        return os.open(f"/proc/self/fd/{seen}", flags)
    finally:
        os.close(seen)


def _refusal(kind: str, name: str) -> UsageError:
    return UsageError(
        f"is {kind}; expected a file or a pipe", where=name, hint="name a file, or - for a pipe"
    )


def _check(number: int, name: str) -> None:
    """Raises UsageError where reading an open file might never end."""
    try:
        state = os.fstat(number)
    except OSError as problem:  # standard input may be closed
        raise UsageError(f"cannot be read: {problem.strerror}", where=name) from None
    kind = ""
    if stat.S_ISDIR(state.st_mode):
        kind = "a directory"
    elif stat.S_ISBLK(state.st_mode):
        kind = "a block device"
    elif stat.S_ISCHR(state.st_mode) and state.st_rdev != _NULL and not os.isatty(number):
        kind = "a character device"
    elif stat.S_ISFIFO(state.st_mode) and state.st_dev != _pipes() and not _has_writer(number):
        kind = f"a FIFO to which nobody wrote for {limits.FIRST_BYTE_SECONDS:g} s"
    if kind:
        raise _refusal(kind, name)


def _has_writer(number: int) -> bool:
    """Whether something was written to a FIFO, or its writer is gone again (poll(2), fs/pipe.c)."""
    waiting = select.poll()
    waiting.register(number, select.POLLIN)
    return bool(waiting.poll(limits.FIRST_BYTE_SECONDS * 1000))


@cache
def _pipes() -> int:
    """The device number of pipes without a name (fs/pipe.c: pipefs)."""
    ends = os.pipe()
    try:
        return os.fstat(ends[0]).st_dev
    finally:
        for end in ends:
            os.close(end)
