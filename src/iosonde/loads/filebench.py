"""filebench: what each flow of operations did, and the sum, as counters of the host.

Its operations are mostly none of one direction, so no metrics of a load.

Source: filebench 1.4 and 1.5, stats.c, stats_snap(): MB_FLOAT are 2^20 bytes (filebench.h); the
columns up to 1.4.9 are without the number of operations, and with the processor's time of each.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_N = r"\d{1,15}(?:\.\d{1,6})?"
_ROW = re.compile(
    rf"^\s*(?P<name>[A-Za-z][\w.-]{{0,60}})\s+(?:(?P<ops>\d{{1,15}})ops\s+)?(?P<iops>\d{{1,12}})ops/s\s+"
    rf"(?P<rate>{_N})mb/s\s+(?P<latency>{_N})ms/op"
    rf"(?:\s+(?P<cpu>\d{{1,9}})us/op-cpu)?(?:\s+\[\s{{0,8}}(?P<min>{_N})ms\s+-\s+(?P<max>{_N})ms\])?\s*$"
)
_STAMP = r"(?:\d{1,9}: )?(?:\d{1,9}\.\d{1,6}: )?"
_SUM = re.compile(
    rf"^\s*{_STAMP}IO Summary:\s+(?P<ops>\d{{1,15}}) ops,? (?P<iops>{_N}) ops/s,? "
    rf"\(?(?P<reads>\d{{1,12}})/(?P<writes>\d{{1,12}}) (?:rd/wr|r/w)\)? +(?P<rate>{_N}) ?mb/s"
    rf"(?:,? +(?P<cpu>{_N})us cpu/op)?,? +(?P<latency>{_N})ms(?:/op| latency)"
)
_HEAD = re.compile(rf"^\s*{_STAMP}Per-Operation Breakdown")
_MOST = 80


class Filebench(StateOutput):
    tool = "filebench"
    anchors = ("Per-Operation Breakdown", "ms/op", "IO Summary:")
    commands = ("filebench",)
    reach = 40
    beginnings = (_HEAD, _ROW, _SUM)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values = dict[str, Json]()
        last = first
        for index, line in lines(cursor, first, _MOST):
            row, total = _ROW.match(line), _SUM.match(line)
            if total:
                values |= _figures(total, "")
                values |= {"reads": int(total["reads"]), "writes": int(total["writes"])}
                last = index
                break
            if row and f"{row['name']}.iops" in values:
                break  # the next run's
            if row:
                values |= _figures(row, f"{row['name']}.")
            elif line and (prompt_in(line) or not _HEAD.match(line)):
                break
            last = index if line else last
        if not values:
            raise Unreadable("no operation follows", last)
        return last, [self.counted("host", "", values, prompt)]


def _figures(row: re.Match[str], prefix: str) -> dict[str, Json]:
    """The figures of a row: operations a second, B/s, and seconds."""
    times = {"latency.mean": row["latency"]}
    if row.re is _ROW:
        times |= {"latency.min": row["min"], "latency.max": row["max"]}
    values: dict[str, Json] = {
        "iops": float(row["iops"]), "bandwidth": float(row["rate"]) * units.MIB,
        **{name: float(text) / 1e3 for name, text in times.items() if text},
    }  # fmt: skip
    if row["ops"]:
        values["operations"] = int(row["ops"])
    if row["cpu"]:
        values["cpu.mean"] = float(row["cpu"]) / 1e6
    return {f"{prefix}{name}": value for name, value in values.items()}
