"""xfs_io's `pread`, `pwrite` and their kin: what one command of it moved, and how fast.

A test that writes one block prints a speed too; so these are counters of the host, and not results
of a load, of which an order would be concluded.

Source: xfsprogs 6.1, io/io.c, report_io_times() ("%s %lld/%lld bytes at offset %lld", "%s, %d ops;
%s (%s/sec and %.4f ops/sec)") and libxcmd/input.c, cvtstr() (prefixes of 1024) and timestr().
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow
from iosonde.text.reader import Items, StateOutput

_N = r"\d{1,15}(?:\.\d{1,6})?"
_MOVED = re.compile(
    r"^\s*(?P<verb>wrote|read|linked|deduped|sent|copied) (?P<bytes>\d{1,18})/(?P<asked>\d{1,18}) "
    r"bytes at offset (?P<offset>\d{1,18})\b"
)
_TIMES = re.compile(
    rf"\d[\d.]{{0,20}} (?:bytes|[KMGTPE]iB), (?P<ops>\d{{1,12}}) ops; "
    rf"(?:(?P<seconds>{_N}) sec|(?P<hours>\d{{1,4}}):(?P<minutes>\d\d):(?P<rest>{_N})) "
    rf"\((?P<rate>{_N} (?:bytes|[KMGTPE]iB))/sec and (?P<iops>{_N}) ops/sec\)"
)
_NEXT = 2  # lines that a mail may have made of the second one


class XfsIo(StateOutput):
    tool = "xfs_io"
    anchors = (" bytes at offset ",)
    commands = ("xfs_io",)
    reach = 4
    beginning = _MOVED

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        moved = self.first_line(cursor, first)
        for last in range(first + 1, first + 1 + _NEXT):
            times = _TIMES.search(flow(cursor, first + 1, last))
            if times:
                break
        else:
            raise Unreadable("its speed is cut off")
        if times["seconds"]:
            seconds = float(times["seconds"])
        else:
            whole = int(times["hours"]) * 3600 + int(times["minutes"]) * 60
            seconds = whole + float(times["rest"])
        rate = times["rate"].replace(" bytes", "B").replace(" ", "")
        values: dict[str, Json] = {
            "moved": moved["verb"], "bytes": int(moved["bytes"]), "asked": int(moved["asked"]),
            "offset": int(moved["offset"]), "operations": int(times["ops"]), "seconds": seconds,
            "bandwidth": units.printed(rate)[0], "iops": float(times["iops"]),
        }  # fmt: skip
        return last, [self.counted("host", "", values, prompt)]
