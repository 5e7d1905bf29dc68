"""sysbench's fileio test: 0.4 and 0.5, 1.0, and what comes after 1.0; one trial per report.

Its latencies are of all its requests together: they are a direction's metric where only that one
was issued, else they are details. "Mb" of 0.4 and 0.5 is MiB.

Source: sysbench 1.0.20, src/tests/fileio/sb_fileio.c, file_report_cumulative(), and src/sysbench.c;
the same of its commits d224c63 (0.4) and 278f8a2 (after 1.0); sb_options.c, sb_print_value_size():
prefixes of 1024, five digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.loads._sysbench_text import LATENCY, intervals_in, line_above, rest_of
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import (
    Output,
    TextCursor,
    command_before,
    compact,
    joined,
    prompt_in,
)
from iosonde.text.reader import close_lines, close_lines_above

_OWN = re.compile(
    r"^\s*+(?:sysbench \d|Running the test with|Number of (?:threads|IO requests|random requests)"
    r"|Report intermediate|Initializing|Random number generator|Extra file open flags|\d+ files, "
    r"|\S+ total file size|Block size \d|Merging requests|Read/Write ratio|Periodic FSYNC|Calling f"
    r"|Using \w+ (?:mmaped )?I/O mode|Using checksums|Doing .{3,40} test$|Threads started|Time "
    r"|Done\.|WARNING|File operations:|(?:reads|writes|fsyncs)/s:|Throughput:|(?:read|written), MiB"
    r"|(?:read|write|fsync): +IOPS=|Operations performed|Read \S+b +Writ|[\d.]+ Requests/sec"
    r"|Test execution summary|General statistics|total (?:time|number)|per-request|response time"
    r"|Latency \(ms\)|min:|avg:|max:|sum:|approx\.|\d+th percentile|percentile stats"
    r"|Threads fairness|events \(avg|execution time|\[ *\d+s *\]|Additional request"
    r"|[\d.,/()= Total]+$|[A-Z]?[a-z ]{1,20}:? *-?[\d.]+m?s?$)"
)
_HEAD = re.compile(r"^\s*sysbench \d|^\s*Running the test with")
_HEADLINE = re.compile(
    r"Extra file open flags: [\w(]|(?i:Operations performed: +\d+ read)|MiB/s|\d Requests/sec"
)
_RATES = re.compile(r"^\s*(?:reads/s:|read, MiB/s:|read: +IOPS=)")
_REPORT = re.compile(r"^\s*(?:File operations:|Operations performed|(?:Throughput:|reads?/s:))")
_N = r"(\d[\d.]{0,20})"
_NEW = {
    "read.iops": rf"reads/s:{_N}", "write.iops": rf"writes/s:{_N}", "sync.iops": rf"fsyncs/s:{_N}",
    "read.bandwidth": rf"(?<![a-z])read,MiB/s:{_N}", "write.bandwidth": rf"written,MiB/s:{_N}",
}  # fmt: skip
_OLD = re.compile(
    r"Operationsperformed:(?P<read>\d{1,18})reads?,(?P<write>\d{1,18})writes?,(?P<other>\d{1,18})"
    r"other=(?P<total>\d{1,18})total", re.IGNORECASE,
)  # fmt: skip
_SIZES = re.compile(
    r"Read([\d.e+]{1,12}[kMGT]?)bWritten([\d.e+]{1,12}[kMGT]?)bTotaltransferred", re.IGNORECASE
)
_RATE = re.compile(rf"{_N}Requests/secexecuted")
_TOTAL = re.compile(rf"totaltime:{_N}s")
_EVENTS = re.compile(r"totalnumberofevents:(\d{1,18})")
_SET_UP = {
    "files": re.compile(r"(?<!\S)(\d{1,9}) files, \d"),
    "read_write_ratio": re.compile(r"ratio for combined random IO test: (\d{1,6}\.\d\d)(?!\d)"),
    "fsync_after": re.compile(r"calling fsync\(\) each (\d{1,9}) requests"),
    "requests_asked": re.compile(r"Number of IO requests: (\d{1,18})"),
    "random_requests": re.compile(r"Number of random requests for random IO: (\d{1,18})"),
    "report_interval": re.compile(r"Report intermediate results every (\d{1,9}) second"),
    "file_size": re.compile(r"(?<!\S)\d{1,9} files, (\d{1,9}(?:\.\d{1,3})?[KMGT]i?[Bb]) each"),
    "open_flags": re.compile(r"Extra file open flags: ([\w()]{1,40})"),
    "io_mode": re.compile(r"Using (\w{2,20} (?:mmaped )?I/O mode)"),
    "fsync_at_end": re.compile(r"Calling fsync\(\) at the end of test, (Enabled)"),
}
_FLAGS = re.compile(
    r"\s--file-extra-flags[= ][\"']?((?:sync|dsync|direct)(?:,(?:sync|dsync|direct)){0,2})\b"
)
_SECONDS = re.compile(r"\s--(?:max-time|time)[= ][\"']?(\d{1,9})(?![\w.])")
_MODES = {
    "sequential write (creation)": "write", "sequential rewrite": "write",
    "sequential read": "read", "random read": "randread", "random write": "randwrite",
    "random r/w": "randrw",
}  # fmt: skip
_GAP = 4
_MOST = 400


class Sysbench(Output):
    tool = "sysbench"
    anchors = (
        "Extra file open flags", "File operations:", "Operations performed:", "written, MiB/s",
        "Throughput:", "Requests/sec executed", "write: IOPS=",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if (
            "BW=" in line
            or not _OWN.match(line)
            or not (_HEADLINE.search(line) or _is_followed(cursor))
        ):
            return None
        top = cursor.at
        for index, line in close_lines_above(cursor, cursor.at - 1, gap=_GAP):
            if prompt_in(line) or not _OWN.match(line):
                break
            top = index
            if _HEAD.match(line) and not _HEAD.match(line_above(cursor, index, _GAP)):
                break
        return top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _end(cursor, first)
        head = joined(cursor, first, last)
        sheet = _read(compact(cursor, first, last))
        begin, prompt = command_before(cursor, first, ("sysbench",), reach=30)
        version = re.search(r"sysbench (\d[\w.-]*)", head)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics=sheet.metrics, units=sheet.kinds()),),
            version=version[1].rstrip(":") if version else "",
            command=prompt.command,
            host=prompt.host,
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=_options(head) | _asked(prompt.command),
            steps=sheet.steps,
            details=sheet.details | _set_up(head),
        )
        return OutputReading(begin, last, trials=(trial,))


def _is_followed(cursor: TextCursor) -> bool:
    """Whether rates stand below a title."""
    for index in range(cursor.at + 1, cursor.at + 4):
        if line := cursor.line(index):
            return bool(_RATES.match(line))
    return False


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line of one report: before the next one's head."""
    last, heads = first, False
    for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
        again = heads and (_HEAD.match(line) or "Extra file open" in line)
        if again or prompt_in(line) or not _OWN.match(line):
            break
        heads = heads or bool(_REPORT.match(line))
        last = index
    return last


