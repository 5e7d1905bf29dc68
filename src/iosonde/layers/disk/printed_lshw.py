"""`lshw`: its nodes of disks, volumes and the controllers of storage.

Source: lshw B.02.19, src/core/print.cc (print(hwNode)): `*-ID`, then lines of `label: value`; sizes
as powers of 1024 with those of 1000 in brackets ("476GiB (512GB)"), which are rounded; `-short` and
`-businfo` (printhwpath(), printbusinfo()): path or bus, device, class, and description, which is
size and product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import HeadedOutput, Items, StateOutput, end_of, nearest, top_of

_HEAD = re.compile(
    r"[\s|]*\*-(?P<id>(?:disk|nvme|namespace|volume|logicalvolume|storage|sata|scsi|raid|sas|ide"
    r"|cdrom|medium|usbstorage)\d{0,3}(?::\d{1,3})?)(?: (?:UNCLAIMED|DISABLED))?\s*$"
)
_PAIR = re.compile(r"[\s|]*(?P<label>[a-z][a-z ]{2,20}): (?P<value>\S.{0,400})$")
_EMPTY = re.compile(r"[\s|]*[a-z][a-z ]{2,20}:\s*$")
_SIZE = re.compile(
    r"(?P<size>\d+(?:\.\d+)?[KMGTPE]?i?B)(?: \((?P<decimal>\d+(?:\.\d+)?[KMGTPE]?B)\))?"
)
_SET = re.compile(r"(?P<name>[a-z][a-z_]{1,30})=(?P<value>\S{1,200})")
_NODE = re.compile(
    r"\s*(?P<path>/[\da-f][\da-f./]{0,60}|[a-z]{2,12}@[\da-f:.,]{1,40})\s{1,60}"
    r"(?:(?:/dev/)?(?P<device>[A-Za-z][\w./:-]{0,60})\s{1,40})??"
    r"(?P<class>disk|volume|storage|bus|bridge|memory|processor|network|display|system|generic|input"
    r"|communication|multimedia|printer|power|tape|address)\s{2,40}(?P<description>\S.{0,200})$"
)
_COLUMNS = re.compile(r"\s*(?:H/W path|Bus info)\s+Device\s+Class\s+Description\s*$")
_RULE = re.compile(r"\s*={20,}\s*$")
_HOST = re.compile(r"\s{6,80}system\s{2,40}\S.{0,200}$")
"""The row of the machine itself, which has no path."""
_CLASSES = {"disk": "disk", "volume": "partition", "storage": "controller"}
_SETTINGS = {"logicalsectorsize": "logical_block_size", "sectorsize": "physical_block_size"}
_READ = frozenset({"size", "capacity", "configuration", "logical name", "product", "version"})


class Lshw(HeadedOutput):
    tool = "lshw"
    anchors = (
        "*-disk", "*-nvme", "*-namespace", "*-volume", "*-logicalvolume", "*-storage", "*-sata",
        "*-scsi", "*-raid", "*-sas", "*-ide", "*-cdrom", "*-medium", "description: NVMe device",
    )  # fmt: skip
    commands = ("lshw",)
    reach = 3
    beginning = _HEAD
    nothing = "nothing is said of it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _PAIR.match(line):  # the line with its id is cut off
            return None if nearest(cursor, 2, self.is_head) is not None else cursor.at
        return cursor.at if self.is_head(line) else None

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_PAIR.match(line) or _EMPTY.match(line))

    @override
    def is_command(self, line: str) -> bool:
        """A line of a node begins with a letter."""
        return not _PAIR.match(line) and super().is_command(line)

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        pairs: dict[str, str] = {}
        for line in rest if head else (first, *rest):
            if pair := _PAIR.match(line):
                pairs.setdefault(pair["label"], pair["value"].strip())
        if not pairs:
            return
        what = re.sub(r"[\d:]+$", "", head["id"]) if head else "nvme"
        kind = {"volume": "partition", "logicalvolume": "partition"}.get(what, "disk")
        if what in {"storage", "sata", "scsi", "raid", "sas", "ide"}:
            kind = "controller"
        name = pairs.get("logical name", "").removeprefix("/dev/")
        yield PrintedSubject(
            kind, name or (head["id"] if head else ""), _values(pairs), prompt.host
        )


class LshwShort(StateOutput):
    """`lshw -short` and `-businfo`: a row a node, of which those of storage are read."""

    tool = "lshw -short"
    anchors = ("H/W path  ", "  disk   ", "  volume   ", "  storage   ")
    commands = ("lshw",)
    reach = 3
    nothing = "no node of storage is in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _NODE.match(line) and not _COLUMNS.match(line):
            return None
        return top_of(cursor, _is_short, most=80)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _is_short, gap=1)
        rows = map(_NODE.match, cursor.block(first, last - first + 1))
        return last, [
            PrintedSubject(
                _CLASSES[row["class"]], row["device"] or row["path"], _node(row), prompt.host
            )
            for row in rows
            if row and row["class"] in _CLASSES
        ]


def _is_short(line: str) -> bool:
    return any(form.match(line) for form in (_NODE, _COLUMNS, _RULE, _HOST))


def _node(row: re.Match[str]) -> dict[str, Scalar]:
    """What a row says of a disk, a volume or a controller."""
    said = row["description"].strip()
    values: dict[str, Scalar] = {"path": row["path"]}
    if size := _SIZE.match(said):
        values["size"] = round(units.printed(size["size"], binary="i" in size["size"])[0])
        said = said[size.end() :].strip()
    return values | ({"model": said} if said else {})


def _values(pairs: dict[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for label in ("size", "capacity"):
        if size := _SIZE.match(pairs.get(label, "")):
            exact = size["decimal"] or size["size"]
            values[label] = round(units.printed(exact, binary=not size["decimal"])[0])
    if product := pairs.get("product"):
        values["model"] = product
    if version := pairs.get("version"):
        values["firmware"] = version
    settings = {
        _SETTINGS.get(match["name"], match["name"]): match["value"]
        for match in _SET.finditer(pairs.get("configuration", ""))
    }
    return as_labelled(pairs, _READ) | as_labelled(settings) | values
