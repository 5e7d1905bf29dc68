"""ftrace, trace-cmd and perf script: events of the kernel, each with its task, CPU and time.

What an event says of itself is kept as it is printed, as columns where it has names: `key=value`,
`name value`, and the requests of block devices. Of a long trace the first lines of each event.

Source: Linux, kernel/trace/trace_output.c (trace_print_context(): task, CPU, flags, seconds;
event_trigger names), kernel/trace/trace.c (print_event_info(), the head), trace_functions.c
(`function <-parent`); include/trace/events/block.h (TP_printk); trace-cmd 3.1 report: the same
without flags; perf script: a blank for the hyphen before the process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.prose import is_sentence
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import is_full

_LINE = re.compile(
    r"\s*(?:\[[^\[\]]{10,40}\]\s{1,8})?(?P<task>[^\s|].{0,40}?)\s{0,12}(?:\([\s\d-]{5,8}\)\s{1,4})?\[(?P<cpu>\d{3,4})\]\s{1,12}"
    r"(?:(?P<flags>[.#dDnNhHzZbBpPsSlLX\d]{4,6})\s{1,8})?(?P<time>\d{1,12}\.\d{6,9}):"
    r"(?:\s(?P<rest>.{0,2000}))?$"
)
_LATENCY = re.compile(
    r"\s*(?:\[\s{0,8}\d{1,8}\.\d{6}\]\s{1,4})?(?P<task>[^\s|].{0,24}-\d{1,8})\s{1,8}"
    r"(?P<cpu>\d{1,4})(?P<flags>[.dDnNhHzZbBpPsSlLX\d]{4,6})\s{1,12}(?P<us>\d{1,18})us[ !+#*$@]?:"
    r"(?:\s(?P<rest>.{0,2000}))?$"
)
"""What the kernel dumps of its trace when it panics: the time is in microseconds."""
_EVENT = re.compile(
    r"\s{0,12}(?:\d{1,12}\s{1,4})?(?P<event>[A-Za-z_][\w.-]{0,80}(?::[A-Za-z_]\w{0,80})?):"
    r"(?:\s{1,40}(?P<text>\S.{0,2000}))?$"
)
_FUNCTION = re.compile(
    r"\s{0,12}(?P<event>[\w.]{2,100})(?: \[\w{1,60}\])? <-(?P<parent>[\w.]{2,100})"
    r"(?: \[\w{1,60}\])?\s*$"
)
_TASK = re.compile(r"(?P<comm>.{1,32}?)(?:-|\s{1,12})(?P<pid>\d{1,8})")
_TRACER = re.compile(r"\s*# tracer: (?P<tracer>[\w-]{2,30})\s*$")
_ENTRIES = re.compile(
    r"\s*#\s+entries-in-buffer/entries-written: (?P<entries>\d{1,15})/(?P<written>\d{1,15})"
    r"\s{1,8}#P:(?P<cpus>\d{1,5})\s*$"
)
_LOST = re.compile(r"\s*CPU:\d{1,5} \[LOST (?P<lost>\d{1,15}|EVENTS)(?: EVENTS)?\]\s*$")
_HEAD = re.compile(
    r"\s*#(?:$|\s{2,}|####|.{0,80}=>|.{0,80}(?:TASK-PID|DURATION|FUNCTION)|.{0,40}\|\s)"
    r"|\s*#{4,} CPU \d{1,5} buffer started"
)
_BESIDE = re.compile(
    r"\s*(?:=> \S.{0,200}|<(?:user )?stack trace>|[0-9a-f]{8,16} \S.{0,300}|cpus=\d{1,5}|\.{2,6}"
    r"|version = \d{1,3}|\[\.\.\.\])$"
)
_PAIR = re.compile(r"(?P<key>[A-Za-z_]\w{0,40})=(?P<value>[^\s,;()={}\[\]]{1,200})")
_NAMED = re.compile(
    r"(?P<key>[a-z_]\w{0,30}) (?P<value>-?(?:0x[\da-f]{1,16}|\d[\d:,]{0,24}))(?= |$)"
)
_BLOCK = re.compile(
    r"(?P<device>\d{1,4},\d{1,8}) (?P<rwbs>[A-Z]{1,8}) (?:(?P<bytes>\d{1,12}) )?"
    r"(?:\([^()]{0,80}\) )?"
    r"(?P<sector>\d{1,20}) \+ (?P<sectors>\d{1,10})(?: [a-z]{2,4},\d{1,6},\d{1,6})?"
    r"(?: <- \((?P<from_device>\d{1,4},\d{1,8})\) (?P<from_sector>\d{1,20})"
    r"| \[(?P<by>[^\[\]]{1,40})\])?$"
)
_KEPT = 200  # lines of each event
_EVENTS = 400
_MOST = 20000
_GAP = 3
_NARROW = 60
_REST_LINES = 4


@dataclass(slots=True)
class _Event:
    """The lines of one event."""

    times: list[float] = field(default_factory=list)
    tasks: Counter[str] = field(default_factory=Counter)
    cpus: set[int] = field(default_factory=set)
    parents: Counter[str] = field(default_factory=Counter)
    texts: list[str] = field(default_factory=list)

    def values(self) -> dict[str, Json]:
        """Everything, by names of our own; what an event says by its own."""
        values: dict[str, Json] = {
            "count": len(self.times),
            "first": self.times[0],
            "last": self.times[-1],
            "tasks": dict(self.tasks.most_common(_KEPT)),
            "cpus": [*sorted(self.cpus)],
        }
        if self.parents:
            values["called_by"] = dict(self.parents.most_common(_KEPT))
        columns, rest = _columns([text for text in self.texts if text])
        if columns:
            values["fields"] = columns
        if rest:
            values["texts"] = rest
        return values


def _columns(texts: list[str]) -> tuple[dict[str, Json], list[Json]]:
    """The figures in the texts of an event by their names, and the texts that say more."""
    columns: dict[str, list[Json]] = {}
    rest: list[Json] = []
    for text in texts:
        whole, pairs = _fields(text)
        for key, value in pairs:
            columns.setdefault(key, []).append(value)
        if not whole:
            rest.append(text)
    if any(len(column) != len(texts) for column in columns.values()):
        return {}, [*texts]  # not every line has each: which belong together would not be seen
    return {key: [*column] for key, column in columns.items()}, rest


def _fields(text: str) -> tuple[bool, list[tuple[str, Json]]]:
    """Whether a text has nothing but named values, and these; the second of a name is `name_2`."""
    if block := _BLOCK.match(text):
        return True, [
            (key, _exact(value)) for key, value in block.groupdict().items() if value is not None
        ]
    named: list[tuple[str, str]] = [
        (match["key"], match["value"]) for match in _PAIR.finditer(text)
    ]
    rest = _PAIR.sub("", text)
    if not named:
        named = [(match["key"], match["value"]) for match in _NAMED.finditer(text)]
        rest = _NAMED.sub("", text)
        if re.search(r"[\w?]", rest):
            return False, []
    seen: Counter[str] = Counter()
    pairs: list[tuple[str, Json]] = []
    for key, value in named:
        seen[key] += 1
        pairs.append((key if seen[key] == 1 else f"{key}_{seen[key]}", _exact(value)))
    return re.search(r"\w", rest) is None, pairs


def _exact(text: str) -> Json:
    """A decimal number, or the text as it is printed."""
    return int(text) if re.fullmatch(r"-?(?:0|[1-9]\d{0,18})", text) else text


def _line(line: str) -> re.Match[str] | None:
    """The line of an event."""
    return _LINE.match(line) or _LATENCY.match(line)


class _Trace:
    """What the lines of a trace have said so far."""

    def __init__(self) -> None:
        self.head: dict[str, Json] = {}
        self.events: dict[str, _Event] = {}
        self._held: list[str] = []
        self._match: re.Match[str] | None = None

    def take(self, line: str, *, adjacent: bool) -> bool:
        """Whether a line belongs to the trace; then it is noted.

        Args:
            line: a clean one that is not blank.
            adjacent: it stands directly below the last one.
        """
        if match := _line(line):
            self.end()
            self._match, self._held = match, [match["rest"] or ""]
            return True
        if self._take_head(line):
            self.end()
            return True
        if adjacent and self._goes_on(line):
            self._held.append(line.strip())
            return True
        if _BESIDE.match(line):
            self.end()
            return bool(self.events)
        return False

    def _take_head(self, line: str) -> bool:
        if tracer := _TRACER.match(line):
            self.head["tracer"] = tracer["tracer"]
        elif entries := _ENTRIES.match(line):
            self.head |= {name: int(each) for name, each in entries.groupdict().items()}
        elif lost := _LOST.match(line):
            before = self.head.get("lost_events", 0)
            if lost["lost"] != "EVENTS" and isinstance(before, int):
                self.head["lost_events"] = before + int(lost["lost"])
        else:
            return _HEAD.match(line) is not None and bool(self.head)
        return True

    def _goes_on(self, line: str) -> bool:
        """Whether a mail broke the line above before this one."""
        if self._match is None or len(self._held) > _REST_LINES or prompt_in(line):
            return False
        if len(self._held) == 1 and not self._held[0]:
            return _EVENT.match(line) is not None or _FUNCTION.match(line) is not None
        width = len(self._match[0]) if len(self._held) == 1 else len(self._held[-1])
        return is_full(width, line, _NARROW) and not line[:1].isspace() and not is_sentence(line)

    def end(self) -> None:
        """Notes the line that was held, which no other one goes on."""
        match, text = self._match, " ".join(filter(None, self._held))
        self._match, self._held = None, []
        event = match and (_FUNCTION.match(text) or _EVENT.match(text))
        if match is None or not event:
            return
        if event["event"] not in self.events and len(self.events) >= _EVENTS:
            beyond = self.head.get("lines_of_further_events", 0)
            self.head["lines_of_further_events"] = beyond + 1 if isinstance(beyond, int) else 1
            return
        noted = self.events.setdefault(event["event"], _Event())
        parts = match.groupdict()
        us = parts.get("us")
        noted.times.append(int(us) / 1e6 if us else float(parts["time"]))
        noted.cpus.add(int(match["cpu"]))
        task = _TASK.fullmatch(match["task"])
        noted.tasks[f"{task['comm'].strip()}-{task['pid']}" if task else match["task"]] += 1
        parts = event.groupdict()
        if parent := parts.get("parent"):
            noted.parents[parent] += 1
        elif len(noted.texts) < _KEPT:
            noted.texts.append((parts.get("text") or "").strip())

    def counters(self) -> Iterable[tuple[str, str, dict[str, Json]]]:
        """Kind, name and values of everything."""
        if self.head:
            yield "trace", "", self.head
        for name, event in self.events.items():
            yield "event", name, event.values()


class FtraceEvents(StateOutput):
    tool = "ftrace"
    anchors = (
        "# tracer: ", "entries-in-buffer/", "us :", *(f"[{cpu:03}] " for cpu in range(256)),
    )  # fmt: skip
    commands = ("cat", "trace-cmd", "perf", "tail", "head", "grep")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        tracer = _TRACER.match(line)
        if (tracer and tracer["tracer"] != "function_graph") or _ENTRIES.match(line):
            return cursor.at
        match = _line(line)
        if match is None:
            return None
        rest = match["rest"] or cursor.line(cursor.at + 1) or ""
        return cursor.at if _EVENT.match(rest) or _FUNCTION.match(rest) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        trace, last = _Trace(), first
        for index, line in lines(cursor, first, _MOST):
            own = bool(line) and trace.take(line, adjacent=index == last + 1)
            if index > last + _GAP or (line and not own):
                break
            last = index if line else last
        trace.end()
        counters: list[PrintedCounters] = [
            self.counted(kind, name, values, prompt) for kind, name, values in trace.counters()
        ]
        if not counters:
            raise Unreadable("no event follows", last)
        return last, counters
