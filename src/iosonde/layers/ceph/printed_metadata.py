"""`ceph osd metadata`, `ceph mon metadata`, `ceph mds metadata`, `ceph mgr metadata`: the hosts.

Figures are texts in this JSON; memory is in KiB.

Source: Ceph 18, common/util.cc (collect_sys_info(): "mem_total_kb", "mem_swap_kb", "ceph_version",
"kernel_version" …), osd/OSD.cc (_collect_metadata()), mds/MDSRank.cc, mon/Monitor.cc
(collect_metadata()), mon/MDSMonitor.cc (dump_metadata(): "name" first).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, objects
from iosonde.text.json_tree import scalars

_KIND = re.compile(r"\b(?P<kind>osd|mon|mds|mgr) metadata\b")
_KINDS = {"osd": "osd", "mon": "ceph_mon", "mds": "mds", "mgr": "ceph_mgr"}
_ABOVE = re.compile(r"[{}],?$|\"(?:id|name)\": |$")
"""A line of an object above that says its name alone."""
_WHOLE = re.compile(r"0|[1-9]\d{0,17}")
_IN_KIB = {"mem_total_kb": "memory", "mem_swap_kb": "swap"}


class CephMetadata(JsonOutput):
    tool = "ceph metadata"
    anchors = ('"mem_total_kb"', '"ceph_version_short"', '"distro":')
    commands = ("ceph",)
    reach = 3
    nothing = "it names no daemon"
    head = re.compile(
        r'(?:\[\s*)?\{\s*"(?:id|name)"\s*:[\s\S]{0,1600}?"(?:ceph_version|mem_total_kb)"\s*:'
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first object may say its name alone: a daemon that does not answer."""
        first = super().begin(cursor)
        for index in range(first or 0, -1, -1):
            line = cursor.line(index).strip()
            if line == "[":
                return index
            if not _ABOVE.match(line):
                break
        return first

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        asked = _KIND.search(prompt.command)
        for row in objects(value) if isinstance(value, list) else [value]:
            number = row.get("id", row.get("name"))
            if number is None:
                continue
            kind = asked["kind"] if asked else "osd" if "osd_data" in row else ""
            name = f"{kind}.{number}" if kind else str(number)
            yield PrintedSubject(_KINDS.get(kind, "ceph_daemon"), name, _values(row), prompt.host)


def _values(row: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for name, value in scalars(row, ("id", "name")).items():
        is_whole = isinstance(value, str) and _WHOLE.fullmatch(value)
        figure = int(value) if is_whole and isinstance(value, str) else value
        if name in _IN_KIB and isinstance(figure, int):
            values[_IN_KIB[name]] = figure * 1024
        else:
            values[name] = figure
    return values
