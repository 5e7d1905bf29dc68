"""ioping's statistics: latency of single requests; or the requests alone, where these were cut off.

Up to 0.9 the statistics do not say whether was read or written, and have one unit for all times:
the lines of the requests tell it, or the command; without these they are kept as counters. Its
"mb" of then are 2²⁰ bytes. The
line of the sum stands alone where the one of times was cut off, and the one of times below its
command where somebody left out the rest.

Source: ioping 0.6 and 1.3, ioping.c, print_statistics() and main(); mdev is the deviation from the
mean, and the first request is left out of it ("warmup").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import fmean

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, compact, lines
from iosonde.text.reader import nearest

_HEAD = re.compile(r"--- (?P<target>.+?)(?: \(.*\))? ioping statistics ---")
_DONE = re.compile(
    r"(?P<n>[\d.]{1,30}[kMG]?)requestscompletedin[\d.]{1,30}(?:ns|us|ms|s|min|hour)\w*,[\d.]{1,30}[KMGT]?i?B"
    r"(?P<what>read|written),(?P<iops>[\d.]{1,30}[kMG]?)iops,(?P<rate>[\d.]{1,30}[KMGT]?i?B)/s"
)
_DONE_OLD = re.compile(
    r"(?P<n>[\d.]{1,30}[kMG]?)requestscompletedin[\d.]{1,30}(?:us|ms|s|min|hour)\w*,"
    r"(?P<iops>[\d.]{1,30}[kMG]?)iops"
    r"(?:,(?P<rate>[\d.]{1,30}(?:[KMGT]?iB|mb))/s)?"
)
_TIMES = re.compile(
    r"min/avg/max/mdev=(?P<min>[\d.]{1,30})(?P<a>[num]?s|min)/(?P<mean>[\d.]{1,30})(?P<b>[num]?s|min)/"
    r"(?P<max>[\d.]{1,30})(?P<c>[num]?s|min)/(?P<stdev>[\d.]{1,30})(?P<d>[num]?s|min)"
)
_TIMES_OLD = re.compile(
    r"min/avg/max/mdev=(?P<min>[\d.]{1,30})/(?P<mean>[\d.]{1,30})/(?P<max>[\d.]{1,30})/"
    r"(?P<stdev>[\d.]{1,30})(?P<unit>us|ms|s)"
)
_AMOUNTS = re.compile(
    r"(?P<n>[\d.]{1,30}[kMG]?)requestscompletedin(?P<time>[\d.]{1,30})(?P<unit>ns|us|ms|s|min|hour)\w*,"
    r"(?:(?P<size>[\d.]{1,30}[KMGT]?i?B)(?:read|written),)?"
)
_GENERATED = re.compile(
    r"generated(?P<n>[\d.]{1,30}[kMG]?)requestsin(?P<time>[\d.]{1,30})(?P<unit>ns|us|ms|s|min|hour)\w*,"
    r"(?P<size>[\d.]{1,30}[KMGT]?i?B),(?P<iops>[\d.]{1,30}[kMG]?)iops,"
    r"(?P<rate>[\d.]{1,30}[KMGT]?i?B)/s"
)
_PLACE = re.compile(
    r" \((?:(?:block |character )?device|(?P<fstype>[a-z][\w.]{1,20}) (?P<device>\S{1,100}))"
    r" (?P<size>\d{1,9}(?:\.\d{1,3})? [KMGTPE]?i?B)\)(?: ioping statistics|:)"
)
_SUM = re.compile(
    r"\s*\d[\d.]{0,9}(?: ?[kMG])? requests completed in \d[\d.]{0,20} ?(?:ns|us|ms|s|min|hour)\b"
)
"""Others have requests too: `100000 requests completed in 1.23 seconds` of redis-benchmark."""
_REQUEST = re.compile(
    r"\s*\d[\d.]* ?(?:bytes|[KMG]iB) (?P<way>from|to|<<<|>>>) (?P<target>\S.{0,200}?)(?: \(.*\))?: "
    r"request=\d+ time=(?P<time>\d[\d.]*) (?P<unit>ns|us|ms|s|min)\b(?P<warmup> \(warmup\))?"
)
_SCALE = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "hour": 3600.0}
_EITHER = "either"
_MOST = 20_000
_FEWEST = 2
_GAP = 2
_MOST_REQUESTS = 1000


class Ioping(Output):
    tool = "ioping"
    anchors = ("ioping statistics", "min/avg/max/mdev", "requests completed", ": request=")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _REQUEST.match(line):
            return cursor.at if _are_alone(cursor, cursor.at) else None
        head = nearest(cursor, 12, lambda line: "ioping stat" in line)
        alone = _SUM.match(line) or _TIMES.fullmatch("".join(fields(line)))
        return cursor.at if head is None and alone else head

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if _REQUEST.match(cursor.line(first)):
            return _of_requests(cursor, first)
        last = _last(cursor, first)
        tail = cursor.line(last + 1)
        text = compact(cursor, first, last + 1 if re.fullmatch(r"[\d./ =nums]{2,}", tail) else last)
        begin, prompt = command_before(cursor, first, ("ioping",), reach=30)
        done = _DONE.search(text) or _DONE_OLD.search(text)
        times = _TIMES.search(text) or _TIMES_OLD.search(text)
        if not done and not (times and prompt.command):
            raise Unreadable("its statistics are cut off")
        if done and (what := done.groupdict().get("what")):
            way = "read" if what == "read" else "write"
        else:
            way = _way(cursor, first, prompt.command)
        sheet = _Sheet(way or _EITHER)
        for name, group in (("iops", "iops"), ("bandwidth", "rate")):
            if done and done[group]:
                sheet.put(name, *units.printed(done[group].replace("mb", "MiB")))
        if times:
            _put_times(sheet, times)
        if not way:
            return OutputReading(begin, last, counters=(sheet.counters(prompt),))
        more = {**_amounts(text), **_requested(cursor, first), **_place(cursor.line(first))}
        head = _HEAD.search(cursor.line(first))
        target = head["target"] if head else ""
        trial = sheet.trial(prompt, target, units.printed(done["n"])[0] if done else None)
        trial = replace(trial, details={**trial.details, **more})
        return OutputReading(begin, last, trials=(trial,))


def _amounts(text: str) -> dict[str, Json]:
    """Seconds and bytes of the requests that were completed, and all of those generated."""
    values: dict[str, Json] = {}
    if done := _AMOUNTS.search(text):
        values["seconds"] = _in_seconds(done)
        if done["size"]:
            values["bytes"] = units.printed(done["size"])[0]
    if generated := _GENERATED.search(text):
        values["generated"] = {
            "requests": units.printed(generated["n"])[0], "seconds": _in_seconds(generated),
            "bytes": units.printed(generated["size"])[0],
            "iops": units.printed(generated["iops"])[0],
            "bandwidth": units.printed(generated["rate"])[0],
        }  # fmt: skip
    return values


def _in_seconds(match: re.Match[str]) -> float:
    return round(float(match["time"]) * _SCALE[match["unit"]], 12)


def _requested(cursor: TextCursor, first: int) -> dict[str, Json]:
    """The latency of each request right above the statistics, the warming-up apart."""
    times: list[Json] = []
    warmup: dict[str, Json] = {}
    gap, target = 0, ""
    for index in range(first - 1, max(first - _MOST_REQUESTS, -1), -1):
        line = cursor.line(index)
        gap = gap + 1 if _is_between(line) else 0
        if gap:
            if gap > _GAP:
                break
            continue
        request = _REQUEST.match(line)
        if not request or request["target"] != (target or request["target"]):
            break
        target = request["target"]
        latency = round(float(request["time"]) * _SCALE[request["unit"]], 12)
        if request["warmup"]:
            warmup["warmup_latency"] = latency
        else:
            times.append(latency)
    return {**({"request_latencies": times[::-1]} if times else {}), **warmup}


def _place(head: str) -> dict[str, Json]:
    """What the head says of its target: file system, device and size."""
    match = _PLACE.search(head)
    if not match:
        return {}
    values: dict[str, Json] = {"device_size": match["size"]}
    if match["fstype"]:
        values |= {"fstype": match["fstype"], "device": match["device"]}
    return values


def _last(cursor: TextCursor, first: int) -> int:
    """Index of the last line of statistics; without their title they end with a strange line."""
    last, alone = first, _SUM.match(cursor.line(first))
    for index, line in lines(cursor, first, 14):
        if "mdev" in line:
            return index
        is_own = not alone or line.lstrip().startswith(("generated ", "min/"))
        if index > first and (line.startswith("---") or not is_own):
            break
        last = index if line else last
    return last


@dataclass(slots=True)
class _Sheet:
    """The figures of one run that reads or writes."""

    way: str
    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)

    def put(self, name: str, value: float, step: float) -> None:
        key = f"{self.way}.{name}"
        self.metrics[key], self.steps[key] = value, step

    def counters(self, asked: Prompt) -> PrintedCounters:
        """The figures of requests of which is not known whether they read or wrote."""
        values = {name.removeprefix(f"{self.way}."): value for name, value in self.metrics.items()}
        return PrintedCounters("ioping", "reads or writes", "", values, asked.host, asked.command)

    def trial(self, asked: Prompt, target: str, requests: float | None) -> PrintedTrial:
        return PrintedTrial(
            tool="ioping",
            loops=(LoadResult.of(self.metrics),),
            command=asked.command,
            host=asked.host,
            target=target,
            options={"rw": f"rand{self.way}", "iodepth": 1, "numjobs": 1},
            steps=self.steps,
            details={} if requests is None else {"requests": requests},
        )


def _put_times(sheet: _Sheet, times: re.Match[str]) -> None:
    """Latencies: each has a unit of its own, or all have the one at the end."""
    for name, unit in zip(("min", "mean", "max", "stdev"), "abcd", strict=True):
        scale = _SCALE[times[unit if times.re is _TIMES else "unit"]]
        value, step = units.printed(times[name])
        sheet.put(f"latency.{name}", value * scale, step * scale)


def _way(cursor: TextCursor, first: int, command: str) -> str:
    """Whether an old ioping read or wrote: by its requests, else by its command; else empty."""
    for index in range(first - 1, max(first - 6, 0) - 1, -1):
        if request := _REQUEST.match(cursor.line(index)):
            return "read" if request["way"] in {"from", "<<<"} else "write"
    if not command:
        return ""
    return "write" if re.search(r"\s-[a-zA-Z]*W", command) else "read"


def _are_alone(cursor: TextCursor, first: int) -> bool:
    """Whether a line is the first of requests without statistics below them."""
    for index in range(first - 1, first - _GAP - 2, -1):
        above = cursor.line(index)
        if _REQUEST.match(above):
            return False
        if not _is_between(above):
            break
    return not any("ioping stat" in line for _, line in _requests(cursor, first))


def _is_between(line: str) -> bool:
    return not line or line.strip() == "^C"


def _requests(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """The lines of requests from the first on, and the line that ends them."""
    gap = 0
    for index, line in lines(cursor, first, _MOST):
        gap = gap + 1 if _is_between(line) else 0
        if gap > _GAP:
            return
        if not gap:
            yield index, line
            if not _REQUEST.match(line):
                return


def _of_requests(cursor: TextCursor, first: int) -> OutputReading:
    """The mean and the extremes of the requests that are printed."""
    requests: list[re.Match[str]] = []
    last = first
    for index, line in _requests(cursor, first):
        if not (match := _REQUEST.match(line)):
            break
        last = index
        if not match["warmup"]:
            requests.append(match)
    ways = {request["way"] for request in requests}
    if len(requests) < _FEWEST or len(ways) > 1:
        raise Unreadable("its statistics are cut off", last)
    sheet = _Sheet("read" if ways & {"from", "<<<"} else "write")
    times = [float(request["time"]) * _SCALE[request["unit"]] for request in requests]
    step = max(units.printed(each["time"])[1] * _SCALE[each["unit"]] for each in requests)
    for name, value in (("min", min(times)), ("mean", fmean(times)), ("max", max(times))):
        sheet.put(f"latency.{name}", value, step)
    begin, prompt = command_before(cursor, first, ("ioping",))
    trial = sheet.trial(prompt, requests[0]["target"], len(requests))
    more = {**_requested(cursor, last + 1), **_place(cursor.line(first))}
    trial = replace(trial, details={**trial.details, **more})
    return OutputReading(begin, last, trials=(trial,))
