"""sysbench's tests that are none of files: databases, CPU, memory, threads, mutexes; its intervals.

Their events are no requests of a device, so they are counters of the host. Lines of
--report-interval are columns of figures, one entry a line; of the fileio test they are read where
no report of it stands below them. What `fileio … prepare` wrote, and how fast, is a trial.

Source: sysbench 1.0.20, src/sysbench.c, sb_report_cumulative(), src/db_driver.c,
db_report_cumulative(), src/tests/cpu, memory, threads, mutex, and file_cmd_prepare() of
src/tests/fileio/sb_fileio.c; the same of its commits d224c63 (0.4), b93fffd (0.5), 278f8a2 (after
1.0). "MB" of 0.4 is MiB.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.loads._sysbench_text import LATENCY, intervals_in, line_above, rest_of
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import (
    Output,
    Prompt,
    TextCursor,
    command_before,
    compact,
    joined,
    lines,
    prompt_in,
)
from iosonde.text.reader import Items, StateOutput, close_lines, close_lines_above

_STARTS = re.compile(
    r"^\s*+(?:events per second: |events/s \(eps\):|(?:SQL|OLTP test) statistics:"
    r"|Running memory speed test|Total operations: \d|Operations performed: +\d+ \("
    r"|[\d.]+ Mi?B transferred \(|transactions: +\d+ +\(|\[ *\d+ *s *\] |Prime numbers limit: "
    r"|Maximum prime number checked|Thread yields per test: |General statistics:"
    r"|Test execution summary:)"
)
_OWN = re.compile(
    r"^\s*+(?:sysbench v?\d|Running |Number of (?:threads|unfinished)|Report intermediate|Initializ"
    r"|Random number generator|Threads started|WARNING|Done\.?$|Doing |Warming up|Warmup time"
    r"|Target transaction rate|Prime numbers limit|Maximum prime|Primer numbers|Thread yields"
    r"|block size:|total (?:size|time|number):?|operation:|scope:|Memory |Operations performed|"
    r"Total operations|[\d.]+ Mi?B transferred|CPU speed:|events?[ /]|SQL statistics"
    r"|OLTP test statistics|queries|(?:read|write|other|total|min|avg|max|sum|approx\.?) *:"
    r"|approx\. |transactions:|deadlocks:|read/write requests:|other operations:|ignored errors:"
    r"|reconnects:|Throughput:|time elapsed:|General statistics|Latency \(ms\)|\d+th percentile"
    r"|percentile stats|Test execution|per-request|response time|Threads fairness|execution time"
    r"|Using |Skipping |Validation |Maximum number of|\[ *\d+ *s *\]|Additional request"
    r"|[\d.,:/()%= ]+$|[a-z][a-z/ ]{1,24}: +[\d.]+m?s?$"
    r"|.{0,70}(?:err/s:|reconn/s:|reconnects: |lat \(ms|\(r/w/o:|pct of values|pct cases\))"
    r"|[\d.]+ reconn|.{0,24}cases\)$)"
)
_HEAD = re.compile(r"^\s*sysbench v?\d|^\s*Running the test with")
_OF_FILES = re.compile(
    r"Extra file open flags|File operations:|^\s*(?:reads|writes|fsyncs)/s: "
    r"|\d reads?, +\d+ writes?|total file size|(?:read|write|fsync): +IOPS=|(?:read|written), MiB/s"
)
_REPORT = re.compile(
    r"^\s*(?:(?:SQL|OLTP test) statistics:|CPU speed:|General statistics:|Test execution summary:"
    r"|Throughput:)"
)
_END = re.compile(r"^\s*execution time ")
_N = r"(\d{1,15}(?:\.\d{1,4})?)"
_COUNTED = {
    "reads": r"queriesperformed:read:(\d{1,18})",
    "writes": r"queriesperformed:read:\d{1,18}write:(\d{1,18})",
    "others": r"queriesperformed:read:\d{1,18}write:\d{1,18}other:(\d{1,18})",
    "transactions": r"transactions:(\d{1,18})\(",
    "queries": r"(?:queries|read/writerequests):(\d{1,18})\(",
    "deadlocks": r"deadlocks:(\d{1,18})\(",
    "errors": r"ignorederrors:(\d{1,18})\(",
    "reconnects": r"reconnects:(\d{1,18})\(",
    "operations": r"(?:Totaloperations|Operationsperformed):(\d{1,18})\(",
    "events": r"totalnumberofevents:(\d{1,18})",
    "threads": r"Numberofthreads:(\d{1,9})",
    "prime_limit": r"(?:Primenumberslimit|numbercheckedinCPUtest):(\d{1,18})",
}  # fmt: skip
_MEASURED = {
    "tps": (rf"transactions:\d{{1,18}}\({_N}persec", 1.0),
    "qps": (rf"(?:queries|read/writerequests):\d{{1,18}}\({_N}persec", 1.0),
    "errors_per_second": (rf"ignorederrors:\d{{1,18}}\({_N}persec", 1.0),
    "operations_per_second": (
        rf"(?:Totaloperations|Operationsperformed):\d{{1,18}}\({_N}(?:persecond|ops/sec)", 1.0,
    ),
    "bytes": (rf"(?<![\d.]){_N}Mi?Btransferred", float(units.MIB)),
    "bandwidth": (rf"transferred\({_N}Mi?B/sec", float(units.MIB)),
    "events_per_second": (rf"(?:eventspersecond|events/s\(eps\)):{_N}", 1.0),
    "seconds": (rf"(?:totaltime|timeelapsed):{_N}s", 1.0),
    "block_size": (r"(?:Memory)?blocksize:(\d{1,12})K", 1024.0),
    "total_size": (r"(?:totalsize|Memorytransfersize):(\d{1,12})M", float(units.MIB)),
    "latency.sum": (r"(?<=\d)sum:(\d{1,15}\.\d\d)", 1e-3),
}  # fmt: skip
_GAP = 8
_MOST = 4000


class SysbenchEvents(StateOutput):
    tool = "sysbench"
    anchors = (
        "events per second: ", "events/s (eps):", "SQL statistics:", "OLTP test statistics:",
        "Running memory speed test", "Total operations: ", " ops/sec)", "B transferred (",
        " per sec.)", "] thds: ", "] threads: ", "fsyncs: ", "Prime numbers limit: ",
        "Maximum prime number checked", "Thread yields per test", "General statistics:",
        "Test execution summary:",
    )  # fmt: skip
    commands = ("sysbench",)
    reach = 30

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _STARTS.match(cursor.line(cursor.at)):
            return None
        top = cursor.at
        for index, line in close_lines_above(cursor, cursor.at, gap=_GAP):
            if _OF_FILES.search(line):
                return None
            if prompt_in(line) or not _OWN.match(line):
                break
            top = index
            if _HEAD.match(line) and not _HEAD.match(line_above(cursor, index, _GAP)):
                break
        return top

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = _end(cursor, first)
        text = compact(cursor, first, last)
        values: dict[str, Json] = {
            name: int(match[1])
            for name, pattern in _COUNTED.items()
            if (match := re.search(pattern, text))
        }
        values |= {
            name: float(match[match.re.groups]) * scale
            for name, (pattern, scale) in _MEASURED.items()
            if (match := re.search(pattern, text))
        }
        if latency := LATENCY.search(text):
            values |= _latencies(latency)
        values |= {name: value for name, value in rest_of(text).items() if name != "latency_sum"}
        intervals = intervals_in(text)
        if not {"events", "tps", "events_per_second", "operations_per_second"} & values.keys():
            if not intervals:
                raise Unreadable("no figures follow", last)
            values = {name: values[name] for name in ("threads",) if name in values}
        head = joined(cursor, first, last)
        if version := re.search(r"sysbench v?(\d[\w.-]*)", head):
            values["version"] = version[1].rstrip(":")
        if operation := re.search(r"operation: (read|write|none)|operations type: (\w+)", head):
            values["operation"] = operation[1] or operation[2]
        if intervals:
            values["intervals"] = intervals
        return last, [self.counted("host", "", values, prompt)]


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line of one report: before the next one's head, or a report of files."""
    last, reported, ended = first, False, False
    for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
        again = reported and (_HEAD.match(line) or re.match(r"\s*\[ *\d+ *s *\] ", line))
        over = ended and not re.match(r"[\d.,/ ]+$", line)
        if again or over or prompt_in(line) or not _OWN.match(line):
            break
        reported = reported or bool(_REPORT.match(line))
        ended = ended or bool(_END.match(line))
        last = index
    return last


