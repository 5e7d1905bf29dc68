"""mdtest: how many files a second were made, looked at and removed.

Source: mdtest of IOR 3 and 4, src/mdtest.c (PrintSummary: operations a second).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import StateOutput

_HEAD = re.compile(r"\s*Operation\s+Max\s+Min\s+Mean\s+Std Dev")
_ROW = re.compile(
    r"\s*(?P<name>(?:Directory|File|Tree) [a-z]{3,12})\s*:?\s+(?P<max>\d[\d.]{0,20})\s+"
    r"(?P<min>\d[\d.]{0,20})\s+(?P<mean>\d[\d.]{0,20})\s+(?P<stdev>\d[\d.]{0,20})\s*$"
)


class Mdtest(StateOutput):
    tool = "mdtest"
    anchors = ("Std Dev",)
    commands = ("mdtest", "mpirun", "srun")
    reach = 30
    beginning = _HEAD

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedCounters]]:
        values: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first + 1, 40):
            if prompt_in(line) or index - last > 3:
                break
            if row := _ROW.match(line):
                name = row["name"].lower().replace(" ", "_")
                for figure in ("max", "min", "mean", "stdev"):
                    values[f"{name}.{figure}"] = float(row[figure])
                last = index
        if not values:
            raise Unreadable("no row follows", last)
        return last, (self.counted("host", "", values, prompt),)
