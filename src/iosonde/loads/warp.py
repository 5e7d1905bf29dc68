"""MinIO's warp: how fast a store takes and gives objects; one trial for each operation of both.

GET is read, and what puts objects or parts of them is written; other operations (STAT, DELETE,
LIST …) and their sum are counters. IOPS are objects a second, as printed. Times are of whole
requests.

Source: minio/warp 1.6, pkg/aggregate/live.go (Report), throughput.go and requests.go (StringByN);
cli/analyze.go of 0.3 to 1.0 (`Operation: GET`, `Requests considered`), and the README of its years.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import (
    Output,
    Prompt,
    TextCursor,
    command_before,
    joined,
    lines,
    prompt_in,
)
from iosonde.text.reader import nearest

_HEAD = re.compile(
    r"^\s*+(?:Report|Operation): (?P<name>[A-Z]{3,12}|Total)\b(?P<rest>[ .,(-].{0,200})?$"
)
_N = r"\d{1,12}(?:\.\d{1,4})?"
_RATE = re.compile(
    rf"(?:(?P<bytes>{_N}) ?(?P<unit>[KMGT]?i?B)/s, )?(?P<rate>{_N}) (?P<what>obj|ops)/s"
)
_AVERAGE = re.compile(
    rf"^\s*\*? *(?:(?:Average|Throughput): +)?(?={_N} ?(?:[KMG]iB/s|obj/s|ops/s))"
)
_SEGMENT = re.compile(
    rf"^\s*\* (?P<name>Fastest|50% Median|Slowest): +(?={_N} ?(?:[KMG]?i?B/s|obj/s|ops/s))"
)
_SPLIT = re.compile(
    r"^\s*Throughput, split into (?P<count>\d{1,9}) x (?P<each>[\dhms.]{1,12}):\s*$"
)
_REQUESTS = re.compile(r"^\s*\* (?:(?P<name>Reqs|TTFB): +)?Avg: (?P<rest>\S.{0,300})$")
_TIME = re.compile(
    r"(?P<name>Avg|Best|\d{1,2}(?:th|%)?|Median|Worst|Fastest|Slowest|StdDev): "
    r"(?P<value>\d{1,9}(?:\.\d{1,3})?)(?P<unit>ms|s|µs)(?=,|\s|$)"
)
_ERRORS = re.compile(r"^\s*(?:\* )?Errors: (?P<count>\d{1,12})\s*$")
_ABOVE = {
    "concurrency": re.compile(r"Concurrency: (?P<count>\d{1,9})"),
    "requests": re.compile(r"\((?P<count>\d{1,12}) reqs\)"),
    "share": re.compile(r"(?P<share>\d{1,3}(?:\.\d{1,2})?)%"),
    "duration": re.compile(
        r"Ran(?: Duration)?:? (?P<time>(?:\d{1,6}[hms]){1,3}|\d{1,6}\.\d{1,3}s)"
    ),
    "hosts": re.compile(r"Hosts: (?P<count>\d{1,6})"),
    "warp_instances": re.compile(r"Warp Instances: (?P<count>\d{1,6})"),
    "object_size": re.compile(r"(?<=Size: )(?P<count>\d{1,18}) bytes"),
    "objects_per_request": re.compile(r"Objects per request: (?P<count>\d{1,9})"),
    "requests_considered": re.compile(r"Requests considered: (?P<count>\d{1,12})"),
    "starting": re.compile(r"starting (?P<text>\d\d:\d\d:\d\d [A-Z]{1,5})"),
}
"""What the head of an operation says, or the line below it; the names are ours."""
_FACTS = re.compile(r"^\s*(?:\* Objects per request: |Requests considered: )")
_ON = re.compile(
    r"\((?:(?P<seconds>\d{1,9}(?:\.\d{1,3})?)s)?(?:, )?(?:starting (?P<at>[^()]{5,20}))?\)"
)
_OWN = re.compile(
    r"^\s*+(?:\* |Throughput|Requests considered|Errors|First Errors|- |Request size |Client \d"
    r"|Skipping )"
)
_NAMES = {
    "Avg": "mean", "Best": "min", "Fastest": "min", "Median": "p50", "Worst": "max",
    "Slowest": "max", "StdDev": "stdev",
}  # fmt: skip
_SCALE = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
_WAYS = {
    "GET": "read", "PUT": "write", "PUTPART": "write", "APPEND": "write", "POST": "write",
    "SNOWBALL": "write", "MULTIPART": "write",
}  # fmt: skip
_PREFIX = {"B": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "TiB": 1024.0**4}
_GAP = 6
_MOST = 200


class Warp(Output):
    tool = "warp"
    anchors = (" obj/s", " ops/s")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return nearest(cursor, 7, _HEAD.match) if _AVERAGE.match(line) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, rows = first, list[str]()
        for index, line in lines(cursor, first + 1, _MOST):
            if index > last + _GAP or (line and (prompt_in(line) or not _is_own(line))):
                break
            rows.append(line)
            last = index if line else last
        head = _HEAD.match(cursor.line(first))
        sheet = _Sheet(rows)
        if not head or not sheet.rate:
            raise Unreadable("no rate follows", last)
        begin, prompt = command_before(cursor, first, ("warp",), reach=20)
        sheet.take_head(joined(cursor, first, first))
        way = _WAYS.get(head["name"])
        if way is None:
            counters = PrintedCounters(
                self.tool, "operation", head["name"], sheet.values(), prompt.host, prompt.command
            )
            return OutputReading(begin, last, counters=(counters,))
        trial = _trial(head["name"], way, sheet, prompt)
        return OutputReading(begin, last, trials=(trial,))


def _is_own(line: str) -> bool:
    """Whether a line goes on with the operation above it; the rate over all begins another part."""
    return _OWN.match(line) is not None or _AVERAGE.match(line) is not None


class _Sheet:
    """What is printed below the head of one operation, in its own units and in the record's."""

    def __init__(self, rows: list[str]) -> None:
        self.rate: re.Match[str] | None = None
        self.times = dict[str, tuple[float, float]]()
        self.details = dict[str, Json]()
        for row in rows:
            if not row.startswith("\t"):
                self._take(row)

    def _take(self, row: str) -> None:
        if self.rate is None and _AVERAGE.match(row):
            self.rate = _RATE.search(row)
            self._take_span(row)
        elif _FACTS.match(row):
            self.take_head(row)
        elif split := _SPLIT.match(row):
            self.details |= {"segments": int(split["count"]), "segment": split["each"]}
        elif segment := _SEGMENT.match(row):
            self._take_segment(segment["name"].removeprefix("50% ").lower(), row)
        elif errors := _ERRORS.match(row):
            self.details["errors"] = int(errors["count"])
        elif (requests := _REQUESTS.match(row)) and "/s" not in row:
            self._take_times(requests)

    def take_head(self, text: str) -> None:
        """What the head of an operation says, or the line below it."""
        for name, pattern in _ABOVE.items():
            if match := pattern.search(text):
                self.details.setdefault(name, _plain(match))

    def _take_segment(self, name: str, row: str) -> None:
        """The rate of a part of the run, and when that began."""
        if rate := _RATE.search(row):
            self.details |= {f"{name}.{key}": value for key, value in _rates(rate).items()}
        if (on := _ON.search(row)) and on["at"]:
            self.details[f"{name}.starting"] = on["at"]

    def _take_span(self, row: str) -> None:
        """Over how many seconds a rate is, and from when on."""
        if on := _ON.search(row):
            if on["seconds"]:
                self.details["seconds"] = float(on["seconds"])
            if on["at"]:
                self.details["starting"] = on["at"]

    def _take_times(self, requests: re.Match[str]) -> None:
        """Times of requests, or of their first byte."""
        for match in _TIME.finditer(f"Avg: {requests['rest']}"):
            share = re.match(r"\d{1,2}", match["name"])
            name = f"p{share[0]}" if share else _NAMES[match["name"]]
            value, step = units.printed(match["value"])
            scale = _SCALE[match["unit"]]
            if requests["name"] == "TTFB":
                self.details.setdefault(f"first_byte.{name}", value * scale)
            else:
                self.times.setdefault(name, (value * scale, step * scale))

    def values(self) -> dict[str, Json]:
        """All of it, of an operation that moves no bytes."""
        rates = _rates(self.rate) if self.rate else {}
        times = {f"latency.{name}": value for name, (value, _) in self.times.items()}
        return {**rates, **times, **self.details}


