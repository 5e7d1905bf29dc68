"""What zed, the daemon of ZFS' events, writes to a system's log: counted by pool.

Source: OpenZFS 2.2, cmd/zed/zed.d/zed-functions.sh, zed_log_msg(), and all-syslog.sh
("eid=N class=C pool='P' vdev=… size=… offset=… err=… flags=…"); zpool-events(8) for the classes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_EVENT = re.compile(
    r".{0,80}?\bzed(?:\[\d+\])?: eid=(?P<eid>\d{1,12}) class=(?P<class>[\w.]{3,60})(?P<rest>.*)$"
)
_FIELD = re.compile(
    r"\b(?P<name>[a-z_]{3,24})=(?:'(?P<quoted>[^']{1,80})'|(?P<value>[^\s']{1,120}))"
)
_KEPT = ("vdev", "vdev_path", "vdev_state", "size", "offset", "err", "delay")
_APART = 5
_MOST = 4000


class ZedEvents(StateOutput):
    tool = "zed"
    anchors = (" class=",)
    commands = ("journalctl", "grep", "cat", "tail")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _EVENT.match(cursor.stamped(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pools: dict[str, dict[str, Json]] = {}
        last = first
        for index, _ in lines(cursor, first, _MOST):
            if index > last + _APART:
                break
            event = _EVENT.match(cursor.stamped(index))
            if event is None:
                continue
            last = index
            fields = {
                field["name"]: field["quoted"] or field["value"]
                for field in _FIELD.finditer(event["rest"])
            }
            values = pools.setdefault(fields.get("pool") or fields.get("pool_guid") or "", {})
            key = event["class"].rpartition(".")[2]
            count = values.get(key, 0)
            values[key] = (count if isinstance(count, int) else 0) + 1
            for name in _KEPT:
                if name in fields:
                    _list(values, f"{name}s", fields[name])
        return last, [self.counted("zpool", name, values, prompt) for name, values in pools.items()]


def _list(values: dict[str, Json], name: str, value: str) -> None:
    """Adds a value to a list that holds each once."""
    listed = values.setdefault(name, [])
    if isinstance(listed, list) and len(listed) < 20:
        exact: Json = int(value) if value.isdecimal() else value
        if exact not in listed:
            listed.append(exact)
