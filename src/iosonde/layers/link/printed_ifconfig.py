"""ifconfig: interfaces with their counters, in the form of net-tools before and since 1.60+git2010.

Source: net-tools lib/interface.c, ife_print_long(), of 1.60 ("Link encap:Ethernet") and of 2.x
("eth0: flags=4163<UP,...>  mtu 1500").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r"^\s*(?P<name>[A-Za-z][\w.:-]{0,31}?)(?:: flags=\d+<(?P<flags>[A-Z,]*)>| +Link encap:)"
)
_OWN = re.compile(
    r"^\s*(?:inet6?\b|ether |loop |infiniband |unspec |RX |TX |UP |BROADCAST |POINTOPOINT |\(|\d"
    r"|collisions:|Interrupt:|Base address|device |Mask:|Scope:|Metric:|errors:|dropped|overruns"
    r"|frame|carrier|txqueuelen|Memory:|bytes|packets|[A-Za-z0-9:./]{1,12}\s*$|HWaddr|mtu|Bcast)"
)
_MTU = re.compile(r"\b(?:MTU:|mtu )(\d{1,7})")
_QUEUE = re.compile(r"txqueuelen[: ](\d{1,7})")
_UP = re.compile(r"(?:^|[\s<,])UP[\s,>]")
_RUNNING = re.compile(r"\bRUNNING\b")
# Old: "RX packets:1 errors:2 …", "RX bytes:3"; new: "RX packets 1  bytes 3", "RX errors 2 …". Read
# without blanks: a wrap may stand within a number.
_PART = re.compile(r"(?P<side>RX|TX)(?P<rest>(?:[a-z]{4,10}:?\d{1,20}(?:\([^()]{1,20}\))?){1,6})")
_PAIR = re.compile(r"(?P<name>[a-z]+):?(?P<figure>\d+)")
_COLLISIONS = re.compile(r"collisions:?(\d+)")


class Ifconfig(HeadedOutput):
    tool = "ifconfig"
    anchors = ("Link encap:", ": flags=", "RX packets", "TX packets")

    commands = ("ifconfig",)
    reach = 3
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
    def is_head(self, line: str) -> bool:
        return bool(_HEAD.match(line))

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


def _facts(text: str, mtu: int) -> dict[str, str | int | float | bool | None]:
    queue = _QUEUE.search(text)
    up = bool(_UP.search(text))
    return without_none(
        {
            "mtu": mtu,
            "txqueuelen": int(queue[1]) if queue else None,
            "state": "up" if up and _RUNNING.search(text) else "down",
            "loopback": True if "LOOPBACK" in text else None,
        }
    )


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
