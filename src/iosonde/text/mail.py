"""Mails as text: bodies in quoted-printable and base64 decoded, part by part; all else left alone.

What a header says of its body holds (RFC 2045 section 6.1). Of a body without one, as people paste
it, its own marks decide; a line of the header that ends in `=`, as signatures do, is none of them.

Source: RFC 2045 sections 6.1 and 6.7; RFC 2046 section 5.1 (parts); RFC 5322 section 2.2 (headers);
RFC 4155 (mbox: `From ` before each mail).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.text.base64_part import from_base64
from iosonde.text.clean import from_quoted_printable, is_decoded, is_quoted_printable

_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:")
_HEADER_NAMES = re.compile(
    rb"(?:received|return-path|delivered-to|from|to|cc|subject|date|message-id|dkim-signature|"
    rb"arc-seal|mime-version|content-type|content-transfer-encoding):",
    re.IGNORECASE,
)
_ENCODING = re.compile(rb"^content-transfer-encoding:\s*\"?([\w-]+)", re.IGNORECASE | re.MULTILINE)
"""At the begin of a line: a signature (`h=…`) names the fields that it covers."""
_CHARSET = re.compile(
    rb"charset=\"?(?P<name>(?:iso-8859-\d{1,2}|windows-\d{3,4}|koi8-[ru]|gbk|gb2312|gb18030|big5"
    rb"|shift_jis|euc-(?:jp|kr)))\b",
    re.IGNORECASE,
)
"""Sets of characters of mails that are not in UTF-8 and not of several bytes with shifts."""
_NAMED = re.compile(rb"quoted-printable|base64", re.IGNORECASE)
_MARKS = (b"=\n", b"=\r\n", b"=3D", b"=20\n", b"=20\r\n")


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines of a header, and of the body below it; indices as of a slice."""

    header: int
    body: int
    end: int
    encoding: str
    """As declared, in lower case; empty where it is not."""


def decoded(data: bytes) -> tuple[bytes, list[int]] | None:
    """The text meant, and for each of its lines the number of the line where it began.

    None where nothing of it is in quoted-printable or base64.
    """
    if not any(mark in data for mark in _MARKS) and not _NAMED.search(data):
        return None
    lines = data.split(b"\n")
    whole: list[bytes] = []
    numbers: list[int] = []
    changed = False
    for part in _parts(lines):
        whole += lines[part.header : part.body]
        numbers += range(part.header + 1, part.body + 1)
        body = lines[part.body : part.end]
        meant = _body(part, body)
        if meant is not None:
            text, own = meant
            whole.append(_in_utf8(text, b"\n".join(lines[part.header : part.body])))
            numbers += [part.body + number for number in own]
            changed = True
        else:
            whole += body
            numbers += range(part.body + 1, part.end + 1)
    return (b"\n".join(whole), numbers) if changed else None


def _body(part: _Part, lines: Sequence[bytes]) -> tuple[bytes, list[int]] | None:
    """The text of a body and the numbers, from 1, of its lines; None where it is as it is."""
    if part.encoding == "base64":
        return from_base64(lines)
    body = b"\n".join(lines)
    declared = part.encoding == "quoted-printable" and not is_decoded(body)
    if declared or (not part.encoding and is_quoted_printable(body)):
        return from_quoted_printable(body)
    return None


def _in_utf8(text: bytes, header: bytes) -> bytes:
    """A body in UTF-8: as it is, or from the set of characters that its header names."""
    charset = _CHARSET.search(header)
    if charset is None or text.isascii():
        return text
    try:
        return text.decode(charset["name"].decode(), errors="replace").encode()
    except LookupError:  # a number that no set has
        return text


def _parts(lines: Sequence[bytes]) -> Iterator[_Part]:
    """The parts in their order: together they are all lines."""
    header, body, encoding = 0, 0, ""
    index = 0
    while index < len(lines):
        end = _end_of_header(lines, index)
        if end is None:
            index += 1
            continue
        if index > header:
            yield _Part(header, body, index, encoding)
        declared = _ENCODING.search(b"\n".join(lines[index:end]))
        quoted = header < index and not _begins_a_part(lines, index)
        if declared:
            encoding = declared[1].decode().lower()
        elif not quoted:
            encoding = ""  # else it is a mail that the body above holds
        header, body, index = index, end, end
    if len(lines) > header:
        yield _Part(header, body, len(lines), encoding)


def _begins_a_part(lines: Sequence[bytes], index: int) -> bool:
    """Whether a header is that of a mail or of a part of one: a boundary or `From ` begins it."""
    return lines[index].startswith(b"From ") or lines[index - 1].startswith(b"--")


def _end_of_header(lines: Sequence[bytes], first: int) -> int | None:
    """Where the header ends that begins in a line; None where none does."""
    line = lines[first]
    if not (_FIELD.match(line) or line.startswith(b"From ")):
        return None
    if first and lines[first - 1].strip() and not _begins_a_part(lines, first):
        return None
    fields = usual = 0
    for index in range(first, len(lines)):
        line = lines[index]
        if _FIELD.match(line):
            fields += 1
            usual += bool(_HEADER_NAMES.match(line))
        elif not line.strip():
            break
        elif not (line[:1] in b" \t" or (index == first and line.startswith(b"From "))):
            return None
    else:
        index = len(lines)
    alone = fields == 1 and _ENCODING.match(lines[first])
    return index if usual and (fields > 1 or alone) else None
