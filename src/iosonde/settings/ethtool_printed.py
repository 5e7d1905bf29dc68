"""What ethtool prints of an interface's features, rings and coalescing.

Source: ethtool(8), -k, -g, -c, as printed by 4.16 to 6.1; JSON for -k since 5.10, later for -g and
-c.
"""

from __future__ import annotations

import re
from typing import Any

from iosonde import kerneltext
from iosonde.exact import from_json
from iosonde.records.stack import Scalar

# Name → what ethtool prints, and what it is called when it is set.
FEATURES = {
    "tso": ("tcp-segmentation-offload", "tso"),
    "gso": ("generic-segmentation-offload", "gso"),
    "gro": ("generic-receive-offload", "gro"),
    "lro": ("large-receive-offload", "lro"),
    "rx_checksum": ("rx-checksumming", "rx"),
    "tx_checksum": ("tx-checksumming", "tx"),
}
RINGS = {"rx_ring": ("RX", "rx"), "tx_ring": ("TX", "tx")}
MAXIMA = {f"{name}_max": pair for name, pair in RINGS.items()}
"""What the interface allows for its rings; only to be read."""
COALESCE = {
    name: (name.replace("_", "-"),) * 2
    for name in ("rx_usecs", "rx_frames", "tx_usecs", "tx_frames")
}
ADAPTIVE = {"adaptive_rx": ("RX", "adaptive-rx"), "adaptive_tx": ("TX", "adaptive-tx")}
_RING_ROW = re.compile(r"^(RX|TX):\s*(\d+)", re.MULTILINE)
_STATE = re.compile(r"^[^\S\n]*([\w-]+):\s*(on|off)\b( \[fixed\])?", re.MULTILINE)


def states(answer: bytes) -> dict[str, tuple[str, bool]]:
    """Feature → "on" or "off", and whether it is [fixed], from `ethtool -k`."""
    rows = {name: row for name, *row in _STATE.findall(kerneltext.decoded(answer))}
    return {
        name: (rows[printed][0], bool(rows[printed][1]))
        for name, (printed, _) in FEATURES.items()
        if printed in rows
    }


def features(answer: bytes) -> dict[str, Scalar]:
    """Offloads from `ethtool --json -k` or `ethtool -k`, by their short names."""
    rows = _json(answer)
    if rows:
        return {
            name: bool(rows[printed].get("active"))
            for name, (printed, _) in FEATURES.items()
            if isinstance(rows.get(printed), dict)
        }
    return {name: state == "on" for name, (state, _) in states(answer).items()}


def rings(answer: bytes) -> dict[str, Scalar]:
    """Entries of the receive and transmit rings now, from `ethtool --json -g` or `ethtool -g`."""
    rows = _json(answer)
    if rows:
        return {f"{side}_ring": rows[side] for side in ("rx", "tx") if side in rows}
    current = kerneltext.decoded(answer).partition("Current hardware settings")[2]
    return {f"{side.lower()}_ring": int(size) for side, size in _RING_ROW.findall(current)}


def coalescing(answer: bytes) -> dict[str, Scalar]:
    """How interrupts are gathered, from `ethtool --json -c` or `ethtool -c`; times in µs."""
    rows = _json(answer)
    if rows:
        return {
            name: rows[printed]
            for name in (*ADAPTIVE, *COALESCE)
            if rows.get(printed := name.replace("_", "-")) is not None
        }
    text = kerneltext.decoded(answer)
    facts: dict[str, Scalar] = {}
    adaptive = re.search(r"Adaptive RX: (\S+)\s+TX: (\S+)", text)
    for name, state in zip(ADAPTIVE, adaptive.groups() if adaptive else (), strict=False):
        if state in {"on", "off"}:
            facts[name] = state == "on"
    for key, figure in re.findall(r"^([rt]x-(?:usecs|frames)):\s*(\d+)", text, re.MULTILINE):
        facts[key.replace("-", "_")] = int(figure)
    return facts


def _json(answer: bytes) -> dict[str, Any]:
    """The first object of ethtool's list; empty where the answer is no JSON."""
    try:
        rows = from_json(answer)
    except ValueError:
        return {}
    return rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
