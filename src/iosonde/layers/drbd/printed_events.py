"""`drbdsetup events2`: resources, connections and volumes as a stream of lines.

Source: drbd-utils 9.22, user/v9/drbdsetup.c, print_notifications(): "exists device name:r0 …", a
pair of name and value each; amounts are in KiB and kept as printed.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, start_of

_EVENT = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\dT\S{8,40} )?(?P<event>exists|change|create|destroy|call|response) "
    r"(?:(?P<what>resource|connection|device|peer-device|path) (?P<pairs>name:\S.*)|-\s*$)"
)
_PAIR = re.compile(r"(?P<name>[a-z][a-z-]{1,30}):(?P<value>\S{1,120})")
_REST = re.compile(r"\s*[a-z][a-z-]{1,30}:\S+(?:\s+[a-z][a-z-]{1,30}:\S+)*\s*$")
_KEYS = ("name", "conn-name", "volume")
_MOST = 4000


class DrbdEvents(StateOutput):
    tool = "drbdsetup events2"
    anchors = (
        "exists resource name:", "exists connection name:", "exists device name:",
        "change device name:", "change connection name:", "change resource name:",
        "change peer-device name:", "exists peer-device name:",
    )  # fmt: skip
    commands = ("drbdsetup", "drbdadm")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _EVENT.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, lambda line: _EVENT.match(line) or _REST.match(line), most=200)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            event = _EVENT.match(line)
            if index > last + 2 or (line and not event and not _REST.match(line)):
                break
            last = index if line else last
            text = event["pairs"] or "" if event else line
            pairs = {pair["name"]: pair["value"] for pair in _PAIR.finditer(text)}
            if event and pairs:
                parts = [event["what"], *(pairs[key] for key in _KEYS if key in pairs)]
                name = " ".join(parts)
            if pairs and name:
                things.setdefault(name, {}).update(as_labelled(pairs, _KEYS))
        return last, [
            PrintedSubject("drbd", name, values, prompt.host) for name, values in things.items()
        ]
