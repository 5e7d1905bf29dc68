"""/proc/vmstat, /proc/stat, a block device's stat and numastat: what the kernel counts since boot.

Source: Linux Documentation/filesystems/proc.rst (1.7, /proc/stat, in ticks of USER_HZ);
mm/vmstat.c, vmstat_text[] (pages, unless the name says otherwise);
Documentation/block/stat.rst: 11, 15 or 17 fields; numactl 2.0, numastat.c.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import (
    Items,
    StateOutput,
    before,
    close_lines,
    close_pairs,
    top_of,
    top_of_own,
)

_PAIR = re.compile(
    r"\s*(?:/proc/vmstat:)?(?P<name>[a-z][a-z0-9_]{3,48})[ \t]+(?P<figure>\d{1,20})\s*$"
)
_COUNTERS = re.compile(
    r"nr_|pg(?:pg|fault|major|free|alloc|scan|steal|in|out|rot|act|deact|lazy|refill|migr|skip|dem|prom)"
    r"|pswp|kswapd_|allocstall|compact_|workingset_|slabs_scanned|numa_|thp_|unevictable_|balloon_"
    r"|oom_kill|drop_|htlb_|swap_ra|zone_reclaim|pageoutrun|kcompactd|direct_map|vma_|zswp"
)
_FIELDS: tuple[tuple[str, float], ...] = (
    ("reads", 1), ("read_merges", 1), ("read_bytes", units.SECTOR), ("read_time", 1e-3),
    ("writes", 1), ("write_merges", 1), ("write_bytes", units.SECTOR), ("write_time", 1e-3),
    ("in_flight", 1), ("busy_time", 1e-3), ("queue_time", 1e-3),
    ("discards", 1), ("discard_merges", 1), ("discard_bytes", units.SECTOR), ("discard_time", 1e-3),
    ("flushes", 1), ("flush_time", 1e-3),
)  # fmt: skip
_STAT_OF = re.compile(
    r"(?:/sys/(?:class/)?block|/sys/block/[\w!.-]+|/sys/dev/block)/(?P<name>[\w!.:-]{1,40})/stat\b"
    r"(?::\s*(?P<figures>\d[\d \t]*))?\s*$"
)
_CPU = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest",
        "guest_nice")  # fmt: skip
_OF_STAT = re.compile(
    r"\s*(?:cpu\d* +(?:\d+ +){3}|(?:intr|ctxt|btime|processes|procs_running|procs_blocked|softirq"
    r"|page|swap) +\d|disk_io: )"
)
_CPU_LINE = re.compile(r"\s*cpu(?P<number>\d*) +(?P<ticks>\d+(?: +\d+){3,9})\s*$")
_TOTAL = re.compile(r"\s*(?P<name>[a-z_]+) +(?P<figure>\d{1,20})(?: |\s*$)")
_NODES = re.compile(r"\s*node\d+(?:\s+node\d+)*\s*$")
_NODE_ROW = re.compile(
    r"\s*(?P<name>numa_hit|numa_miss|numa_foreign|interleave_hit|local_node|other_node)"
    r"(?P<figures>(?:\s+\d{1,20})+)\s*$"
)
_MOST = 400


class ProcVmstat(StateOutput):
    tool = "vmstat file"
    anchors = (
        "nr_free_pages ", "nr_dirty ", "nr_writeback ", "pgpgin ", "pgfault ", "pgscan_",
        "allocstall", "compact_stall ", "workingset_refault", "nr_dirtied ", "pgmajfault ",
    )  # fmt: skip
    commands = ("cat", "grep", "egrep", "head", "tail", "watch")
    about = "vmstat"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _pair(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _pair)
        above = cursor.line(before(cursor, first))
        following = [line for _, line in close_lines(cursor, cursor.at + 1, 2)][:1]
        alone = first == cursor.at and not any(map(_pair, following))
        return None if alone and "vmstat" not in above else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = close_pairs(cursor, first, _pair, _MOST)
        return last, [self.counted("memory", "", {**values}, prompt)]


def _pair(line: str) -> tuple[str, int] | None:
    match = _PAIR.match(line)
    is_known = match and _COUNTERS.match(match["name"])
    return (match["name"], int(match["figure"])) if match and is_known else None


class ProcStat(StateOutput):
    tool = "stat file"
    anchors = ("cpu0 ", "procs_running ", "ctxt ")
    commands = ("cat", "grep", "head")
    about = "stat"
    nothing = "no line of it is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _OF_STAT.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        totals: dict[str, Json] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if not _OF_STAT.match(line):
                break
            last = index
            if cpu := _CPU_LINE.match(line):
                ticks = map(int, cpu["ticks"].split())
                shares: dict[str, Json] = {
                    f"{name}_ticks": value for name, value in zip(_CPU, ticks, strict=False)
                }
                if cpu["number"]:
                    counters.append(self.counted("host", f"cpu{cpu['number']}", shares, prompt))
                else:
                    totals |= shares
            elif total := _TOTAL.match(line):
                totals[total["name"]] = int(total["figure"])
        if totals:
            counters.insert(0, self.counted("host", "", totals, prompt))
        return last, counters


class BlockStat(StateOutput):
    """Below the command that shows the file, or by grep."""

    tool = "block stat"
    anchors = ("/stat",)
    commands = ("cat", "grep", "head", "watch")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        match = _STAT_OF.search(cursor.line(cursor.at))
        if match is None:
            return None
        figures = match["figures"] or _below(cursor, cursor.at)[1]
        return cursor.at if _counted(figures) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        match = _STAT_OF.search(line)
        if match is None:
            return first, ()
        shown = prompt_in(line) or Prompt(line.strip())
        last, below = (first, "") if match["figures"] else _below(cursor, first)
        values = _counted(match["figures"] or below)
        name = match["name"].replace("!", "/")
        return last, [PrintedCounters(self.tool, "disk", name, values, shown.host, shown.command)]


def _below(cursor: TextCursor, index: int) -> tuple[int, str]:
    """The line below one: its index and text."""
    return next(close_lines(cursor, index + 1, 3), (index, ""))


def _counted(text: str) -> dict[str, Json]:
    """The figures of a block device's stat; empty where there are not as many as it has."""
    cells = text.split()
    if len(cells) not in {11, 15, 17} or not all(map(str.isdecimal, cells)):
        return {}
    named = zip(_FIELDS, map(int, cells), strict=False)
    return {name: figure * scale for (name, scale), figure in named}


class Numastat(StateOutput):
    tool = "numastat"
    anchors = ("numa_hit ", "numa_miss ", "interleave_hit ", " node0 ")
    commands = ("numastat",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _NODES.match(line) and _NODE_ROW.match(_below(cursor, cursor.at)[1]):
            return cursor.at
        if not _NODE_ROW.match(line):
            return None
        head = before(cursor, top_of(cursor, _NODE_ROW.match, most=12))
        return head if _NODES.match(cursor.line(head)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        nodes = cursor.line(first).split()
        values: dict[str, dict[str, Json]] = {node: {} for node in nodes}
        last = first
        for index, line in close_lines(cursor, first + 1, 16):
            row = _NODE_ROW.match(line)
            if row is None or len(figures := row["figures"].split()) != len(nodes):
                break
            for node, figure in zip(nodes, figures, strict=True):
                values[node][row["name"]] = int(figure)
            last = index
        return last, [self.counted("numa_node", node, values[node], prompt) for node in nodes]
