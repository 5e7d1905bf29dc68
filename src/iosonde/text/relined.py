"""Texts whose lines a page changed: `<br>` instead of line ends, or a number between every two.

Pages that number the lines of what they show are copied with each number on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

_BREAK = re.compile(rb"<br\s{0,3}/?>", re.IGNORECASE)
_WITHIN = re.compile(rb"<br\s{0,3}/?>[ \t]*[^\s<]", re.IGNORECASE)
_FEWEST_BREAKS = 3
_NUMBERED = re.compile(rb"(?:^|\n)\d{1,5}\r?\n[^\n]*\n\d{1,5}\r?\n[^\n]*\n\d{1,5}\r?\n")
_NUMBER = re.compile(rb"\d{1,5}\r?")
_WORD = re.compile(rb"[A-Za-z]{2}")
_FEWEST_NUMBERS = 4
_MOST = 1 << 21  # bytes; a page that people copy is shorter


def relined(data: bytes) -> tuple[bytes, list[int]] | None:
    """The text in the lines meant, and for each of them the number of the line where it stands.

    None where nothing of it is of that kind.
    """
    if len(data) > _MOST:
        return None
    broken = b"<br" in data or b"<BR" in data
    if not (broken and _is_broken(data)) and not _NUMBERED.search(data):
        return None
    lines = list(enumerate(data.split(b"\n"), 1))
    if broken and _is_broken(data):
        lines = [(number, part) for number, line in lines for part in _BREAK.split(line)]
    numbers = set(_line_numbers([line for _, line in lines]))
    kept = [line for place, line in enumerate(lines) if place not in numbers]
    return b"\n".join(line for _, line in kept), [number for number, _ in kept]


def _is_broken(data: bytes) -> bool:
    """Whether breaks stand within lines, more than a few; a mail has the same as plain text."""
    if b"text/html" in data and b"text/plain" in data:
        return False
    return len(list(islice(_WITHIN.finditer(data), _FEWEST_BREAKS))) == _FEWEST_BREAKS


def _line_numbers(lines: Sequence[bytes]) -> Iterator[int]:
    """Indices of the lines that are numbers, each greater by one than the last but one line."""
    at = 0
    while at < len(lines):
        last = at
        if _NUMBER.fullmatch(lines[at]):
            while last + 2 < len(lines) and _follows(lines[last], lines[last + 2]):
                last += 2
            between = lines[at + 1 : last : 2]
            if len(between) >= _FEWEST_NUMBERS - 1 and any(map(_WORD.search, between)):
                yield from range(at, last + 1, 2)
        at = last + 1


def _follows(number: bytes, after: bytes) -> bool:
    return _NUMBER.fullmatch(after) is not None and int(after) == int(number) + 1
