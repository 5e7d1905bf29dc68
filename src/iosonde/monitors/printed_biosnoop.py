"""biosnoop: each request with its process, disk, direction, size and time, summed up by disk.

Source: bcc, tools/biosnoop.py: columns TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms), the
direction R or W (with -P others); libbpf-tools/biosnoop.c: the same with other types, such as WS;
bpftrace, tools/biosnoop.bt: TIME(ms) COMM PID DISK T SECTOR BYTES LAT(ms).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_NEEDED = {"COMM", "PID", "DISK", "T", "BYTES", "LAT(ms)"}
_ALLOWED = {*_NEEDED, "TIME(s)", "TIME(ms)", "TIME", "SECTOR", "QUE(ms)"}
_FIGURE = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_WAYS = {"R": "read", "W": "write", "D": "discard", "F": "flush"}
_MOST = 5000


def _is_head(cells: Sequence[str]) -> bool:
    return _NEEDED <= set(cells) <= _ALLOWED and cells[-1] == "LAT(ms)"


class Biosnoop(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "biosnoop"
    anchors: ClassVar[tuple[str, ...]] = ("LAT(ms)",)

    commands: ClassVar[tuple[str, ...]] = ("biosnoop", "biosnoop-bpfcc", "biosnoop.bt")
    nothing: ClassVar[str] = "no request follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _is_head((cursor.line(cursor.at) or "").split()) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = (cursor.line(first) or "").split()
        behind = len(head) - head.index("PID")
        last, taken = first, dict[str, dict[str, list[float]]]()
        sizes = dict[str, dict[str, int]]()
        for index, line in lines(cursor, first + 1, _MOST):
            cells = line.split()
            if not line and index <= last + 1:
                continue
            row = dict(zip(head[-behind:], cells[-behind:], strict=False))
            if len(cells) < len(head) or not _is_row(row):
                break
            last = index
            way = _WAYS[row["T"][0]]
            taken.setdefault(row["DISK"], {}).setdefault(way, []).append(
                float(row["LAT(ms)"]) / 1e3
            )
            size = sizes.setdefault(row["DISK"], {})
            size[way] = size.get(way, 0) + int(row["BYTES"])
        counters = []
        for disk, ways in taken.items():
            values: dict[str, Json] = {}
            for way, latencies in ways.items():
                values[f"{way}.requests"] = len(latencies)
                values[f"{way}.bytes"] = sizes[disk][way]
                values[f"{way}.latencies"] = list(latencies)
            counters.append(self.counted("disk", disk, values, prompt))
        return last, counters


def _is_row(row: dict[str, str]) -> bool:
    return (
        row.get("T", "?")[:1] in _WAYS
        and row.get("BYTES", "").isdecimal()
        and row.get("PID", "").isdecimal()
        and _FIGURE.fullmatch(row.get("LAT(ms)", "")) is not None
    )
