"""ethtool of an interface: settings, rings (-g), offloads (-k), coalescing (-c), pauses (-a), -i.

Source: ethtool(8) and ethtool.c, 5.x to 6.x: headings, and "Speed: 1000Mb/s" in units of a million
bits; netlink/pause.c, pause_reply_cb() ("Autonegotiate:", "RX:", "TX:", "RX negotiated:"). -i does
not name the interface; the command before it does.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.link.facts import driver_facts
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.settings.ethtool_printed import coalescing, features, rings
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, end_of, nearest

_HEAD = re.compile(
    r"^\s*(?P<what>Settings|Ring parameters|Features|Offload parameters|Coalesce parameters"
    r"|Pause parameters)"
    r" for (?P<name>[\w.@:-]{1,32}):\s*$"
)
_DRIVER = re.compile(r"^\s*driver: (?P<name>\S+)\s*$")
_OWN = re.compile(
    r"^\s*[\w][\w /()-]{0,44}:(?:\s|$)|^\s*\d+base\w|^\s*$|^\s*(?:drv|probe|Not reported)\b"
)
_SPEED = re.compile(r"^[^\S\n]*Speed: (?P<megabit>\d{1,7})Mb/s", re.MULTILINE)
_ITEM = re.compile(
    r"^[^\S\n]*(?P<name>Duplex|Auto-negotiation|Port|Link detected): (?P<value>\S.*)$", re.MULTILINE
)
_PAUSE = re.compile(
    r"^(?P<name>Autonegotiate|[RT]X(?: negotiated)?):\s{1,8}(?P<state>on|off)$", re.MULTILINE
)
_PAUSES = {"Autonegotiate": "pause_autoneg", "RX": "rx_pause", "TX": "tx_pause",
           "RX negotiated": "rx_pause_negotiated",
           "TX negotiated": "tx_pause_negotiated"}  # fmt: skip
_MODES = re.compile(
    r"Supported link modes:(?P<modes>(?:\s+(?:\d+base[\w-]+(?:/(?:Full|Half))?|Not reported))+)"
)
_MODE = re.compile(r"(?P<megabit>\d+)base")
_COMMAND = re.compile(r"\s-(?:i|-driver)\s+(?P<name>[\w.@:-]+)\s*$")


class EthtoolOutput(StateOutput):
    tool = "ethtool"
    anchors = (
        "Settings for ", "Ring parameters for ", "Features for ", "Offload parameters for ",
        "Coalesce parameters for ", "Pause parameters for ", "supports-priv-flags:", "bus-info: ",
        "supports-eeprom-access",
    )  # fmt: skip

    commands = ("ethtool",)
    reach = 4
    nothing = "nothing is known of it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 12, _is_first)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first))
        last = end_of(
            cursor, first, lambda line: not _HEAD.match(line) and _OWN.match(line), gap=4, most=240
        )
        text = "\n".join(line.strip() for line in joined(cursor, first, last).split("\n"))
        values = _values(head["what"] if head else "driver", text)
        named = _COMMAND.search(prompt.command)
        name = head["name"] if head else named["name"] if named else ""
        if not name:
            raise Unreadable("it names no interface")
        return last, [PrintedSubject("link", name, values, prompt.host)] if values else []


def _is_first(line: str) -> bool:
    return bool(_HEAD.match(line) or _DRIVER.match(line))


def _values(what: str, text: str) -> dict[str, Scalar]:
    data = text.encode()
    if what == "Ring parameters":
        most = rings(f"Current hardware settings{text.partition('Current hardware')[0]}".encode())
        return rings(data) | {f"{name}_max": size for name, size in most.items()}
    if what in {"Features", "Offload parameters"}:
        return features(data)
    if what == "Coalesce parameters":
        return coalescing(data)
    if what == "Pause parameters":
        return {_PAUSES[row["name"]]: row["state"] == "on" for row in _PAUSE.finditer(text)}
    if what == "driver":
        return driver_facts(data)
    return _settings(text)


def _settings(text: str) -> dict[str, Scalar]:
    """Speed and duplex now, and the fastest that the interface could."""
    speed, modes = _SPEED.search(text), _MODES.search(text)
    items = {item["name"]: item["value"].strip() for item in _ITEM.finditer(text)}
    speeds = [int(mode["megabit"]) for mode in _MODE.finditer(modes["modes"])] if modes else []
    detected = items.get("Link detected")
    duplex = items.get("Duplex", "").lower()
    return without_none(
        {
            "speed": int(speed["megabit"]) * 1_000_000 // 8 if speed else None,
            "speed_max": max(speeds) * 1_000_000 // 8 if speeds else None,
            "duplex": duplex if duplex in {"full", "half"} else None,
            "autoneg": {"on": True, "off": False}.get(items.get("Auto-negotiation", "")),
            "port": items.get("Port"),
            "state": {"yes": "up", "no": "down"}.get(detected[:3].strip()) if detected else None,
        }
    )
