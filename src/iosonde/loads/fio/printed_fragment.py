"""Parts of fio's normal output as people cut them out: latencies of fsync, run status, rates.

`FioText` reads what has the whole line of a direction; here is what lacks it: the tail of a job
that begins among its percentiles, the latencies of fsync alone, "Run status group" alone, and
lines such as `read: IOPS=549k, BW=2146MiB/s` or `randread: bw=31.4MiB/s`, which were cut behind
their speed or had their middle taken out.

Source: as text_block.py.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde.loads.fio import text_figures
from iosonde.loads.fio.printed_text import FioText
from iosonde.loads.fio.text_block import RATES, JobFigures, Precision, read_rates
from iosonde.loads.fio.text_fragment import is_line, read_fragment, top
from iosonde.records.printed import OutputReading, PrintedTrial
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines

_STATUS = ("READ:", "WRITE:", "TRIM:", "MIXED:")
_MOST = 400


class FioFragment(Output):
    tool = "fio"
    anchors = (
        "fsync/fdatasync/sync_file_range", "sync percentiles (", "clat percentiles (",
        "IO depths    :", "issued rwt", "issued    : total", "Run status group ", ": IOPS=",
        ":  IOPS=", "sec): min=", "d: bw=", "e: bw=", ": io=",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        rates = RATES.fullmatch(line)
        if not (rates or is_line(line)) or FioText().begin(cursor) is not None:
            return None
        if line.lstrip().startswith(_STATUS):
            return None  # its title leads here, and without one it is FioStatus'
        return cursor.at if rates else top(cursor)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if RATES.fullmatch(cursor.line(first)):
            return _rates(cursor, first)
        return read_fragment(cursor, first)


def _rates(cursor: TextCursor, first: int) -> OutputReading:
    """Lines of rates below each other: one result for each, reads and writes of a job together."""
    sheets: list[tuple[str, str, JobFigures]] = []
    last, before = first, (("", ""), "")
    for index, line in lines(cursor, first, _MOST):
        match = RATES.fullmatch(line)
        if not match:
            break
        kind = match["label"] or match["remark"] or "", "rand" if match["rand"] else ""
        if not sheets or match["name"] <= before[1] or kind != before[0]:
            rw = f"rand{match['name']}" if match["rand"] else ""
            sheets.append((rw, kind[0], JobFigures()))
        precision = Precision(remainders=bool(match["speed2"]))
        read_rates(match, precision, sheets[-1][2])
        last, before = index, (kind, match["name"])
    begin, prompt = command_before(cursor, first, ("fio",))
    return OutputReading(begin, last, trials=tuple(_trial(*sheet, prompt) for sheet in sheets))


def _trial(rw: str, label: str, sheet: JobFigures, asked: Prompt) -> PrintedTrial:
    options = text_figures.command_options(asked.command, "")
    if rw:
        options["rw"] = rw
    return PrintedTrial(
        tool="fio",
        loops=(sheet.result({}, ""),),
        command=asked.command,
        host=asked.host,
        target=text_figures.target_of(options),
        label=label,
        options=options,
        steps=sheet.steps,
    )
