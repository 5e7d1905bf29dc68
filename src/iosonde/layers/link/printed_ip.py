"""ip link, ip -s link and ip addr: interfaces, and what went over them.

Source: iproute2 5.x and 6.x, ip/ipaddress.c, print_linkinfo() and print_link_stats64(): the columns
are bytes, packets, errors, dropped, then for received ones "missed" ("overrun" before 5.x) and
"mcast", for sent ones "carrier" and "collsns".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
    known,
)
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, command_before, joined, lines, prompt_in

_HEAD = re.compile(r"^\s*\d{1,5}: (?P<name>[\w.-]{1,32})(?:@[\w.-]{1,32})?: <[A-Z_,-]*")
_OWN = re.compile(
    r"^\s*(?:link/|inet6? |valid_lft|RX:|TX:|RX errors:|TX errors:|altname|\d|qdisc|state|mode"
    r"|group|qlen|brd|bond|bridge|vlan|vxlan|prio|alias|permaddr|numtx|gso|tso|promiscuity|forever"
    r"|scope|preferred|noprefix|dynamic|global|default|secondary|[0-9a-f]{0,2}:)"
)
_FACTS = re.compile(
    r"^\d{1,5}:(?P<name>[\w.@-]{1,66}):<(?P<flags>[A-Z0-9_,-]*)>mtu(?P<mtu>\d{1,7})"
    r"(?:qdisc(?P<qdisc>\w+?))?(?:master(?P<master>[\w.-]+?))?"
    r"(?:state(?P<state>UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN|NOTPRESENT|TESTING))?"
    r"(?:mode[A-Z]\w*?)?(?:group\w+?)?(?:qlen(?P<qlen>\d{1,7}))?(?:link/|alias|$)"
)
_COUNTS = re.compile(
    r"(?P<side>RX|TX): +bytes packets errors dropped (?P<fifth>\w+) (?P<sixth>\w+)"
    r" (?P<figures>\d+(?: \d+){5})"
)
_FIFTH = {"missed": "missed", "overrun": "overruns", "carrier": "carrier", "fifo": "fifo"}
_SIXTH = {"mcast": "multicast", "collsns": "collisions"}
_COMMANDS = ("ip", "/sbin/ip", "/usr/sbin/ip")


class IpLink(Output):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "ip"
    anchors: ClassVar[tuple[str, ...]] = (
        ",UP,LOWER_UP> mtu", "> mtu ", "<LOOPBACK,UP", "<BROADCAST,MULTICAST", "<NO-CARRIER",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _HEAD.match(cursor.line(cursor.at) or "") else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, marks = _end(cursor, first)
        begin, prompt = command_before(cursor, first, _COMMANDS, reach=3)
        subjects: list[PrintedSubject] = []
        counters: list[PrintedCounters] = []
        for start, after in zip(marks, [*marks[1:], last + 1], strict=True):
            text = joined(cursor, start, after - 1)
            subjects += _link(text, prompt.host)
            counters += _counts(text, prompt.host, prompt.command)
        if not subjects:
            raise Unreadable("no interface with an MTU and a state")
        state = PrintedState(self.tool, tuple(subjects), prompt.host, prompt.command)
        return OutputReading(begin, last, states=(state,), counters=tuple(counters))


def _end(cursor: TextCursor, first: int) -> tuple[int, list[int]]:
    """The index of the last line, and of the first of each interface."""
    last, marks, heading = first, [first], True
    for index, line in lines(cursor, first, 4000):
        if index == first or not line:
            continue
        if _HEAD.match(line):
            marks.append(index)
            heading = True
        elif prompt_in(line) or index > last + 3 or not (heading or _OWN.match(line)):
            break
        heading = heading and "link/" not in line and index < marks[-1] + 5
        last = index
    return last, marks


def _link(text: str, host: str) -> Iterator[PrintedSubject]:
    found = _FACTS.match("".join(text.split()))
    if found is None:
        return
    flags = found["flags"].split(",")
    state = (found["state"] or "unknown").lower()
    name, _, lower = found["name"].partition("@")
    yield PrintedSubject(
        "link",
        name,
        known(
            {
                "mtu": int(found["mtu"]),
                "qdisc": found["qdisc"],
                "state": None if state == "unknown" else state,
                "carrier": False if "NO-CARRIER" in flags else None,
                "loopback": True if "LOOPBACK" in flags else None,
                "txqueuelen": int(found["qlen"]) if found["qlen"] else None,
                "master": found["master"],
                "lower": lower or None,
            }
        ),
        host,
    )


def _counts(text: str, host: str, command: str) -> Iterator[PrintedCounters]:
    named = _HEAD.match(text)
    values: dict[str, Json] = {}
    for found in _COUNTS.finditer(" ".join(text.split())):
        side = found["side"].lower()
        figures = [int(figure) for figure in found["figures"].split()]
        names = ["bytes", "packets", "errors", "dropped"]
        for name, figure in zip(names, figures, strict=False):
            values[f"{side}_{name}"] = figure
        values[f"{side}_{_FIFTH.get(found['fifth'], found['fifth'])}"] = figures[4]
        values[_SIXTH.get(found["sixth"], f"{side}_{found['sixth']}")] = figures[5]
    if named and values:
        yield PrintedCounters(IpLink.tool, "link", named["name"], values, host, command)
