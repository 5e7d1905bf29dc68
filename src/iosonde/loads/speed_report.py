"""Lines `Write Speed: 512 MB/s` and `Sequential read: 1.2 GB/s`, as scripts of authors print them.

Only what is printed is taken: the name, the direction in it, and the rate with its unit (MB are
10⁶ bytes, MiB 2²⁰). Data sheets of drives have the same lines. Therefore they are results only
where something near them speaks of a run, and nothing of what a drive is sold by.

Source: the lines themselves; there is no such program.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor
from iosonde.text.reader import close_rows

_LINE = re.compile(
    r"\s*+(?:[-*•] )?(?P<name>(?:(?P<order>[Ss]eq(?:uential)?|[Rr]and(?:om)?|[Dd]isk) ?)?"
    r"(?P<way>[Rr]ead|[Ww]rite)(?: (?:[Ss]peed|[Tt]hroughput|[Bb]andwidth|[Rr]ate))?) ?[:=]"
    r"[ \t]{0,20}(?P<rate>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[kKMG]i?B)/s(?:ec)?"
)
_RUN = re.compile(
    r"\b(?:test(?:ing|s|ed)?|bench\w*|running|run|results?|iteration|round|elapsed|took|wrote"
    r"|writing|reading|started|finished|done)\b|^\s*[$#>] |\d\d:\d\d:\d\d",
    re.IGNORECASE,
)
"""What stands near a result."""
_SHEET = re.compile(
    r"\b(?:up to|capacity|interface|form factor|warranty|endurance|mtbf|tbw|price|model|nand"
    r"|controller:|specifications?|specs?|rated|claims?|advertised|max(?:imum)?|datasheet)\b",
    re.IGNORECASE,
)
"""What stands in a data sheet."""
_OF_PROGRAMS = re.compile(r"(?:Read|Write) ?\d{1,5} ?[KM]i?B\b|\bQD? ?= ?\d|DiskMark \d|\bIOPS\] <")
"""Rows of programs whose other rows look like these."""
_ABOVE, _BELOW = 12, 6
_MOST = 40


class SpeedReport(Output):
    tool = "speed report"
    unspecific: ClassVar[bool] = True
    anchors = tuple(
        f"{word}{colon}"
        for word in (
            "ead Speed", "rite Speed", "ead speed", "rite speed", "ead throughput",
            "rite throughput", "tial read", "tial write", "tial Read", "tial Write", "ndom read",
            "ndom write", "ndom Read", "ndom Write",
        )
        for colon in (":", " :", " =")
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LINE.fullmatch(cursor.line(cursor.at)):
            return None
        low = max(cursor.at - _ABOVE, 0)
        near = [line for line in cursor.block(low, _ABOVE + _BELOW) if not _LINE.fullmatch(line)]
        if any(_SHEET.search(line) or _OF_PROGRAMS.search(line) for line in near) or not any(
            map(_RUN.search, near)
        ):
            return None
        return cursor.at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        rows, last = close_rows(cursor, first, _LINE.fullmatch, _MOST)
        return OutputReading(first, last, trials=tuple(map(_trial, rows)))


def _trial(row: re.Match[str]) -> PrintedTrial:
    way, order = row["way"].lower(), (row["order"] or "").lower()
    rate, step = units.printed(row["rate"] + row["unit"])
    options: dict[str, Scalar] = {}
    if order.startswith(("seq", "rand")):
        options["rw"] = f"rand{way}" if order.startswith("rand") else way
    return PrintedTrial(
        tool=SpeedReport.tool,
        loops=(LoadResult.of({f"{way}.bandwidth": rate}),),
        label=row["name"],
        options=options,
        steps={f"{way}.bandwidth": step},
        details={"cut_off": "how it was measured"},
    )
