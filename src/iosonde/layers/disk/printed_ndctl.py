"""`ndctl list`: namespaces, regions and DIMMs of persistent memory, as JSON.

Source: ndctl 82, ndctl-list(1), ndctl/json.c (util_namespace_to_json(), util_region_to_json(),
util_dimm_to_json()) and ndctl/json-smart.c (util_dimm_health_to_json()): objects in a list, or one;
sizes in bytes; within buses and regions others are nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput
from iosonde.text.json_tree import scalars
from iosonde.text.reader import before, nearest

_DEVICE = re.compile(r'"dev"\s*:\s*"(?:namespace\d|region\d|nmem\d|ndbus\d)')
_KINDS = (("namespace", "disk"), ("region", "nvdimm_region"), ("nmem", "nvdimm"))
_NESTED = ("namespaces", "regions", "dimms")
_NAMES = {"sector_size": "logical_block_size", "health_temperature_celsius": "temperature",
          "health_controller_temperature_celsius": "controller_temperature"}  # fmt: skip
_SHARES = {"health_spares_percentage": "spare", "health_spares_threshold": "spare_threshold",
           "health_life_used_percentage": "media_wear"}  # fmt: skip
_OPENS = re.compile(r"[\[{]\s*$")


class NdctlList(JsonOutput):
    tool = "ndctl list"
    anchors = (
        '"dev":"namespace', '"dev":"region', '"dev":"nmem', '"dev":"ndbus',
        '"dev": "namespace', '"dev": "region', '"dev": "nmem', '"dev": "ndbus',
    )  # fmt: skip
    commands = ("ndctl",)
    reach = 3
    nothing = "it names no device"
    head = re.compile(r"[\[{]")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line of the outermost bracket near the first device."""
        if not _DEVICE.search(cursor.line(cursor.at)):
            return None
        start = nearest(cursor, 12, lambda line: line.strip()[:1] in {"[", "{"})
        while start and _OPENS.search(cursor.line(before(cursor, start))):
            start = before(cursor, start)
        return start

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        return _devices(value, prompt.host)


def _devices(tree: object, host: str) -> Iterator[PrintedSubject]:
    """Devices of an object or list, and those nested in them."""
    for entry in tree if isinstance(tree, list) else [tree]:
        if not isinstance(entry, Mapping):
            continue
        device = str(entry.get("dev", ""))
        kind = next((kind for name, kind in _KINDS if device.startswith(name)), None)
        if kind and (facts := _facts(entry)):
            name = str(entry.get("blockdev") or device)
            yield PrintedSubject(kind, name, facts, host)
        for key in _NESTED:
            yield from _devices(entry.get(key), host)


def _facts(entry: Mapping[str, Any]) -> dict[str, Scalar]:
    """Values of a device; shares as fractions, sizes in bytes."""
    facts: dict[str, Scalar] = {}
    for key, value in scalars(entry, (*_NESTED, "blockdev", "mappings")).items():
        if key in _SHARES and isinstance(value, int | float) and not isinstance(value, bool):
            facts[_SHARES[key]] = round(value / 100, 4)
        elif key == "dev" and entry.get("blockdev"):
            facts["namespace"] = value
        elif key != "dev":
            facts[_NAMES.get(key, key)] = value
    return facts
