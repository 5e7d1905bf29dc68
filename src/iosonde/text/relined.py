"""Texts whose lines a page changed: `<br>` or blanks instead of line ends, or a number between two.

Pages that number the lines of what they show are copied with each number on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from iosonde.text.joined_labels import parted
from iosonde.text.joined_lines import LaidOut, laid_out

_BREAK = re.compile(rb"<br\s{0,3}/?>", re.IGNORECASE)
_WITHIN = re.compile(rb"<br\s{0,3}/?>[ \t]*[^\s<]", re.IGNORECASE)
_FEWEST_BREAKS = 3
_NUMBERED = re.compile(rb"(?:^|\n)\d{1,5}\r?\n[^\n]*\n\d{1,5}\r?\n[^\n]*\n\d{1,5}\r?\n")
_NUMBER = re.compile(rb"\d{1,5}\r?")
_WORD = re.compile(rb"[A-Za-z]{2}")
_FEWEST_NUMBERS = 4
_LONG = 60  # bytes of a line that may have been several
_VERY_LONG = 1 << 9  # the same in a text of many long lines, which has kept its line ends
_MANY = 500
_MOST = 1 << 21  # bytes; a page that people copy is shorter


class RelinedText(NamedTuple):
    """A text in the lines meant.

    Args:
        data: the text.
        numbers: for each line of it, that of the line where it stands.
        lost: of lines in which an output goes on that could not be laid out again, and its tool.
    """

    data: bytes
    numbers: list[int]
    lost: tuple[tuple[int, str], ...] = ()


def relined(data: bytes) -> RelinedText | None:
    """The text in the lines meant; None where nothing of it is of that kind."""
    if len(data) > _MOST:
        return None
    broken = (b"<br" in data or b"<BR" in data) and _is_broken(data)
    rows = data.split(b"\n")
    joined = {} if broken else _joined(rows)
    if not broken and not joined and not _NUMBERED.search(data):
        return None
    lines = [
        (number, part)
        for number, row in enumerate(rows, 1)
        for part in (_BREAK.split(row) if broken else _lines_of(joined.get(number), row))
    ]
    numbers = set(_line_numbers([line for _, line in lines]))
    kept = [line for place, line in enumerate(lines) if place not in numbers]
    return RelinedText(
        b"\n".join(line for _, line in kept),
        [number for number, _ in kept],
        tuple((number, tool) for number, made in joined.items() for tool in made.lost),
    )


def _joined(lines: Sequence[bytes]) -> dict[int, LaidOut]:
    """The lines that each long one was made of, by its number, where that is certain."""
    long = [each for each in enumerate(lines, 1) if len(each[1]) > _LONG]
    if len(long) > _MANY:
        long = [each for each in long if len(each[1]) > _VERY_LONG]
    texts = (
        (number, line.decode(errors="surrogateescape"))
        for number, line in long
        if not (b"{" in line and b'":' in line)
    )
    made = ((number, laid_out(text) or parted(text)) for number, text in texts)
    return {number: each for number, each in made if each}


def _lines_of(made: LaidOut | None, row: bytes) -> list[bytes]:
    """The lines that a row was made of, or the row."""
    return [each.encode(errors="surrogateescape") for each in made.lines] if made else [row]


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
