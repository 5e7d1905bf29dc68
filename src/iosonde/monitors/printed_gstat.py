"""gstat of FreeBSD: requests, rates, times and load of each disk and partition of an interval.

Source: FreeBSD 14, usr.sbin/gstat/gstat.c: L(q) requests that wait, kBps of 1024 bytes, kB (-s) the
mean size of a request, ms/r, ms/w, ms/d (-d) and ms/o (-o) in ms for each, %busy in percent; on a
screen a stroke stands between that and the name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.table import following_head, head_before, read_table

_KINDS = {"r": "read", "w": "write", "d": "discard", "o": "other"}
_SCALES: dict[str, tuple[str, float]] = {
    "kB": ("size", float(units.KIB)), "kBps": ("bandwidth", float(units.KIB)),
}  # fmt: skip
_COLUMN = re.compile(r"L\(q\)|ops/s|[rwdo]/s|kB|kBps|ms/[rwdo]|%busy|Name")
_FIGURE = re.compile(r"\d{1,12}(?:\.\d{1,3})?\|?")
_INTERVAL = re.compile(r"\s*dT: +(?P<seconds>\d{1,9}\.\d{3})s +w: ")
_NAME = re.compile(r"(?=.*[a-z])[\w./%@-]{2,120}")
_REPORTS = 2000
_LEAST = 6
_GAP = 3


def _is_head(cells: Sequence[str]) -> bool:
    """Whether these are all columns of a report."""
    return (
        len(cells) >= _LEAST
        and list(cells[:2]) == ["L(q)", "ops/s"]
        and list(cells[-2:]) == ["%busy", "Name"]
        and all(map(_COLUMN.fullmatch, cells))
    )


def _is_row(cells: Sequence[str]) -> bool:
    """Whether these are figures and a name; a load has one decimal, requests that wait none."""
    if not cells[0].isdecimal() or "." not in cells[-2] or not _NAME.fullmatch(cells[-1]):
        return False
    return all(map(_FIGURE.fullmatch, cells[:-1]))


class Gstat(StateOutput):
    tool = "gstat"
    anchors = ("L(q)  ops/s", "%busy Name", "L(q)")
    commands = ("gstat",)
    reach = 4
    nothing = "no device follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(cursor, cursor.at, _is_head)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        at: int | None = first
        last = first
        for report in range(1, _REPORTS):
            table = None if at is None else read_table(cursor, at, _is_head, is_row=_is_row)
            if table is None or at is None:
                break
            interval = next(
                filter(None, map(_INTERVAL.match, cursor.block(max(at - 2, 0), 2))), None
            )
            last = table.last
            for row in table.rows:
                values: dict[str, Json] = {"report": report}
                if interval:
                    values["interval"] = float(interval["seconds"])
                counters.append(
                    self.counted("disk", row[-1], values | _values(table.head, row), prompt)
                )
            at = following_head(cursor, last, _is_head, _INTERVAL, _GAP)
        return last, counters


def _values(head: Sequence[str], row: Sequence[str]) -> dict[str, Json]:
    """The figures of a row; those of a kind of request stand from its rate to its time."""
    values: dict[str, Json] = {}
    kind = ""
    for column, cell in zip(head[:-1], row[:-1], strict=True):
        figure = float(cell.rstrip("|"))
        if column == "L(q)":
            values["queue"] = figure
        elif column == "ops/s":
            values["iops"] = figure
        elif column == "%busy":
            values["util"] = figure / 100
        elif column.endswith("/s"):
            kind = _KINDS[column[0]]
            values[f"{kind}.iops"] = figure
        elif column in _SCALES:
            name, scale = _SCALES[column]
            values[f"{kind}.{name}"] = figure * scale
        else:
            values[f"{_KINDS[column[-1]]}.await"] = figure * 1e-3
    return values
