"""/proc/fs/xfs/stat and /sys/fs/xfs/DEVICE/stats/stats: what XFS has done since it was loaded.

A line is a name and the counters of that group, without names. Counters of 32 bits begin again at
zero; the sums of bytes (`xpc`) have 64 bits. The log's blocks are sectors of 512 bytes, extents are
counted in blocks of the file system.

Source: Linux 6.18, fs/xfs/xfs_stats.c, xfs_stats_format(), and xfs_stats.h, struct __xfsstats.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart, close_lines, top_of

_BTREE = (
    "lookup", "compare", "insrec", "delrec", "newroot", "killroot", "increment", "decrement",
    "lshift", "rshift", "split", "join", "alloc", "free", "moves",
)  # fmt: skip
_GROUPS: dict[str, tuple[str, ...]] = {
    "extent_alloc": ("extents_allocated", "blocks_allocated", "extents_freed", "blocks_freed"),
    "abt": _BTREE[:4],
    "blk_map": ("reads", "writes", "unmaps", "extent_list_insertions", "extent_list_deletions",
                "extent_list_lookups", "extent_list_compares"),
    "bmbt": _BTREE[:4],
    "dir": ("lookup", "create", "remove", "getdents"),
    "trans": ("sync", "async", "empty"),
    "ig": ("attempts", "hits", "recycle_misses", "misses", "duplicates", "reclaims", "attrchg"),
    "log": ("writes", "write_bytes", "noiclogs", "force", "force_sleep"),
    "push_ail": ("try_logspace", "sleep_logspace", "pushes", "success", "pushbuf", "pinned",
                 "locked", "flushing", "restarts", "flush"),
    "xstrat": ("quick", "split"),
    "rw": ("writes", "reads"),
    "attr": ("get", "set", "remove", "list"),
    "icluster": ("iflush_count", "flushcnt", "flushinode"),
    "vnodes": ("active", "alloc", "get", "hold", "rele", "reclaim", "remove", "free"),
    "buf": ("get", "create", "get_locked", "get_locked_waited", "busy_locked", "miss_locked",
            "page_retries", "page_found", "get_read"),
    **dict.fromkeys(("abtb2", "abtc2", "bmbt2", "ibt2", "fibt2", "rmapbt", "refcntbt", "rmapbt_mem",
                     "rcbagbt", "rtrmapbt", "rtrmapbt_mem", "rtrefcntbt"), _BTREE),
    "qm": ("dqreclaims", "dqreclaim_misses", "dquot_dups", "dqcachemisses", "dqcachehits",
           "dqwants", "dquot", "dquot_unused"),
    "zoned": ("gc_reads", "gc_writes", "gc_zone_resets"),
    "xpc": ("allocated_bytes", "write_bytes", "read_bytes"),
    "defer_relog": ("count",),
    "gc": ("bytes",),
    "debug": ("on",),
}  # fmt: skip
_ROW = re.compile(r"\s*+(?P<group>[a-z][a-z_\d]{1,15})(?P<figures>(?: \d{1,20}){1,24})\s*+")
_FIRST = re.compile(r"\s*+extent_alloc(?: \d{1,20}){4}\s*+")
_DEVICE = re.compile(r"/sys/fs/xfs/(?P<name>[\w.!-]{1,80})/stats/stats")


class XfsStat(StateOutput):
    tool = "xfs stat"
    anchors = ("extent_alloc ", "icluster ")
    commands = ("cat",)
    about = "xfs"
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = top_of(cursor, _ROW.fullmatch, most=30)
        return first if _FIRST.fullmatch(cursor.line(first)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        values, unread = dict[str, Json](), list[UnreadPart]()
        last = first
        for index, line in close_lines(cursor, first, 60, gap=1):
            row = _ROW.fullmatch(line)
            if row is None or row["group"] not in _GROUPS:
                break
            last, group = index, row["group"]
            names, figures = _GROUPS[group], list(map(int, fields(row["figures"])))
            if len(names) != len(figures):
                unread.append((index, index, f"its line {group} has not {len(names)} figures"))
                continue
            if group == "log":
                figures[1] *= units.SECTOR
            values |= {f"{group}.{name}": each for name, each in zip(names, figures, strict=True)}
        device = _DEVICE.search(prompt.command)
        name = device["name"] if device else ""
        return last, [self.counted("xfs", name, values, prompt), *unread]
