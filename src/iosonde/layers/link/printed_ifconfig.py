"""ifconfig: interfaces with their counters, of net-tools, the BSDs and macOS.

Source: net-tools lib/interface.c, ife_print_long(), of 1.60 ("Link encap:Ethernet") and of 2.x
("eth0: flags=4163<UP,...>  mtu 1500"); FreeBSD sbin/ifconfig/ifconfig.c, status(), af_inet.c
(netmasks in hexadecimal), af_inet6.c and ifmedia.c ("media:", "status: active", "no carrier");
OpenBSD's ("lladdr"); Apple's ("status: inactive").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r"^\s*(?P<name>[A-Za-z][\w.:-]{0,31}?)"
    r"(?:: flags=[\da-f]+<(?P<flags>[A-Z0-9_,]*)>|[ \t]+Link encap:)"
)
_OWN = re.compile(
    r"^\s*(?:inet6?\b|ether |loop |infiniband |unspec |RX |TX |UP |BROADCAST |POINTOPOINT |\(|\d"
    r"|collisions:|Interrupt:|Base address|device |Mask:|Scope:|Metric:|errors:|dropped|overruns"
    r"|frame|carrier|txqueuelen|Memory:|bytes|packets|[A-Za-z0-9:./]{1,12}\s*$|HWaddr|mtu|Bcast"
    r"|options=|capabilities=|hwaddr |lladdr |media: |status: |nd6 options|groups: |index \d"
    r"|priority: |llprio |supported media|laggproto |laggport: |lagghash |lagg options|flags="
    r"|vlan: |parent |member: |description: |Configuration:|id [\da-f]|maxage |root id |ifmaxaddr "
    r"|plugged: |drivername: |trunk: |tunnel |enabled=|type: |scheduler: |link rate: "
    r"|state availability)"
)
_MTU = re.compile(r"\b(?:MTU:|mtu )(\d{1,7})")
_QUEUE = re.compile(r"txqueuelen[: ](\d{1,7})")
_UP = re.compile(r"(?:^|[\s<,])UP[\s,>]")
_RUNNING = re.compile(r"\bRUNNING\b")
# Old: "RX packets:1 errors:2 …", "RX bytes:3"; new: "RX packets 1  bytes 3", "RX errors 2 …". Read
# without blanks: a wrap may stand within a number.
_PART = re.compile(r"(?P<side>RX|TX)(?P<rest>(?:[a-z]{4,10}:?\d{1,20}(?:\([^()]{1,20}\))?){1,6})")
_PAIR = re.compile(r"(?P<name>[a-z]+):?(?P<figure>\d+)")
_INET = re.compile(
    r"inet(?:addr:)?(?P<v4>\d{1,3}(?:\.\d{1,3}){3})(?:-->[\d.]{7,15})?"
    r"(?:(?:P-t-P|Bcast):[\d.]{7,15}){0,2}(?:(?:netmask|Mask:)"
    r"(?P<mask>0x[0-9a-f]{8}|\d{1,3}(?:\.\d{1,3}){3})|/(?P<bits>\d{1,2}))"
    r"|inet6(?:addr:)?(?P<v6>[0-9a-f]{0,4}:[0-9a-f:.]{1,40})(?:%\w{1,32}?)?"
    r"(?:/|prefixlen)(?P<length>\d{1,3})"
)
"""An address, without the blanks between words."""
_MAC = re.compile(r"\b(?:ether|HWaddr|lladdr) ([0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5})(?![:\w])")
_MEDIA = re.compile(
    r"\bmedia: (\S.{0,80}?)(?= (?:status|nd6|groups|supported|inet6?|lladdr|ether)\b|$)"
)
_STATUS = re.compile(r"\bstatus: (active|inactive|no carrier|associated|no network)\b")
_COLLISIONS = re.compile(r"collisions:?(\d+)")


class Ifconfig(HeadedOutput):
    tool = "ifconfig"
    anchors = ("Link encap:", ": flags=", "RX packets", "TX packets")

    commands = ("ifconfig",)
    reach = 3
    beginning = _HEAD
    nothing = "no interface with an MTU"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = None
        for index in range(cursor.at, max(cursor.at - 24, -1), -1):
            line = cursor.line(index)
            if _HEAD.match(line):
                first = index
            elif line and not _OWN.match(line):
                break
        return first

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_OWN.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        flowing = " ".join(text.split())
        named, mtu = _HEAD.match(flowing), _MTU.search(flowing)
        if named is None or mtu is None:
            return
        yield PrintedSubject("link", named["name"], _facts(flowing, int(mtu[1])), prompt.host)
        if counts := _counts("".join(text.split())):
            yield self.counted("link", named["name"], counts, prompt)


def _facts(text: str, mtu: int) -> dict[str, Scalar]:
    queue, mac, media = _QUEUE.search(text), _MAC.search(text), _MEDIA.search(text)
    status = _STATUS.search(text)
    no_link = status is not None and status[1] not in {"active", "associated"}
    up = bool(_UP.search(text)) and bool(_RUNNING.search(text)) and not no_link
    return without_none(
        {
            "mtu": mtu,
            "txqueuelen": int(queue[1]) if queue else None,
            "state": "up" if up else "down",
            "carrier": False if no_link else None,
            "loopback": True if "LOOPBACK" in text else None,
            "address": mac[1].lower() if mac else None,
            "media": media[1] if media else None,
            **_addresses("".join(text.split())),
        }
    )


def _addresses(packed: str) -> dict[str, Scalar]:
    """The addresses with their prefixes; a mask that is none gives none."""
    listed: dict[str, list[str]] = {}
    for match in _INET.finditer(packed):
        if match["v6"]:
            listed.setdefault("ipv6", []).append(f"{match['v6']}/{match['length']}")
        elif (bits := match["bits"] or _bits(match["mask"])) is not None:
            listed.setdefault("ipv4", []).append(f"{match['v4']}/{bits}")
    return {name: " ".join(each) for name, each in listed.items()}


def _bits(mask: str) -> int | None:
    """How many bits of a netmask are set, where they are the first ones."""
    if mask.startswith("0x"):
        value = int(mask, 16)
    else:
        parts = [int(part) for part in mask.split(".")]
        value = int.from_bytes(bytes(parts)) if max(parts) < 256 else 1
    bits = value.bit_count()
    return bits if value == (0xFFFF_FFFF << (32 - bits)) & 0xFFFF_FFFF else None


def _counts(packed: str) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for part in _PART.finditer(packed):
        side = part["side"].lower()
        for pair in _PAIR.finditer(part["rest"]):
            if pair["name"] not in {"collisions", "txqueuelen"}:
                values[f"{side}_{pair['name']}"] = int(pair["figure"])
    collisions = _COLLISIONS.search(packed)
    if collisions:
        values["collisions"] = int(collisions[1])
    return values
