"""hap-fio-tester's log: fio in loops at one device, with the controller's and kernel's settings.

The log names the volume's settings, gives the speed of each pass and ends with the average. In a
wiki it stands in the last cell of a table's row: what the cells before it say is kept as `row`.

Source: logs of the tool as published (striker's dashboard tools, 2015). A log says whether it wrote
or read in its last line; one that was cut off before it is taken for a write test, which the tool
does by itself. Its times carry no zone and are taken for UTC.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Mapping
from datetime import datetime

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    OutputReading,
    PrintedState,
    PrintedSubject,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, compact, flow, lines

_HEAD = re.compile(r"(?:^|[\s|])Testing: ?\[")
_PASS = re.compile(r"Pass: ?\[\d")
_MEAN = re.compile(r"Average (?:read|write) speed:")
_OWN = re.compile(
    r"^\s*[-•*]? ?[A-Z][\w -]{2,30}: ?[. ]*\[|^[\w ]+:\s*$|Please wait|loop has started|^\s*$"
    r"|loop\(s\)|^[\w/]{0,12}\]|OS Configuration"
)
_CALL = "hap-fio-tester"

_TESTING = re.compile(
    r"Testing:\[([^\]]{1,200})\],averagingover:\[(\d{1,6})\]loop\(s\),runningfor:\[(\d{1,9})\]sec"
)
_SPEED = re.compile(r"Pass:\[(\d{1,6})\],speed:\[([\d.]{1,20})([KMGT]?)i?B/s(?:ec)?\]")
_AVERAGE = re.compile(r"Average(read|write)speed:\[([\d.]{1,20})([KMGT]?)i?B/s(?:ec)?\]")
_ITEM = re.compile(r"- (?P<name>[A-Z][A-Za-z -]{2,30}):[ .]*\[(?P<value>[^\]\[]{0,80})\]")
_SYSTEM = re.compile(r"OSConfiguration\(([\w!-]{1,32})\)")
_PROMPT = re.compile(
    r"(?:\[?[a-z_][\w-]{0,32}@(?P<host>[A-Za-z][\w.-]{0,64}?)(?:[: ][^\]#$%>|]{0,64})?\]? ?)?"
    rf"[#$%>] ?(?P<command>[\w./~ -]{{0,100}}{_CALL}.*)$"
)
_OPTION = re.compile(r"(--(?:location|loops|runtime))")
_WHOLE = re.compile(r"((?:[shv]|xv)d[a-z]+|(?:nvme\d+n|mmcblk|cciss/c\d+d)\d+)(?:p?\d+)?$")

_POLICIES = {"WriteBack": "write_back", "WriteThrough": "write_through",
             "AlwaysWriteBack": "write_back_always"}  # fmt: skip
_QUEUE = {"Scheduler": "scheduler", "Queue Requests": "nr_requests", "Queue Depth": "queue_depth",
          "Request Affinity": "rq_affinity"}  # fmt: skip


class LoopTester(Output):
    tool = "hap-fio-tester"
    anchors = (
        "averaging over: [", "Virtual disk properties:", "the first loop has started",
        "], speed: [", "Average write speed: [", "Average read speed: [",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = None
        for index in range(cursor.at, -1, -1):
            line = cursor.line(index)
            if _HEAD.search(line):
                return index
            if index < cursor.at and _MEAN.search(line):
                break
            if _PASS.search(line):
                first = index
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _end(cursor, first)
        text = compact(cursor, first, last)
        passes = _SPEED.findall(text)
        if not passes:
            raise Unreadable("no pass has a speed")
        average = _AVERAGE.search(text)
        metric = f"{average[1] if average else 'write'}.bandwidth"
        speeds = [_rate(number, prefix) for _, number, prefix in passes]
        testing = _TESTING.search(text)
        runtime = float(testing[3]) if testing else None
        items = {
            match["name"]: match["value"].strip()
            for match in _ITEM.finditer(flow(cursor, first, last))
        }
        begin, command, host, row = _call(cursor, first)
        details: dict[str, Json] = {**items, **row}
        if testing:
            details["loops"] = int(testing[2])
        target = testing[1] if testing else ""
        trial = PrintedTrial(
            tool=self.tool,
            loops=tuple(LoadResult({metric: speed}, {metric: "B/s"}) for speed, _ in speeds),
            command=command,
            host=host,
            target=target,
            started=_started(items.get("Start Time", "")),
            elapsed=None if runtime is None else (runtime,) * len(passes),
            options={} if runtime is None else {"runtime": runtime},
            steps={metric: max(step for _, step in speeds)},
            averages={metric: _rate(average[2], average[3])[0]} if average else {},
            details=details,
        )
        system = _SYSTEM.search(text)
        state = _state(items, target, system[1] if system else "", host)
        return OutputReading(
            begin,
            last,
            trials=(trial,),
            states=(state,) if state.subjects else (),
            unread=_missing(passes, first, last),
        )


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line: the average's, else the last one that the tool printed."""
    last, strange = first, 0
    for index, line in lines(cursor, first, 600):
        if index > first and (_HEAD.search(line) or _CALL in line or "@" in line):
            break
        if _MEAN.search(line):
            after = cursor.line(index + 1)
            return index if "]" in line.partition("speed:")[2] or not after else index + 1
        if _PASS.search(line) or _OWN.search(line):
            strange = 0
            last = index if line.strip() else last
            continue
        strange += 1
        if strange > 3:
            break
    return last