def _latencies(match: re.Match[str]) -> dict[str, Json]:
    """Of all events, in seconds."""
    scale = 1.0 if match["unit"] == "s" else 1e-3
    names = ("min", "mean", "max", f"p{match['share']}")
    return {
        f"latency.{name}": float(text) * scale
        for name, text in zip(names, match.group(1, 3, 4, 6), strict=True)
        if text
    }


_PREPARED = re.compile(
    r"(?P<files>\d{1,9}) files, \d{1,12}Kb each, (?P<size>\d{1,12})Mb total"
    r"|(?P<bytes>\d{1,18}) bytes written in (?P<seconds>\d{1,9}\.\d\d) seconds "
    r"\((?P<rate>\d{1,9}\.\d\d) Mi?B/sec\)"
)
_PREPARING = re.compile(
    r"^\s*+(?:sysbench v?\d|\d+ files, \d+Kb each|Creating file|Extra file open flags|Reusing exist"
    r"|Extending exist|\d+ bytes written in|No bytes written|WARNING)"
)


class SysbenchPrepare(Output):
    tool = "sysbench"
    anchors = ("Creating files for the test...", " bytes written in ")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = cursor.at
        if not _PREPARING.match(cursor.line(first)):
            return None
        for index in range(cursor.at - 1, -1, -1):
            line = cursor.line(index)
            if line and not _PREPARING.match(line):
                break
            if cursor.at - index > 1 and not line and not cursor.line(index - 1):
                break
            first = index if line else first
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + 2 or (line and not _PREPARING.match(line)):
                break
            last = index if line else last
            if "bytes written in " in line:
                break
        matches = list(_PREPARED.finditer(joined(cursor, first, last)))
        written = next((match for match in matches if match["rate"]), None)
        size = next((match for match in matches if match["size"]), None)
        begin, prompt = command_before(cursor, first, ("sysbench",), reach=4)
        details: dict[str, Json] = {}
        if size:
            details = {"files": int(size["files"]), "size": int(size["size"]) * units.MIB}
        if written is None:
            if not size:
                raise Unreadable("it does not say how fast the files were written", last)
            counters = PrintedCounters(
                self.tool, "host", "prepare", details, prompt.host, prompt.command
            )
            return OutputReading(begin, last, counters=(counters,))
        rate, step = units.printed(written["rate"])
        metric = "write.bandwidth"
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics={metric: rate * units.MIB}, units={metric: "B/s"}),),
            command=prompt.command,
            host=prompt.host,
            label="prepare",
            elapsed=(float(written["seconds"]),),
            options={"rw": "write", **({"size": int(size["size"]) * units.MIB} if size else {})},
            steps={metric: step * units.MIB},
            details={**details, "bytes": int(written["bytes"])},
        )
        return OutputReading(begin, last, trials=(trial,))
