"""nfsiostat: operations, rates and times of reads and writes of each mount.

Source: nfs-utils 2.6.2, tools/nfs-iostat/nfs-iostat.py, display_iostats() and
__print_rpc_op_stats(): kB are 1024 bytes, times in ms; "op/s" up to 1.3, "ops/s" since, queue and
errors since 2.5. Without an interval the figures are averages since the mount.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_MOUNT = re.compile(r"^\s*(?P<source>\S{1,300}) mounted on (?P<mount>\S.{0,300}?):?\s*$")
_TOTAL = re.compile(
    r"\bops?/s rpc bklog (?P<ops>\d{1,12}\.\d{1,3}) (?P<backlog>-?\d{1,12}\.\d{1,3})"
)
_OPERATION = re.compile(
    r"(?P<name>read|write): ops/s kB/s kB/op retrans avg RTT \(ms\) avg exe \(ms\)"
    r"(?: avg queue \(ms\))?(?: errors)? (?P<ops>\d{1,12}\.\d{1,3}) (?P<rate>\d{1,12}\.\d{1,3}) "
    r"(?P<size>\d{1,12}\.\d{1,3}) (?P<retrans>\d{1,12}) \(-?[\d.]{1,9}%\) "
    r"(?P<rtt>\d{1,12}\.\d{1,3}) (?P<exe>\d{1,12}\.\d{1,3})"
    r"(?: (?P<queue>\d{1,12}\.\d{1,3}))?(?: (?P<errors>\d{1,12}) \()?"
)
_OWN = re.compile(
    r"^\s*(?:ops?/s\b|read:|write:|[\d.]+\s|kB/|retrans|avg |\(ms\)|RTT|exe|rpc bklog|bklog|errors"
    r"|queue|[\d.]+$|\(?\d+\.\d%\))"
)
_MOST = 32
_BLANKS = 5


class NfsIostat(StateOutput):
    tool = "nfsiostat"
    anchors = (" mounted on ", "rpc bklog")

    commands = ("nfsiostat", "nfs-iostat")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line that names the mount, or the first of its figures."""
        line = cursor.line(cursor.at)
        if "bklog" not in line:
            below = flow(cursor, cursor.at + 1, cursor.at + _BLANKS)
            return cursor.at if _MOUNT.match(line) and "s rpc bklog" in below else None
        if not re.match(r"\s*ops?/s\s+rpc bklog", line):
            return None
        named = nearest(cursor, _BLANKS, _MOUNT.match)
        return cursor.at if named is None else named

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mount = _MOUNT.match(cursor.line(first))
        last = first
        for index, line in lines(cursor, first + bool(mount), _MOST):
            foreign = line and (prompt_in(line) or not _OWN.match(line))
            if foreign or index > last + _BLANKS:
                break
            last = index if line else last
        text = flow(cursor, first + bool(mount), last)
        values = dict(_figures(text))
        if not values:
            raise Unreadable("its figures are cut off", last)
        if mount:
            values["source"] = mount["source"]
        name = mount["mount"] if mount else ""
        return last, [self.counted("nfs", name, values, prompt)]


def _figures(text: str) -> Iterator[tuple[str, Json]]:
    if total := _TOTAL.search(text):
        yield "iops", float(total["ops"])
        yield "rpc_backlog", float(total["backlog"])
    for operation in _OPERATION.finditer(text):
        name = operation["name"]
        yield f"{name}.iops", float(operation["ops"])
        yield f"{name}.bandwidth", float(operation["rate"]) * units.KIB
        yield f"{name}.size", float(operation["size"]) * units.KIB
        yield f"{name}.retransmissions", int(operation["retrans"])
        yield f"{name}.rtt", float(operation["rtt"]) / 1e3
        yield f"{name}.execution", float(operation["exe"]) / 1e3
        if operation["queue"]:
            yield f"{name}.queue_time", float(operation["queue"]) / 1e3
        if operation["errors"]:
            yield f"{name}.errors", int(operation["errors"])