_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}


def _plain(match: re.Match[str]) -> Json:
    """A count, a share, seconds or a text, as the group is called."""
    ((name, text),) = match.groupdict().items()
    if name == "count":
        return int(text)
    if name == "share":
        return round(float(text) / 100, 6)
    if name == "time":
        parts = re.findall(r"(\d[\d.]{0,10})([hms])", text)
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    return text


def _rates(rate: re.Match[str]) -> dict[str, Json]:
    """Bytes and objects (or operations) a second."""
    values: dict[str, Json] = {}
    if rate["bytes"]:
        values["bandwidth"] = float(rate["bytes"]) * _PREFIX[rate["unit"]]
    what = "objects" if rate["what"] == "obj" else "operations"
    values[f"{what}_per_second"] = float(rate["rate"])
    return values


def _trial(name: str, way: str, sheet: _Sheet, asked: Prompt) -> PrintedTrial:
    """Of an operation that moves bytes."""
    metrics, steps = dict[str, float](), dict[str, float]()

    def put(key: str, printed: tuple[float, float], scale: float = 1.0) -> None:
        metrics[f"{way}.{key}"], steps[f"{way}.{key}"] = printed[0] * scale, printed[1] * scale

    details = dict(sheet.details)
    if rate := sheet.rate:
        if rate["bytes"]:
            put("bandwidth", units.printed(rate["bytes"]), _PREFIX[rate["unit"]])
        put("iops", units.printed(rate["rate"]))
    for key, printed in sheet.times.items():
        if key == "stdev":
            details["latency.stdev"] = printed[0]
        else:
            put(f"latency.{key}", printed)
    options: dict[str, Scalar] = {"rw": way}
    if isinstance(threads := details.get("concurrency"), int):
        options["numjobs"] = threads
    return PrintedTrial(
        tool="warp",
        loops=(LoadResult.of(metrics),),
        command=asked.command, host=asked.host, label=name, options=options, steps=steps,
        details=details,
    )  # fmt: skip
