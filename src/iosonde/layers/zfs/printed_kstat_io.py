"""`io` of a pool below /proc/spl/kstat/zfs: bytes and requests, and how long they waited and ran.

Bytes, numbers of requests, and seconds; `wlentime` and `rlentime` are queue lengths times seconds.

Source: OpenZFS 2.0, module/os/linux/spl/spl-kstat.c, kstat_seq_show_headers() of KSTAT_TYPE_IO and
kstat_seq_show_io(); include/os/linux/spl/sys/kstat.h, kstat_io_t (times in nanoseconds).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import torn_words

_NAMES = ("nread", "nwritten", "reads", "writes", "wtime", "wlentime", "wupdate", "rtime",
          "rlentime", "rupdate", "wcnt", "rcnt")  # fmt: skip
_TIMES = frozenset({"wtime", "wlentime", "wupdate", "rtime", "rlentime", "rupdate"})
_BEGIN = re.compile(r"\s*nread\s+nwritten\b")
_FIRST = re.compile(r"\s*\d{1,6} 3 0x[0-9a-f]{2} 1 \d{1,4} \d{1,20} \d{1,20}\s*$")
_OWN = re.compile(r"\s*(?:[a-z]{1,8}|\d{1,20})(?:\s++(?:[a-z]{1,8}|\d{1,20}))*+\s*")
_PATH = re.compile(r"kstat/zfs/([\w.-]{1,60})/")
_MOST = 12


class ZfsPoolIo(StateOutput):
    tool = "zfs kstat io"
    anchors = ("nwritten", "wlentime")
    commands = ("cat", "head", "tail", "grep")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            if _BEGIN.match(cursor.line(index)):
                above = range(index - 1, max(index - 3, -1), -1)
                return next((a for a in above if _FIRST.match(cursor.line(a))), index)
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, figures = _figures(cursor, first)
        values: dict[str, Json] = {
            name: figure / 1e9 if name in _TIMES else figure
            for name, figure in zip(_NAMES, figures, strict=True)
        }
        path = _PATH.search(prompt.command)
        pool = path[1] if path else ""
        return last, (self.counted("zpool", pool, values, prompt),)


def _figures(cursor: TextCursor, first: int) -> tuple[int, list[int]]:
    """Index of the last line, and the figures below the twelve names, whatever a wrap did."""
    parts: list[str] = []
    last = first
    for index, line in lines(cursor, first, _MOST):
        if not parts and _FIRST.match(line):
            continue
        if line.strip() and not _OWN.fullmatch(line):
            break
        if line.strip():
            parts.append(line.rstrip())
            last = index
    columns = torn_words(parts, 2 * len(_NAMES))
    if tuple(columns[: len(_NAMES)]) != _NAMES:
        raise Unreadable("its columns are others", last)
    figures = columns[len(_NAMES) :]
    if len(figures) != len(_NAMES) or not all(map(str.isdecimal, figures)):
        raise Unreadable("its figures are cut off", last)
    return last, [int(figure) for figure in figures]
