"""What makers' own logs of NVMe drives say, by the names that rules ask for where they have some.

Source: OCP Datacenter NVMe SSD Specification 2.5, 4.8.4 (SMART / Health Information Extended:
physical media units in bytes; uncorrectable read errors that were returned to the host); nvme-cli
2.16, plugins/ocp/ocp-print-json.c and ocp-print-stdout.c (128 bits as two numbers, high and low).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iosonde.records.stack import Scalar

_NAMES = {"Uncorrectable read error count": "media_errors"}
_MEDIA_UNITS = {"Physical media units written": "media_written",
                "Physical media units read": "media_read"}  # fmt: skip
_LARGEST = 2**63 - 1


def facts_of_vendor(tree: Mapping[str, Any]) -> dict[str, Scalar]:
    """Figures of OCP's log by our names; units in bytes.

    Args:
        tree: key → figure, 128 bits as an object of `hi` and `lo`.
    """
    facts: dict[str, Scalar] = {}
    for key, name in _NAMES.items():
        value = tree.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            facts[name] = value
    for key, name in _MEDIA_UNITS.items():
        parts = tree.get(key)
        if isinstance(parts, Mapping) and parts.get("hi") == 0 and isinstance(parts["lo"], int):
            facts[name] = parts["lo"] if parts["lo"] <= _LARGEST else None
    return {name: value for name, value in facts.items() if value is not None}
