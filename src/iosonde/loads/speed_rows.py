"""Rows of a read and a write speed below the words READ and WRITE, as small scripts print them.

`SEQ1M_Q8T1  3335MB/s  3140MB/s`: the name of a test, and two rates with their units. What the name
says of a size, a queue and threads is taken as CrystalDiskMark means it.

Source: fio_like_crystaldiskmark.sh, README; fio-cdm; the names are those of CrystalDiskMark 8.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, command_before
from iosonde.text.reader import close_rows

_HEAD = re.compile(r"^\s*(?:[A-Za-z][\w ]{0,20}?\s+)?READ\s{2,}WRITE\s*$", re.IGNORECASE)
_RATE = r"(?P<{0}>\d{{1,9}}(?:\.\d{{1,3}})?) ?(?P<{0}_unit>[kKMG]i?B)/s"
_ROW = re.compile(
    rf"^\s*(?P<name>[A-Za-z][\w ./-]{{0,40}}?)\s{{2,}}{_RATE.format('read')}\s+"
    rf"{_RATE.format('write')}\s*$"
)
_TEST = re.compile(
    r"^(?P<how>SEQ|RA?N?D)_?N?(?P<size>\d{1,5}[KM])i?B?[_ ]?\(?Q=?\s?(?P<depth>\d{1,4})[_ ,]{0,2}"
    r"T=?\s?(?P<threads>\d{1,4})\)?(?: \([^()]{1,40}\))?$",
    re.IGNORECASE,
)
_FEWEST = 2
_MOST = 40


class SpeedRows(Output):
    tool = "speed rows"
    unspecific: ClassVar[bool] = True
    anchors = (
        "READ      WRITE", "READ     WRITE", "READ    WRITE", "Read      Write", "Read     Write",
        "READ       WRITE", "READ        WRITE",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        below = range(cursor.at + 1, cursor.at + 1 + _FEWEST)
        return cursor.at if all(_ROW.match(cursor.line(at)) for at in below) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        rows, last = close_rows(cursor, first + 1, _ROW.match, _MOST, gap=0, no_prompts=True)
        trials = [_trial(row, way) for row in rows for way in ("read", "write")]
        begin, prompt = command_before(cursor, first, ("fio_like_crystaldiskmark.sh", "fio-cdm"))
        return OutputReading(min(begin, first) if prompt.command else first, last, tuple(trials))


def load_of_test(name: str) -> dict[str, Scalar]:
    """Block size in bytes, depth and threads by a test's name: `SEQ1M Q8T1`; empty: none of them.

    Args:
        name: as it stands in a row, with the author's words in parentheses behind it.
    """
    test = _TEST.match(name)
    if test is None:
        return {}
    return {
        "bs": units.parse_bytes(test["size"].lower()), "iodepth": int(test["depth"]),
        "numjobs": int(test["threads"]),
    }  # fmt: skip


def is_random(name: str) -> bool:
    """Whether a test's name says that its places are random: `RND4K Q32T1`."""
    test = _TEST.match(name)
    return test is not None and not test["how"].upper().startswith("SEQ")


def _trial(row: re.Match[str], way: str) -> PrintedTrial:
    rate, step = units.printed(row[way] + row[f"{way}_unit"])
    options: dict[str, Scalar] = {"rw": way}
    if test := load_of_test(row["name"]):
        options = test | {"rw": f"rand{way}" if is_random(row["name"]) else way}
    return PrintedTrial(
        tool=SpeedRows.tool,
        loops=(LoadResult.of({f"{way}.bandwidth": rate}),),
        label=f"{row['name']} {way}",
        options=options,
        steps={f"{way}.bandwidth": step},
    )
