"""A long file as bytes of which only a part is in memory.

It is read with pread and not mapped: a mapped file that somebody cuts short while it is read ends
the process by SIGBUS (mmap(2)); here it is an error with the file's name.
"""

from __future__ import annotations

import os

from iosonde.errors import UsageError

_BLOCK = 1 << 20


class FileBytes:
    """The bytes that an open file had when it was given, as far as `bytes` can do it.

    Args:
        number: descriptor of a regular file; it is not closed here. Several processes may share it.
        name: of the file, for messages.
    """

    def __init__(self, number: int, name: str) -> None:
        self._number = number
        self._name = name
        self._size = os.fstat(number).st_size
        self._block = b""
        self._at = 0  # offset of the block in memory

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        """The bytes of a slice without a step.

        Raises:
            UsageError: the file was cut short, or reading it failed.
        """
        start, stop, _ = part.indices(self._size)
        if stop <= start:
            return b""
        low, high = start - self._at, stop - self._at
        if low >= 0 and high <= len(self._block):
            return self._block[low:high]
        if stop - start > _BLOCK // 2:
            return self._read(start, stop)
        self._at = start // (_BLOCK // 2) * (_BLOCK // 2)
        self._block = self._read(self._at, min(self._at + _BLOCK, self._size))
        return self._block[start - self._at : stop - self._at]

    def find(self, wanted: bytes, start: int, stop: int | None = None) -> int:
        """As `bytes.find`; what is looked for is short."""
        stop = self._size if stop is None else min(stop, self._size)
        step = 1 << 12
        while start < stop:
            part = self[start : min(start + step + len(wanted) - 1, stop)]
            place = part.find(wanted)
            if place >= 0:
                return start + place
            start += step
            step = min(4 * step, _BLOCK // 4)
        return -1

    def rfind(self, wanted: bytes, start: int, stop: int) -> int:
        """As `bytes.rfind`; what is looked for is short."""
        stop = high = min(stop, self._size)
        while start < stop:
            low = max(start, stop - _BLOCK // 4)
            place = self[low:high].rfind(wanted)
            if place >= 0:
                return low + place
            stop, high = low, min(low + len(wanted) - 1, high)
        return -1

    def _read(self, start: int, stop: int) -> bytes:
        parts = []
        while start < stop:
            try:
                part = os.pread(self._number, stop - start, start)
            except OSError as problem:
                raise UsageError(f"cannot be read: {problem.strerror}", where=self._name) from None
            if not part:
                raise UsageError(
                    f"became shorter than its {self._size} bytes while it was read",
                    where=self._name,
                    hint="read it when nobody writes to it, or copy it first",
                )
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
