"""Writes what a user names as output: the one place that decides what may be written to, and how.

Only a regular file is made or replaced. The content goes into a new file beside it, which takes the
name when it is whole and on the disk: a full disk or a kill leaves the old file as it was, and what
the name leads to is never opened for writing, so that a link or a device put there between the look
and the write gets no byte. Standard output (`-`, /dev/stdout) and descriptors that a shell passes
(/dev/fd/N, as `>(…)` gives) are written to as they are.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from iosonde.errors import IosondeError, OutputFailed, Refused, UsageError

_DESCRIPTOR = re.compile(r"/dev/fd/(\d{1,9})|/proc/self/fd/(\d{1,9})")
_NAMED = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_KINDS = {
    stat.S_IFBLK: "a block device", stat.S_IFCHR: "a character device", stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a directory", stat.S_IFLNK: "a link",
}  # fmt: skip
_FAILED = {
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EPIPE, errno.ENXIO, errno.ESTALE,
    errno.ENOMEM, errno.ETIMEDOUT, errno.ENODEV, errno.EREMOTEIO,
}  # fmt: skip
"""What a disk or a reader does to a name that was right."""
_LINKS = 40  # in a row, as many as the kernel follows (path_resolution(7))
_NO_NEW_FILE = {errno.EACCES, errno.EPERM, errno.EROFS}


def kind_of_file(mode: int) -> str:
    """What a path leads to, by st_mode: "a block device"; empty for a regular file."""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no file")


def descriptor_of(path: str | Path) -> int | None:
    """The number of the descriptor that a path names by its spelling; None: it names a file.

    Standard output is `-` or /dev/stdout; others are /dev/fd/N and /proc/self/fd/N (fd(4)).
    """
    text = str(path)
    if text in _NAMED:
        return _NAMED[text]
    match = _DESCRIPTOR.fullmatch(text)
    return int(match[1] or match[2]) if match else None


def write_output(path: str | Path, content: bytes, what: str) -> None:
    """Write a file whole, or leave what was there.

    Args:
        path: where to; `-`, /dev/stdout and /dev/fd/N are descriptors, see `descriptor_of`.
        content: all of it.
        what: it is, for messages: "the report".

    Raises:
        UsageError: it cannot be written there, or that is no regular file.
        Refused: a link of another user stands there.
        OutputFailed: the disk is full or broken, or nobody reads the pipe any more.
    """
    with output_file(path, what) as file:
        file.write(content)


@contextmanager
def output_file(path: str | Path, what: str) -> Iterator[BinaryIO]:
    """A file to write to, which takes its name when the block ends without an error.

    It can be read and sought too, and has a descriptor; an OSError of the block is told as one of
    this file.

    Raises:
        UsageError, Refused, OutputFailed: see `write_output`.
    """
    number = descriptor_of(path)
    try:
        if number is not None:
            with tempfile.TemporaryFile() as whole:
                yield whole
                _send(whole, number, str(path), what)
        else:
            with _directory_of(path, what) as (directory, name):
                yield from _replaced(directory, name, path, what)
    except OSError as problem:
        raise _failed(problem, path, what) from None


def require_output(path: str | Path, what: str) -> None:
    """Refuse now what `write_output` would refuse after hours; nothing is left there.

    Raises:
        UsageError, Refused, OutputFailed: see `write_output`.
    """
    number = descriptor_of(path)
    try:
        if number is not None:
            _require_descriptor(number, str(path), what)
            return
        with _directory_of(path, what) as (directory, name):
            try:
                made, beside = _make(directory)
            except OSError as problem:
                if problem.errno not in _NO_NEW_FILE or not _is_there(directory, name):
                    raise
                os.close(_reopened(directory, name, path, what))
                return
            os.close(made)
            os.unlink(beside, dir_fd=directory)
    except OSError as problem:
        raise _failed(problem, path, what) from None


def followed(path: str | Path, what: str) -> str:
    """Where a name leads that may be a link to a link, of the user's own or of root.

    Raises:
        Refused: one of them is another user's.
    """
    text = os.fspath(path)
    for _ in range(_LINKS):
        target = _link_target(text, what)
        if target is None:
            break
        text = os.path.join(os.path.dirname(text), target)  # noqa: PTH118, PTH120 - keeps its end
    return text


@contextmanager
def _directory_of(path: str | Path, what: str) -> Iterator[tuple[int, str]]:
    """Descriptor of the directory where the file is to be, and the file's name in it."""
    place, name = os.path.split(followed(path, what))
    if name in {"", ".", ".."}:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    directory = os.open(place or ".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _require_file(directory, name, path, what)
        yield directory, name
    finally:
        os.close(directory)


def _link_target(path: str, what: str) -> str | None:
    """What a link says, that very link whose owner is looked at; None: it is none.

    Raises:
        Refused: it is another user's.
    """
    try:
        seen = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # whoever writes there meets the same
        return None
    try:
        state = os.fstat(seen)
        if not stat.S_ISLNK(state.st_mode):
            return None
        if state.st_uid not in {0, os.geteuid()}:
            raise Refused(
                f"{what} is not written through a link of another user", where=path,
                evidence=f"the link belongs to uid {state.st_uid}",
                hint="name the file that it leads to, or one in a directory of your own",
            )  # fmt: skip
        return os.readlink("", dir_fd=seen)  # of the descriptor, readlinkat(2)
    finally:
        os.close(seen)


def _replaced(directory: int, name: str, path: str | Path, what: str) -> Iterator[BinaryIO]:
    """The new file, which then takes the place of the old one."""
    try:
        number, beside = _make(directory)
    except OSError as problem:
        if problem.errno not in _NO_NEW_FILE or not _is_there(directory, name):
            raise
        # The file may be written and its directory not: then it is overwritten where it is.
        with tempfile.TemporaryFile() as whole:
            yield whole
            _overwrite(whole, directory, name, path, what)
        return
    try:
        with os.fdopen(number, "w+b") as whole:
            yield whole
            whole.flush()
            _like_the_old(number, directory, name)
            os.fsync(number)
            _require_file(directory, name, path, what)
            try:
                os.rename(beside, name, src_dir_fd=directory, dst_dir_fd=directory)
            except OSError as problem:
                if problem.errno != errno.EBUSY:  # a file that is a mount, as containers have
                    raise
                _overwrite(whole, directory, name, path, what)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=directory)


