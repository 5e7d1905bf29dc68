"""/proc/fs/nfsd/pool_stats: how packets for the NFS server found its threads.

Source: Linux net/sunrpc/svc_xprt.c, svc_pool_stats_show(); Documentation/filesystems/nfs/
knfsd-stats.rst. Old kernels from 2.6.30 on also print `overloads-avoided`. Newer ones (3.10 does
not, 6.1 does) enqueue every packet that arrives before they look for a thread, so that the first
two figures are alike and only `threads-woken` tells.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.text.cursor import Prompt, TextCursor, compact, lines
from iosonde.text.reader import Items, StateOutput, nearest
from iosonde.text.torn import torn_words

_COLUMNS = ("packets-arrived", "sockets-enqueued", "threads-woken", "overloads-avoided",
            "threads-timedout")  # fmt: skip
_HEAD = re.compile(r"\s*(?:#\s*)?pool\s+packets-")
_WHOLE = re.compile(r"#?pool(?:packets-arrived|sockets-enqueued|threads-woken|overloads-avoided)+")
_FIGURES = re.compile(r"[\d\s]+$")


class PoolStats(StateOutput):
    tool = "pool_stats"
    anchors = (
        "pool packets-arrived", "pool packets-a", "sockets-enqueued threads", "threads-woken",
    )  # fmt: skip

    commands = ("cat", "head", "less")
    reach = 3
    nothing = "no pool follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 3, _HEAD.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        end = first
        while "threads-timedout" not in _head(cursor, first, end):
            end += 1
            if end > first + 5:
                raise Unreadable("its head is not whole")
        head = _head(cursor, first, end)
        columns = [name for name in _COLUMNS if name in head]
        if not _WHOLE.match(head):
            raise Unreadable("its head is not whole")
        rows, last = _rows(cursor, end + 1, len(columns) + 1)
        return last, [
            self.counted("nfsd", f"pool {row[0]}", dict(zip(columns, row[1:], strict=True)), prompt)
            for row in rows
        ]


def _head(cursor: TextCursor, first: int, last: int) -> str:
    return compact(cursor, first, last).replace("=", "")  # soft breaks of mail


def _rows(cursor: TextCursor, first: int, count: int) -> tuple[list[list[int]], int]:
    """The figures of each pool, and the index of the last line."""
    rows: list[list[int]] = []
    parts: list[str] = []
    last = first - 1
    for index, line in lines(cursor, first, 600):
        if not line.strip() and index - last < 3:
            continue
        if not _FIGURES.match(line):
            break
        parts.append(line)
        figures = torn_words(parts, count)
        if len(figures) < count:
            continue
        rows.append([int(word) for word in figures])
        parts, last = [], index
    return rows, last
