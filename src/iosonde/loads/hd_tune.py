"""HD Tune's benchmark as text: speeds along a disk, its access time, burst rate and CPU usage.

Two trials: the transfer test (slowest and fastest places are details) and the access time, which is
of small requests at random places. HD Tune Pro says above the speeds which direction they are of;
where that line is cut off they are taken for reads, which is all that HD Tune does and what Pro
does unless it is told to write. Whether its MB is 10⁶ or 2²⁰ bytes is nowhere in the text: the
difference is part of the rounding.

Source: texts of its button "copy text to clipboard" in forums; the program is closed. A CPU usage
below zero is what it prints where it could not measure it.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, flow, prompt_in
from iosonde.text.reader import close_lines, close_lines_above

_HEAD = re.compile(r"\bHD ?Tune(?: Pro)?(?: \d[\d.]{0,8})?: (?P<model>\S.{0,80}?) Benchmark\b")
_OTHER_HEAD = re.compile(r"\bHD ?Tune(?: Pro)?(?: \d[\d.]{0,8})?: \S")
_ROW = re.compile(
    r"(?P<name>Transfer Rate (?:Minimum|Maximum|Average)|Access Time|Burst Rate|CPU Usage)\s{0,20}:"
    r"\s{0,8}(?P<value>-?\d{1,9}(?:[.,]\d{1,4})?)\s?(?P<unit>MB/s(?:ec)?|ms|%)"
)
_NAMES = re.compile(r"Transfer Rate (?:Minimum|Maximum|Average)|Access Time|Burst Rate|CPU Usage")
_SECTION = re.compile(r"\b(?P<way>Read|Write) transfer rate\b")
_CAPACITY = re.compile(r"\bTest capacity: (?P<capacity>full|short|\d[\d.,]{0,9} ?[MGT]B)")
_OWN = re.compile(
    r"^\W*(?:Transfer Rate |Access Time\b|Burst Rate\b|CPU Usage\b|(?:Read|Write) transfer rate\b"
    r"|Test capacity:|[-=*_`]{3,}\W*$|MB/s)"
)
_UNITS = {"Transfer": "MB/s", "Access": "ms", "Burst": "MB/s", "CPU": "%"}
_MB, _SLACK = 1e6, (1 << 20) - 1e6
_GAP = 3
_REACH = 12
_MOST = 40


class HdTune(Output):
    tool = "HD Tune"
    anchors = (
        "HD Tune: ", "HD Tune Pro: ", "Transfer Rate Minimum", "Transfer Rate Maximum",
        "Transfer Rate Average",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.search(line):
            below = (cursor.line(cursor.at + at) for at in range(_REACH))
            return cursor.at if any(_NAMES.search(row) for row in below) else None
        if not _ROW.search(line):
            return None
        top = cursor.at
        for index, line in close_lines_above(cursor, cursor.at - 1, _REACH, gap=_GAP):
            if _HEAD.search(line):
                return index
            if not _OWN.match(line) or "CPU Usage" in line:
                break
            top = index
        return top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _end(cursor, first)
        text = flow(cursor, first, last)
        head = _HEAD.search(text)
        rows = dict[str, tuple[float, float]]()
        for row in _ROW.finditer(text):
            kind = row["name"].split(" ", 1)[0]
            if row["name"] in rows or not row["unit"].startswith(_UNITS[kind]):
                raise Unreadable(f"its line {row['name']} is broken", last)
            negative = row["value"].startswith("-")
            value, half = units.printed(row["value"].lstrip("-").replace(",", "."))
            rows[row["name"]] = (-value if negative else value, half)
        if torn := [name for name in _NAMES.findall(text) if name not in rows]:
            raise Unreadable(f"its line {torn[0]} is torn", last)
        section = _SECTION.search(text)
        way = section["way"].lower() if section else "read"
        capacity = _CAPACITY.search(text)
        details: dict[str, Json] = {"test_capacity": capacity["capacity"]} if capacity else {}
        trials = _trials(rows, way, head["model"] if head else "", details)
        if not trials:
            raise Unreadable("it says neither an average rate nor an access time", last)
        return OutputReading(first, last, trials=tuple(trials))


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line: before the next head, and before a second line of the same name."""
    last, seen = first, set[str]()
    for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
        names = _NAMES.findall(line)
        again = (index > first and _OTHER_HEAD.search(line)) or seen.intersection(names)
        late = seen and _SECTION.search(line) and not names
        alien = index > first and not _OWN.match(line)
        if again or late or alien or prompt_in(line):
            break
        seen.update(names)
        last = index
    return last


def _trials(
    rows: dict[str, tuple[float, float]], way: str, model: str, details: dict[str, Json]
) -> list[PrintedTrial]:
    """The transfer test with what is of all of it, and the access time.

    Raises:
        Unreadable: a speed or time is below zero, or the average is not between the slowest and the
            fastest.
    """
    speeds = [rows.get(f"Transfer Rate {name}") for name in ("Minimum", "Average", "Maximum")]
    rates = [speed[0] for speed in speeds if speed]
    below_zero = [name for name, (value, _) in rows.items() if value < 0 and "CPU" not in name]
    if below_zero:
        raise Unreadable(f"its {below_zero[0]} is below zero")
    if rates != sorted(rates):
        raise Unreadable("its average is not between its minimum and its maximum")
    for name in ("Transfer Rate Minimum", "Transfer Rate Maximum", "Burst Rate"):
        if name in rows:
            details[name.lower().replace(" ", "_")] = rows[name][0] * _MB
    if "CPU Usage" in rows and rows["CPU Usage"][0] >= 0:
        details["cpu_usage"] = rows["CPU Usage"][0] / 100
    trials = list[PrintedTrial]()
    if average := rows.get("Transfer Rate Average"):
        metric = f"{way}.bandwidth"
        trials.append(PrintedTrial(
            tool=HdTune.tool,
            loops=(LoadResult.of({metric: average[0] * _MB}),),
            target=model, label=f"{way} transfer rate", options={"rw": way},
            steps={metric: average[1] * _MB + average[0] * _SLACK}, details=details,
        ))  # fmt: skip
    if access := rows.get("Access Time"):
        metric = f"{way}.latency.mean"
        trials.append(PrintedTrial(
            tool=HdTune.tool,
            loops=(LoadResult.of({metric: access[0] / 1e3}),),
            target=model, label="access time",
            options={"rw": f"rand{way}", "iodepth": 1, "numjobs": 1},
            steps={metric: access[1] / 1e3}, details={} if average else details,
        ))  # fmt: skip
    return trials