@dataclass(slots=True)
class _Sheet:
    """The figures of one report; `step` of each is half of its last digit."""

    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    details: dict[str, Json] = field(default_factory=dict)
    seconds: float = 0.0

    def put(self, name: str, printed: tuple[float, float], scale: float = 1.0) -> None:
        self.metrics[name], self.steps[name] = printed[0] * scale, printed[1] * scale

    def kinds(self) -> dict[str, str]:
        return {
            name: "1/s" if name.endswith("iops") else "B/s" if name.endswith("width") else "s"
            for name in self.metrics
        }


def _read(text: str) -> _Sheet:
    """What a report says, its blanks removed.

    Raises:
        Unreadable: no figures follow, or all of them are zero.
    """
    sheet = _Sheet()
    total, events = _TOTAL.search(text), _EVENTS.search(text)
    sheet.seconds = float(total[1]) if total else 0.0
    syncs_are_events = True
    if old := _OLD.search(text):
        _read_old(sheet, old, text)
        syncs_are_events = False
    elif "IOPS=" in text:
        _read_next(sheet, text)
    else:
        for name, pattern in _NEW.items():
            if match := re.search(pattern, text):
                scale = units.MIB if name.endswith("bandwidth") else 1
                sheet.put(name, units.printed(match[1]), scale)
    idle = [name for name, value in sheet.metrics.items() if not value]
    for name in idle:
        del sheet.metrics[name], sheet.steps[name]
    if not sheet.metrics:
        raise Unreadable("its requests per second are all zero" if idle else "no figures follow")
    if events:
        sheet.details["events"] = int(events[1])
    sheet.details |= rest_of(text)
    if intervals := intervals_in(text):
        sheet.details["intervals"] = intervals
    if latency := LATENCY.search(text):
        _put_latency(sheet, latency, mixed=syncs_are_events)
    return sheet


