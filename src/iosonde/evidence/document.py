"""A text that may hold outputs: a file, standard input, a page, a PDF; with line numbers."""

from __future__ import annotations

import gzip
import mmap
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from iosonde.errors import UsageError
from iosonde.evidence import clean

Data: TypeAlias = "bytes | mmap.mmap"
_PROBE = 4096
_MAIL_MOST = 1 << 24  # bytes of a text that may be a mail and is decoded as a whole


@dataclass(frozen=True, slots=True)
class Document:
    """A text. `numbers` holds the line of the source for each line of `data`; None: the same."""

    name: str
    data: Data
    numbers: Sequence[int] | None = None

    def number(self, line: int) -> int:
        """The source's number of a line; both count from 1."""
        if self.numbers is None:
            return line
        place = min(line, len(self.numbers)) - 1
        return self.numbers[place] if place >= 0 else line


def open_document(name: str) -> Document:
    """The text in a file, or of standard input ("-"). Files are mapped, not read.

    Raises:
        UsageError: no such file, a directory, no right to read it, or no text.
    """
    if name == "-":
        return of_bytes("-", sys.stdin.buffer.read())
    try:
        with Path(name).open("rb") as file:
            head = file.read(_PROBE)
            if not head:
                return Document(name, b"")
            data: Data
            try:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):  # a pipe, or a file of /proc
                data = head + file.read()
    except OSError as problem:
        raise UsageError(f"cannot be read: {problem.strerror}", where=name) from None
    return of_bytes(name, data)


def of_bytes(name: str, data: Data) -> Document:
    """The text in some bytes, whatever they are wrapped in.

    Raises:
        UsageError: it is a damaged PDF or gzip file, or no text at all.
    """
    head = bytes(data[:_PROBE])
    if head[:2] == b"\x1f\x8b":
        try:
            return of_bytes(name, gzip.decompress(data))
        except (OSError, EOFError, zlib.error) as problem:
            raise UsageError(f"is a damaged gzip file: {problem}", where=name) from None
    if head[:5] == b"%PDF-":
        from iosonde.evidence.pdf import text_of_pdf

        return Document(name, text_of_pdf(bytes(data), name))
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        data = bytes(data).decode("utf-16", errors="replace").encode()
        head = data[:_PROBE]
    if head.count(0) > len(head) // 8:
        raise UsageError(
            "is no text", where=name, hint="give text, Markdown, HTML, mail or a PDF with outputs"
        )
    lowered = head.lstrip().lower()
    if lowered.startswith((b"<!doctype html", b"<html", b"<?xml")) and b"<html" in lowered:
        from iosonde.evidence.page import text_of_page

        return Document(name, *text_of_page(bytes(data)))
    if len(data) <= _MAIL_MOST and clean.is_quoted_printable(bytes(data)):
        return Document(name, *clean.from_quoted_printable(bytes(data)))
    return Document(name, data)
