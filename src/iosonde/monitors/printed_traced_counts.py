"""funccount, vfscount, syscount, klockstat, runqslower, and bpftrace's maps of numbers.

Source: bcc, tools/funccount.py, vfscount.py and syscount.py (COUNT, with -L also TIME (us), with -m
TIME (ms)); perf-tools, kernel/funccount and syscount; bcc, tools/klockstat.py: nanoseconds;
libbpf-tools/klockstat.c, print_time(): figures with units; tools/runqslower.py: LAT(us);
bpftrace, src/output.cpp: `@name[key]: number` a line, vfsstat.bt after a clock each second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from typing_extensions import override

from iosonde.monitors import _traced_rows as traced
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_COUNT_HEAD = re.compile(
    r"\s*+(?P<columns>FUNC|ADDR\s{1,20}FUNC|SYSCALL|PID\s{1,12}COMM(?:\s{1,20}SYSCALL)?)"
    r"\s{1,40}COUNT(?:\s{1,20}TIME \((?P<unit>us|ms)\))?\s*"
)
_COUNT_CELLS = {
    "FUNC": r"\S{1,160}", "ADDR": r"[\da-f]{8,16}", "SYSCALL": r"\w{1,40}|\[unknown: \d{1,6}\]",
    "PID": traced.WHOLE, "COMM": traced.COMM, "COUNT": traced.WHOLE,
    "TIME": r"\d{1,15}\.\d{1,6}",
}  # fmt: skip
_LOCK_HEAD = re.compile(
    r"\s*+(?:Caller|Tid\s{1,20}Comm)\s{1,8}Avg (?P<what>Spin|Wait|Hold)\s{1,8}Count"
    r"\s{1,8}Max (?:[Ss]pin|[Ww]ait|[Hh]old)\s{1,8}Total (?:[Ss]pin|[Ww]ait|[Hh]old)\s*"
)
_TIME = r"\d{1,20}(?:\.\d)?(?: (?:ns|us|ms|s|m|h))?"
_LOCK_ROW = re.compile(
    rf"\s*+(?P<caller>\S.{{0,120}}?)\s{{1,40}}(?P<avg>{_TIME})\s{{1,12}}(?P<count>\d{{1,20}})"
    rf"\s{{1,12}}(?P<max>{_TIME})\s{{1,12}}(?P<total>{_TIME})\s*"
)
_FRAME = re.compile(r"\s{1,60}\S{1,120}\+0x[\da-f]{1,8}\s*|\s{1,40}Max PID \d{1,10}, COMM .{1,200}")
_EXPONENTS = {"": -9, "ns": -9, "us": -6, "ms": -3, "s": 0}
_LONG = {"m": 60.0, "h": 3600.0}
_RUNQ_HEADS = (["TIME", "COMM", "TID", "LAT(us)"], ["TIME", "COMM", "PID", "LAT(us)"])
_RUNQ_CELLS = {
    "TIME": traced.CLOCK, "COMM": traced.COMM, "TID": traced.WHOLE, "PID": traced.WHOLE,
    "LAT(us)": traced.WHOLE,
}  # fmt: skip
_THRESHOLD = re.compile(r"\s*Tracing run queue latency higher than (?P<us>\d{1,9}) us\.?\s*")
_MAP_ROW = re.compile(
    r"\s*@(?P<map>[A-Za-z_]\w{0,60})?\[(?P<key>[^\[\]]{1,160})\]: (?P<number>-?\d{1,20})\s*"
)
_MAP_CLOCK = re.compile(r"\s*\d\d:\d\d:\d\d\s*")
_BANNER = re.compile(r"\s*Attach(?:ing|ed) \d{1,5} probes?(?:\.{3})?\s*")
_BESIDE = re.compile(
    r"\s*(?:\^C|\[\.{3}\]|cannot attach .{1,120}|WARNING: .{1,200}|Warning: .{1,200}"
    r"|(?:Tracing|Counting) .{1,100}Ctrl-C to end\.?)\s*"
)
_MOST = 4000
_NEAR = 6


class TracedCounts(StateOutput):
    tool = "funccount"
    anchors = ("     COUNT",)
    commands = tuple(
        f"{name}{ending}"
        for name in ("funccount", "vfscount", "syscount")
        for ending in ("", "-bpfcc", ".py", "-perf")
    )
    nothing = "no count follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _COUNT_HEAD.fullmatch(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        match = _COUNT_HEAD.fullmatch(line)
        unit = match["unit"] if match else None
        head = [name for name in line.split() if not name.startswith("(")]
        last, rows = first, list[dict[str, str]]()
        for index, row in traced.rows_below(
            cursor, first, head, _COUNT_CELLS, most=_MOST, strict=True
        ):
            last = index
            rows.append(row)
        values: dict[str, Json] = {}
        if "COMM" in head:
            values["processes"] = [
                {"pid": int(row["PID"]), "process": row["COMM"],
                 **({"call": row["SYSCALL"]} if "SYSCALL" in row else {}),
                 "count": int(row["COUNT"]), **_took(row, unit)}
                for row in rows
            ]  # fmt: skip
        else:
            name = "FUNC" if "FUNC" in head else "SYSCALL"
            counts = Counter[str]()
            for row in rows:  # several functions may have one name
                counts[row[name]] += int(row["COUNT"])
            values["counts"] = {**counts}
            if unit:
                values["seconds"] = {row[name]: _took(row, unit)["seconds"] for row in rows}
        return last, [self.counted("host", "", values, prompt)] if rows else []


def _took(row: dict[str, str], unit: str | None) -> dict[str, Json]:
    """How long all calls of a row took, where that is printed."""
    return {"seconds": traced.scaled(row["TIME"], -6 if unit == "us" else -3)} if unit else {}


class Klockstat(StateOutput):
    tool = "klockstat"
    anchors = ("Avg Spin", "Avg Wait", "Avg Hold")
    commands = ("klockstat", "klockstat-bpfcc", "klockstat.py")
    nothing = "no lock follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _LOCK_HEAD.fullmatch(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _LOCK_HEAD.fullmatch(cursor.line(first))
        what = "held" if head and head["what"] == "Hold" else "waited"
        last, locks = first, list[Json]()
        for index, line in lines(cursor, first + 1, _MOST):
            row = _LOCK_ROW.fullmatch(line)
            if row is None:
                if (line and not _FRAME.fullmatch(line)) or index > last + _NEAR:
                    break
                continue
            last = index
            locks.append({
                "caller": " ".join(row["caller"].split()), "count": int(row["count"]),
                "mean": _duration(row["avg"]), "max": _duration(row["max"]),
                "total": _duration(row["total"]),
            })  # fmt: skip
        return last, [self.counted("host", "", {what: locks}, prompt)] if locks else []


def _duration(text: str) -> float:
    """Seconds; nanoseconds where no unit is printed."""
    figure, _, unit = text.partition(" ")
    return float(figure) * _LONG[unit] if unit in _LONG else traced.scaled(figure, _EXPONENTS[unit])


class Runqslower(StateOutput):
    tool = "runqslower"
    anchors = ("LAT(us)",)
    commands = ("runqslower", "runqslower-bpfcc", "runqslower.py")
    nothing = "no wait follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if cursor.line(cursor.at).split() in _RUNQ_HEADS else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        for index in range(first - 1, max(first - _NEAR, -1), -1):
            if threshold := _THRESHOLD.fullmatch(cursor.line(index)):
                values["threshold"] = traced.scaled(threshold["us"], -6)
        last, events = first, list[dict[str, Json]]()
        head = cursor.line(first).split()
        for index, row in traced.rows_below(cursor, first, head, _RUNQ_CELLS):
            last = index
            events.append({
                "time": row["TIME"], "process": row["COMM"],
                "tid": int(row.get("TID") or row["PID"]),
                "latency": traced.scaled(row["LAT(us)"], -6),
            })  # fmt: skip
        if not events:
            return last, []
        latencies: list[Json] = [event["latency"] for event in events]
        values |= {"latencies": latencies, "slowest": traced.slowest(events)}
        return last, [self.counted("host", "", values, prompt)]


class BpftraceMaps(StateOutput):
    tool = "bpftrace"
    anchors = ("probe...", "probes...", "@[vfs")
    nothing = "no number of a map follows"
    commands = ("bpftrace", "vfscount.bt", "vfsstat.bt", "syscount.bt")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first number of a map, or the clock above it."""
        line = cursor.line(cursor.at)
        if _MAP_ROW.fullmatch(line):
            above = cursor.line(cursor.at - 1)
            return cursor.at - 1 if _MAP_CLOCK.fullmatch(above) else cursor.at
        if not _BANNER.fullmatch(line):
            return None
        for index, row in lines(cursor, cursor.at + 1, 100):
            if _MAP_ROW.fullmatch(row) or _MAP_CLOCK.fullmatch(row):
                return index
            if row and not _BESIDE.fullmatch(row):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, intervals = first, list[dict[str, Json]]()
        current: dict[str, Json] = {}
        for index, line in lines(cursor, first, _MOST):
            if row := _MAP_ROW.fullmatch(line):
                name = f"{row['map']}[{row['key']}]" if row["map"] else row["key"]
                if not intervals or name in current:
                    current = {}
                    intervals.append(current)
                current[name] = int(row["number"])
                last = index
            elif _MAP_CLOCK.fullmatch(line):
                current = {"time": line.strip()}
                intervals.append(current)
            elif (line and not _BESIDE.fullmatch(line)) or prompt_in(line) or index > last + _NEAR:
                break
        maps: Sequence[dict[str, Json]] = [each for each in intervals if set(each) != {"time"}]
        return last, [self.counted("host", "", {"maps": [*maps]}, prompt)] if maps else []
