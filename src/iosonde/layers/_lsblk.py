"""lsblk's JSON and pairs, for discovery and for texts alike.

Source: util-linux 2.23 to 2.40, misc-utils/lsblk.c and libsmartcols/src/print.c; before 2.33 all
values of the JSON are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from iosonde.exact import from_json
from iosonde.kerneltext import lines
from iosonde.records.stack import Scalar

_FLAGS = frozenset({"ro", "rm", "rota", "rand", "hotplug", "dax", "disc-zero"})
_NUMBERS = frozenset(
    {"size", "alignment", "min-io", "opt-io", "phy-sec", "log-sec", "rq-size", "ra", "start",
     "disc-aln", "disc-gran", "disc-max", "wsame", "fsavail", "fssize", "fsused"}
)  # fmt: skip
_PAIR = re.compile(r'([A-Z][A-Z:-]*%?)="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r'\\(["\\])')
_DEPTH = 64

_Node = tuple[Mapping[str, Any], Mapping[str, Any]]


def devices_in(nodes: object, parent: Mapping[str, Any], depth: int = 0) -> Iterator[_Node]:
    """The devices of lsblk's JSON, from the top down, each with the one that it hangs on."""
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and node.get("name"):
            yield node, parent
            if depth < _DEPTH:
                yield from devices_in(node.get("children"), node, depth + 1)


def pairs_in(line: str) -> dict[str, str]:
    """Column → text of a line of `lsblk --pairs`: KEY="value"."""
    return {column: _ESCAPED.sub(r"\1", cell) for column, cell in _PAIR.findall(line)}


def _column(name: str, value: Any) -> Scalar:
    """A column as flag, integer or text, whatever the version of lsblk printed."""
    if isinstance(value, list):
        return "\n".join(str(item) for item in value if item is not None) or None
    if value is None or value == "":
        return None
    if name in _FLAGS:
        return str(value).lower() in {"1", "true", "yes"}
    if name in _NUMBERS:
        text = str(value).strip()
        return int(text) if text.removeprefix("-").isdecimal() else None
    return value.strip() if isinstance(value, str) else str(value)


def parse_lsblk_json(text: str) -> dict[str, dict[str, Scalar]]:
    """Kernel name → columns, in lsblk's order; a device under several parents comes once.

    A partition's `pkname` is filled from its place in the tree where lsblk gives none.

    Raises:
        ValueError: it is not lsblk's JSON.
    """
    document = from_json(text)
    nodes = document.get("blockdevices") if isinstance(document, dict) else None
    devices: dict[str, dict[str, Scalar]] = {}
    for node, parent in devices_in(nodes, {}):
        columns = {key: _column(key, value) for key, value in node.items() if key != "children"}
        if columns.get("pkname") is None:
            columns["pkname"] = _column("pkname", parent.get("kname") or parent.get("name"))
        devices.setdefault(str(columns.get("kname") or columns["name"]), columns)
    if not devices and nodes != []:
        raise ValueError("not lsblk's JSON: it lists no blockdevices with a name")
    return devices


def parse_lsblk_pairs(text: str) -> dict[str, dict[str, Scalar]]:
    """The same from `lsblk --pairs`."""
    devices: dict[str, dict[str, Scalar]] = {}
    for line in lines(text):
        columns = {key.lower(): _column(key.lower(), cell) for key, cell in pairs_in(line).items()}
        if name := columns.get("kname") or columns.get("name"):
            devices.setdefault(str(name), columns)
    return devices
