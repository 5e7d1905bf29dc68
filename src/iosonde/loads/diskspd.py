"""diskspd of Windows: reads and writes of one run, with latencies where -L measured them.

What it heads "MB/s" (up to 2.0.17) and "MiB/s" are both 2²⁰ bytes.

Source: microsoft/diskspd 2.1, ResultParser/ResultParser.cpp, _PrintSection(), _PrintSectionIOPS(),
_PrintLatencyPercentiles() and _PrintProfile(): rates of all threads in the line "total:", latencies
in ms, "3-nines" is the 99.9th percentile. With -D a column IopsStdDev stands between AvgLat and
LatStdDev, so cells go by the names of the head. Where reads and writes were cut off, the totals are
counters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in
from iosonde.text.reader import nearest

_COMMAND = re.compile(r"^\s*Command Line: (?P<command>.{0,600}diskspd.{0,600})$", re.IGNORECASE)
_SECTION = re.compile(r"^\s*(?P<of>Total|Read|Write) IO\s*$")
_HEAD = re.compile(r"^\s*thread +\| +bytes +\| +I/Os +\| +Mi?B/s +\| +I/O per s +\|")
_N = r"\d{1,18}(?:\.\d{1,4})?"
_SUM = re.compile(rf"^\s*total: +(?P<cells>{_N}(?: +\| +{_N}){{3,8}})(?: +\|)?\s*$")
_THREAD = re.compile(
    rf"^\s*(?P<thread>\d{{1,6}}) \| +(?P<cells>{_N}(?: +\| +{_N}){{3,8}}) \| +"
    r"(?P<file>\S.{0,300}?)\s*$"
)
_COLUMNS = {
    "bytes": ("bytes", 1.0), "I/Os": ("count", 1.0), "MiB/s": ("bandwidth", float(units.MIB)),
    "MB/s": ("bandwidth", float(units.MIB)), "I/O per s": ("iops", 1.0),
    "AvgLat": ("latency.mean", 1e-3), "IopsStdDev": ("iops.stdev", 1.0),
    "LatStdDev": ("latency.stdev", 1e-3),
}  # fmt: skip
_ALWAYS = ("bytes", "I/Os", "MiB/s", "I/O per s")
"""What every version prints first."""
_CPU = re.compile(
    r"^\s*(?P<cpu>\d{1,5}|avg\.) ?\| +(?P<usage>[\d.]{1,7})% ?\| +(?P<user>[\d.]{1,7})% ?\|"
    r" +(?P<kernel>[\d.]{1,7})% ?\| +(?P<idle>[\d.]{1,7})%\s*$"
)
_SHARE = re.compile(
    r"^\s*(?P<share>min|max|\d{1,2}th|[3-9]-nines) \| +(?P<read>[\d.]{1,12}|N/A) "
    r"\| +(?P<write>[\d.]{1,12}|N/A) \| +(?P<total>[\d.]{1,12}|N/A)"
)
_TIME = re.compile(r"^\s*(?:actual )?test time:\s+(?P<seconds>\d{1,9}\.\d{1,3})s")
_FACTS = {
    "bs": re.compile(r"^\s*block size: (\d{1,12}(?:[KMG]iB)?)"),
    "iodepth": re.compile(r"^\s*number of outstanding I/O operations: (\d{1,6})"),
    "numjobs": re.compile(r"^\s*thread count:\s+(\d{1,6})"),
}
_PATH = re.compile(r"^\s*path: '(.{1,300})'")
_SETTING = re.compile(
    r"^\s*(?P<name>duration|warm up time|cool down time|random seed|think time|burst size"
    r"|performing mix test|proc count|file size|max file size|affinity|IO priority"
    r"|using random I/O|using sequential I/O|computer name|start time)"
    r"[:( ]+(?P<value>[^\s:].{0,200}?)[;)]?\s*$"
)
_PACED = re.compile(
    r"^\s*(?:think time: [1-9]\d{0,8} ?ms|throughput rate-limited to [1-9]\d{0,12} (?:B/ms|IOPS))"
)
"""Source: diskspd 2.2, ResultParser.cpp, _PrintTarget(): by -i and -j, by -g."""
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
    columns: list[str] = field(default_factory=list)
    details: dict[str, Json] = field(default_factory=dict)

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
                _put_sums(sheet, section, match)
            elif (match := _THREAD.match(line)) and section:
                last = index
                _put_thread(sheet, section, match)
            elif match := _SHARE.match(line):
                last = index
                _put_share(sheet, match)
            else:
                _put_fact(sheet, line)
        if not sheet.metrics:
            return OutputReading(first, last, counters=(_totals(sheet, last, seen=seen),))
        sheet.options["rw"] = _mode(sheet)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult.of(sheet.metrics),),
            command=sheet.command,
            target=sheet.target,
            elapsed=(sheet.seconds,) if sheet.seconds else None,
            options=sheet.options,
            steps=sheet.steps,
            details=sheet.details,
        )
        return OutputReading(first, last, trials=(trial,))


def _totals(sheet: _Sheet, last: int, *, seen: bool) -> PrintedCounters:
    """What is left where the figures of reads and of writes were cut off.

    Raises:
        Unreadable: no total either.
    """
    total = sheet.details.get("total")
    if not (isinstance(total, dict) and total.get("count")):
        raise Unreadable("its reads and writes are cut off" if seen else "no result follows", last)
    return PrintedCounters(
        Diskspd.tool, "reads and writes", sheet.target, dict(sheet.details), "", sheet.command
    )


def _put_sums(sheet: _Sheet, section: str, match: re.Match[str]) -> None:
    """The figures of all threads: of a direction metrics, where it was issued, and details."""
    cells = _cells(sheet, match)
    if section != "total" and cells and float(cells.get("count", "0")):
        for name in ("iops", "bandwidth", "latency.mean", "latency.stdev"):
            if name in cells:
                sheet.put(f"{section}.{name}", cells[name], _SCALES[name])
    if cells:
        sheet.details[section] = _figures(cells)


def _put_thread(sheet: _Sheet, section: str, match: re.Match[str]) -> None:
    """The figures of one thread on one file."""
    if cells := _cells(sheet, match):
        threads = sheet.details.setdefault(f"{section}_threads", [])
        if isinstance(threads, list):
            of = {"thread": int(match["thread"]), "file": match["file"]}
            threads.append({**of, **_figures(cells)})


_SCALES = dict(_COLUMNS.values())


def _cells(sheet: _Sheet, match: re.Match[str]) -> dict[str, str]:
    """The cells of a row by the names of its head; the first four, where these do not fit."""
    texts = [text.strip() for text in match["cells"].split("|")]
    names = [name for name in sheet.columns if name not in {"file", ""}]
    if len(texts) != len(names) or any(name not in _COLUMNS for name in names):
        names = list(_ALWAYS)
    return {_COLUMNS[name][0]: text for name, text in zip(names, texts, strict=False)}


def _figures(cells: dict[str, str]) -> dict[str, Json]:
    return {
        name: int(text) if text.isdecimal() else round(float(text) * _SCALES[name], 12)
        for name, text in cells.items()
    }


def _put_share(sheet: _Sheet, match: re.Match[str]) -> None:
    """A row of percentiles, of the directions that were issued."""
    share = match["share"]
    if share.endswith("th"):
        share = f"p{share[:-2]}"
    elif share.endswith("nines"):
        share = "p99_" + "9" * (int(share[0]) - 2)
    if match["total"] != "N/A":
        total = sheet.details.setdefault("total_latency", {})
        if isinstance(total, dict):
            total[share] = round(float(match["total"]) * 1e-3, 12)
    for way in ("read", "write"):
        if match[way] != "N/A" and f"{way}.iops" in sheet.metrics:
            sheet.put(f"{way}.latency.{share}", match[way], 1e-3)


def _put_fact(sheet: _Sheet, line: str) -> None:
    if _HEAD.match(line):
        sheet.columns = [name.strip() for name in line.split("|")][1:]
    elif match := _COMMAND.match(line):
        sheet.command = match["command"]
    elif match := _TIME.match(line):
        sheet.seconds = float(match["seconds"])
    elif match := _PATH.match(line):
        sheet.target = match[1]
    elif _RANDOM.match(line):
        sheet.options["random"] = True
    else:
        _put_detail(sheet, line)
    if _PACED.match(line):
        sheet.options["paced"] = True
    for name, pattern in _FACTS.items():
        if match := pattern.match(line):
            sheet.options[name] = units.parse_bytes(match[1])


def _put_detail(sheet: _Sheet, line: str) -> None:
    """The share of a processor, or what the run was asked for."""
    if match := _CPU.match(line):
        cpus = sheet.details.setdefault("cpus", {})
        if isinstance(cpus, dict):
            cpus[match["cpu"].rstrip(".")] = {
                name: round(float(match[name]) / 100, 6)
                for name in ("usage", "user", "kernel", "idle")
            }
    elif match := _SETTING.match(line):
        name = match["name"].strip().replace(" ", "_")
        sheet.details[name] = int(match["value"]) if match["value"].isdecimal() else match["value"]


def _mode(sheet: _Sheet) -> str:
    """The mode in fio's words; the mark that it was random is taken out of the options."""
    random = "rand" if sheet.options.pop("random", False) or " -r" in sheet.command else ""
    ways = [way for way in ("read", "write") if f"{way}.iops" in sheet.metrics]
    return f"{random}{ways[0] if len(ways) == 1 else 'rw'}"
