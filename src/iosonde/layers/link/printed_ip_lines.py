"""`ip -br addr`, `ip -br link` and `ip -o addr`: interfaces in a line each, or one per address.

Source: iproute2 5.x and 6.x, ip/ipaddress.c, print_linkinfo_brief() (the name in 16 columns, with
"@" and the lower one, the state in 14, then the address of the link and its flags, or the addresses
with their prefixes, "metric N" and "peer ADDRESS") and print_addrinfo() with -o ("N: NAME", the
name in no columns, family and address, scope).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.link.printed_ip import addresses
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, start_of

_V4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_V6 = r"[0-9a-f]{0,4}:[0-9a-f:.]{1,40}"
_NAME = r"(?P<name>[A-Za-z][\w.-]{0,31})(?:@(?P<lower>[\w.-]{1,32}))?"
_ANY = rf"(?:{_V4}|{_V6})"
_BRIEF = re.compile(
    rf"\s*{_NAME}\s+(?P<state>UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN|NOTPRESENT|TESTING)"
    rf"(?:(?P<addresses>(?:\s+{_ANY}(?: peer {_ANY})?/\d{{1,3}}(?: metric \d{{1,10}})?){{1,40}})"
    r"|\s+(?P<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5,19})\s+<(?P<flags>[A-Z0-9_,-]{2,200})>)?\s*$"
)
_LINE = re.compile(
    rf"\s*\d{{1,5}}: {_NAME}\s+inet6? (?P<address>{_ANY}(?:/\d{{1,3}})?)"
    rf"(?: peer {_ANY}/\d{{1,3}})?(?: (?:brd|any|metric) \S{{1,45}}){{0,3}} scope \w{{1,20}}\b"
)
_ADDRESS = re.compile(
    rf"(?<!\S)(?:(?P<v4>{_V4}(?:/\d{{1,2}})?)|(?P<v6>{_V6}(?:/\d{{1,3}})?))(?!\S)"
)
_PEER = re.compile(rf" peer {_ANY}/\d{{1,3}}")


class IpLines(StateOutput):
    tool = "ip -br"
    anchors = (
        "UP    ", "UNKNOWN    ", "DOWN    ", " scope global", " scope host", " scope link",
    )  # fmt: skip
    commands = ("ip", "/sbin/ip", "/usr/sbin/ip")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        brief = _BRIEF.match(line)
        if not _LINE.match(line) and not (brief and (brief["addresses"] or brief["mac"])):
            return None
        return start_of(cursor, _is_row, most=80)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        links: dict[str, dict[str, Scalar]] = {}
        listed: dict[str, list[re.Match[str]]] = {}
        rows, last = close_rows(cursor, first, lambda line: _BRIEF.match(line) or _LINE.match(line))
        for row in rows:
            values = links.setdefault(row["name"], {})
            values |= without_none({"lower": row["lower"], **_facts(row)})
            listed.setdefault(row["name"], []).extend(_addresses(row))
        return last, [
            PrintedSubject("link", name, values | addresses(listed[name]), prompt.host)
            for name, values in links.items()
        ]


def _is_row(line: str) -> bool:
    return bool(_BRIEF.match(line) or _LINE.match(line))


def _facts(row: re.Match[str]) -> dict[str, Scalar | None]:
    """What a row of `ip -br` says besides addresses; of `ip -o addr` nothing."""
    if row.re is _LINE:
        return {}
    flags = (row["flags"] or "").split(",")
    return {
        "state": None if row["state"] == "UNKNOWN" else row["state"].lower(),
        "carrier": False if "NO-CARRIER" in flags else None,
        "loopback": True if "LOOPBACK" in flags else None,
        "address": row["mac"] if row["mac"] and row["mac"].strip("0:") else None,
    }


def _addresses(row: re.Match[str]) -> Iterator[re.Match[str]]:
    text = row["address"] if row.re is _LINE else row["addresses"] or ""
    return _ADDRESS.finditer(_PEER.sub("", text))
