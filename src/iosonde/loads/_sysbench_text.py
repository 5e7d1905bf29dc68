"""What reports of sysbench's tests have in common: their latencies, and lines of --report-interval.

Texts are without any blanks, so that no wrap tears a figure apart.

Source: sysbench 1.0.20, src/sysbench.c, sb_report_intermediate(), src/db_driver.c and
src/tests/fileio/sb_fileio.c, log_timestamp(); its commits b93fffd (0.5) and 428af92.
"""

from __future__ import annotations

import re

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import TextCursor

_F = r"(\d{1,15}\.\d\d)"
LATENCY = re.compile(
    r"min:(\d{1,12}\.\d{2,4})(?P<unit>m?s?)avg:(\d{1,12}\.\d{2,4})m?s?"
    r"max:(\d{1,12}\.\d\d(?:\d\d(?=s))?)m?s?"
    r"(?:(?:approx\.)?(?P<share>\d{1,2})(?:th)?percentile:(\d{1,12}\.\d{2,4}))?"
)
"""Latencies of all events in a report without its blanks."""
_TRANSACTIONS = re.compile(
    rf"\[(?P<at>\d{{1,9}})s\]thds:(?P<threads>\d{{1,6}})tps:{_F}qps:{_F}\(r/w/o:{_F}/{_F}/{_F}\)"
    rf"lat\(ms,(?P<share>\d{{1,3}})%\):{_F}err/s:?{_F}reconn/s:{_F}"
)
_EVENTS = re.compile(
    rf"\[(?P<at>\d{{1,9}})s\]thds:(?P<threads>\d{{1,6}})eps:{_F}lat\(ms,(?P<share>\d{{1,3}})%\):{_F}"
)
_OLD = re.compile(
    rf"\[(?P<at>\d{{1,9}})s\]threads:(?P<threads>\d{{1,6}}),tps:{_F},reads(?:/s)?:{_F},"
    rf"writes(?:/s)?:{_F},responsetime:{_F}ms\((?P<share>\d{{1,3}})%\)"
)
_FILES = re.compile(
    rf"\[(?P<at>\d{{1,9}})s\]reads:{_F}Mi?B/swrites:{_F}Mi?B/sfsyncs:{_F}/s"
    rf"(?:latency\(ms,(?P<share>\d{{1,3}})%\)|responsetime):(\d{{1,12}}\.\d\d\d)"
)
_INTERVALS: tuple[tuple[re.Pattern[str], tuple[tuple[str, float], ...]], ...] = (
    (_TRANSACTIONS, (
        ("tps", 1.0), ("qps", 1.0), ("reads_per_second", 1.0), ("writes_per_second", 1.0),
        ("others_per_second", 1.0), ("latency", 1e-3), ("errors_per_second", 1.0),
        ("reconnects_per_second", 1.0),
    )),
    (_EVENTS, (("events_per_second", 1.0), ("latency", 1e-3))),
    (_OLD, (
        ("tps", 1.0), ("reads_per_second", 1.0), ("writes_per_second", 1.0), ("latency", 1e-3),
    )),
    (_FILES, (
        ("read.bandwidth", float(units.MIB)), ("write.bandwidth", float(units.MIB)),
        ("sync.iops", 1.0), ("latency", 1e-3),
    )),
)  # fmt: skip


def intervals_in(text: str) -> dict[str, Json]:
    """The lines of --report-interval, as a list of each figure; empty where there are none."""
    for pattern, names in _INTERVALS:
        rows = list(pattern.finditer(text))
        if not rows:
            continue
        own = [
            [group for key, group in enumerate(row.groups(), 1) if key not in _named(pattern)]
            for row in rows
        ]
        columns: dict[str, Json] = {"at": [int(row["at"]) for row in rows]}
        if "threads" in pattern.groupindex:
            columns["threads"] = [int(row["threads"]) for row in rows]
        for place, (name, scale) in enumerate(names):
            key = f"latency.p{rows[0]['share']}" if name == "latency" and rows[0]["share"] else name
            columns[key] = [float(row[place]) * scale for row in own]
        return columns
    return {}


_REST: tuple[tuple[str, re.Pattern[str], float], ...] = tuple(
    (name, re.compile(pattern), scale)
    for name, pattern, scale in (
        ("latency_sum", rf"(?<=\d)sum:{_F}", 1e-3),
        ("event_time", r"totaltimetakenbyeventexecution:(\d{1,15}\.\d{2,4})s?", 1.0),
        ("thread_events_mean", r"events\(avg/stddev\):(\d{1,15}\.\d{4})/", 1.0),
        ("thread_events_stdev", r"events\(avg/stddev\):\d{1,15}\.\d{4}/(\d{1,15}\.\d\d)", 1.0),
        ("thread_time_mean", r"executiontime\(avg/stddev\):(\d{1,15}\.\d{4})/", 1.0),
        ("thread_time_stdev",
         r"executiontime\(avg/stddev\):\d{1,15}\.\d{4}/(\d{1,15}\.\d\d)", 1.0),
    )
)  # fmt: skip


def rest_of(text: str) -> dict[str, Json]:
    """The sums of all events' times, and how alike threads were: of a report without its blanks.

    Times are seconds; events of the threads are counts.
    """
    values: dict[str, Json] = {}
    for name, pattern, scale in _REST:
        if match := pattern.search(text):
            values[name] = float(match[1]) * scale
    return values


def _named(pattern: re.Pattern[str]) -> set[int]:
    """The numbers of a pattern's groups that have names."""
    return set(pattern.groupindex.values())


def line_above(cursor: TextCursor, index: int, reach: int) -> str:
    """The next line above that is not blank; empty where none is so near."""
    for above in range(index - 1, max(index - reach, 0) - 1, -1):
        if line := cursor.line(above):
            return line
    return ""
