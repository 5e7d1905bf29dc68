"""ping: packets lost and round-trip times of a host.

Source: iputils 20240117, ping/ping_common.c, finish() ("rtt min/avg/max/mdev"); FreeBSD sbin/ping
and macOS ("round-trip min/avg/max/stddev"); busybox (without the deviation).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*PING (?P<name>\S{1,120}?) ?\((?P<address>[\da-fA-F:.]{3,45})\):? ")
_HEAD_6 = re.compile(
    r"\s*PING6?\(?.{0,120}?(?P<name>[\da-fA-F:.]{3,45})\)?(?: |:)\d* ?(?:data )?bytes"
)
_REPLY = re.compile(
    r"\s*\d{1,6} bytes from .{3,160}?[: ](?:icmp_)?seq=\d+ .*?time[=<](?P<ms>\d+(?:\.\d+)?) ?ms"
)
_TITLE = re.compile(r"\s*--- .{1,120} ping6? statistics ---\s*$")
_SENT = re.compile(
    r"\s*(?P<sent>\d{1,9}) packets transmitted, (?P<received>\d{1,9}) (?:packets )?received,"
    r".{0,60}?(?P<loss>\d{1,3}(?:\.\d+)?)% packet loss"
)
_TIMES = re.compile(
    r"\s*(?:rtt|round-trip) min/avg/max(?:/\w+)? = (?P<least>[\d.]+)/(?P<mean>[\d.]+)/"
    r"(?P<most>[\d.]+)(?:/(?P<deviation>[\d.]+))? ms"
)
_APART = 6
_MOST = 2000


class Ping(StateOutput):
    tool = "ping"
    anchors = ("PING ", "seq=", "packets transmitted,")
    commands = ("ping", "ping6")
    nothing = "no reply and no sum follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if any(form.match(line) for form in (_HEAD, _HEAD_6, _REPLY, _SENT)):
            return cursor.at
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        times: list[Json] = []
        name, last = "", first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _APART:
                break
            if head := _HEAD.match(line) or _HEAD_6.match(line):
                if name or times:
                    break
                name = head["name"]
            elif reply := _REPLY.match(line):
                times.append(float(reply["ms"]) / 1e3)
            elif sent := _SENT.match(line):
                values |= {"sent": int(sent["sent"]), "received": int(sent["received"]),
                           "loss": float(sent["loss"]) / 100}  # fmt: skip
            elif total := _TIMES.match(line):
                values |= {
                    f"round_trip.{key}": float(value) / 1e3
                    for key, value in total.groupdict().items()
                    if value
                }
                last = index
                break
            elif not _TITLE.match(line):
                continue
            last = index
        if times:
            values["round_trips"] = times
        return last, [self.counted("link", name, values, prompt)] if values else []
