"""A partition table as `sfdisk --dump` and `sfdisk --json` print it.

Sectors are those of the header's sector-size. Without it (before 2.35) only a dump with "Id=",
which is of sfdisk before 2.26, is in sectors of 512 bytes for sure; of others no bytes are said.

Source: util-linux 2.40, libfdisk/src/script.c (write_file_script(), write_file_json()); 2.20,
fdisk/sfdisk.c (dump_sectors()): "# partition table of", "Id=".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, object_with, objects
from iosonde.text.reader import Items, StateOutput, close_lines, top_of_own
from iosonde.units import SECTOR

_HEADER = re.compile(
    r"\s*(?P<key>label|label-id|device|unit|first-lba|last-lba|table-length|grain|sector-size): "
    r"?(?P<value>\S{1,80})\s*$"
)
_OLD_HEADER = re.compile(r"\s*# partition table of (?P<device>/dev/[\w/.!-]{1,80})\s*$")
_ROW = re.compile(
    r"\s*(?:(?P<name>/dev/[\w/.!:-]{1,100})|(?P<number>\d{1,3})) : "
    r"(?:start= {0,12}(?P<start>\d{1,15}), )?size= {0,12}(?P<size>\d{1,15})"
    r"(?P<rest>(?:, |$).{0,400})"
)
_MORE = re.compile(r"\s*(?:size= {0,12}\d|type=|Id= ?[\da-f]|uuid=|name=|attrs=|bootable\s*$)")
"""The rest of a row that a mail broke after a comma."""
_TYPE = re.compile(
    r", (?P<key>type|Id)= ?(?P<type>[\dA-Fa-f]{8}-[\dA-Fa-f-]{27}|[\da-f]{1,2})(?=,|\s*$)"
)
_UUID = re.compile(r", uuid=([\dA-Fa-f-]{11,36})(?=,|\s*$)")
_LABEL = re.compile(r', name="([^"]{1,80})"')
_ATTRIBUTES = re.compile(r', attrs="([^"]{1,120})"')
_BOOT = re.compile(r", bootable(?=,|\s*$)")
_MOST = 300


class SfdiskDump(StateOutput):
    tool = "sfdisk"
    anchors = (" : start=", "label-id: ", "sector-size: ")
    commands = ("sfdisk", "cat")
    reach = 3
    nothing = "it has no partition"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        header: dict[str, str] = {}
        rows: list[str] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            head, old = _HEADER.match(line), _OLD_HEADER.match(line)
            if (head or old) and rows:
                break
            if head:
                header[head["key"]] = head["value"]
            elif old:
                header["device"] = old["device"]
            elif _ROW.match(line):
                rows.append(line.strip())
            elif rows and _MORE.match(line):
                rows[-1] = f"{rows[-1].rstrip()} {line.strip()}"
            else:
                break
            last = index
        if not rows:
            raise Unreadable(self.nothing, last)
        return last, _of_dump(header, rows, prompt)


class SfdiskJson(JsonOutput):
    tool = "sfdisk"
    anchors = ('"partitiontable"',)
    commands = ("sfdisk",)
    reach = 3
    nothing = "it has no partition"

    head = object_with("partitiontable")

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        table = value["partitiontable"]
        if not isinstance(table, dict):
            raise Unreadable(self.nothing)
        header = {
            "label": _text(table, "label"), "label-id": _text(table, "id"),
            "device": _text(table, "device"), "sector-size": _text(table, "sectorsize"),
            "first-lba": _text(table, "firstlba"), "last-lba": _text(table, "lastlba"),
        }  # fmt: skip
        yield _disk(header, prompt)
        yield from (_of_json(row, header, prompt) for row in objects(table.get("partitions")))


def _is_own(line: str) -> bool:
    return bool(
        _HEADER.match(line) or _OLD_HEADER.match(line) or _ROW.match(line) or _MORE.match(line)
    )


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return str(value) if isinstance(value, str | int) else ""


def _disk(header: Mapping[str, str], prompt: Prompt) -> PrintedSubject:
    """The table, by the name of its disk."""
    values: dict[str, Scalar] = {}
    for key, name in (("label", "partition_table"), ("label-id", "disk_identifier")):
        if header.get(key):
            values[name] = header[key]
    for key, name in (
        ("sector-size", "logical_block_size"), ("first-lba", "first_usable_sector"),
        ("last-lba", "last_usable_sector"),
    ):  # fmt: skip
        if header.get(key, "").isdecimal():
            values[name] = int(header[key])
    return PrintedSubject("disk", _device(header, prompt), values, prompt.host)


def _device(header: Mapping[str, str], prompt: Prompt) -> str:
    return (header.get("device") or prompt.path).removeprefix("/dev/")


def _of_dump(
    header: Mapping[str, str], rows: list[str], prompt: Prompt
) -> Iterator[PrintedSubject]:
    disk = _disk(header, prompt)
    if disk.values:
        yield disk
    for line in rows:
        row = _ROW.match(line)
        if row is None or not int(row["size"]):
            continue
        rest = row["rest"]
        type_ = _TYPE.search(rest)
        own: dict[str, Scalar] = {}
        if type_:
            own["type"] = type_["type"]
        for pattern, name in ((_UUID, "partuuid"), (_LABEL, "label"), (_ATTRIBUTES, "attributes")):
            if match := pattern.search(rest):
                own[name] = match[1]
        if _BOOT.search(rest):
            own["boot"] = True
        sector = _sector(header) or (SECTOR if type_ and type_["key"] == "Id" else None)
        start = int(row["start"]) if row["start"] else None
        own = _places(start, int(row["size"]), sector) | own
        name = row["name"] or _named(disk.name, row["number"])
        yield PrintedSubject("partition", name.removeprefix("/dev/"), own, prompt.host)


def _of_json(row: Mapping[str, Any], header: Mapping[str, str], prompt: Prompt) -> PrintedSubject:
    start, size = row.get("start"), row.get("size")
    if not isinstance(size, int) or isinstance(size, bool):
        raise Unreadable("a partition has no size")
    own = _places(start if isinstance(start, int) else None, size, _sector(header))
    for key, name in (("type", "type"), ("uuid", "partuuid"), ("name", "label"),
                      ("attrs", "attributes")):  # fmt: skip
        if text := _text(row, key):
            own[name] = text
    if row.get("bootable") is True:
        own["boot"] = True
    name = _text(row, "node")
    if name.isdecimal():
        name = _named(_device(header, prompt), name)
    return PrintedSubject("partition", name.removeprefix("/dev/"), own, prompt.host)


def _sector(header: Mapping[str, str]) -> int | None:
    size = header.get("sector-size", "")
    return int(size) if size.isdecimal() else None


def _named(device: str, number: str) -> str:
    return f"{device}{'p' if device[-1:].isdigit() else ''}{number}"


def _places(start: int | None, sectors: int, sector: int | None) -> dict[str, Scalar]:
    """Where a partition lies: in bytes where the sector's are known."""
    places: dict[str, Scalar] = {}
    if sector:
        if start is not None:
            places["start"] = start * sector
        places["size"] = sectors * sector
    else:
        if start is not None:
            places["first_sector"] = start
        places["sectors"] = sectors
    return places
