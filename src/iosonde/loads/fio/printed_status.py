"""Lines of fio's run status alone: `READ: bw=181MiB/s (190MB/s), …, run=2827-2827msec`.

People cut them out, or ask `grep` for them: the line "Run status group" above them is missing, and
so are the jobs. Of how many jobs they are is not known. Their ends are cut off at any part too.

Source: as text_run.py, show_group_stats().
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.loads.fio import text_figures
from iosonde.loads.fio.text_block import JobFigures, Precision
from iosonde.loads.fio.text_run import Status, statuses
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, TextCursor, command_before, compact
from iosonde.text.prose import is_sentence

_STATUS = r"(?:READ|WRITE|TRIM): (?:bw|io|aggrb)= ?\d[\d.]{0,15}[kKMGTPE]?i?(?:B|bit)"
_BEGIN = re.compile(
    r"\s*+(?:[-*+•·–—#] {1,3}|\(?(?:\d{1,3}|[a-z]) ?[-.):] ?)?"
    r"(?:[`*_\"]{0,4}(?P<label>(?!Run status|fio\b)[^\W_][^:`*\n|\"]{0,40})[`*_\"]{0,4}: {1,3})?"
    rf"[`*_\"]{{0,4}}{_STATUS}"
)
"""A line of the run status, behind what makes it a point of a list, code, bold, or names it."""
_SEVERAL = re.compile(rf"{_STATUS}.{{0,240}}?[\s,;|/]{_STATUS}")
_DIRECTION = re.compile(r"\b(?:READ|WRITE|TRIM): ")
_WRAPPED = 3  # lines that one status may have become
_ABOVE = 4  # lines in which the title of a group stands, where it does
_DIRECTIONS = 3


class FioStatus(Output):
    tool = "fio"
    anchors = tuple(
        f"{name}{mark} {figure}="
        for name in ("READ", "WRITE", "TRIM")
        for mark in (":", "**:", ":**")
        for figure in ("bw", "io", "aggrb")
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        match = _BEGIN.match(cursor.line(cursor.at))
        if match is None or is_sentence(match["label"] or ""):
            return None
        return None if _is_titled(cursor, cursor.at) else cursor.at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first - 1
        sheet = JobFigures(details={"cut_off": "what stands above the run status"})
        label = _label(cursor.line(first))
        while len(sheet.metrics) < _DIRECTIONS and _label(cursor.line(last + 1)) == label:
            end = _status(cursor, last + 1, sheet)
            if end is None:
                break
            last = end
        if last < first:
            raise Unreadable("its end is cut off", first)
        if sheet.seconds:
            sheet.put("elapsed", sheet.seconds, "s")
        begin, prompt = command_before(cursor, first, ("fio",))
        options = text_figures.command_options(prompt.command, "")
        trial = PrintedTrial(
            tool="fio",
            loops=(sheet.result({}, ""),),
            command=prompt.command,
            host=prompt.host,
            target=text_figures.target_of(options),
            label=label or "",
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=options,
            steps=sheet.steps,
            details=sheet.details,
        )
        return OutputReading(begin, last, trials=(trial,))


def _is_titled(cursor: TextCursor, at: int) -> bool:
    """Whether the title of a group above is of this status: no other one has its directions."""
    direction = _DIRECTION.search(cursor.line(at))
    for index in range(at - 1, max(at - _ABOVE, 0) - 1, -1):
        line = cursor.line(index)
        if "Run status group" in line:
            return True
        above = _DIRECTION.search(line)
        if above and direction and above[0] == direction[0]:
            return False
    return False


def _label(line: str) -> str | None:
    """What names a status in its line, empty where nothing does; None where a line is none."""
    match = _BEGIN.match(line)
    return (match["label"] or "").strip() if match else None


def _status(cursor: TextCursor, first: int, sheet: JobFigures) -> int | None:
    """Adds the status that begins in a line; index of its last line, None where it is none."""
    if _SEVERAL.search(cursor.line(first)):
        return _several(cursor, first, sheet)
    longest, end = None, first
    for last in range(first, first + _WRAPPED):
        if last > first and _BEGIN.match(cursor.line(last)):
            break  # the next status
        text = compact(cursor, first, last)
        status = next(statuses(text, Precision.of("", text)), None)
        if status and (longest is None or len(status[2]) > len(longest[2])):
            longest, end = status, last
    if longest is None or f"{longest[0]}.bandwidth" in sheet.metrics:
        return None  # none, or of another run
    _put(longest, sheet)
    return end


def _several(cursor: TextCursor, first: int, sheet: JobFigures) -> int | None:
    """Adds the statuses that stand behind each other in a line, each of another direction."""
    text = compact(cursor, first, first)
    every = list(statuses(text, Precision.of("", text)))
    names = [name for name, *_ in every]
    if len(set(names)) < len(names) or any(f"{name}.bandwidth" in sheet.metrics for name in names):
        return None
    for status in every:
        _put(status, sheet)
    return first


def _put(status: Status, sheet: JobFigures) -> None:
    name, (speed, step, seconds), printed = status
    sheet.put(f"{name}.bandwidth", speed, "B/s", step)
    sheet.detail("run_status", name, dict(printed))
    sheet.seconds = max(sheet.seconds, seconds)
