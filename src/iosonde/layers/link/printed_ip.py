"""ip link, ip -s link and ip addr, also -4, -6 and -o: interfaces, and what went over them.

`ip -br` and `ip -o addr` have no heads: printed_ip_lines.py.

Source: iproute2 5.x and 6.x, ip/ipaddress.c, print_linkinfo(), print_addrinfo() and
print_link_stats64(): the columns are bytes, packets, errors, dropped, then for received
ones "missed" ("overrun" before 5.x) and "mcast", for sent ones "carrier" and "collsns". With -4 and
-6 there is no line "link/".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput, nearest

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
    r"(?:mode[A-Z]\w*?)?(?:group\w+?)?(?:qlen(?P<qlen>\d{1,7}))?\\?(?:link[/-]|al(?:ias|tname)|inet|$)"
)
_WHOLE = re.compile(
    r" state [A-Z]{2,14} mode (?:DEFAULT|DORMANT)(?: group default)?(?: qlen \d{1,7})?\s{0,8}$"
)
"""The end of a head that was not torn apart."""
_INET = re.compile(
    r"inet(?P<v4>\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?)(?=brd|scope|peer|metric|any)"
    r"|inet6(?P<v6>[0-9a-f]{0,4}:[0-9a-f:.]{1,40}(?:/\d{1,3})?)(?=scope|peer|metric|any)"
)
"""An address, without the blanks between words."""
_ADDRESS = re.compile(r"\blink/[a-z]\w*\s+([0-9a-f]{2}(?::[0-9a-f]{2}){5,19})(?![:\w])")
_COUNTS = re.compile(
    r"(?P<side>RX|TX): +bytes packets errors dropped (?P<fifth>\w+) (?P<sixth>\w+)"
    r" (?P<figures>\d+(?: \d+){5})"
)
_FIFTH = {"missed": "missed", "overrun": "overruns", "carrier": "carrier", "fifo": "fifo"}
_SIXTH = {"mcast": "multicast", "collsns": "collisions"}


class IpLink(HeadedOutput):
    tool = "ip"
    anchors = (
        ",UP,LOWER_UP> mtu", "> mtu ", "<LOOPBACK,UP", "<BROADCAST,MULTICAST", "<NO-CARRIER",
    )  # fmt: skip

    commands = ("ip", "/sbin/ip", "/usr/sbin/ip")
    reach = 3
    beginning = _HEAD
    nothing = "no interface with an MTU and a state"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 1, self.is_head)

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        if _OWN.match(line):
            return True
        in_head = len(above) < 6 and not any("link/" in upper for upper in above)
        return in_head and not _WHOLE.search(" ".join(above))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        packed = "".join(text.split())
        match = _FACTS.match(packed)
        if match is None:
            return
        link = _link(match, prompt.host)
        link = replace(link, values={**link.values, **addresses(_INET.finditer(packed))})
        if (address := _ADDRESS.search(text)) and int(address[1].replace(":", ""), 16):
            link = replace(link, values={**link.values, "address": address[1]})
        yield link
        named, values = _HEAD.match(text), _counts(text)
        if named and values:
            yield self.counted("link", named["name"], values, prompt)


def addresses(matches: Iterable[re.Match[str]]) -> dict[str, Scalar]:
    """The addresses of an interface in their order, with their prefixes, by their family."""
    listed: dict[str, list[str]] = {}
    for match in matches:
        for group, name in (("v4", "ipv4"), ("v6", "ipv6")):
            if match[group]:
                listed.setdefault(name, []).append(match[group])
    return {name: " ".join(each) for name, each in listed.items()}


def _link(match: re.Match[str], host: str) -> PrintedSubject:
    flags = match["flags"].split(",")
    state = (match["state"] or "unknown").lower()
    name, _, lower = match["name"].partition("@")
    return PrintedSubject(
        "link",
        name,
        without_none(
            {
                "mtu": int(match["mtu"]),
                "qdisc": match["qdisc"],
                "state": None if state == "unknown" else state,
                "carrier": False if "NO-CARRIER" in flags else None,
                "loopback": True if "LOOPBACK" in flags else None,
                "txqueuelen": int(match["qlen"]) if match["qlen"] else None,
                "master": match["master"],
                "lower": lower or None,
            }
        ),
        host,
    )


def _counts(text: str) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for match in _COUNTS.finditer(" ".join(text.split())):
        side = match["side"].lower()
        figures = [int(figure) for figure in match["figures"].split()]
        names = ["bytes", "packets", "errors", "dropped"]
        for name, figure in zip(names, figures, strict=False):
            values[f"{side}_{name}"] = figure
        values[f"{side}_{_FIFTH.get(match['fifth'], match['fifth'])}"] = figures[4]
        values[_SIXTH.get(match["sixth"], f"{side}_{match['sixth']}")] = figures[5]
    return values
