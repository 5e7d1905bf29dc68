"""vdbench's report of file systems (FSD, FWD): one trial for each run, or counters of operations.

The first interval is a warm-up, as in its report of raw I/O: the average leaves it out, and where
that is cut off the intervals from the second on are loops. A run that neither reads nor writes
(mkdir, create …) is kept as counters.

Source: vdbench 5.04.07, Vdb/FwdStats.java: getHeader1() and getHeader2() (the names of the columns
stand in two lines; those of the operations that a run does not use are left out, and those of the
processor where it is not known), printLineL() (MB of 1024 * 1024, xfer in bytes), getReqstdRate()
(ReqstdOps are of the operations that were asked for); FwdCounter.java, resp() in ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.loads.vdbench import BETWEEN, REACH, START
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in

_UPPER = re.compile(
    r"^\s*(?:(?P<day>[A-Z][a-z]{2} \d{2}, \d{4})\s+)?\.*Interval\.*\s+"
    r"(?P<names>\.*ReqstdOps\.*\s.+)$"
)
_ROW = re.compile(
    r"^\s*\d\d:\d\d:\d\d\.\d{3}\s+(?P<at>\d{1,7}|(?P<kind>avg|std|max)_\d{1,7}-\d{1,7})\s+"
    r"(?P<cells>\d[\d.]{0,20}(?:\s+(?:\d[\d.]{0,20}|NaN)){8,40})\s*$"
)
_SINGLE = {"pct": "pct", "total": "total", "size": "size"}
"""Groups of one column, by its name in the lower line; all others have two."""
_MOST = 4000


@dataclass(slots=True)
class _Rows:
    """What is read of one report: its intervals, their average, and what is over all of them."""

    intervals: list[Mapping[str, str]] = field(default_factory=list)
    average: Mapping[str, str] = field(default_factory=dict)
    others: dict[str, Json] = field(default_factory=dict)

    def put(self, match: re.Match[str], cells: Mapping[str, str]) -> None:
        if match["kind"] == "avg":
            self.average = cells
        elif match["kind"]:
            self.others[match["at"]] = _plain(cells)
        elif not self.average:
            self.intervals.append(cells)


class VdbenchFiles(Output):
    tool = "vdbench"
    anchors = ("ReqstdOps",)
    beginning = _UPPER

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        names = _names(cursor.line(first), cursor.line(first + 1))
        rows, last = _rows(cursor, first, names)
        if not names or not (rows.average or rows.intervals):
            raise Unreadable("no interval follows", last)
        loops = [rows.average] if rows.average else rows.intervals[1:] or rows.intervals
        details = {**_operations(rows.average), **rows.others}
        if rows.intervals:
            details["intervals"] = [_plain(row) for row in rows.intervals]
        start = _start(cursor, first)
        if any(float(row[f"{way} rate"]) for row in loops for way in ("read", "write")):
            return OutputReading(first, last, trials=(_trial(loops, details, start),))
        values = {**_operations(loops[-1]), **details}
        name = start["name"] if start else ""
        counters = PrintedCounters(self.tool, "operations", name, values)
        return OutputReading(first, last, counters=(counters,))


def _rows(cursor: TextCursor, first: int, names: Sequence[str]) -> tuple[_Rows, int]:
    """The rows of a report, and the index of its last line."""
    rows, last = _Rows(), first + 1
    for index, line in lines(cursor, first + 2, _MOST):
        if prompt_in(line) or index > last + 3:
            break
        if match := _ROW.match(line):
            last, cells = index, fields(match["cells"])
            if len(cells) == len(names):
                rows.put(match, dict(zip(names, cells, strict=True)))
        elif _UPPER.match(line) and not rows.average:
            last = index + 1  # printed again between intervals
        elif line and index > last and (START.search(line) or not BETWEEN.match(line)):
            break
    return rows, last


def _names(upper: str, lower: str) -> list[str]:
    """The names of the columns: each group's in the upper line, with those below it."""
    above = _UPPER.match(upper)
    below = iter(fields(lower))
    names: list[str] = []
    for dotted in fields(above["names"]) if above else []:
        group, column = dotted.strip("."), next(below, "")
        names.append(f"{group} {column}")
        if column not in _SINGLE or group == "cpu%":
            names.append(f"{group} {next(below, '')}")
    return names if names and not next(below, "") and not names[-1].endswith(" ") else []


def _start(cursor: TextCursor, first: int) -> re.Match[str] | None:
    """The line that says which run begins, above a report."""
    above = range(first - 1, max(first - REACH, -1), -1)
    return next(filter(None, (START.search(cursor.line(index)) for index in above)), None)


def _operations(row: Mapping[str, str]) -> dict[str, Json]:
    """Each operation that was done: how often a second, and seconds of each; and shares of CPUs."""
    values: dict[str, Json] = {}
    for name, text in row.items():
        group, _, column = name.partition(" ")
        if column == "rate" and float(text):
            values[group] = {
                "rate": float(text), "latency": round(float(row[f"{group} resp"]) * 1e-3, 9),
            }  # fmt: skip
        elif group == "cpu%":
            values[f"cpu_{column}"] = round(float(text) / 100, 6)
    return values


def _trial(
    rows: Sequence[Mapping[str, str]], details: dict[str, Json], start: re.Match[str] | None
) -> PrintedTrial:
    """Reads and writes of an average, or of intervals as loops."""
    steps: dict[str, float] = {}
    loops = tuple(LoadResult.of(dict(_metrics(row, steps))) for row in rows)
    ways = [way for way in ("read", "write") if float(rows[0][f"{way} rate"])]
    options: dict[str, Scalar] = {"rw": ways[0] if len(ways) == 1 else "rw"}
    rest = f"{(start['rest'] or '')} " if start else ""
    for name, pattern in (
        ("runtime", r"\belapsed=(\d{1,9})\b"),
        ("numjobs", r"\bthreads=(\d{1,6})\b"),
    ):
        if match := re.search(pattern, rest):
            options[name] = int(match[1])
    if size := re.search(r"\bxfersize=(\d{1,9}[kmKM]?)\b", rest):
        options["bs"] = units.parse_bytes(size[1])
    return PrintedTrial(
        tool="vdbench",
        loops=loops,
        label=start["name"] if start else "",
        options=options,
        steps=steps,
        details=details,
    )


def _metrics(row: Mapping[str, str], steps: dict[str, float]) -> Iterator[tuple[str, float]]:
    """The figures of a row; `steps` gets half of the last digit of each."""
    for way in ("read", "write"):
        if not float(row[f"{way} rate"]):
            continue
        for column, name, scale in (
            (f"{way} rate", "iops", 1.0), (f"{way} resp", "latency.mean", 1e-3),
            (f"mb/sec {way}", "bandwidth", float(units.MIB)),
        ):  # fmt: skip
            value, step = units.printed(row[column])
            metric = f"{way}.{name}"
            steps[metric] = max(step * scale, steps.get(metric, 0.0))
            yield metric, value * scale


def _plain(row: Mapping[str, str]) -> Json:
    return {name: _number(text) for name, text in row.items()}


def _number(text: str) -> Json:
    return float(text) if text != "NaN" else None
