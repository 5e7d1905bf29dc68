"""What dd says went wrong above the records of its result.

Source: coreutils 9.1, src/dd.c: error() of "error reading %s" and "error writing %s", in older ones
"reading %s" and "writing %s"; busybox and BSD: "dd: PATH: error". The records follow. The error
itself is the C library's in other languages, whatever dd's own words are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.loads._dd_languages import in_english
from iosonde.text.cursor import TextCursor
from iosonde.text.error_languages import TRANSLATED

_FULL, _BROKEN = "No space left on device", "Input/output error"


def _any(error: str) -> str:
    """Pattern of an error's text in any language."""
    texts = (error, *TRANSLATED[error])
    return "|".join(re.escape(text).replace("'", "['’]") for text in texts)


FAILED = re.compile(
    r"\s*+(?:[^\s:]{0,60}/)?dd: (?P<what>[^:]{1,300})(?:: |：)"
    rf"(?P<error>{_any(_BROKEN)}|(?P<full>{_any(_FULL)}))\s*"
)
MARKS = tuple(f": {text}" for error in (_FULL, _BROKEN) for text in (error, *TRANSLATED[error]))
"""What marks such a line; what stands before it differs by language and release."""
_OTHER = re.compile(r"\s*(?:[^\s:]*/)?dd: ")
_RECORDS = re.compile(r"\d+\+\d+ records (?:in|out)")
_BETWEEN = 3
"""Lines at most between what went wrong and the records."""


def records_below(cursor: TextCursor, first: int) -> int:
    """Index of the records right below lines on what went wrong; 0 where there are none."""
    if not FAILED.fullmatch(cursor.line(first)):
        return 0
    for index in range(first + 1, first + 1 + _BETWEEN):
        line = cursor.line(index)
        if _RECORDS.search(in_english(line)):
            return index
        if line and not _OTHER.match(line):
            break
    return 0


def ended_by(cursor: TextCursor, first: int, ends: Sequence[int]) -> list[str]:
    """The last error before the sum of each result, in the C library's words; empty without one."""
    errors = []
    for last in ends:
        every = (FAILED.fullmatch(line) for line in cursor.block(first, last - first + 1))
        errors.append(next((match["error"] for match in reversed([*every]) if match), ""))
        first = last + 1
    return errors


def faults_of(
    cursor: TextCursor, first: int, ends: Sequence[int], command: str
) -> list[tuple[str, ...]]:
    """What went wrong, by result, of which each ends at an index.

    That a device is full which dd fills is no fault, nor is a file system that dd fills up without
    an end: without `count=` in the command.
    """
    fills = bool(command) and "count=" not in command
    faults = []
    for last in ends:
        every = (FAILED.fullmatch(line) for line in cursor.block(first, last - first + 1))
        said = (
            match[0].strip() for match in every
            if match and not (match["full"] and (fills or "/dev/" in match["what"]))
        )  # fmt: skip
        faults.append(tuple(dict.fromkeys(said)))
        first = last + 1
    return faults
