"""fs_mark and mdtest: how many files a second were made, looked at and removed.

Source: fs_mark 3.3, fs_mark.c (print_iteration_stats: files a second; App Overhead in
microseconds); mdtest of IOR 3 and 4, src/mdtest.c (PrintSummary: operations a second).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import StateOutput

_FS_HEAD = re.compile(r"\s*FSUse%\s+Count\s+Size\s+Files/sec\s+App Overhead\s*$")
_FS_ROW = re.compile(
    r"\s*(?:\S{1,64}:\s+)?(?P<full>\d{1,3})\s+(?P<count>\d{1,15})\s+(?P<size>\d{1,15})\s+"
    r"(?P<rate>\d{1,12}(?:\.\d{1,3})?)\s+(?P<overhead>\d{1,15})\s*$"
)
_MD_HEAD = re.compile(r"\s*Operation\s+Max\s+Min\s+Mean\s+Std Dev")
_MD_ROW = re.compile(
    r"\s*(?P<name>(?:Directory|File|Tree) [a-z]{3,12})\s*:?\s+(?P<max>\d[\d.]{0,20})\s+"
    r"(?P<min>\d[\d.]{0,20})\s+(?P<mean>\d[\d.]{0,20})\s+(?P<stdev>\d[\d.]{0,20})\s*$"
)
_MOST = 4000


class FsMark(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "fs_mark"
    anchors: ClassVar[tuple[str, ...]] = ("Files/sec     App Overhead", "App Overhead")
    commands: ClassVar[tuple[str, ...]] = ("fs_mark",)
    reach: ClassVar[int] = 16

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _FS_HEAD.match(cursor.line(cursor.at) or "") else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedCounters]]:
        columns: dict[str, list[Json]] = {
            name: [] for name in ("full", "files", "size", "files_per_second", "overhead")
        }
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            row = _FS_ROW.match(line)
            if row:
                for name, value in zip(columns, (
                    int(row["full"]) / 100, int(row["count"]), int(row["size"]),
                    float(row["rate"]), int(row["overhead"]) / 1e6,
                ), strict=True):  # fmt: skip
                    columns[name].append(value)
                last = index
            elif line.strip() or index - last > 2:
                break
        if last == first:
            raise Unreadable("no row follows", last)
        values: dict[str, Json] = {
            name: figures[0] if len(figures) == 1 else figures for name, figures in columns.items()
        }
        return last, (self.counted("host", "", values, prompt),)


class Mdtest(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "mdtest"
    anchors: ClassVar[tuple[str, ...]] = ("Std Dev",)
    commands: ClassVar[tuple[str, ...]] = ("mdtest", "mpirun", "srun")
    reach: ClassVar[int] = 30

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _MD_HEAD.match(cursor.line(cursor.at) or "") else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedCounters]]:
        values: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first + 1, 40):
            if prompt_in(line) or index - last > 3:
                break
            if row := _MD_ROW.match(line):
                name = row["name"].lower().replace(" ", "_")
                for figure in ("max", "min", "mean", "stdev"):
                    values[f"{name}.{figure}"] = float(row[figure])
                last = index
        if not values:
            raise Unreadable("no row follows", last)
        return last, (self.counted("host", "", values, prompt),)
