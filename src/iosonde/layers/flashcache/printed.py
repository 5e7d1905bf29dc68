"""flashcache: its counters (`dmsetup status`, /proc) and its configuration (`dmsetup table`).

A device's counters bear the names of `dmsetup status`, also where /proc writes them with
underscores. The histogram of request sizes, which the table ends with, is of the whole module.

Source: facebook/flashcache 1.0 to 3.1.3: src/flashcache_procfs.c, flashcache_stats_show();
flashcache-wt/src/flashcache_wt.c for the module of 1.0 that only writes through.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers._mapper.facts import device_of
from iosonde.layers._mapper.listing import HEAD
from iosonde.layers.flashcache.facts import counters, size_histogram, table_facts
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.records.stack import Json
from iosonde.text.cursor import (
    Output,
    Prompt,
    TextCursor,
    command_before,
    compact,
    flow,
    joined,
    lines,
    prompt_in,
)

_FIRST = re.compile(
    r"(?:^|[\s|])(?:(?P<name>[^\s:|][^\s|]{0,126}): )?\d{1,15} (?P<length>\d{1,15}) "
    r"flashcache(?:-wt)?\s+(?P<what>stats|conf):"
)
_BARE = re.compile(r"^[\s|]*reads ?\(\d+\)")
_PROC = re.compile(r"(?:^|[\s:|])reads=\d+\s+writes=\d+")
_PROC_PATH = re.compile(r"/proc/flashcache/(?P<name>[^/\s]+)/flashcache_stats")
_PROC_PAIR = re.compile(r"([A-Za-z_]+)=(-?\d+)")
_LATENCY = re.compile(r"\b(\d{1,6}) ?(usecs|msecs) ?: ?(\d{1,20})")
_OF_STATS = re.compile(
    r"[A-Za-z_] ?\(-?\d*|^\s*[\w ]{0,30}\d*\)|^\s*[A-Za-z_ ]{1,30}$|secs|Latency|^\s*[:\d ]+$"
)
_OF_CONF = re.compile(r"\([^()]*\)?|^\s*[\w/.:+-]{0,80}\)|Size Hist|Hist:|^[\s\d:]+$")
_OF_PROC = re.compile(r"[A-Za-z_]=-?\d*|^\s*[\w ]{0,60}=?\d{1,20}\s*$|^\s*\w+=")
_REACH = 78


class FlashcacheOutput(Output):
    tool = "flashcache"
    anchors = (
        "flashcache stats:", "flashcache conf:", "flashcache-wt ", "read hit percent(",
        "uncached reads(", "metadata ssd writes(", "disk writes(", "ssd dev (", "Size Hist:",
        "read_hit_percent=", " replacement=", " cleanings=", "uncached_reads=",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """Where the first line was left out, the one with the reads."""
        bare = None
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            line = cursor.line(index)
            if index < cursor.at and prompt_in(line):
                break
            if _first(cursor, index) or _PROC.search(line):
                return index
            if bare is None and _BARE.match(line):
                bare = index
            elif bare is not None and index < bare - 3:
                break
        return bare

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        head = _first(cursor, first)
        begin, prompt = command_before(cursor, first, ("dmsetup", "cat", "grep", "head"), reach=4)
        if head and head["what"] == "conf":
            return self._table(cursor, first, head, begin, prompt)
        name = head["name"] if head and head["name"] else device_of(prompt.command)
        if _PROC.search(cursor.line(first)):
            last = _end(cursor, first, _OF_PROC)
            values: dict[str, Json] = dict(counters(compact(cursor, first, last), _PROC_PAIR))
            path = _PROC_PATH.search(prompt.command) or _PROC_PATH.search(cursor.line(first))
            name = path["name"] if path else ""
        else:
            last = _end(cursor, first, _OF_STATS)
            values = dict(counters(compact(cursor, first, last)))
            if spent := _latencies(flow(cursor, first, last)):
                values["IO Latency Histogram"] = spent
        if "reads" not in values:
            raise Unreadable("no counters follow")
        counted = PrintedCounters(
            self.tool, "flashcache", name, values, prompt.host, prompt.command
        )
        return OutputReading(begin, last, counters=(counted,))

    def _table(
        self, cursor: TextCursor, first: int, head: re.Match[str], begin: int, prompt: Prompt
    ) -> OutputReading:
        last = _end(cursor, first, _OF_CONF)
        text = joined(cursor, first, last)
        configured, _, sizes_text = text.partition("Size Hist:")
        values = table_facts(configured)
        if not values:
            raise Unreadable("no configuration follows")
        name = head["name"] or device_of(prompt.command)
        values["size"] = int(head["length"]) * units.SECTOR
        subject = PrintedSubject("flashcache", name, values)
        state = PrintedState(self.tool, (subject,), prompt.host, prompt.command)
        for device in ("cache_device", "disk_device"):
            if device in values:
                values[device] = str(values[device]).removeprefix("/dev/")
        sizes: dict[str, Json] = {str(size): n for size, n in size_histogram(sizes_text).items()}
        counted = PrintedCounters(
            self.tool, "flashcache", name, {"size_histogram": sizes}, prompt.host, prompt.command
        )
        return OutputReading(begin, last, states=(state,), counters=(counted,) if sizes else ())


def _first(cursor: TextCursor, index: int) -> re.Match[str] | None:
    """The line `START LENGTH flashcache stats:`, whose last word may stand in the next one."""
    line = cursor.line(index)
    if "flashcache" not in line:
        return None
    return _FIRST.search(line) or _FIRST.search(f"{line} {cursor.line(index + 1)}")


def _end(cursor: TextCursor, first: int, pattern: re.Pattern[str]) -> int:
    last = first
    for index, line in lines(cursor, first, 100):
        if index == first or not line:
            continue
        torn = index == first + 1 and line.strip() in {"stats:", "conf:"}
        if index > last + 2 or HEAD.search(line) or prompt_in(line):
            break
        if not pattern.search(line) and not torn:
            break
        last = index
    return last


def _latencies(text: str) -> dict[str, Json]:
    """Requests by the time they took: up to so many µs, and those of more than 10 ms."""
    signs = {"usecs": "<", "msecs": ">"}
    return {
        f"{signs[unit]} {bound} {unit}": int(count) for bound, unit, count in _LATENCY.findall(text)
    }
