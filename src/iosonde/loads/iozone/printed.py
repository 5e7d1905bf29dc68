"""iozone as people paste it: whole outputs, and the blocks of its "Excel" report alone.

Source: iozone 3.489, iozone.c; see iosonde.loads.iozone.figures for its columns and labels.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.errors import UsageError
from iosonde.loads.iozone import metrics_of, version_of
from iosonde.loads.iozone.arguments import IozoneArguments, read_arguments
from iosonde.loads.iozone.figures import IozoneRow, read_figures
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, compact, joined, lines
from iosonde.text.headings import is_section
from iosonde.text.prose import is_sentence

_TITLE = re.compile(r"Iozone: Performance Test of File I/O")
_BEGINS = re.compile(
    r"Iozone: Performance Test|Command line used: ?(?:\S{1,200}/)?iozone"
    r"|Children see throughput for"
    r"|\b[kK]B\s+reclen\s+write|\"Writer report\"|\"Throughput report"
)
_PART = re.compile(
    r"^\s*\"|throughput|reclen|^\s*\d+\s+\d+(?:\s+\d+)+\s*$|CPU util|Min xfer|Contributors|Version|"
    r"Compiled|Build:|Run began|Output is in|Resolution|cache|stride|size|Record|mode|Mode|chart|"
    r"process|random|Throughput|iozone test complete|Excel|Steve|Randy|Jean|Erik|Fabrice|Vangel|"
    r"Alexey|Al Slater|OPS|Command line|^\s*\d[\d.\s]*$|kB/sec|ops/sec|Iozone:|Purge|O_DIRECT|"
    r"Include|Time"
)
_HEAD = re.compile(
    r"(?P<used>Command line used: ?(?:\S{1,200}/)?iozone)|(?P<table>\b[kK]B\s+reclen\s+write)"
    r'|(?P<report>"Throughput report)'
)
_USED = re.compile(r"Command line used: ((?:\S{1,200}/)?iozone .*)")
_MOST = 400
_GAP = 16


_FACTS = {
    "run_began": re.compile(r"Run began: (\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})"),
    "time_resolution": re.compile(r"\sTime Resolution = (\d\S{0,15} seconds)"),
    "cache_size": re.compile(r"Processor cache size set to (\d{1,12} kBytes)"),
    "cache_line_size": re.compile(r"Processor cache line size set to (\d{1,9} bytes)"),
    "stride": re.compile(r"File stride size set to (\d{1,9} \* record size)"),
}
"""What the head says of the run, as printed; the names are ours."""


class IozoneOutput(Output):
    tool = "iozone"
    anchors = (
        "Iozone: Performance", "Command line used: ", "Children see throughput",
        "reclen    write", '"Writer report"', '"Throughput report', "reclen write",
        "reclen  write", "reclen   write", "reclen     write",
        "iozone test complete",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The title, or the earliest line of what is left without it."""
        anchor = cursor.line(cursor.at)
        first = cursor.at if _BEGINS.search(anchor) else None
        gap = 0
        for index in range(cursor.at - 1, max(cursor.at - 70, -1), -1):
            line = cursor.line(index)
            if "test complete" in line:
                break
            if _TITLE.search(line):
                return index
            if _BEGINS.search(line):
                first, gap = index, 0
            elif not line or _PART.search(line):
                gap += not line
                if gap > _GAP:
                    break
            else:
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _last(cursor, first)
        text = joined(cursor, first, last)
        begin, prompt = command_before(cursor, first, ("iozone",))
        used = _USED.search(text)
        command = prompt.command or (used[1].strip() if used else "")
        options = _arguments(command)
        tests = options.tests if options else ()
        ops = bool(options and options.has("-O")) or "operations per second" in text
        rows = read_figures(text, tests, ops=ops)
        if not rows:
            whole = "Childrenseethroughput" in compact(cursor, first, last)
            raise Unreadable("its tests are cut off" if whole else "no figures follow")
        trials = tuple(_trial(row, text, command, prompt.host, options) for row in rows)
        return OutputReading(begin, last, trials=trials)


_ROW = re.compile(r"[ \d]{8,200}")
"""A row of figures, below which iozone says no more than that it is complete."""


def _last(cursor: TextCursor, first: int) -> int:
    last, blank, complete = first, 0, False
    heads: set[str] = set()
    for index, line in lines(cursor, first, _MOST):
        if index > first and (_TITLE.search(line) or is_section(line)):
            break
        if head := _HEAD.search(line):  # of another run whose title was cut off
            if head.lastgroup in heads:
                break
            heads.add(head.lastgroup or "")
        if not line:
            blank += 1
            if blank > _GAP:
                break
            continue
        is_below = _ROW.fullmatch(cursor.line(last)) is not None or not _PART.search(line)
        if blank and is_below and is_sentence(line):
            break
        if not _PART.search(line) and (complete or blank > 2 or len(line) > 100):
            break
        if complete and not re.match(r'\s*(?:"|\d|Excel)', line):
            break
        complete = complete or "test complete" in line
        last, blank = index, 0
    return last


def _arguments(command: str) -> IozoneArguments | None:
    try:
        return read_arguments(command, where="") if command else None
    except UsageError:
        return None


def _trial(
    row: IozoneRow, text: str, command: str, host: str, asked: IozoneArguments | None
) -> PrintedTrial:
    metrics, kinds = metrics_of((row,))
    details: dict[str, Json] = {
        name: match[1].strip() for name, fact in _FACTS.items() if (match := fact.search(text))
    }
    if row.spread:
        details["processes"] = {test: dict(figures) for test, figures in row.spread.items()}
    if row.mislabelled:
        details["note"] = "rows of the CPU report are named by their order, not by their labels"
    options: dict[str, Scalar] = {"bs": row.record, "size": row.size, "numjobs": _processes(row)}
    if asked:
        options |= {"direct": asked.has("-I"), "end_fsync": asked.has("-e")}
    return PrintedTrial(
        tool="iozone",
        loops=(LoadResult(metrics=metrics, units=kinds),),
        version=version_of(text),
        command=command,
        host=host,
        options={name: value for name, value in options.items() if value is not None},
        steps={name: _step(name, row) for name in metrics},
        details=details,
    )


def _processes(row: IozoneRow) -> int | None:
    """How many there were; None of the report of a throughput test, which does not say it."""
    return row.processes or (None if row.size is None else 1)


def _step(name: str, row: IozoneRow) -> float:
    """Half of the last digit: whole KiB in the table, hundredths in throughput mode."""
    if name.endswith(".cpu"):
        return 0.5e-4
    scale = 1.0 if row.ops else 1024.0
    return scale * (0.005 if row.spread else 0.5)
