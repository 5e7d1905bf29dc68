r"""The line that every tool of sysstat prints first: kernel, host, date, architecture and CPUs.

What stands below it is of that host where no prompt names it otherwise.

Source: sysstat 12.7, common.c, print_gal_header(): "Linux %s (%s) \t%s \t_%s_\t(%d CPU)", the date
in the locale's way or as year-month-day; before 10.0 without architecture and CPUs.
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.records.printed import OutputReading, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import TextCursor
from iosonde.text.reader import StateOutput

_HEAD = re.compile(
    r"\s{0,8}Linux (?P<kernel_release>\d\S{0,80}) \((?P<nodename>[^()\s]{1,80})\)\s{1,20}"
    r"(?P<date>[^\s()]{6,16})"
    r"(?:\s{1,20}_(?P<architecture>[a-z]\w{1,20}?)_)?(?:\s{1,20}\((?P<cpus>\d{1,5}) CPU\))?\s*"
)
_BETWEEN = re.compile(
    r"\s*avg-cpu:.{0,160}|[\d.,\s]{0,160}"
    r"|\s*(?:Time: )?\d[\d/:.-]{5,24}(?: [\d:]{5,8})?(?: [AP]M)?\s*"
)
"""Lines between it and a table: the report on CPUs, or the time."""
_REACH = 16


class SysstatOutput(StateOutput):
    """An output of a tool of sysstat, and of the host what stands above it."""

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        reading = super().read(cursor, first)
        head = _head(cursor, first)
        if head is None:
            return reading
        index, values = head
        host = next((counted.host for counted in reading.counters if counted.host), "")
        host = host or cursor.host or str(values["nodename"])
        subject = PrintedSubject("host", "", values, host)
        command = next((counted.command for counted in reading.counters), "")
        state = PrintedState(self.tool, (subject,), host, command)
        return replace(
            reading,
            first=min(reading.first, index),
            states=(*reading.states, state),
            counters=tuple(replace(counted, host=host) for counted in reading.counters),
        )


def _head(cursor: TextCursor, first: int) -> tuple[int, dict[str, Scalar]] | None:
    """Index of the line above a table, and what it says; None where none is near."""
    for index in range(first - 1, max(first - _REACH, 0) - 1, -1):
        line = cursor.line(index)
        if match := _HEAD.fullmatch(line):
            values: dict[str, Scalar] = {
                name: text for name, text in match.groupdict().items() if text
            }
            if match["cpus"]:
                values["cpus"] = int(match["cpus"])
            return index, values
        if not _BETWEEN.fullmatch(line):
            return None
    return None
