"""Interfaces: what `ethtool -i` and `ip route` answer; settings/ethtool_printed.py: -k, -g, -c.

Source: ethtool(8); ip-route(8).
"""

from __future__ import annotations

import re

from iosonde import kerneltext
from iosonde.exact import from_json
from iosonde.records.stack import Scalar

_LINE = re.compile(r"^([\w-]+):[ \t]*(\S.*)$", re.MULTILINE)


def driver_facts(answer: bytes) -> dict[str, Scalar]:
    """Driver, its version and firmware from `ethtool -i`."""
    lines = dict(_LINE.findall(kerneltext.decoded(answer)))
    wanted = {"driver": "driver", "firmware-version": "firmware"}
    return {fact: lines[key] for key, fact in wanted.items() if lines.get(key, "N/A") != "N/A"}


def route_device(answer: bytes) -> str | None:
    """The interface in the answer of `ip -j route get ADDRESS`."""
    try:
        rows = from_json(answer or b"[]")
    except ValueError:
        return None
    if not isinstance(rows, list):
        return None
    return next((str(row["dev"]) for row in rows if isinstance(row, dict) and "dev" in row), None)