def _rate(number: str, prefix: str) -> tuple[float, float]:
    return units.printed(f"{number}{prefix}", binary=True)


def _started(text: str) -> float | None:
    try:
        return float(timegm(datetime.strptime(text, "%Y-%m-%d, %H:%M:%S").timetuple()))
    except ValueError:
        return None


def _missing(
    passes: list[tuple[str, str, str]], first: int, last: int
) -> tuple[tuple[int, int, str], ...]:
    """Which passes between the first and the last have no speed that can be read."""
    numbers = [int(number) for number, _, _ in passes]
    gaps = sorted(set(range(1, min(max(numbers), 10_000) + 1)) - set(numbers))
    if not gaps:
        return ()
    named = ", ".join(map(str, gaps[:5])) + (" …" if len(gaps) > 5 else "")
    return ((first, last, f"no speed of pass {named}"),)


def _call(cursor: TextCursor, first: int) -> tuple[int, str, str, dict[str, Json]]:
    """Where the command stands, the command, its host, and the cells before it in a row."""
    text, best = "", None
    for index in range(first - 1, max(first - 12, 0) - 1, -1):
        line = cursor.line(index)
        if _MEAN.search(line) or _PASS.search(line):
            break
        text = f"{line.strip()} {text}".strip()
        match = _PROMPT.search(text)
        if match is not None:
            best = index, match
        if match is not None and match["host"]:
            break
    if best is None:
        return first, "", "", {}
    index, match = best
    begin, cells = _cells(cursor, index, match.string[: match.start()])
    row: dict[str, Json] = {}
    if cells:
        row["row"] = list(cells)
        if columns := _columns(cursor, begin, len(cells)):
            row["columns"] = columns
    return begin, _whole(match["command"].strip(" `|")), match["host"] or "", row


def _whole(command: str) -> str:
    """A command with single blanks where they belong, wherever it was wrapped."""
    parts = _OPTION.split("".join(command.split()))
    options = zip(parts[1::2], parts[2::2], strict=True)
    rebuilt = " ".join([parts[0], *(f"{name} {value}".strip() for name, value in options)])
    return rebuilt if parts[0].endswith(_CALL) else command


def _cells(cursor: TextCursor, index: int, before: str) -> tuple[int, list[str]]:
    """The row's first line, and its cells but the last, which is the log itself."""
    begin = index
    while not before.startswith("|") and begin > max(index - 4, 0):
        line = cursor.line(begin - 1)
        if _MEAN.search(line) or line.strip().startswith("|--"):
            break
        before = f"{line.strip()} {before}".strip()
        begin -= 1
    if not before.startswith("|") or not before.rstrip().endswith("|"):
        return index, []
    return begin, [cell.strip() for cell in before.strip().strip("|").split("|")]


def _columns(cursor: TextCursor, begin: int, cells: int) -> list[Json]:
    """The names of a row's columns, where the head of the table stands right above it."""
    text = ""
    for index in range(begin - 1, max(begin - 8, 0) - 1, -1):
        text = f"{cursor.line(index).strip()} {text}".strip()
        names, rule, _ = text.partition("|---")
        if rule and names.startswith("|"):
            columns = [name.strip() for name in names.strip(" |").split("|")]
            return list(columns[:cells]) if len(columns) == cells + 1 else []
    return []


def _state(items: Mapping[str, str], target: str, system: str, host: str) -> PrintedState:
    """The virtual drive's and the disk's settings of a log's head."""
    whole = _WHOLE.match(target.removeprefix("/dev/"))
    name = system or (whole[1] if whole else "")
    drive = {key: value for key, value in _drive(items).items() if value is not None}
    queue: dict[str, Scalar] = {
        ours: int(items[theirs]) if items[theirs].isdecimal() else items[theirs]
        for theirs, ours in _QUEUE.items()
        if theirs in items
    }
    subjects = [PrintedSubject("hwraid", name, drive, host)] if drive else []
    if queue and name:
        subjects.append(PrintedSubject("disk", name, queue, host))
    return PrintedState(LoopTester.tool, tuple(subjects), host)


def _drive(items: Mapping[str, str]) -> dict[str, Scalar]:
    strip = items.get("Strip Size")
    policy = items.get("Write Cache", "").replace(" ", "")
    ahead = items.get("Read-Ahead Caching")
    cache = items.get("Disk Cache", "").lower()
    return {
        "strip_size": units.parse_bytes(strip) if strip else None,
        "write_policy": _POLICIES.get(policy, policy or None),
        "disk_cache": cache or None,
        "encryption": items.get("Encryption"),
        "active_operations": items.get("Active Operations"),
        "emulation": items.get("Emulation Type"),
        "read_ahead": None if ahead is None else not ahead.lower().startswith("no"),
    }
