"""The time of day before each line of sysstat's tables, as a single word in any language.

Source: sysstat 12.7, sa_common.c, set_record_timestamp_string() (the locale's %X, such as
"08:50:01 PM" and "08时50分01秒"); nls/*.po for "Average:"; pidstat.c for "# Time".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.text.cursor import TextCursor
from iosonde.text.rewritten import RewrittenCursor

AVERAGE = "Average:"
_AVERAGES = (
    "Average", "Gemideld", "Сярэдняе", "Průměr", "Middel", "Durchschn.", "Meznombro", "Media",
    "Batezbestekoa", "Keskiarvo", "Moyenne", "Medie", "Prosjek", "Átlag", "Rata-rata", "平均値",
    "საშუალო", "평균", "Орточо", "Vidēji", "Medja", "Gj.snitt", "Gemiddeld", "Średnia", "Média",
    "Среднее", "Priemer", "Просек", "Genomsnitt", "Ortalama", "Середнє", "Trung bình", "平均时间",
    "平均時間",
)  # fmt: skip
_AVERAGE = re.compile(rf"^\s*(?:{'|'.join(map(re.escape, _AVERAGES))})\s?[:：]")
_HALF = r"(?:[AaPp]\.?[Mm]\.?|上午|下午|午前|午後|오전|오후)"
_DAY = r"(?:\d{4}-\d\d-\d\d )?"
_TIME = re.compile(
    rf"^\s*{_DAY}(?:{_HALF}\s?)?(?:\d{{1,2}}[:.]\d\d[:.]\d\d"
    rf"|\d{{1,2}}[时時] ?\d\d分 ?\d\d秒|\d{{1,2}}시 ?\d\d분 ?\d\d초)(?: ?{_HALF})?(?=\s|$)"
)
_TIME_HEAD = re.compile(r"^\s*#\s+Time(?=\s)")
CLOCK = re.compile(
    rf"{AVERAGE}|Time|\d{{10}}|(?!0x)[^\s%/]{{0,14}}\d\d(?:[:.]\d\d){{2}}[^\s%/]{{0,5}}"
    r"|[^\s%/]{0,14}\d{1,2}[时時시]\d\d[分분]\d\d[秒초][^\s%/]{0,3}"
)
"""What a line begins with, once it went through a `ClockedCursor`."""


NO_CLOCK = "Time"
GLUE = "\x01"
"""What stands for a blank within a cell."""


def as_printed(clock: str) -> str:
    """A time of day as it stood in the text."""
    return clock.rstrip(":").replace(GLUE, " ")


class ClockedCursor(RewrittenCursor):
    """A cursor in which a time of day is a single word, and an average `AVERAGE`."""

    def __init__(self, cursor: TextCursor, *, cells: int = 0, without: bool = False) -> None:
        """A view of another cursor's lines.

        Args:
            cursor: whose lines.
            cells: words of a line behind which the rest belongs to the last; 0: none does.
            without: the clock was cut off: each line gets `NO_CLOCK`; what is drawn goes.
        """
        super().__init__(cursor)
        self._cells, self._without = cells, without

    @override
    def rewritten(self, line: str) -> str:
        if self._without:
            line = f"{NO_CLOCK} {line.replace('|', ' ')}" if line.strip(" -=+|") else ""
        else:
            line = _with_clock(line)
        if not self._cells or len(parts := fields(line)) < self._cells:
            return line
        return " ".join((*parts[: self._cells - 1], GLUE.join(parts[self._cells - 1 :])))


def _with_clock(line: str) -> str:
    if average := _AVERAGE.match(line):
        return f"{AVERAGE} {line[average.end() :]}"
    if time := _TIME.match(line):
        return GLUE.join(fields(time[0])) + line[time.end() :]
    return _TIME_HEAD.sub("Time", line)
