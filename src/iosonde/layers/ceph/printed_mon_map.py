"""`ceph mon dump` and `monmaptool --print`: the monitors of a cluster and their addresses.

Source: Ceph 0.94 to 19, src/mon/MonMap.cc (MonMap::print(): "epoch", "fsid", "last_changed",
"created", since 14 "min_mon_release", since 16 "election_strategy: ", then a line of each monitor:
rank, addresses, name).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_ADDRESS = r"(?:v[12]:)?[\w.:\[\]-]{3,60}:\d{1,5}/\d{1,10}"
_MONITOR = re.compile(
    r"\s*(?P<rank>\d{1,3}): "
    rf"(?:\[(?P<several>{_ADDRESS}(?:,{_ADDRESS}){{0,5}})\]|(?P<one>{_ADDRESS}))"
    r" mon\.(?P<name>[\w.-]{1,80})(?:; .{0,80})?\s*$"
)
_HEAD = re.compile(
    r"\s*(?P<name>epoch|fsid|last_changed|created|min_mon_release|election_strategy:)"
    r" (?P<value>\S.{0,60}?)\s*$"
)
_REST = re.compile(
    r"\s*(?:dumped monmap epoch \d{1,9}|monmaptool: monmap file \S{1,200}"
    r"|(?:disallowed_leaders|stretch_mode_enabled|tiebreaker_mon)\b.{0,80})\s*$"
)
_NAMES = {"epoch": "monmap_epoch", "fsid": "id", "min_mon_release": "min_mon_release"}


class CephMonMap(StateOutput):
    tool = "ceph mon dump"
    anchors = ("/0] mon.", "/0 mon.", "dumped monmap epoch")
    commands = ("ceph", "monmaptool")
    reach = 3
    nothing = "it names no monitor"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_MONITOR.match(line) or _REST.match(line)):
            return None
        return top_of(cursor, _is_own, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        cluster: dict[str, Scalar] = {}
        monitors: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first, gap=2):
            if monitor := _MONITOR.match(line):
                values: dict[str, Scalar] = {
                    "rank": int(monitor["rank"]),
                    "addresses": monitor["several"] or monitor["one"],
                }
                name = f"mon.{monitor['name']}"
                monitors.append(PrintedSubject("ceph_mon", name, values, prompt.host))
            elif head := _HEAD.match(line):
                if fact := _NAMES.get(head["name"]):
                    value = head["value"]
                    cluster[fact] = int(value) if fact == "monmap_epoch" else value
            elif not _REST.match(line):
                break
            last = index
        if not monitors:
            return last, ()
        cluster["monitors"] = len(monitors)
        return last, [PrintedSubject("ceph", "ceph", cluster, prompt.host), *monitors]


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_MONITOR, _HEAD, _REST))
