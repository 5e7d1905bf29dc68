"""Pressure stall information: the share of time in which tasks waited for I/O, CPU or memory.

Source: Linux 6.1, kernel/sched/psi.c, psi_show(), and Documentation/accounting/psi.rst: averages of
10, 60 and 300 seconds in percent, `total` in microseconds; the same in io.pressure of a cgroup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, end_of

_LINE = re.compile(
    r"^\s*(?:\S{0,200}?\b(?:io|cpu|memory|irq)(?:\.pressure)?:)?\s*(?:some|full) avg10=\d"
)
_HEAD = re.compile(r"\b(?:pressure/(io|cpu|memory|irq)|(io|cpu|memory|irq)\.pressure)\b")
_OF = re.compile(
    r"(?:(?P<path>[^\s:]{0,200}?)\b(?P<of>io|cpu|memory|irq)(?:\.pressure)?: ?)?"
    r"(?P<who>some|full) avg10=(?P<a>\d{1,3}\.\d\d) avg60=(?P<b>\d{1,3}\.\d\d) "
    r"avg300=(?P<c>\d{1,3}\.\d\d) total=(?P<total>\d{1,20})\s*$"
)
_TAIL = re.compile(
    r"^\s*(?:[\d.]{1,20}|[\d.]{0,20}(?: ?(?:avg\d{1,3}|total|[a-z]{1,5})=[\d.]{0,20}){1,3})\s*$"
)
_MOST = 60


class PressureFiles(StateOutput):
    tool = "pressure"
    anchors = ("some avg10=", "full avg10=")

    commands = ("cat", "grep", "head", "tail", "more")
    about = "pressure"
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(
            cursor, first, lambda line: _LINE.match(line) or _TAIL.match(line) or _is_name(line),
            gap=3, most=_MOST + 1,
        )  # fmt: skip
        while last > first and _is_name(cursor.line(last)):
            last -= 1  # of a file whose lines are cut off
        of = _named_above(cursor, first) or _of_command(prompt.command)
        values: dict[str, Json] = {}
        for name, record in _records(cursor, first, last):
            match = _OF.search(" ".join(record.split())) or _OF.search("".join(record.split("\n")))
            if not match:
                raise Unreadable("its figures are cut off", last)
            of = match["of"] or name or of
            if not of:
                raise Unreadable("whether it is of io, cpu or memory is not said", last)
            for part, average in (("a", "avg10"), ("b", "avg60"), ("c", "avg300")):
                values[f"{of}.{match['who']}.{average}"] = float(match[part]) / 100
            values[f"{of}.{match['who']}.total"] = int(match["total"]) / 1e6
        return last, [self.counted("host", "", values, prompt)]


def _records(cursor: TextCursor, first: int, last: int) -> Iterator[tuple[str, str]]:
    """What is named above each line of figures, and the line with the pieces it was broken into."""
    name, pieces = "", list[str]()
    for line in cursor.block(first, last - first + 1):
        if pieces and (_LINE.match(line) or _is_name(line)):
            yield name, "\n".join(pieces)
            name, pieces = "", []
        if _is_name(line) and (named := _HEAD.search(line)):
            name = named[1] or named[2]
        elif line:
            pieces.append(line)
    if pieces:
        yield name, "\n".join(pieces)


def _is_name(line: str) -> bool:
    """Whether a line names a file, as head prints it above its lines, or a cat of the next one."""
    return len(line) < 120 and _HEAD.search(line) is not None and "avg10=" not in line


def _named_above(cursor: TextCursor, first: int) -> str:
    """What the line above names alone: ==> /proc/pressure/io <==."""
    match = _HEAD.search(cursor.line(first - 1).strip())
    return (match[1] or match[2]) if match else ""


def _of_command(command: str) -> str:
    """What the only file is about that a command names."""
    names = {a or b for a, b in _HEAD.findall(command)}
    return names.pop() if len(names) == 1 else ""
