"""Lines of the kernel's log about storage: dmesg, journalctl -k, /var/log/messages, a console.

Counted by device, with the times of the first and the last sign of trouble where they are printed,
the same of each counter (`times`, in seconds since the kernel began where its own time is printed,
else as printed), what else the messages name (sectors, senses, speeds), and the
first messages of each counter.
A log is an output where a technology knows a line of it; call traces are records of their own, and
what else stands between such lines is kept as it is printed.

Source: `iosonde.text.log_lines` for what stands before a message; each technology's `kernel_log.py`
for the messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

from typing_extensions import override

from iosonde.layers import KERNEL_MESSAGES
from iosonde.layers._kernel_log.causes import Causes
from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.layers._kernel_log.traces import (
    TRACE_ANCHORS,
    KernelTrace,
    exact_time,
    may_begin_trace,
    message_at,
    trace_at,
)
from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.kernel_lines import is_complaint, timelines
from iosonde.text.literals import Literals
from iosonde.text.log_lines import LogPrefix, end_of_name, log_prefix
from iosonde.text.prose import is_sentence
from iosonde.text.reader import Items, StateOutput

TOOL = "kernel log"
_Event: TypeAlias = tuple[KernelMessage, re.Match[str], str, str]
"""A message, its match, and the time and the host that stand before it, as printed."""
_UNTIMED = re.compile(r"\s*(?:<\d>|kern *:\w+ *: )?(?:[\w.-]{1,64} kernel: |kernel: ?)?")
_OWN = re.compile(r"[-=*\[]{2}|[\da-f]{8,16}: |[A-Za-z][\w -]{1,30}(?: \([^()]{1,40}\))?: ")
"""What begins a line of its own, as no rest of one does: drawn, a dump, or who says something."""
_WHOLE = re.compile(r"-?\d{1,20}")
_MOST = 4000  # lines of one output; a longer log is several
_APART = 3  # lines without a time that may stand between two messages
_LISTED = 20  # distinct values of one name: the first ones and the last
_LONGEST = 300  # characters of a message that is kept
_KEPT, _MESSAGES = 10, 60  # messages that are kept of each counter, and of all
_FAR = 40  # lines above a log's first message in which others are looked for
_BROKEN = 2  # lines that a mail breaks off of one
_NARROW, _WIDE = 66, 80  # characters of lines that mails break, less the marks of quoting
_ABORTED = "aborted_transactions"

_STEP = 64
_LONGEST_STEP = 1024
"""Lines looked at together, first and at most: few outputs are long."""


@cache
def _messages() -> tuple[KernelMessage, ...]:
    return tuple(message for kind in KERNEL_MESSAGES for message in KERNEL_MESSAGES.load(kind))


@cache
def _pattern(number: int) -> re.Pattern[str]:
    """That of a message, made when its literal is seen: a log has few of them all."""
    return re.compile(_messages()[number].pattern)


@cache
def _literals() -> Literals:
    return Literals([message.literal for message in _messages()])


class _LogLines:
    """Lines of a log from one on, of which the core says which may be messages.

    Args:
        cursor: to look at.
        first: index of the first line.
    """

    def __init__(self, cursor: TextCursor, first: int) -> None:
        self._cursor = cursor
        self._first = first
        self._texts: list[str] = []
        self._is_logged: list[bool] = []
        self._messages: dict[int, list[int]] = {}
        self._step = _STEP

    def __iter__(self) -> Iterator[tuple[int, str, bool, tuple[_Event | None, int]]]:
        """Index and text of each line, whether it begins as a log's do, and the message in it.

        With the message, in how many lines below it goes on.
        """
        for place in range(_MOST):
            if place + _BROKEN >= len(self._texts):
                self._load()
            if place >= len(self._texts):
                return
            text, is_logged = self._texts[place], self._is_logged[place]
            numbers = self._messages.get(place)
            event = _event_of(text, numbers) if numbers else None
            below = self._broken_off(place) if is_logged or numbers else ()
            if not is_logged and any(is_sentence(line) or _OWN.match(line) for line in below):
                below = ()
            if below and (event is None or _is_torn(text, f"{text} {below[0]}")):
                event, goes_on = _longest(text, below, event)
            else:
                goes_on = 0
            yield self._first + place, text, is_logged, (event, goes_on)

    def _broken_off(self, place: int) -> Sequence[str]:
        """The lines below one of the log that a mail may have broken off of it.

        None of them begins as a log's lines do.
        """
        below = list[str]()
        for index in range(place + 1, min(place + 1 + _BROKEN, len(self._texts))):
            line, above = self._texts[index].strip(), self._texts[index - 1]
            if not line or self._is_logged[index] or prompt_in(line) or is_complaint(line):
                break
            if index in self._messages and _event_of(line, self._messages[index]):
                break
            if below and not _is_torn(above, f"{above} {line}"):
                break
            below.append(line)
        return below

    def _load(self) -> None:
        begin = len(self._texts)
        texts = list[str]()
        for place in range(begin, begin + self._step):
            if not self._cursor.has(self._first + place):
                break
            texts.append(self._cursor.stamped(self._first + place))
        for place, numbers in _literals().lines(texts).items():
            self._messages[begin + place] = numbers
        self._texts += texts
        self._is_logged += [log_prefix(line) is not None or end_of_name(line) > 0 for line in texts]
        self._step = min(2 * self._step, _LONGEST_STEP)


class KernelLog(StateOutput):
    tool = TOOL
    anchors = (
        *(
            message.literal
            for kind in KERNEL_MESSAGES
            for message in KERNEL_MESSAGES.load(kind)
            if message.kind
        ),
        *TRACE_ANCHORS,
    )
    commands = ("dmesg", "journalctl", "cat", "grep", "tail", "less")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.stamped(cursor.at)
        event = _event(line) or _event(_wrapped(cursor, cursor.at, line) or "")
        if event and event[0].kind:
            return _first_torn(cursor, cursor.at)
        if _is_begun_above(cursor, line):
            return _first_torn(cursor, cursor.at - 1)
        return cursor.at if _Traces(cursor, cursor.at).has(cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counts: dict[tuple[str, str], dict[str, Json]] = {}
        last, host, thing = first, "", ("host", "")
        others = _above(cursor, first, self.reach) if prompt.command else []
        waiting: list[str] = []
        near, traces, causes = first, _Traces(cursor, first), Causes()
        for index, line, is_logged, (event, goes_on) in _LogLines(cursor, first):
            is_traced = traces.has(index)
            near = index if is_logged or is_traced else near
            if event is not None:
                message, match, at, named = event
                last, host = index + goes_on, host or named
                others, waiting = others + waiting, []
                if message.kind:
                    thing = message.kind, match.groupdict().get("name") or ""
                elif is_traced:  # it says where the kernel was, not what the device above did
                    thing = "host", ""
                values = counts.setdefault(thing, {})
                _add(values, message, match, at)
                causes.add(values, message, match, (index, at))
            elif is_traced:
                last, others, waiting = max(last, index), others + waiting, []
            elif index - max(near, last) > _APART:
                break
            elif index > last:
                waiting.append(line)
        where = Prompt(prompt.command, prompt.host or host)
        _join_unnamed(counts)
        counters = [
            self.counted(kind, name, values, where) for (kind, name), values in counts.items()
        ]
        counters += [trace.record(where) for trace in traces.every]
        return last, [*counters, *_as_printed(others, where)]


def _above(cursor: TextCursor, first: int, reach: int) -> list[str]:
    """The lines of a log between its command and the first message that a technology names."""
    above: list[str] = []
    for index in range(first - 1, max(first - reach, 0) - 1, -1):
        line = cursor.stamped(index)
        if prompt_in(line):
            break
        above.append(line)
    return above[::-1]


class _Traces:
    """The call traces of a log, as its lines are gone through.

    Args:
        cursor: to look at.
        first: index of the log's first line.
    """

    def __init__(self, cursor: TextCursor, first: int) -> None:
        self._cursor = cursor
        self._last = first - 1
        self._strange: frozenset[int] = frozenset()
        self.every: list[KernelTrace] = []

    def has(self, index: int) -> bool:
        """Whether a line, which is asked for in order, is one of a trace."""
        if index > self._last:
            message = message_at(self._cursor, index)
            if message and may_begin_trace(message[0]):
                trace = trace_at(self._cursor, index)
                if trace:
                    self.every.append(trace)
                    self._last, self._strange = trace.last, frozenset(trace.strange)
        return index <= self._last and index not in self._strange


def _as_printed(lines: Sequence[str], where: Prompt) -> Iterator[PrintedCounters]:
    """The messages that no technology names, between those that one does."""
    for _, (messages, *_) in timelines(lines):
        if messages:
            yield PrintedCounters(PRINTED, AS_PRINTED, "", messages, where.host, where.command)


def _wrapped(cursor: TextCursor, index: int, line: str) -> str | None:
    """A line that a mail broke in two, as one; None where the next begins a line of its own."""
    following = cursor.stamped(index + 1)
    if not line or not following or log_prefix(following) is not None:
        return None
    if prompt_in(following) or is_complaint(following):
        return None
    whole = f"{line} {following.strip()}"
    return whole if log_prefix(line) is not None or _is_torn(line, whole) else None


def _is_begun_above(cursor: TextCursor, line: str) -> bool:
    """Whether a line is the rest of a message, of which the one above, that a mail broke, has none.

    What the message is known by stands in the rest.
    """
    above = cursor.stamped(cursor.at - 1) if log_prefix(line) is None else ""
    whole = _wrapped(cursor, cursor.at - 1, above) if above else None
    event = _event(whole) if above and whole and _is_torn(above, whole) else None
    return event is not None and bool(event[0].kind)


def _first_torn(cursor: TextCursor, first: int) -> int:
    """Index of the first message above a line in whose literal a mail broke its line.

    Nothing leads to such a message; its log goes on to the line without others between.
    """
    begin, rest = first, 0
    for index in range(first - 1, max(first - _FAR, 0) - 1, -1):
        line = cursor.stamped(index)
        if not line or rest > _BROKEN or prompt_in(line):
            break
        if log_prefix(line) is None:
            rest += 1
            continue
        rest = 0
        whole = _wrapped(cursor, index, line)
        event = _event(whole) if whole and _is_torn(line, whole) else None
        if event and event[0].kind:
            begin = index
    return begin


def _longest(text: str, below: Sequence[str], event: _Event | None) -> tuple[_Event | None, int]:
    """The message in a line and those below it, and how many of those it goes on in.

    The first of them is the rest of the line; a further one only where the message reaches into it.
    """
    whole = f"{text} {below[0]}"
    event, goes_on = _event(whole) or event, 1
    for line in below[1:]:
        longer = f"{whole} {line}"
        reached = _event(longer)
        if reached is None or reached[1].end() <= len(whole):
            break
        whole, event, goes_on = longer, reached, goes_on + 1
    return event, goes_on


def _is_torn(line: str, wrapped: str) -> bool:
    """Whether a mail may have broken a line there: the next word had no place in it."""
    word = wrapped[len(line) :].split(maxsplit=1)[0]
    return len(line) + 1 + len(word) >= _NARROW and len(line) <= _WIDE


def _event(line: str) -> _Event | None:
    """The message in a line of which nothing is known."""
    held = _literals().lines([line]).get(0)
    return _event_of(line, held) if held else None


def _event_of(line: str, held: Sequence[int]) -> _Event | None:
    """The message in a line that holds the literals of those with these numbers."""
    prefix = log_prefix(line)
    if prefix is None:
        untimed = _UNTIMED.match(line)
        prefix = LogPrefix("", "", "", "", untimed.end() if untimed else 0)
    if prefix.program:
        return None  # what a program says of it
    for number in held:
        if _messages()[number].is_bare and prefix.clock:
            continue
        if match := _pattern(number).match(line, prefix.end):
            return _messages()[number], match, prefix.clock, prefix.host
    return None


def _add(values: dict[str, Json], message: KernelMessage, match: re.Match[str], at: str) -> None:
    """Adds a message to what is known of the device that it is about."""
    number = values.get(message.counts, 0)
    values[message.counts] = (number if isinstance(number, int) else 0) + 1
    for group, value in match.groupdict().items():
        if value and group != "name":
            is_count = group != "other" and _WHOLE.fullmatch(value)
            exact = int(value) if is_count else value.strip()
            _list(values, "others" if group == "other" else group, exact)
    distinct = values.get(message.each)
    if isinstance(distinct, list):
        values[message.counts] = len(distinct)
    if isinstance(number, int) and number < _KEPT:
        _list(values, "messages", match.string[match.start() :].strip()[:_LONGEST], _MESSAGES)
    if not at or at[0] == "+":  # dmesg's delta to the line before says no time
        return
    if message.trouble:
        values.setdefault("first", at)
        values["last"] = at
    times, when = values.setdefault("times", {}), exact_time(at)
    if message.counts and isinstance(times, dict):
        listed = times.setdefault(message.counts, [when])
        if isinstance(listed, list) and listed[0] != when:
            listed[1:] = [when]


def _join_unnamed(counts: dict[tuple[str, str], dict[str, Json]]) -> None:
    """Adds an abort that names no device, as btrfs says it, to the only thing of its kind."""
    for kind in [
        kind for (kind, name), values in counts.items() if not name and _ABORTED in values
    ]:
        named = [values for (other, name), values in counts.items() if other == kind and name]
        named = [values for values in named if values.get("first")] or named
        if len(named) == 1 and named[0].get("messages"):
            for name, value in counts.pop((kind, "")).items():
                _merge(named[0], name, value)


def _merge(values: dict[str, Json], name: str, value: Json) -> None:
    """Adds to a record what another has of the same: counts are added, lists and tables joined."""
    there = values.get(name)
    if isinstance(value, int) and isinstance(there, int):
        values[name] = there + value
    elif isinstance(value, list) and isinstance(there, list):
        for each in value:
            _list(values, name, each, _MESSAGES)
    elif isinstance(value, dict) and isinstance(there, dict):
        for key, each in value.items():
            _merge(there, key, each)
    elif there is None:
        values[name] = value


def _list(values: dict[str, Json], name: str, value: Json, most: int = _LISTED) -> None:
    """Adds a value to a list that holds each once."""
    listed = values.setdefault(name, [])
    if isinstance(listed, list) and value not in listed:
        listed[most - 1 :] = [value]
