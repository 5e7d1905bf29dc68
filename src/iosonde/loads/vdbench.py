"""vdbench's report of raw I/O: one trial for each run, of its average or of the intervals alone.

vdbench leaves the first interval out of its average ("warmup"). Where the average is cut off, the
intervals from the second on are loops. Of a mixed run the rate is shared by the printed percentage
of reads.

Source: reports of 5.04.03 and 5.04.07 as their users publish them: the names of the columns stand
in two lines; 1024**2 means MiB; times are ms, as 1/rate of a single thread shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in

_UPPER = re.compile(
    r"^\s*(?:(?P<day>[A-Z][a-z]{2} \d{2}, \d{4})\s+)?interval\s+(?P<names>i/o\s+MB/sec\s.+)$"
)
_LOWER = re.compile(r"^\s*(?P<names>rate\s+1024\*\*2\s+i/o\s+pct\s.+)$")
_ROW = re.compile(
    r"^\s*\d\d:\d\d:\d\d\.\d{3}\s+(?P<at>\d{1,7}|(?P<kind>avg|std|max)_\d{1,7}-\d{1,7})\s+"
    r"(?P<cells>\d[\d.]{0,20}(?:\s+(?:\d[\d.]{0,20}|NaN)){3,20})\s*$"
)
START = re.compile(r"Starting RD=(?P<name>[^\s;]{1,64})(?P<rest>;.{0,300})?")
BETWEEN = re.compile(r"^\s*\d\d:\d\d:\d\d\.\d{3}\s+\S")
REACH = 12
_MOST = 4000
_LATENCIES = {"resp time": "mean", "resp max": "max", "resp stddev": "stdev"}


class Vdbench(Output):
    tool = "vdbench"
    anchors = ("1024**2", "interval        i/o")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _UPPER.match(cursor.line(cursor.at)):
            return cursor.at
        above = cursor.line(cursor.at - 1)
        if _LOWER.match(cursor.line(cursor.at)) and _UPPER.match(above):
            return cursor.at - 1
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        names = _names(cursor.line(first), cursor.line(first + 1))
        average: Mapping[str, str] = {}
        others: dict[str, Json] = {}
        intervals: list[dict[str, str]] = []
        last = first + 1
        for index, line in lines(cursor, first + 2, _MOST):
            row = _ROW.match(line)
            cells = dict(zip(names, row["cells"].split(), strict=False)) if row else {}
            others |= _of_all(row, cells)
            if row and row["kind"] == "avg":
                average, last = cells, index
            elif row and row["kind"] is None and not average:
                intervals.append(cells)
                last = index
            elif row:
                last = index
            elif _UPPER.match(line) and not average:
                last = index + 1  # printed again between intervals
            elif line and index > last and not (BETWEEN.match(line) and not START.search(line)):
                break
            if prompt_in(line) or index > last + 2:
                break
        rows = [average] if average else intervals[1:] or intervals
        if not names or not rows:
            raise Unreadable("no interval follows", last)
        start = _start_above(cursor, first)
        trial = _trial(rows, intervals, start)
        details = {**trial.details, **others, **_date(cursor.line(first))}
        return OutputReading(first, last, trials=(replace(trial, details=details),))


def _names(upper: str, lower: str) -> list[str]:
    """The names of the columns, each of an upper and a lower one."""
    above, below = _UPPER.match(upper), _LOWER.match(lower)
    if not above or not below:
        return []
    parts = above["names"].split(), below["names"].split()
    if len(parts[0]) != len(parts[1]):
        return []
    return [f"{a} {b}" for a, b in zip(*parts, strict=True)]


def _of_all(row: re.Match[str] | None, cells: Mapping[str, str]) -> dict[str, Json]:
    """A row over several intervals, by its name: their average, deviation or maximum."""
    if row is None or not row["kind"]:
        return {}
    return {row["at"]: {name: _number(text) for name, text in cells.items()}}


def _date(line: str) -> dict[str, Json]:
    """The day, which stands before the names of the columns."""
    head = _UPPER.match(line)
    return {"date": head["day"]} if head and head["day"] else {}


def _start_above(cursor: TextCursor, first: int) -> re.Match[str] | None:
    """The line that says which run begins, above a report."""
    for index in range(first - 1, max(first - REACH, -1), -1):
        if match := START.search(cursor.line(index)):
            return match
    return None


def _trial(
    rows: Sequence[Mapping[str, str]],
    intervals: Sequence[Mapping[str, str]],
    start: re.Match[str] | None,
) -> PrintedTrial:
    """The trial of an average, or of intervals as loops."""
    share = float(rows[0].get("read pct", "100"))
    ways = {"read": share / 100, "write": 1 - share / 100}
    steps: dict[str, float] = {}
    loops = tuple(_loop(row, ways, steps) for row in rows)
    rest = f"{(start['rest'] or '')} " if start else ""
    options: dict[str, Scalar] = {"rw": "rw" if 0 < share < 100 else "read" if share else "write"}
    size = re.search(r"xfersize=(\d{1,9}[kmKM]?)\b", rest)
    bytes_each = float(rows[0].get("bytes i/o", "0"))
    if size:
        options["bs"] = units.parse_bytes(size[1])
    elif bytes_each.is_integer() and bytes_each:
        options["bs"] = int(bytes_each)
    if seconds := re.search(r"\belapsed=(\d{1,9})\b", rest):
        options["runtime"] = int(seconds[1])
    if threads := re.search(r"\bthreads=(\d{1,6})\b", rest):
        options["numjobs"] = int(threads[1])
    printed: list[Json] = [{name: _number(text) for name, text in row.items()} for row in intervals]
    return PrintedTrial(
        tool="vdbench",
        loops=loops,
        label=start["name"] if start else "",
        options=options,
        steps=steps,
        details={"intervals": printed} if printed else {},
    )


def _loop(row: Mapping[str, str], ways: Mapping[str, float], steps: dict[str, float]) -> LoadResult:
    """The figures of a row; `steps` gets half of the last digit of each."""
    metrics: dict[str, float] = {}

    def put(name: str, text: str, scale: float) -> None:
        value, step = units.printed(text)
        metrics[name] = value * scale
        steps[name] = max(step * scale, steps.get(name, 0.0))

    for way, part in ways.items():
        if not part:
            continue
        if rate := row.get("i/o rate"):
            put(f"{way}.iops", rate, part)
        if part == 1 and (speed := row.get("MB/sec 1024**2")):
            put(f"{way}.bandwidth", speed, float(units.MIB))
        for column, name in _LATENCIES.items() if part == 1 else ():
            if text := row.get(column):
                put(f"{way}.latency.{name}", text, 1e-3)
        if part < 1 and (text := row.get(f"{way} resp")):
            put(f"{way}.latency.mean", text, 1e-3)
    return LoadResult.of(metrics)


def _number(text: str) -> Json:
    return float(text) if text != "NaN" else None
