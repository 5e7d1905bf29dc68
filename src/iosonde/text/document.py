"""A text that may hold outputs: a file, standard input, a page, a PDF; with line numbers.

How much is taken of one, and why so much: limits.py.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from iosonde import limits
from iosonde.errors import UsageError
from iosonde.inputs import open_input, read_at_most
from iosonde.text import mail
from iosonde.text.confined import confined
from iosonde.text.relined import relined

Data: TypeAlias = "bytes | FileBytes"
_PROBE = 4096
_MAIL_MOST = 1 << 24  # bytes of a text that may be a mail and is decoded as a whole
_LATIN_BLANKS = re.compile(rb"(?<![\x80-\xff])\xa0+")
_STEP = 1 << 20
_SMALLER = "cut out the part with the outputs"


class NoText(UsageError):
    """A file holds no text: it is binary, or packed in a way that is not unpacked."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text.

    Args:
        name: what it is called in messages and places.
        data: all bytes.
        numbers: the line of the source for each line of `data`; None: the same.
        lost: lines of the source of which a part is not in `data`, as it is of an output whose line
            breaks were lost, and its tool.
    """

    name: str
    data: Data
    numbers: Sequence[int] | None = None
    lost: Sequence[tuple[int, str]] = ()

    def number(self, line: int) -> int:
        """The source's number of a line; both count from 1."""
        if self.numbers is None:
            return line
        place = min(line, len(self.numbers)) - 1
        return self.numbers[place] if place >= 0 else line

    def lines_before(self, line: int, offset: int, first: int) -> list[str]:
        """The lines of `data` as they stand there, from one up to another.

        Args:
            line: number of the last one, which is near.
            offset: of its first byte.
            first: number of the first one.
        """
        start = offset
        for _ in range(line - first):
            start = self.data.rfind(b"\n", 0, max(start - 1, 0)) + 1
        end = self.data.find(b"\n", offset)
        part = self.data[start : len(self.data) if end < 0 else end]
        return part.decode(errors="replace").split("\n")

    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal digits."""
        sum_so_far = hashlib.sha256()
        for start in range(0, len(self.data), _STEP):
            sum_so_far.update(self.data[start : start + _STEP])
        return sum_so_far.hexdigest()


@contextmanager
def open_document(name: str) -> Iterator[Document]:
    """The text in a file, or of standard input ("-"). Of a long file only parts are in memory.

    Raises:
        UsageError: no such file, a directory, a device, no right to read it, no text, or more of
            it than limits.py allows.
    """
    with open_input(name) as file:
        yield of_bytes(name, _data(file, name))


def _data(file: BinaryIO, name: str) -> Data:
    state = os.fstat(file.fileno())
    if stat.S_ISREG(state.st_mode) and state.st_size > limits.DOCUMENT:
        raise UsageError(
            f"has {state.st_size} bytes, more than {limits.shown(limits.DOCUMENT)}, the limit for "
            "a text",
            where=name,
            hint=f"{_SMALLER}; `iosonde log` and `iosonde trace` read logs of any length",
        )
    # Standard input may be at any place of its file, and files of /proc have no size.
    if stat.S_ISREG(state.st_mode) and state.st_size > limits.IN_MEMORY and name != "-":
        return FileBytes(file.fileno(), name)
    content = read_at_most(file, limits.PIPED, name)
    if len(content) > limits.PIPED:
        raise UsageError(
            f"is longer than {limits.shown(limits.PIPED)}, the limit for a text that comes "
            "through a pipe",
            where=name,
            hint="write it to a file and give its name",
        )
    return content


def of_bytes(name: str, data: Data, wrappings: int = 0) -> Document:
    """The text in some bytes, whatever they are wrapped in.

    Args:
        name: what they are called in messages and places.
        data: all bytes.
        wrappings: how often they were unpacked already.

    Raises:
        UsageError: it is a damaged PDF or gzip file, no text at all, or longer than its kind may
            be.
    """
    head = data[:_PROBE]
    if head[:2] == b"\x1f\x8b":
        if wrappings >= limits.WRAPPINGS:
            raise UsageError(
                f"is gzip in gzip more than {limits.WRAPPINGS} times",
                where=name,
                hint="unpack it with gunzip",
            )
        return of_bytes(name, _unpacked(data, name), wrappings + 1)
    if head[:5] == b"%PDF-":
        from iosonde.text.pdf import text_of_pdf

        whole = _whole(data, name, "a PDF")
        return Document(name, confined(text_of_pdf, whole, name=name, what="this PDF"))
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        data = _whole(data, name, "a text in UTF-16").decode("utf-16", errors="replace").encode()
        head = data[:_PROBE]
    archive = _packed(head)
    if archive is None and _is_binary(head) and _TAR.match(head):
        archive = "a tar archive"  # of long texts it is read as if they stood below each other
    if archive is not None:
        raise NoText(
            f"is {archive}, which is not unpacked here",
            where=name,
            hint="unpack it and give the files in it; of packed texts only gzip is read",
        )
    if _is_binary(head):
        raise NoText(
            "is not text", where=name, hint="give text, Markdown, HTML, mail or a PDF with outputs"
        )
    lowered = head.lstrip().lower()
    if lowered.startswith((b"<!doctype html", b"<html", b"<?xml")) and b"<html" in lowered:
        from iosonde.text.page import text_of_page

        whole = _whole(data, name, "an HTML page")
        return _in_own_lines(name, *confined(text_of_page, whole, name=name, what="this HTML page"))
    if len(data) > _MAIL_MOST:
        return Document(name, data)
    return _in_own_lines(name, *(mail.decoded(data[:]) or (data[:], None)))


def _in_own_lines(name: str, text: bytes, numbers: Sequence[int] | None) -> Document:
    """The text of a mail or a page in the lines meant.

    Args:
        name: what it is called.
        text: as it was unwrapped.
        numbers: of its lines in the source; None: the same.
    """
    lines = relined(text)
    if lines is None:
        return Document(name, _blanks(text), numbers)
    source = numbers or range(1, text.count(b"\n") + 2)
    own = [source[line - 1] for line in lines.numbers]
    lost = tuple((source[line - 1], tool) for line, tool in lines.lost)
    return Document(name, _blanks(lines.data), own, lost)


def _blanks(data: Data) -> Data:
    """The data with blanks for no-break spaces, in UTF-8 or in ISO 8859: C2 A0, or A0 alone.

    Mail programs put them where several blanks stood, and no output begins with them. The rest of a
    text in ISO 8859 stays; what tools print has no other bytes of it.
    """
    text = data[:]  # the same object where it is in memory
    if b"\xa0" not in text:
        return data
    return _LATIN_BLANKS.sub(lambda match: b" " * len(match[0]), text.replace(b"\xc2\xa0", b" "))


_ARCHIVES = tuple(
    (re.compile(pattern, re.DOTALL), kind)
    for pattern, kind in (
        (rb"PK(?:\x03\x04|\x05\x06)", "a zip archive"),
        (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (rb"Rar!\x1a\x07", "a rar archive"),
        (rb"\xfd7zXZ\x00", "packed by xz"),
        (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "packed by bzip2"),
        (rb"\x28\xb5\x2f\xfd", "packed by zstd"),
        (rb"\x04\x22\x4d\x18", "packed by lz4"),
        (rb"LZIP[\x00\x01]", "packed by lzip"),
        (rb"\x1f\x9d", "packed by compress"),
        (rb"!<arch>\n", "an ar archive (a Debian package is one)"),
        (rb"\xed\xab\xee\xdb", "an RPM package"),
        (rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}", "a cpio archive"),
    )
)
"""How packed files begin. Source: magic(5) of file 5.44, archive and compress; cpio(5)."""
_TAR = re.compile(rb".{257}ustar", re.DOTALL)
_CONTROLS = bytes(set(range(1, 32)) - set(b"\a\b\t\n\v\f\r\x1b"))


def _packed(head: bytes) -> str | None:
    """What kind of packed file begins so; None where it is none that is known."""
    return next((kind for magic, kind in _ARCHIVES if magic.match(head)), None)


def _is_binary(head: bytes) -> bool:
    """Whether these bytes are of no text: an eighth are zeros, or one in 30 is a control byte.

    Texts of any encoding have none but those of lines, tabs and terminals; packed bytes one in 11.
    """
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return head.count(0) > len(head) // 8 or controls * 30 > len(head)


def _whole(data: Data, name: str, what: str) -> bytes:
    if len(data) > limits.PAGE:
        raise UsageError(
            f"has {len(data)} bytes, more than {limits.shown(limits.PAGE)}, the limit for {what}",
            where=name,
            hint=_SMALLER,
        )
    return data[:]


def _unpacked(data: Data, name: str) -> bytes:
    """What gzip packed: one member after the other, as gunzip reads them.

    Source: RFC 1952 2.2; zeros behind the last member are padding (gzip(1)).
    """
    parts: list[bytes] = []
    room, place = limits.UNPACKED, 0
    while place < len(data):
        if parts and not data[place : place + _PROBE].strip(b"\0"):
            place += _PROBE
            continue
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            packed = stream.unconsumed_tail
            if not packed:
                packed = data[place : place + _STEP]
                place += len(packed)
            try:
                part = stream.decompress(packed, min(room + 1, _STEP))
            except zlib.error as problem:
                raise UsageError(f"is a damaged gzip file: {problem}", where=name) from None
            if not packed and not part and not stream.eof:
                raise UsageError("is a damaged gzip file: it ends too early", where=name)
            parts.append(part)
            room -= len(part)
            if room < 0:
                raise UsageError(
                    f"unpacks to more than {limits.shown(limits.UNPACKED)}, the limit for a gzip "
                    "file",
                    where=name,
                    hint="unpack it with gunzip, if you trust it, and give the file",
                )
        place -= len(stream.unused_data)
    return b"".join(parts)


# ── long files ──────────────────────────────────────────────────────────────────────────────────


_BLOCK = 1 << 20


class FileBytes:
    """The bytes that an open file had when it was given, as far as `bytes` can do it.

    Only a part is in memory. It is read with pread and not mapped: a mapped file that somebody cuts
    short while it is read ends the process by SIGBUS (mmap(2)); here it is an error with its name.

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
