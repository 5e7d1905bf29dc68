"""Events of blkparse as they stand in a text: who queued, issued and completed what.

Source: blktrace 1.3, blkparse_fmt.c, "%D %2c %8s %5T.%9t %5p %2a %3d" and the forms behind it;
blkparse(1), TRACE ACTIONS.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_EVENT = re.compile(
    r"\s*(?P<major>\d{1,4}),(?P<minor>\d{1,7})\s+(?P<cpu>\d{1,4})\s+(?P<number>\d{1,12})\s+"
    r"(?P<time>\d{1,8}\.\d{9})\s+(?P<pid>\d{1,8})\s+(?P<action>[A-Zm]{1,2})\s+(?P<way>[A-Z]{1,6})"
    r"(?:\s+(?P<sector>\d{1,18}) \+ (?P<sectors>\d{1,9}))?(?:\s+(?P<rest>.{1,80}))?\s*$"
)
_REST = re.compile(r"\s*(?P<rest>\[[^\[\]\s]{1,60}\](?: \d{1,6})?)\s*$")
"""The process, where a mail broke the line before it."""
_KEPT = 200
_MOST = 20000


class BlkparseEvents(StateOutput):
    tool = "blkparse"
    anchors = (
        "  Q  ", "  C  ", "  D  ", "  G  ", "  I  ",
        " Q R", " Q W", " C R", " C W", " Q   ", " C   ",
    )  # fmt: skip
    commands = ("blkparse", "btrace", "blktrace")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _EVENT.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _EVENT.match(line) or _REST.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        devices: dict[str, dict[str, Json]] = {}
        last, open_event = first, dict[str, Json]()
        for index, line in close_lines(cursor, first, _MOST):
            event, rest = _EVENT.match(line), _REST.match(line)
            if event is None and (rest is None or open_event.get("rest") is not None):
                break
            last = index
            if event is None:
                open_event["rest"] = rest["rest"] if rest else None
                continue
            open_event = _event(event)
            name = f"{event['major']}:{event['minor']}"
            values = devices.setdefault(name, {"events": []})
            count = values.get(event["action"], 0)
            values[event["action"]] = (count if isinstance(count, int) else 0) + 1
            listed = values["events"]
            if isinstance(listed, list) and len(listed) < _KEPT:
                listed.append(open_event)
        counters: list[PrintedCounters] = [
            self.counted("disk", name, values, prompt) for name, values in devices.items()
        ]
        return last, counters


def _event(match: re.Match[str]) -> dict[str, Json]:
    """An event: seconds, process, action, direction, first sector and bytes."""
    event: dict[str, Json] = {
        "time": float(match["time"]), "pid": int(match["pid"]), "action": match["action"],
        "way": match["way"],
    }  # fmt: skip
    if match["sector"]:
        event |= {"sector": int(match["sector"]), "bytes": int(match["sectors"]) * units.SECTOR}
    if match["rest"]:
        event["rest"] = match["rest"].strip()
    return event
