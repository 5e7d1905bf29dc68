"""Standard output and error that end no verb: what they do not take is noted, not raised.

A full disk, a closed descriptor or a reader that has gone (`| head`) concerns what is shown. What a
verb does (measure, store, put back) goes on to its end; then the exit code tells of it.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_OUT, _ERR = 1, 2
_READER_GONE = {errno.EPIPE, errno.ECONNRESET}
_FAILED = 4
_ANSWERS = {0, 1, 5}
"""Exit codes of a verb that came to its end; others say already what failed."""


class _Stream(io.FileIO):
    """A descriptor that takes everything; `lost` is why some of it got nowhere."""

    def __init__(self, number: int, *, closed: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.used = False
        self.lost: OSError | None = None
        self._dead = OSError(errno.EBADF, "it is closed") if closed else None

    def write(self, content: ReadableBuffer, /) -> int:
        """As of a file, but what fails once is not tried again and raises nothing."""
        size = memoryview(content).nbytes
        self.used = self.used or size > 0
        while size and self._dead is None:
            try:
                count = super().write(content)
            except OSError as problem:
                self._dead = problem
                break
            if count is not None:
                return count
            # None: somebody set O_NONBLOCK on the terminal or pipe that we share.
            select.select([], [self.fileno()], [])
        if size:
            self.lost = self._dead
        return size


def guard_streams(errors: str) -> None:
    """Put streams that raise nothing in the place of Python's own.

    Descriptors 0 to 2 that are closed are taken, so that no file that is opened later (the store)
    gets one of these numbers and then what was meant for a stream.

    Args:
        errors: the handler for signs that the encoding lacks.
    """
    closed = {number for number in (0, _OUT, _ERR) if not _is_open(number)}
    for _ in closed:
        # Descriptors are given out from the lowest. Reading this one as standard input still fails.
        os.set_inheritable(os.open(os.devnull, os.O_WRONLY), True)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(sys.stdout, _OUT, errors, closed=_OUT in closed)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(sys.stderr, _ERR, errors, closed=_ERR in closed)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _text(old: TextIO | None, number: int, errors: str, *, closed: bool) -> io.TextIOWrapper:
    raw = _Stream(number, closed=closed)
    at_once = number == _ERR or (not closed and raw.isatty())
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=old.encoding if old else "utf-8", errors=errors,
        line_buffering=at_once,
    )  # fmt: skip


def _stream(text: TextIO) -> _Stream | None:
    """Where a stream of `guard_streams` ends, with all that was written to it so far."""
    raw = getattr(getattr(text, "buffer", None), "raw", None)
    if not isinstance(raw, _Stream):
        return None
    text.flush()
    return raw


def is_output_used() -> bool:
    """Whether anything was written to standard output."""
    raw = _stream(sys.stdout)
    return raw is not None and raw.used


def is_output_lost() -> bool:
    """Whether standard output did not take what was written to it."""
    raw = _stream(sys.stdout)
    return raw is not None and raw.lost is not None


def ended(code: int) -> int:
    """The exit code, now that all is written: 4 where an answer was lost on the way, and why.

    A reader that has gone has what it wanted, and lost progress and messages are no result: both
    change nothing.

    Args:
        code: of the verb.
    """
    raw = _stream(sys.stdout)
    if raw is None or raw.lost is None or raw.lost.errno in _READER_GONE:
        return code
    reason = raw.lost.strerror or str(raw.lost)
    sys.stderr.write(
        f"iosonde: standard output did not take what was written to it: {reason}\n"
        "  to do: what was measured or imported is in the store all the same; "
        "write where there is room\n"
    )
    return _FAILED if code in _ANSWERS else code
