"""ftrace's tables: times of functions, histograms of events, the deepest stack.

Source: Linux, kernel/trace/trace_functions_graph.c (print_graph_duration(): microseconds before a
bar, `}` where the function began above), trace_events_hist.c (hist_show(): `{ keys } hitcount: N`,
then the totals), trace_stack.c (t_show(): depth and size in bytes), ftrace.c
(function_stat_headers()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, end_of, start_of

_COMMANDS = ("cat", "trace-cmd", "perf", "tail", "head")
_DURATION = re.compile(
    r"(?:(?:\d{1,4}\)|\[\d{3}\])\s{0,12})?(?:[+!#*@$]\s{0,4})?(?:(?P<us>\d{1,12}\.\d{1,3}) us)?"
)
_CPU = re.compile(r"(?:^|\s)(?P<cpu>\d{1,4})\)|\[(?P<cpu_too>\d{3})\]")
_CALL = re.compile(
    r"(?P<function>[A-Za-z_][\w.]{0,100})(?: \[\w{1,60}\])?\((?:.{0,200})\)(?P<end>[;{ ])"
)
_ENDED = re.compile(r"\}(?: /\* (?P<function>[A-Za-z_][\w.]{0,100})|\s*$)")
_GRAPH_BESIDE = re.compile(
    r"#.{0,100}$|-{5,80}$|\.{2,6}$|/\* .{1,200} \*/$|[\w<)].{0,60} => {1,3}.{1,40}$"
)
_GRAPH_HEAD = re.compile(r"\s*#(?:$| tracer: |\s{1,40}(?:TIME|CPU|DURATION|\|)(?:\s|$))")
_STACK_HEAD = re.compile(
    r"\s*Depth\s{1,12}Size\s{1,12}Location\s{1,8}\((?P<entries>\d{1,6}) entries\)\s*$"
)
_STACK_ROW = re.compile(
    r"\s*(?P<place>\d{1,4})\)\s{1,12}(?P<depth>\d{1,9})\s{1,12}(?P<size>\d{1,9})\s{1,8}"
    r"(?P<function>[\w.]{1,120})(?:\+\S{1,40})?(?: \[\w{1,60}\])?\s*$"
)
_HIST = re.compile(r"\{ ?(?P<keys>.{1,3000}?) ?\} hitcount:\s{1,20}(?P<rest>\d.{0,600}?)(?= \{|$)")
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w.]{0,60}):\s{0,40}")
_VALUE = re.compile(r"(?P<key>[A-Za-z_][\w.]{0,60}):\s{1,20}(?P<value>-?\d{1,20}|0x[\da-f]{1,16})")
_TRIGGER = re.compile(r"\s*# trigger info: (?P<trigger>\S.{0,1000}?\])\s*$")
_TOTAL = re.compile(r"\s*(?P<name>Hits|Entries|Dropped|Duplicates): (?P<count>\d{1,20})\s*$")
_PROFILE_HEAD = re.compile(r"\s*Function\s{1,80}Hit\s{1,20}Time\s{1,20}Avg(?:\s{1,20}s\^2)?\s*$")
_PROFILE_ROW = re.compile(
    r"\s*(?P<function>[\w.]{1,120})\s{1,60}(?P<hit>\d{1,15})\s{1,20}(?P<time>\d{1,18}\.\d{1,3}) us"
    r"\s{1,20}(?P<avg>\d{1,18}\.\d{1,3}) us(?:\s{1,20}(?P<s2>\d{1,18}\.\d{1,3}) us)?\s*$"
)
_MOST = 20000
_KEPT = 500  # durations of a function
_ROWS = 2000
_BACK = 60
_GAP = 3


class _Traced(NamedTuple):
    """A line of function_graph: CPU, microseconds where it has them, and the call or its end."""

    cpu: str
    us: str
    what: str


def _traced(line: str) -> _Traced | None:
    """What a line says; None where it is no such line. Columns for time and task may come first."""
    parts = line.split("|", 3)
    for place in range(len(parts) - 1):
        duration = _DURATION.fullmatch(parts[place].strip())
        what = "|".join(parts[place + 1 :])
        if duration and what[:1].isspace() and _is_what(what.strip()):
            cpu = _CPU.search(" ".join(parts[: place + 1]))
            number = (cpu["cpu"] or cpu["cpu_too"]) if cpu else ""
            return _Traced(number, duration["us"] or "", what.strip())
    return None


def _is_what(what: str) -> bool:
    return _CALL.match(f"{what} ") is not None or _ENDED.match(what) is not None


class FunctionGraph(StateOutput):
    tool = "function_graph"
    anchors = (
        "us |  ", "us  |  ", "us   |  ", "us    |  ", "# tracer: function_graph", "  DURATION  ",
    )  # fmt: skip
    commands = _COMMANDS
    nothing = "no function follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _GRAPH_HEAD.match(line):
            return cursor.at if any(map(_is_call, cursor.block(cursor.at, 16))) else None
        if _traced(line) is None:
            return None
        return start_of(cursor, _is_call, most=_BACK)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        durations: dict[str, list[Json]] = {}
        calls: dict[str, int] = {}
        begun: dict[str, list[str]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
            traced = _traced(line)
            if traced is None:
                if _GRAPH_HEAD.match(line) and not durations:
                    continue
                if not _GRAPH_BESIDE.match(line.strip()) or prompt_in(line):
                    break
                continue
            function = _of(traced.what, begun.setdefault(traced.cpu, []))
            last = index
            if not function or not traced.us:
                continue
            calls[function] = calls.get(function, 0) + 1
            if len(durations.setdefault(function, [])) < _KEPT:
                durations[function].append(float(traced.us) / 1e6)
        return last, [
            self.counted(
                "function", function, {"calls": calls[function], "seconds": [*each]}, prompt
            )
            for function, each in durations.items()
        ]


def _is_call(line: str) -> bool:
    traced = _traced(line)
    return traced is not None and _CALL.match(f"{traced.what} ") is not None


def _of(what: str, stack: list[str]) -> str:
    """Which function a time is of; empty where its beginning was cut off."""
    if call := _CALL.match(f"{what} "):
        if what.rstrip().endswith("{") or "{ /*" in what:
            stack.append(call["function"])
        return call["function"]
    ended = _ENDED.match(what)
    if ended is None:
        return ""
    begun = stack.pop() if stack else ""
    return ended["function"] or begun


class DeepestStack(StateOutput):
    tool = "stack_trace"
    anchors = ("Depth    Size", "Size   Location", " entries)")
    commands = _COMMANDS
    reach = 2
    beginning = _STACK_HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        rows, last = list[re.Match[str]](), first
        for index, line in close_lines(cursor, first + 1, 1000):
            row = _STACK_ROW.match(line)
            if row is None and not re.match(r"\s*-{4,8}[\s-]{2,40}$", line):
                break
            if row:
                rows.append(row)
            last = index
        if not rows:
            raise Unreadable("no row follows", last)
        values: dict[str, Json] = {
            "entries": int(head["entries"]),
            "depths": [int(row["depth"]) for row in rows],
            "sizes": [int(row["size"]) for row in rows],
            "functions": [row["function"] for row in rows],
        }
        if rows[0]["place"] == "0":
            values = {"deepest": int(rows[0]["depth"]), **values}
        return last, [self.counted("host", "", values, prompt)]


class EventHistogram(StateOutput):
    tool = "event histogram"
    anchors = ("# event histogram", "# trigger info: ", "} hitcount:")
    commands = _COMMANDS
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if "hitcount:" not in line:
            return cursor.at if line.lstrip().startswith("# ") else None
        for index in range(cursor.at, max(cursor.at - _BACK, -1), -1):
            text = cursor.line(index).lstrip()
            if text.startswith("{ "):
                return index
            if prompt_in(text):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last, begins = first, None
        for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
            if trigger := _TRIGGER.match(line):
                values["trigger"] = trigger["trigger"]
            elif total := _TOTAL.match(line):
                values[total["name"].lower()] = int(total["count"])
            elif not _is_of_histogram(line) and not _goes_on(cursor, index):
                break
            if line.lstrip().startswith("{") and begins is None:
                begins = index
            last = index
        rows = [] if begins is None else list(_rows(flow(cursor, begins, last)))
        if not rows:
            raise Unreadable("no entry follows", last)
        if len({tuple(row) for row in rows}) > 1:
            raise Unreadable("its entries have not all the same keys", last)
        values["columns"] = [*rows[0]]
        values["rows"] = [[*row.values()] for row in rows[:_ROWS]]
        if len(rows) > _ROWS:
            values["entries_printed"] = len(rows)
        return last, [self.counted("host", "", values, prompt)]


def _is_of_histogram(line: str) -> bool:
    text = line.strip()
    if prompt_in(line):
        return text.startswith(("# event histogram", "# trigger info: "))
    return text.startswith(("#", "{", "}", "Totals:")) or text == "..." or "hitcount:" in text


def _goes_on(cursor: TextCursor, index: int) -> bool:
    """Whether a line is within an entry, of which a stack is a key, or the rest of a broken one."""
    for below in range(index, index + 40):
        line = cursor.line(below)
        if "hitcount:" in line:
            return True
        if not line or line.lstrip().startswith("{"):
            break
    above = cursor.line(index - 1)
    return "hitcount:" in above and _VALUE.match(cursor.line(index).lstrip()) is not None


def _rows(text: str) -> Iterator[dict[str, Json]]:
    """The entries of a histogram: keys, hits and sums by their names."""
    for match in _HIST.finditer(text):
        row: dict[str, Json] = {}
        places = list(_KEY.finditer(match["keys"]))
        kept = [
            place
            for place in places
            if place.start() == 0 or match["keys"][: place.start()].endswith(", ")
        ]
        for place, after in zip(kept, [*kept[1:], None], strict=True):
            end = after.start() if after else len(match["keys"])
            row[place["key"]] = match["keys"][place.end() : end].rstrip(", ")
        hits = re.match(r"\d{1,20}", match["rest"])
        if not row or hits is None:
            continue
        row["hitcount"] = int(hits[0])
        for value in _VALUE.finditer(match["rest"]):
            if value["key"] not in {"Hits", "Entries", "Dropped", "Duplicates"}:
                figure = value["value"]
                row[value["key"]] = figure if figure.startswith("0x") else int(figure)
        yield row


class FunctionProfile(StateOutput):
    tool = "function_profile"
    anchors = ("Hit    Time",)
    commands = _COMMANDS
    reach = 2
    nothing = "no function follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PROFILE_HEAD.match(cursor.line(cursor.at)):
            return None
        rows = map(_PROFILE_ROW.match, cursor.block(cursor.at + 1, 5))
        return cursor.at if any(rows) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _is_of_profile, gap=2, most=_ROWS)
        counters: list[PrintedCounters] = []
        for _, line in close_lines(cursor, first + 1, last - first, gap=2):
            if row := _PROFILE_ROW.match(line):
                values: dict[str, Json] = {
                    "hit": int(row["hit"]),
                    "time": float(row["time"]) / 1e6,
                    "avg": float(row["avg"]) / 1e6,
                }
                if row["s2"]:
                    values["s^2"] = f"{row['s2']} us"
                counters.append(self.counted("function", row["function"], values, prompt))
        return last, counters


def _is_of_profile(line: str) -> bool:
    return (
        _PROFILE_ROW.match(line) is not None
        or re.match(r"\s*-{4,10}[\s-]{2,90}$", line) is not None
    )
