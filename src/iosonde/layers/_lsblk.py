"""lsblk's JSON and pairs, for discovery and for texts alike.

Source: util-linux 2.23 to 2.40, misc-utils/lsblk.c and libsmartcols/src/print.c; before 2.33 all
values of the JSON are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from iosonde.exact import from_json
from iosonde.kerneltext import decoded, lines
from iosonde.layers import UUID_PREFIXES
from iosonde.records.stack import Scalar

_FLAGS = frozenset({"ro", "rm", "rota", "rand", "hotplug", "dax", "disc-zero"})
_NUMBERS = frozenset(
    {"size", "alignment", "min-io", "opt-io", "phy-sec", "log-sec", "rq-size", "ra", "start",
     "disc-aln", "disc-gran", "disc-max", "wsame", "fsavail", "fssize", "fsused"}
)  # fmt: skip
_PAIR = re.compile(r'([A-Z][A-Z:-]*%?)="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r'\\(["\\])')
_DEPTH = 64
_DIGITS = 20
"""Of a number of bytes: more than 64 bits hold is damage."""

_SHELL_KEY = re.compile(r"\b([A-Z]+)_([A-Z]+)(?==\")")
"""Of util-linux 2.37, which made MAJ:MIN a name for shells. Source: its v2.37-ReleaseNotes."""
_HEX = re.compile(r"(?:\\x[0-9a-f]{2})+")
"""Bytes that --pairs escapes. A device with several mount points has \\x0a between them."""
_TREE = re.compile(
    r"(?P<lead>(?:[│|] |  )*(?:[├└|`][─-])?)(?P<name>\S+)(?: \((?P<kernel>dm-\d+)\))?"
    r" +(?P<number>\d+:\d+) +(?P<rm>[01]) +(?P<size>[0-9.,]+[BKMGTPE]?) +(?P<ro>[01])"
    r" +(?P<type>[a-z][a-z0-9]*)(?: |$)"
)  # fmt: skip
"""A line of lsblk without options: its columns have not changed since util-linux 2.19."""

MAPPER_TYPES = {
    "dm": "",
    **{begin[:-1].lower(): begin for begin in UUID_PREFIXES if begin.endswith("-")},
}
"""Type of a device of device-mapper → how its uuid begins, from which lsblk has the type.

Source: util-linux 2.40, misc-utils/lsblk.c, `get_type()`.
"""

_NAMED_TYPES = (
    (re.compile(r"md[\d_]\w*?p\d+|(?:sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z])\d+|"
                r"(?:nvme\d+n\d+|mmcblk\d+|loop\d+|cciss!c\d+d\d+)p\d+"), "part"),
    (re.compile(r"loop\d+"), "loop"),
    (re.compile(r"(?:sd|vd|xvd|hd|sr|nvme|mmcblk|ubd|nbd|rbd|drbd|cciss|zram|pmem|bcache|fd)[\w!-]*"),
     "disk"),
)  # fmt: skip
"""The kernel's names of devices whose type lsblk has from elsewhere → that type."""


_Node = tuple[Mapping[str, Any], Mapping[str, Any]]


def device_type(kernel: str, texts: Mapping[str, str]) -> str:
    """The TYPE lsblk gives a device that is no partition, from its files in sysfs.

    Args:
        kernel: the kernel's name.
        texts: "md/level" and "dm/uuid", empty where there is none.
    """
    if kernel.startswith("dm-"):
        prefix = texts["dm/uuid"].partition("-")[0].lower()
        return "part" if prefix.startswith("part") else prefix or "dm"
    if kernel.startswith("loop"):
        return "loop"
    if kernel.startswith("sr"):
        return "rom"
    return texts["md/level"] or "disk"


def named_type(name: str) -> str:
    """The TYPE lsblk gives a device that the kernel calls so; empty where the name tells none."""
    return next((word for names, word in _NAMED_TYPES if names.fullmatch(name)), "")


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


def listed_devices(text: str) -> list[dict[str, Scalar]]:
    """The rows of what lsblk printed, by whichever option: JSON, pairs, or its own tree.

    A device that stands on several has a row for each, which `pkname` tells apart. Sizes are bytes,
    to as many digits as lsblk printed.
    """
    if text.lstrip().startswith("{"):
        return _listed_json(text)
    if '="' in text:
        plain = _SHELL_KEY.sub(_plain_key, text)
        rows = map(pairs_in, lines(plain))  # lines first: a mount point may hold a line break
        return [
            _listed({column: _HEX.sub(_bytes_of, cell) for column, cell in row.items()})
            for row in rows
            if row
        ]
    return _listed_tree(text)


def _bytes_of(escaped: re.Match[str]) -> str:
    return decoded(bytes.fromhex(escaped[0].replace("\\x", "")))


def _plain_key(key: re.Match[str]) -> str:
    return f"{key[1]}:{key[2]}" if key[1] == "MAJ" else f"{key[1]}-{key[2]}"


def _listed_json(text: str) -> list[dict[str, Scalar]]:
    document = from_json(text)
    rows = []
    for node, parent in devices_in(document.get("blockdevices"), {}):
        rows.append(_listed({key: value for key, value in node.items() if key != "children"}))
        rows[-1]["pkname"] = rows[-1].get("pkname") or parent.get("kname") or parent.get("name")
    return rows


def _listed(cells: Mapping[str, Any]) -> dict[str, Scalar]:
    row = {key.lower(): _column(key.lower(), cell) for key, cell in cells.items()}
    if isinstance(row.get("size"), int):
        return row
    for name, cell in cells.items():
        if name.lower() == "size":
            row["size"] = _size(str(cell))
    return row


def _size(text: str) -> int | None:
    """Bytes of lsblk's "1.8T", whose letters are powers of 1024."""
    plain = text.strip().replace(",", ".")
    number = plain.rstrip("BKMGTPE")
    unit = plain[len(number) :]
    plain_digits = number.replace(".", "", 1)
    if not plain_digits.isdecimal() or len(number) > _DIGITS or len(unit) > 1:
        return None
    return int(float(number) * 1024 ** "BKMGTPE".index(unit or "B"))


def _listed_tree(text: str) -> list[dict[str, Scalar]]:
    rows: list[dict[str, Scalar]] = []
    above: list[str] = []
    for line in lines(text):
        match = _TREE.match(line)
        if match is None:
            continue
        depth = len(match["lead"]) // 2
        if depth > len(above):
            continue  # a line before it could not be read
        minor = match["number"].partition(":")[2]
        mapped = match["type"] in MAPPER_TYPES  # drivers/md/dm.c, alloc_dev(): dm-MINOR
        kernel = match["kernel"] or (f"dm-{minor}" if mapped else match["name"])
        del above[depth:]
        rows.append({
            "name": match["name"], "kname": kernel, "maj:min": match["number"],
            "rm": match["rm"] == "1", "size": _size(match["size"]), "ro": match["ro"] == "1",
            "type": match["type"], "pkname": above[-1] if above else None,
        })  # fmt: skip
        above.append(kernel)
    return rows
