"""Interfaces: what ethtool and `ip route` answer.

Source: ethtool(8), which speaks JSON for -k since 5.10, later for -g and -c, and plain text before;
ip-route(8).
"""

from __future__ import annotations

import re
from typing import Any

from iosonde import kerneltext
from iosonde.exact import from_json
from iosonde.records.stack import Scalar

_OFFLOADS = {
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-checksumming": "rx_checksum",
    "tx-checksumming": "tx_checksum",
}
_RING = re.compile(r"^(RX|TX):\s*(\d+)", re.MULTILINE)
_COALESCE = ("adaptive-rx", "adaptive-tx", "rx-usecs", "rx-frames", "tx-usecs", "tx-frames")
_LINE = re.compile(r"^([\w-]+):[ \t]*(\S.*)$", re.MULTILINE)
_FEATURE = re.compile(r"^[^\S\n]*([\w-]+):\s*(on|off)\b", re.MULTILINE)


def features(answer: bytes) -> dict[str, Scalar]:
    """Offloads from `ethtool --json -k` or `ethtool -k`, by their short names."""
    rows = _json(answer)
    if rows:
        return {
            short: bool(rows[name].get("active"))
            for name, short in _OFFLOADS.items()
            if isinstance(rows.get(name), dict)
        }
    states = dict(_FEATURE.findall(kerneltext.decoded(answer)))
    return {short: states[name] == "on" for name, short in _OFFLOADS.items() if name in states}


def rings(answer: bytes) -> dict[str, Scalar]:
    """Entries of the receive and transmit rings now, from `ethtool --json -g` or `ethtool -g`."""
    rows = _json(answer)
    if rows:
        return {f"{side}_ring": rows[side] for side in ("rx", "tx") if side in rows}
    current = kerneltext.decoded(answer).partition("Current hardware settings")[2]
    return {f"{side.lower()}_ring": int(size) for side, size in _RING.findall(current)}


def coalescing(answer: bytes) -> dict[str, Scalar]:
    """How interrupts are gathered, from `ethtool --json -c` or `ethtool -c`; times in µs."""
    rows = _json(answer)
    if rows:
        return {_name(key): rows[key] for key in _COALESCE if rows.get(key) is not None}
    text = kerneltext.decoded(answer)
    facts: dict[str, Scalar] = {}
    adaptive = re.search(r"Adaptive RX: (\S+)\s+TX: (\S+)", text)
    for key, state in zip(
        ("adaptive_rx", "adaptive_tx"), adaptive.groups() if adaptive else (), strict=False
    ):
        if state in {"on", "off"}:
            facts[key] = state == "on"
    for key, figure in re.findall(r"^([rt]x-(?:usecs|frames)):\s*(\d+)", text, re.MULTILINE):
        facts[_name(key)] = int(figure)
    return facts


def _name(key: str) -> str:
    return key.replace("-", "_")


def driver_facts(answer: bytes) -> dict[str, Scalar]:
    """Driver, its version and firmware from `ethtool -i`."""
    lines = dict(_LINE.findall(kerneltext.decoded(answer)))
    wanted = {"driver": "driver", "firmware-version": "firmware"}
    return {fact: lines[key] for key, fact in wanted.items() if lines.get(key, "N/A") != "N/A"}


def _json(answer: bytes) -> dict[str, Any]:
    """The first object of ethtool's list; empty where the answer is no JSON."""
    try:
        rows = from_json(answer)
    except ValueError:
        return {}
    return rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}


def route_device(answer: bytes) -> str | None:
    """The interface in the answer of `ip -j route get ADDRESS`."""
    try:
        rows = from_json(answer or b"[]")
    except ValueError:
        return None
    if not isinstance(rows, list):
        return None
    return next((str(row["dev"]) for row in rows if isinstance(row, dict) and "dev" in row), None)
