r"""Text of the kernel and of tools, cut as its writers mean it: lines at "\n", fields at blanks.

`str.splitlines()` also cuts at \r, \v, \f, \x1c to \x1e, U+0085, U+2028 and U+2029, and
`str.split()` at every blank of Unicode. The kernel escapes only space, tab, newline and backslash
in names (proc_pid_mountinfo(5); fs/seq_file.c, `mangle_path`), so any user who may name a file, a
mount or a process could cut a line in two or move its fields. Bytes that are no UTF-8 come through
as lone surrogates (PEP 383), and go back to the same bytes in paths and argument lists.
"""

from __future__ import annotations

import re
from typing import AnyStr

UUID = r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"
"""The form of a UUID in small letters. Source: RFC 9562, 4."""
_OCTAL = re.compile(rb"\\([0-3][0-7]{2})")


def decoded(raw: bytes) -> str:
    """Bytes as text from which `encoded` makes the same bytes."""
    return raw.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes that `decoded` was given; text that never was bytes is encoded as UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def lines(text: AnyStr) -> list[AnyStr]:
    r"""Lines without their "\n"; what follows the last "\n" is a line where it is not empty."""
    if isinstance(text, bytes):
        parts = text.split(b"\n")
        return parts if parts[-1] else parts[:-1]
    rows = text.split("\n")
    return rows if rows[-1] else rows[:-1]


_VERSION = re.compile(r"[\w.-]+,?(?: version)? v?\d+(?:\.\d+)+\S*(?: \([^)]*\))?")


def complaints(text: str, tool: str) -> list[str]:
    """The lines in which a tool says what is wrong; not its banner, where more follows.

    Args:
        text: what it printed on standard error.
        tool: its name.

    Source:
        e2fsprogs 1.47, misc/dumpe2fs.c, mke2fs.c: "dumpe2fs 1.47.0 (5-Feb-2023)" comes first.
    """
    said = [line.strip() for line in lines(text) if line.strip()]
    rest = [line for line in said if not (line.startswith(tool) and _VERSION.fullmatch(line))]
    return rest or said


def fields(line: AnyStr) -> list[AnyStr]:
    """What stands between runs of spaces and tabs; nothing else separates, and none is empty."""
    if isinstance(line, bytes):
        return [part for part in line.replace(b"\t", b" ").split(b" ") if part]
    return [part for part in line.replace("\t", " ").split(" ") if part]


def unescape(field: str) -> str:
    r"""A field of /proc with `\040` and the like as the bytes they stand for."""
    return decoded(_OCTAL.sub(lambda match: bytes([int(match[1], 8)]), encoded(field)))
