"""`ceph osd perf`: how long the OSDs of a Ceph cluster take to commit and to apply writes.

Source: ceph 17, src/mon/PGMap.cc, PGMap::dump_osd_perf_stats(): milliseconds, whole; up to 10 the
columns are fs_commit_latency(ms) and fs_apply_latency(ms).
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.table import head_before, read_table

_NAMES = {
    "commit_latency(ms)": "commit_latency", "apply_latency(ms)": "apply_latency",
    "fs_commit_latency(ms)": "commit_latency", "fs_apply_latency(ms)": "apply_latency",
}  # fmt: skip
_CELLS = 3


def _is_head(cells: Sequence[str]) -> bool:
    return (
        len(cells) == _CELLS
        and cells[0] in {"osd", "osdid"}
        and all(cell in _NAMES for cell in cells[1:])
    )


def _is_row(cells: Sequence[str]) -> bool:
    return cells[0].isdecimal() and all(cell.isdecimal() or cell == "-" for cell in cells[1:])


class CephOsdPerf(StateOutput):
    tool = "ceph osd perf"
    anchors = ("latency(ms)",)

    commands = ("ceph",)
    nothing = "no OSD follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(cursor, cursor.at, _is_head)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table = read_table(cursor, first, _is_head, is_row=_is_row, most=4000)
        if table is None:
            return first, ()
        counters = []
        for osd, *cells in table.rows:
            values: dict[str, Json] = {
                _NAMES[name]: int(cell) / 1e3 if cell.isdecimal() else None
                for name, cell in zip(table.head[1:], cells, strict=True)
            }
            counters.append(self.counted("osd", f"osd.{osd}", values, prompt))
        return table.last, counters
