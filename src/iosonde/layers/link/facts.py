"""Interfaces: what `ethtool -i` and `ip route` answer; settings/ethtool_printed.py: -k, -g, -c.

Source: ethtool(8); ip-route(8).
"""

from __future__ import annotations

import re

from iosonde import kerneltext
from iosonde.records.stack import Scalar

_LINE = re.compile(r"^([\w-]+):[ \t]*(\S.*)$", re.MULTILINE)


def driver_facts(answer: bytes) -> dict[str, Scalar]:
    """Driver, its version and firmware from `ethtool -i`."""
    lines = dict(_LINE.findall(kerneltext.decoded(answer)))
    wanted = {"driver": "driver", "firmware-version": "firmware"}
    return {fact: lines[key] for key, fact in wanted.items() if lines.get(key, "N/A") != "N/A"}
