"""What `mdadm --monitor` reports: its mails, and its lines in a system's log.

Source: mdadm 4.3, Monitor.c, alert() ("A %s event had been detected on md device %s.", and the
lines that it sends to syslog), mdadm(8), MONITOR MODE, for the names of events.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_EVENTS = (
    "DeviceDisappeared|RebuildStarted|Rebuild\\d\\d|RebuildFinished|Fail|FailSpare|SpareActive"
    "|NewArray|DegradedArray|MoveSpare|SparesMissing|TestMessage"
)
_LOGGED = re.compile(
    rf".{{0,80}}?\bmdadm(?:\[\d+\])?: (?P<event>{_EVENTS}) event detected on md device "
    r"(?P<name>/dev/[\w/:.-]{1,60}?)(?:, component device (?P<rest>.{1,120}))?\s*$"
)
_MAILED = re.compile(
    rf"\s*(?:A|An) (?P<event>{_EVENTS}) event (?:had been|has been|was) detected on md device "
    r"(?P<name>/dev/[\w/:.-]{1,60}?)\.\s*$"
)
_MEMBER = re.compile(r"\s*It could be related to component device (?P<rest>\S{1,80}?)\.\s*$")
_MISMATCHES = re.compile(r"mismatches found: (?P<count>\d{1,18})")
_APART = 5
_MOST = 2000


class MdadmEvents(StateOutput):
    tool = "mdadm monitor"
    anchors = (" event detected on md device", "detected on md device")
    commands = ("journalctl", "grep", "cat", "tail")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _event(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        arrays: dict[str, dict[str, Json]] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _APART:
                break
            if event := _event(cursor, index):
                name = event["name"].removeprefix("/dev/")
                values = arrays.setdefault(name, {})
                count = values.get(event["event"], 0)
                values[event["event"]] = (count if isinstance(count, int) else 0) + 1
                _rest(values, event.groupdict().get("rest") or "")
            elif (member := _MEMBER.match(line)) and name:
                _rest(arrays[name], member["rest"])
            else:
                continue
            last = index
        return last, [self.counted("md", name, values, prompt) for name, values in arrays.items()]


def _event(cursor: TextCursor, index: int) -> re.Match[str] | None:
    """An event in a line, as a log or a mail has it."""
    return _LOGGED.match(cursor.stamped(index)) or _MAILED.match(cursor.line(index))


def _rest(values: dict[str, Json], rest: str) -> None:
    """What an event says besides: mismatches, or the member that it is about."""
    if mismatches := _MISMATCHES.search(rest):
        values["mismatches"] = int(mismatches["count"])
    elif rest:
        members = values.setdefault("members", [])
        if isinstance(members, list) and rest.strip() not in members:
            members.append(rest.strip())
