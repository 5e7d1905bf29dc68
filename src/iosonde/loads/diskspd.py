"""diskspd of Windows: reads and writes of one run, with latencies where -L measured them.

What it heads "MB/s" (up to 2.0.17) and "MiB/s" are both 2²⁰ bytes.

Source: microsoft/diskspd 2.1, ResultParser/ResultParser.cpp, _PrintSection(), _PrintSectionIOPS(),
_PrintLatencyPercentiles() and _PrintProfile(): rates of all threads in the line "total:", latencies
in ms, "3-nines" is the 99.9th percentile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in
from iosonde.text.reader import nearest

_COMMAND = re.compile(r"^\s*Command Line: (?P<command>.{0,600}diskspd.{0,600})$", re.IGNORECASE)
_SECTION = re.compile(r"^\s*(?P<of>Total|Read|Write) IO\s*$")
_HEAD = re.compile(r"^\s*thread +\| +bytes +\| +I/Os +\| +Mi?B/s +\| +I/O per s +\|")
_SUM = re.compile(
    r"^\s*total: +(?P<bytes>\d{1,18}) \| +(?P<count>\d{1,15}) \| +(?P<rate>\d{1,12}\.\d{1,3}) \| +"
    r"(?P<iops>\d{1,12}\.\d{1,3})(?: \| +(?P<mean>\d{1,9}\.\d{1,4}))?"
    r"(?: \| +(?P<stdev>\d{1,9}\.\d{1,4}))?"
)
_SHARE = re.compile(
    r"^\s*(?P<share>min|max|\d{1,2}th|[3-9]-nines) \| +(?P<read>[\d.]{1,12}|N/A) "
    r"\| +(?P<write>[\d.]{1,12}|N/A) \| +(?P<total>[\d.]{1,12}|N/A)"
)
_TIME = re.compile(r"^\s*(?:actual )?test time:\s+(?P<seconds>\d{1,9}\.\d{1,3})s")
_FACTS = {
    "bs": re.compile(r"^\s*block size: (\d{1,12})"),
    "iodepth": re.compile(r"^\s*number of outstanding I/O operations: (\d{1,6})"),
    "numjobs": re.compile(r"^\s*thread count:\s+(\d{1,6})"),
}
_PATH = re.compile(r"^\s*path: '(.{1,300})'")
_RANDOM = re.compile(r"^\s*using random I/O")
_MOST = 600


@dataclass(slots=True)
class _Sheet:
    """What is read of one run."""

    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    options: dict[str, Scalar] = field(default_factory=dict)
    target: str = ""
    command: str = ""
    seconds: float = 0.0

    def put(self, name: str, text: str, scale: float = 1.0) -> None:
        value, step = units.printed(text)
        self.metrics[name], self.steps[name] = value * scale, step * scale


class Diskspd(Output):
    tool = "diskspd"
    anchors = ("Command Line:", "I/O per s |", "%-ile |")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _COMMAND.match(line):
            return cursor.at
        if not _HEAD.match(line):
            return None
        for is_first in (_COMMAND.match, _TIME.match, _SECTION.match):
            if (first := nearest(cursor, 60, is_first)) is not None:
                return first
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        sheet, last, section, seen = _Sheet(), first, "", False
        for index, line in lines(cursor, first, _MOST):
            if (index > first and _COMMAND.match(line)) or prompt_in(line):
                break
            if match := _SECTION.match(line):
                if match["of"] == "Total" and seen:
                    break
                section = match["of"].lower()
            elif (match := _SUM.match(line)) and section:
                last, seen = index, True
                if section != "total" and int(match["count"]):
                    _put_sums(sheet, section, match)
            elif match := _SHARE.match(line):
                last = index
                _put_share(sheet, match)
            else:
                _put_fact(sheet, line)
        if not sheet.metrics:
            raise Unreadable(
                "its reads and writes are cut off" if seen else "no result follows", last
            )
        sheet.options["rw"] = _mode(sheet)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult.of(sheet.metrics),),
            command=sheet.command,
            target=sheet.target,
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=sheet.options,
            steps=sheet.steps,
        )
        return OutputReading(first, last, trials=(trial,))


def _put_sums(sheet: _Sheet, way: str, match: re.Match[str]) -> None:
    sheet.put(f"{way}.iops", match["iops"])
    sheet.put(f"{way}.bandwidth", match["rate"], units.MIB)
    for name in ("mean", "stdev"):
        if match[name]:
            sheet.put(f"{way}.latency.{name}", match[name], 1e-3)


def _put_share(sheet: _Sheet, match: re.Match[str]) -> None:
    """A row of percentiles, of the directions that were issued."""
    share = match["share"]
    if share.endswith("th"):
        share = f"p{share[:-2]}"
    elif share.endswith("nines"):
        share = "p99_" + "9" * (int(share[0]) - 2)
    for way in ("read", "write"):
        if match[way] != "N/A" and f"{way}.iops" in sheet.metrics:
            sheet.put(f"{way}.latency.{share}", match[way], 1e-3)


def _put_fact(sheet: _Sheet, line: str) -> None:
    if match := _COMMAND.match(line):
        sheet.command = match["command"]
    elif match := _TIME.match(line):
        sheet.seconds = float(match["seconds"])
    elif match := _PATH.match(line):
        sheet.target = match[1]
    elif _RANDOM.match(line):
        sheet.options["random"] = True
    for name, pattern in _FACTS.items():
        if match := pattern.match(line):
            sheet.options[name] = int(match[1])


def _mode(sheet: _Sheet) -> str:
    """The mode in fio's words; the mark that it was random is taken out of the options."""
    random = "rand" if sheet.options.pop("random", False) or " -r" in sheet.command else ""
    ways = [way for way in ("read", "write") if f"{way}.iops" in sheet.metrics]
    return f"{random}{ways[0] if len(ways) == 1 else 'rw'}"