def _read_old(sheet: _Sheet, done: re.Match[str], text: str) -> None:
    """Counts and amounts of 0.4 and 0.5: rates are these over the seconds."""
    rate = _RATE.search(text)
    if rate:
        sheet.details["requests_per_second"] = float(rate[1])
    requests = int(done["read"]) + int(done["write"])
    if not sheet.seconds and rate and float(rate[1]):
        sheet.seconds = requests / float(rate[1])
    if not sheet.seconds:
        raise Unreadable("how long it took is cut off")
    sheet.details["operations"] = {
        name: int(done[name]) for name in ("read", "write", "other", "total")
    }
    amounts = _SIZES.search(text)
    sizes = dict(zip(("read", "write"), amounts.groups(), strict=True)) if amounts else {}
    relative = 0.5 / requests if requests else 0.0
    for name in ("read", "write", "other"):
        value = int(done[name]) / sheet.seconds
        direction = "sync" if name == "other" else name
        sheet.put(f"{direction}.iops", (value, value * relative))
    if sizes:
        sheet.details["bytes"] = {
            way: units.printed(size, binary=True)[0] for way, size in sizes.items()
        }
    for direction, size in sizes.items():
        sheet.put(f"{direction}.bandwidth", units.printed(size, binary=True), 1 / sheet.seconds)


def _read_next(sheet: _Sheet, text: str) -> None:
    """The lines after 1.0: a rate and an amount stand beside each other, one blank between."""
    for direction in ("read", "write"):
        match = re.search(rf"{direction}:IOPS=(\d{{1,15}}\.\d\d)(\d{{1,15}}\.\d\d)MiB/s", text)
        if match:
            sheet.put(f"{direction}.iops", units.printed(match[1]))
            sheet.put(f"{direction}.bandwidth", units.printed(match[2]), units.MIB)
    if match := re.search(r"fsync:IOPS=(\d{1,15}\.\d\d)", text):
        sheet.put("sync.iops", units.printed(match[1]))


def _put_latency(sheet: _Sheet, latency: re.Match[str], *, mixed: bool) -> None:
    """Of the only direction that was issued, else as details."""
    share, unit = latency["share"], latency["unit"]
    scale = 1.0 if unit == "s" else 1e-3
    figures = dict(zip(("min", "mean", "max", "pNN"), latency.group(1, 3, 4, 6), strict=True))
    directions = [way for way in ("read", "write", "sync") if f"{way}.iops" in sheet.metrics]
    if not mixed and len(directions) > 1:
        directions = [way for way in directions if way != "sync"]
    alone = directions[0] if len(directions) == 1 else ""
    for name, text in figures.items():
        if not text:
            continue
        key = f"p{share}" if name == "pNN" else name
        if alone:
            sheet.put(f"{alone}.latency.{key}", units.printed(text), scale)
        else:
            sheet.details[f"latency_{key}"] = float(text) * scale


def _set_up(head: str) -> dict[str, Json]:
    """Of the test, what is no word of fio: its files, ratio of reads to writes, and syncs."""
    plain = " ".join(head.split())
    matches = {name: pattern.search(plain) for name, pattern in _SET_UP.items()}
    texts = {name: match[1] for name, match in matches.items() if match}
    return {name: _plain(text) for name, text in texts.items()}


def _plain(text: str) -> Json:
    """A number, bytes of what has a unit, or the text."""
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,3})?[KMGT]i?[Bb]", text):
        return units.parse_bytes(text.replace("b", "B"))
    if re.fullmatch(r"[\d.]{1,24}", text):
        return int(text) if text.isdecimal() else float(text)
    return text


def _asked(command: str) -> dict[str, Scalar]:
    """What a command asks for that the report says otherwise or not at all, in fio's words.

    Source: sysbench 1.0, src/tests/fileio/sb_fileio.c, parse_arguments(): --file-extra-flags is a
    list of sync, dsync and direct (one of them before 1.0); src/sysbench.c: --max-time of 0.4 is
    --time of 1.0, in seconds, and 0 is no limit.
    """
    options: dict[str, Scalar] = {}
    if match := _FLAGS.search(command):
        flags = match[1].split(",")
        if "direct" in flags:
            options["direct"] = True
        if sync := next((flag for flag in flags if flag != "direct"), ""):
            options["sync"] = sync
    if (match := _SECONDS.search(command)) and int(match[1]):
        options["runtime"] = int(match[1])
    return options


def _options(head: str) -> dict[str, Scalar]:
    """Of the load, in fio's words."""
    plain = " ".join(head.split())
    options: dict[str, Scalar] = {"iodepth": 1}
    if match := re.search(r"Number of threads: (\d{1,9})", plain):
        options["numjobs"] = int(match[1])
    for name, pattern in (
        ("size", r"(\S{1,20})B? total file size"),
        ("bs", r"Block size (\S{1,20})"),
    ):
        if match := re.search(pattern, plain):
            options[name] = units.parse_bytes(match[1].replace("b", "B"))
    if (match := re.search(r"Doing (.{3,40}?) test", plain)) and match[1] in _MODES:
        options["rw"] = _MODES[match[1]]
    if (match := re.search(r"Extra file open flags: (\w+)", plain)) and "direct" in match[1]:
        options["direct"] = True
    if "Using asynchronous I/O" in plain:
        del options["iodepth"]
    if "Target transaction rate:" in plain:
        options["paced"] = True
    return options
