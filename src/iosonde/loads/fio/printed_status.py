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
from iosonde.loads.fio.text_run import statuses
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, TextCursor, command_before, compact

_BEGIN = re.compile(
    r"\s*(?:\d{1,3} ?[-.):] ?)?(?:READ|WRITE|TRIM): "
    r"(?:bw|io|aggrb)= ?\d[\d.]{0,15}[kKMGTPE]?i?(?:B|bit)"
)
_WRAPPED = 3  # lines that one status may have become
_ABOVE = 4  # lines in which the title of a group stands, where it does
_DIRECTIONS = 3


class FioStatus(Output):
    tool = "fio"
    anchors = tuple(
        f"{name}: {figure}="
        for name in ("READ", "WRITE", "TRIM")
        for figure in ("bw", "io", "aggrb")
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _BEGIN.match(cursor.line(cursor.at)):
            return None
        above = range(max(cursor.at - _ABOVE, 0), cursor.at)
        titled = any("Run status group" in cursor.line(index) for index in above)
        return None if titled else cursor.at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first - 1
        sheet = JobFigures(details={"cut_off": "what stands above the run status"})
        while len(sheet.metrics) < _DIRECTIONS and _BEGIN.match(cursor.line(last + 1)):
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
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=options,
            steps=sheet.steps,
            details=sheet.details,
        )
        return OutputReading(begin, last, trials=(trial,))


def _status(cursor: TextCursor, first: int, sheet: JobFigures) -> int | None:
    """Adds the status that begins in a line; index of its last line, None where it is none."""
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
    name, (speed, step, seconds), printed = longest
    sheet.put(f"{name}.bandwidth", speed, "B/s", step)
    sheet.detail("run_status", name, dict(printed))
    sheet.seconds = max(sheet.seconds, seconds)
    return end