def _make(directory: int) -> tuple[int, str]:
    """A new file in a directory: its descriptor and its name."""
    name = f".iosonde-{secrets.token_hex(8)}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o666, dir_fd=directory), name


def _like_the_old(number: int, directory: int, name: str) -> None:
    """The mode that its owner gave the file before; of another user's file nothing is kept."""
    with suppress(FileNotFoundError):
        old = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISREG(old.st_mode) and old.st_uid == os.geteuid():
            os.fchmod(number, stat.S_IMODE(old.st_mode))


def _is_there(directory: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _require_file(directory: int, name: str, path: str | Path, what: str) -> None:
    """Raises UsageError where something else than a regular file has the name."""
    with suppress(FileNotFoundError):
        _require_regular(os.stat(name, dir_fd=directory, follow_symlinks=False), path, what)


def _require_regular(state: os.stat_result, path: str | Path, what: str) -> None:
    kind = kind_of_file(state.st_mode)
    if kind:
        raise UsageError(
            f"{what} cannot be written: this is {kind}, expected a file", where=str(path),
            hint="name a file, or - for standard output",
        )  # fmt: skip


def _reopened(directory: int, name: str, path: str | Path, what: str) -> int:
    """A descriptor for writing to the file that has the name, the very one that was examined."""
    seen = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    try:
        _require_regular(os.fstat(seen), path, what)
        return os.open(f"/proc/self/fd/{seen}", os.O_WRONLY | os.O_CLOEXEC)
    finally:
        os.close(seen)


def _overwrite(whole: BinaryIO, directory: int, name: str, path: str | Path, what: str) -> None:
    with os.fdopen(_reopened(directory, name, path, what), "wb") as file:
        whole.seek(0)
        os.ftruncate(file.fileno(), 0)
        shutil.copyfileobj(whole, file)
        file.flush()
        os.fsync(file.fileno())


def _send(whole: BinaryIO, number: int, path: str, what: str) -> None:
    """Everything to a descriptor that the shell opened."""
    _require_descriptor(number, path, what)
    whole.seek(0)
    if number == 1:  # in order with what was printed before
        sys.stdout.flush()
        shutil.copyfileobj(whole, sys.stdout.buffer)
        sys.stdout.flush()
        return
    with os.fdopen(number, "wb", closefd=False) as file:
        shutil.copyfileobj(whole, file)


def _require_descriptor(number: int, path: str, what: str) -> None:
    """Raises UsageError where it is a block device, or none that was passed to this process."""
    state = os.fstat(number)
    # What this process opened itself, such as the store, is closed on exec; what it was given
    # was not, or it would not have come (execve(2)).
    if number > 2 and fcntl.fcntl(number, fcntl.F_GETFD) & fcntl.FD_CLOEXEC:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if stat.S_ISBLK(state.st_mode) or stat.S_ISDIR(state.st_mode):
        raise UsageError(
            f"{what} cannot be written: this is {kind_of_file(state.st_mode)}, expected a file "
            "or a pipe", where=path,
        )  # fmt: skip


def _failed(problem: OSError, path: str | Path, what: str) -> IosondeError:
    reason = problem.strerror or str(problem)
    message = f"{what} cannot be written: {reason}"
    # The core and Polars raise OSError without a number.
    if problem.errno is None or problem.errno in _FAILED:
        return OutputFailed(message, where=str(path))
    return UsageError(message, where=str(path))
