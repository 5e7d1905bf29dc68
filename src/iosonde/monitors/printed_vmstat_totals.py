"""vmstat -d, -D, -s and -p: what disks, a partition and the host have done since boot.

Source: procps-ng 4.0, vmstat.c, diskformat(), disksum_format(), sum_format() and
diskpartition_format(), with their labels; sectors of 512 bytes, times in ms, K of 1024 bytes, CPUs
in ticks. What is in progress is divided by 1000 before it is printed, in -d and in -D (diskVAL() /
1000): it says nothing and is left out. So are the times of -D that it calls "milli spent IO" and
"milli weighted IO": they are seconds. "pages paged in" of versions before 4 are KiB.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, close_pairs, top_of_own

_FIELDS: tuple[tuple[str, float], ...] = (
    ("reads", 1), ("read_merges", 1), ("read_bytes", units.SECTOR), ("read_time", 1e-3),
    ("writes", 1), ("write_merges", 1), ("write_bytes", units.SECTOR), ("write_time", 1e-3),
    ("", 0), ("busy_time", 1),
)  # fmt: skip
_NAMES = re.compile(r"\s*total merged sectors\s+ms\s+total merged sectors\s+ms\s+cur\s+sec\s*$")
_RULES = re.compile(r"\s*disk-+\s*-+reads-+\s+-+writes-+\s+-+IO-+\s*$")
_DISK = re.compile(r"\s*(?P<name>[A-Za-z][\w!.-]{1,31})(?P<figures>(?:\s+\d{1,19}){10})\s*$")
_LINE = re.compile(
    r"\s{1,40}(?P<figure>\d{1,19}) (?P<unit>[KMkm] )?(?P<name>[A-Za-z][\w /-]{3,30}?)\s*$"
)
_LABELS = re.compile(
    r"(?:total|used|active|inactive|free) (?:memory|swap)|buffer memory|swap cache"
    r"|(?:non-nice user|nice user|system|idle|IO-wait|IRQ|softirq|stolen|guest|guest nice"
    r"|non-nice guest|nice guest) cpu ticks|pages? (?:paged|swapped) (?:in|out)|paged (?:in|out)"
    r"|interrupts|CPU context switches|boot time|forks|disks|partitions|total reads|merged reads"
    r"|read sectors|milli reading|writes|merged writes|written sectors|milli writing"
    r"|in ?progress IO|milli (?:weighted )?(?:spent )?IO"
)
_SCALES = {"K ": 1024.0, "k ": 1000.0, "M ": 1048576.0, "m ": 1e6}
_DIVIDED = frozenset({"inprogress_io", "in_progress_io"})
_IN_SECONDS = {
    "milli_spent_io": "busy_seconds", "milli_io": "busy_seconds",
    "milli_weighted_io": "weighted_io_seconds", "milli_weighted_spent_io": "weighted_io_seconds",
}  # fmt: skip
"""What -D divides by 1000 although it calls it milli."""
_PARTITION = re.compile(
    r"\s*(?P<name>[A-Za-z][\w!.-]{1,31})\s+reads\s+read sectors\s+writes\s+requested writes\s*$"
)
_MOST = 400


class VmstatDisks(StateOutput):
    tool = "vmstat"
    anchors = ("merged sectors ",)
    commands = ("vmstat",)
    nothing = "no disk follows its head"
    beginning = _NAMES

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST):
            if disk := _DISK.match(line):
                figures = map(int, disk["figures"].split())
                values: dict[str, Json] = {
                    name: figure * scale
                    for (name, scale), figure in zip(_FIELDS, figures, strict=True)
                    if name
                }
                counters.append(self.counted("disk", disk["name"], values, prompt))
            elif not _NAMES.match(line) and not _RULES.match(line):
                break
            last = index
        return last, counters


class VmstatTotals(StateOutput):
    tool = "vmstat"
    anchors = (
        " total memory", " paged in", " merged reads", " total reads", "cpu ticks", " swapped in",
        " context switches", " boot time", " used memory", " free memory",
    )  # fmt: skip
    commands = ("vmstat",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _total, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = close_pairs(cursor, first, _total, 60)
        values = {name: value for name, value in values.items() if name not in _DIVIDED}
        return last, [self.counted("host", "", {**values}, prompt)]


def _total(line: str) -> tuple[str, float] | None:
    match = _LINE.match(line)
    if match is None or not _LABELS.fullmatch(match["name"]):
        return None
    name = match["name"].lower().replace(" ", "_").replace("-", "_")
    name, scale = _IN_SECONDS.get(name, name), _SCALES.get(match["unit"] or "", 1)
    if name.startswith("pages_paged_"):
        name, scale = name.removeprefix("pages_"), _SCALES["K "]
    return name, int(match["figure"]) * scale


class VmstatPartition(StateOutput):
    tool = "vmstat"
    anchors = ("requested writes",)
    commands = ("vmstat",)
    nothing = "no figures follow its head"
    beginning = _PARTITION

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        last, cells = next(
            ((index, line.split()) for index, line in close_lines(cursor, first + 1, 3)),
            (first, []),
        )
        if len(cells) != 4 or not all(map(str.isdecimal, cells)):
            return first, ()
        reads, read, writes, written = map(int, cells)
        values: dict[str, Json] = {
            "reads": reads, "read_bytes": read * units.SECTOR, "writes": writes,
            "write_bytes": written * units.SECTOR,
        }  # fmt: skip
        return last, [self.counted("disk", head["name"], values, prompt)]
