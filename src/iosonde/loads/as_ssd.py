"""AS SSD Benchmark's result as text: sequential, 4K, 4K with 64 threads, and access times.

One trial for each line with a rate, and one for each access time; scores are details of the first.
Which of 10^6 and 2^20 bytes its MB is, is nowhere in the text: the difference is part of the
rounding. Decimal commas of other languages are read.

Source: texts of its menu "Edit, Copy" in forums, of versions 1.4 to 2.0; the program is closed. Its
access time is of 512 bytes over the whole disk, as its help says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in
from iosonde.text.reader import nearest

_TITLE = re.compile(r"^\W{0,20}AS SSD Benchmark (?P<version>\d[\d.]{0,20})\s*$")
_SECTION = re.compile(
    r"^\W{0,8}(?P<name>Sequential|Seq|4K-64Threads|4K-64Thrd|4K|512B|Access Times?|Acc\.time|Score)"
    r"\s{0,4}:\W{0,40}$"
)
_ROW = re.compile(
    r"^\W{0,8}(?P<name>Read|Write|Total)\s{0,4}:\s{0,8}"
    r"(?P<value>\d{1,9}(?:[.,]\d{1,4})?)\s?(?P<unit>MB/s|ms|iops)?\s{0,40}$"
)
_FACT = re.compile(
    r"^\W{0,8}(?P<name>Name|Firmware|Controller|Offset|Size|Date)\s{0,4}:\s{0,8}(?P<value>\S.{0,80}?)\s*$"
)  # fmt: skip
_LOADS: dict[str, tuple[str, int, int]] = {
    "Seq": ("", 16 << 20, 1), "4K": ("rand", 4096, 1), "4K-64": ("rand", 4096, 64),
    "512B": ("rand", 512, 1), "Acc": ("rand", 512, 1),
}  # fmt: skip
_SLACK = (1 << 20) - 1e6
_MOST = 80


class AsSsd(Output):
    tool = "AS SSD Benchmark"
    anchors = ("AS SSD Benchmark ", "4K-64Thr")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _TITLE.match(line):
            return cursor.at
        if not _SECTION.match(line):
            return None
        return nearest(cursor, 50, _TITLE.match)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        sheet, last = _Sheet(), first
        for index, line in lines(cursor, first, _MOST):
            if index > last + 4 or (line and (prompt_in(line) or not sheet.take(line))):
                break
            last = index if line else last
        trials = tuple(sheet.trials())
        if not trials:
            raise Unreadable("it holds no result", last)
        return OutputReading(first, last, trials=trials)


class _Sheet:
    """What the lines of one report have said so far."""

    def __init__(self) -> None:
        self._version = self._section = ""
        self._facts = dict[str, str]()
        self._scores = dict[str, Json]()
        self._rows = list[tuple[str, re.Match[str]]]()

    def take(self, line: str) -> bool:
        """Whether a line is of the report; then it is noted."""
        if title := _TITLE.match(line):
            is_first, self._version = not self._version, title["version"]
            return is_first
        if section := _SECTION.match(line):
            self._section = section["name"]
        elif fact := _FACT.match(line):
            self._facts.setdefault(fact["name"].lower(), fact["value"])
        elif row := _ROW.match(line):
            self._note(row)
        else:
            return set(line.strip()) <= {"-", "_", "="}
        return True

    def _note(self, row: re.Match[str]) -> None:
        if self._section == "Score":
            self._scores[f"score.{row['name'].lower()}"] = int(float(row["value"]))
        elif self._section and row["unit"] and row["name"] != "Total":
            self._rows.append((self._section, row))

    def trials(self) -> Iterator[PrintedTrial]:
        """One of each line; what is of all of them stands with the first."""
        details: dict[str, Json] = {**self._scores}
        details |= {
            name: self._facts[name]
            for name in ("firmware", "controller", "offset", "date") if name in self._facts
        }  # fmt: skip
        for section, row in self._rows:
            short = next(name for name in ("4K-64", "4K", "Seq", "512B", "Acc") if name in section)
            random, block, depth = _LOADS[short]
            way = row["name"].lower()
            if (row["unit"] == "ms") != (short == "Acc"):
                continue
            value, step = units.printed(row["value"].replace(",", "."))
            options: dict[str, Scalar] = {"rw": random + way, "bs": block, "numjobs": depth}
            if not value:
                continue  # a test that was not run
            if row["unit"] == "ms":
                figure = (f"{way}.latency.mean", value / 1e3, step / 1e3)
            elif row["unit"] == "iops":
                figure = (f"{way}.iops", value, step)
            else:
                figure = (f"{way}.bandwidth", value * 1e6, step * 1e6 + value * _SLACK)
            yield PrintedTrial(
                tool=AsSsd.tool,
                loops=(LoadResult.of({figure[0]: figure[1]}),),
                version=self._version, target=self._facts.get("name", ""),
                label=f"{section} {way}", options=options, steps={figure[0]: figure[2]},
                details=details,
            )  # fmt: skip
            details = {}
