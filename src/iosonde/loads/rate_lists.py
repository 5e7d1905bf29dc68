"""Programs that print a few rates: gobonniego, fio's t/io_uring, NAS performance tester.

Source: cunnie/gobonniego 1.0.9, README: MB are 10⁶ bytes, and how many requests a second of 512
bytes, of which each tenth is a write; fio 3.42, t/io_uring.c, main(): BW is in MiB/s or GiB/s, all
requests are reads; NAS performance tester 1.7: MB/sec with a decimal comma where Windows has one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in

_N = r"\d[\d.]{0,15}"
_WAY = re.compile(rf"^\s*Sequential (?P<way>Write|Read) MB/s: (?P<rate>{_N})\s*$")
_IOPS = re.compile(rf"^\s*IOPS: (?P<iops>{_N})\s*$")
_STAMPED = re.compile(r"^\s*\d{4}/\d\d/\d\d \d\d:\d\d:\d\d ")
_URING = re.compile(
    rf"^\s*IOPS=(?P<iops>{_N}[KM]?), (?:BW=(?P<rate>{_N}[MG]iB)/s, )?IOS/call=\d{{1,9}}/\d{{1,9}}"
)
_URING_OWN = re.compile(
    r"^\s*(?:submitter=|polled=|Engine=|Exiting on|\^C|Maximum IOPS=|file=|Running with)"
)
_NAS = re.compile(
    r"^\s*Running a (?P<size>\d{1,7})MB file (?P<way>write|read) on (?P<target>\S.{0,60}?)"
    r"(?: \d{1,4} times?| once)?\.{2,}"
)
_NAS_LOOP = re.compile(r"^\s*Iteration \d{1,4}:\s+(?P<rate>\d{1,6}(?:[.,]\d{1,3})?) MB/sec\s*$")
_NAS_MEAN = re.compile(r"^[\s*-]*Average \([RW]\):\s+(?P<rate>\d{1,6}(?:[.,]\d{1,3})?) MB/sec")
_MOST = 400
_MB = 1e6


class GoBonnieGo(Output):
    tool = "gobonniego"
    anchors = ("Sequential Write MB/s:", "Sequential Read MB/s:")
    beginning = _WAY

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first
        metrics: dict[str, float] = {}
        steps: dict[str, float] = {}
        details = dict[str, float]()
        for index, line in lines(cursor, first, 12):
            way, iops = _WAY.match(line), _IOPS.match(line)
            if way and f"{way['way'].lower()}.bandwidth" in metrics:
                break  # the next run
            if way:
                name = f"{way['way'].lower()}.bandwidth"
                value, step = units.printed(way["rate"])
                metrics[name], steps[name] = value * _MB, step * _MB
            elif iops:
                details["iops"] = float(iops["iops"])
            elif not _STAMPED.match(line):
                break
            last = index if way or iops else last
            if iops:
                break
        begin, prompt = command_before(cursor, first, ("gobonniego",), reach=20)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult.of(metrics),),
            command=prompt.command,
            host=prompt.host,
            steps=steps,
            details=dict(details),
        )
        return OutputReading(begin, last, trials=(trial,))


class IoUringTool(Output):
    tool = "t/io_uring"
    anchors = ("IOS/call=",)
    beginning = _URING

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        rows: list[re.Match[str]] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = _URING.match(line)
            if row and (not rows or bool(row["rate"]) == bool(rows[0]["rate"])):
                rows.append(row)
            elif row or not _URING_OWN.match(line):
                break
            last = index
        begin, prompt = command_before(cursor, first, ("io_uring",), reach=24)
        return OutputReading(begin, last, trials=(_of_seconds(rows, prompt),))


def _of_seconds(rows: Sequence[re.Match[str]], asked: Prompt) -> PrintedTrial:
    """A loop of each line, which is of one second."""
    steps: dict[str, float] = {}
    loops: list[LoadResult] = []
    for row in rows:
        metrics: dict[str, float] = {}
        figures = {"read.iops": row["iops"].replace("K", "k"), "read.bandwidth": row["rate"]}
        for name, text in figures.items():
            if text:
                metrics[name], step = units.printed(text)
                if "GiB" in text:  # t/io_uring.c divides MiB by 1000
                    metrics[name], step = metrics[name] * 1000 / 1024, step * 1000 / 1024
                steps[name] = max(step, steps.get(name, 0.0))
        loops.append(LoadResult.of(metrics))
    options = {
        name: int(match[1])
        for name, flag in (("bs", "b"), ("iodepth", "d"), ("numjobs", "n"))
        if (match := re.search(rf"\s-{flag} ?(\d{{1,9}})\b", asked.command))
    }
    return PrintedTrial(
        tool=IoUringTool.tool,
        loops=tuple(loops),
        command=asked.command,
        host=asked.host,
        target=asked.command.rpartition(" ")[2] if asked.path else "",
        elapsed=(1.0,) * len(loops),
        options={"rw": "randread", "ioengine": "io_uring", **options},
        steps=steps,
    )


class NasTester(Output):
    tool = "NAS performance tester"
    anchors = ("MB file write on ", "MB file read on ")
    beginning = _NAS

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        head = _NAS.match(cursor.line(first))
        rates: list[tuple[float, float]] = []
        average, last = None, first
        for index, line in lines(cursor, first + 1, 60):
            loop, mean = _NAS_LOOP.match(line), _NAS_MEAN.match(line)
            if loop:
                rates.append(units.printed(loop["rate"].replace(",", ".")))
            elif mean:
                average = units.printed(mean["rate"].replace(",", "."))[0] * _MB
            elif not line.strip().startswith("---"):
                break
            last = index
            if mean or prompt_in(line):
                break
        if head is None or not rates:
            raise Unreadable("no rate follows", last)
        name = f"{head['way']}.bandwidth"
        trial = PrintedTrial(
            tool=self.tool,
            loops=tuple(LoadResult.of({name: rate * _MB}) for rate, _ in rates),
            target=head["target"],
            options={"rw": head["way"], "size": int(head["size"]) * 10**6},
            steps={name: max(step for _, step in rates) * _MB},
            averages={name: average} if average else {},
        )
        return OutputReading(first, last, trials=(trial,))
