"""`parted -m … print` and `parted -j … print`: a disk and its partitions for programs.

Source: parted 3.6, parted/parted.c: _print_disk_info() (machine form: "BYT;", "CHS;" or "CYL;",
then path, size, transport, sizes of a sector, table, model and flags between colons; a colon within
a text has a backslash before it), do_print() (number, start, end, size, file system, name and
flags; free space is "1:…:free;"), and the same as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde import units
from iosonde.layers._grid import alignment_facts
from iosonde.layers.partition.printed import NUMBERED, numbered
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, objects
from iosonde.text.reader import Items, StateOutput, close_lines

_UNIT = re.compile(r"\s*(?:BYT|CHS|CYL);\s*$")
_PLACE = r"\d[\d.,]{0,20}(?:s|[kMGT]?i?B)"
_TEXT = r"(?:[^:;\\]|\\.){0,120}"
_DISK = re.compile(
    rf"\s*(?P<path>/(?:[^:;\\\s]|\\.){{1,120}}):(?P<size>{_PLACE}):(?P<transport>[\w/]{{1,20}}):"
    rf"(?P<logical>\d{{3,6}}):(?P<physical>\d{{3,6}}):(?P<table>[\w-]{{2,20}}):(?P<model>{_TEXT})"
    rf"(?::(?P<flags>[a-z_, ]{{0,80}}))?;\s*$"
)
_ROW = re.compile(
    rf"\s*(?P<number>\d{{1,3}}):(?P<start>{_PLACE}):(?P<end>{_PLACE}):(?P<size>{_PLACE}):"
    rf"(?:(?P<free>free)|(?P<fstype>[\w().+-]{{0,40}}):(?P<name>{_TEXT}):(?P<flags>[^:;]{{0,80}}));"
    r"\s*$"
)
_ESCAPED = re.compile(r"\\(.)")


class PartedMachine(StateOutput):
    tool = "parted"
    anchors = ("BYT;", "CYL;", "CHS;", ":gpt:", ":msdos:", ":loop:")
    commands = ("parted",)
    reach = 3
    nothing = "neither its disk nor a partition is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line, above = cursor.line(cursor.at), cursor.line(cursor.at - 1)
        if _UNIT.match(line):
            return cursor.at if _DISK.match(cursor.line(cursor.at + 1)) else None
        if not _DISK.match(line):
            return None
        return cursor.at - 1 if _UNIT.match(above) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disk: dict[str, str] = {}
        rows, last = list[dict[str, str]](), first
        for index, line in close_lines(cursor, first):
            if match := _ROW.match(line) if disk else None:
                rows.append(_plain(match))
            elif match := None if disk else _DISK.match(line):
                disk = _plain(match)
            elif index > first or not _UNIT.match(line):
                break
            last = index
        return last, _subjects(disk, rows, prompt.host) if disk else []


class PartedJson(JsonOutput):
    tool = "parted"
    anchors = ('"disk"',)
    commands = ("parted",)
    nothing = "it has no disk"
    head = re.compile(r'\{\s*"disk"\s*:\s*\{\s*"path"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        said = value["disk"]
        names = {"logical-sector-size": "logical", "physical-sector-size": "physical",
                 "label": "table"}  # fmt: skip
        rows = [
            {("fstype" if name == "filesystem" else name): text for name, text in _texts(row)}
            for row in objects(said.get("partitions"))
        ]
        disk = {names.get(name, name): text for name, text in _texts(said)}
        for row in rows:
            if row.get("type") == "free":
                row["free"] = "free"
        return _subjects(disk, rows, prompt.host)


def _texts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if name == "flags" and isinstance(value, list):
            yield name, ", ".join(map(str, value))
        elif isinstance(value, str | int):
            yield name, str(value)


def _plain(match: re.Match[str]) -> dict[str, str]:
    """What stands between the colons, without the backslashes."""
    return {
        name: _ESCAPED.sub(r"\1", text) for name, text in match.groupdict().items() if text
    }  # fmt: skip


def _subjects(
    disk: Mapping[str, str], rows: Iterable[Mapping[str, str]], host: str
) -> Iterator[PrintedSubject]:
    """The disk and its partitions, by the names that `parted print` for people has for them."""
    device = disk.get("path", "").removeprefix("/dev/")
    logical, physical = (
        int(disk[name]) if disk.get(name, "").isdecimal() else None
        for name in ("logical", "physical")
    )
    rows = list(rows)
    free = [
        f"{row['start']} to {row['end']}{size}" for row in rows if row.get("free")
        for size in [f" ({row['size']})" if row.get("size") else ""]
    ]  # fmt: skip
    sectors = disk.get("size", "").removesuffix("s")
    model, transport = disk.get("model"), disk.get("transport")
    values: dict[str, Scalar] = {
        "size": _size(disk.get("size", ""), logical),
        "sectors": int(sectors) if sectors.isdecimal() else None,
        "partition_table": disk.get("table"),
        "logical_block_size": logical, "physical_block_size": physical,
        "model": f"{model} ({transport})" if model and transport else model,
        "disk_identifier": disk.get("uuid"),
        "disk_flags": disk.get("flags") or None,
        "free_areas": len(free) or None,
        "free_places": ", ".join(free) or None,
    }  # fmt: skip
    yield PrintedSubject("disk", device, without_none(values), host)
    between = "p" if device[-1:].isdigit() else ""
    for row in rows:
        places = NUMBERED.match(
            " ".join(row.get(x, "") for x in ("number", "start", "end", "size"))
        )
        if places and not row.get("free"):
            facts = _facts(row, places, logical, physical) | {"below": device}
            yield PrintedSubject("partition", f"{device}{between}{row['number']}", facts, host)


def _facts(
    row: Mapping[str, str], places: re.Match[str], logical: int | None, physical: int | None
) -> dict[str, Scalar]:
    unit = {"s": logical, "B": 1}.get(places["unit"])
    names = {"fstype": "fstype", "name": "label", "flags": "flags", "type": "role",
             "type-uuid": "type_guid", "type-id": "type_id", "uuid": "partuuid"}  # fmt: skip
    facts = numbered(places, unit)
    facts |= {fact: row[name] for name, fact in names.items() if row.get(name)}
    if unit and places["start"].isdecimal() and (begin := int(places["start"]) * unit):
        facts |= alignment_facts(begin, physical, None, 0) if physical else {"start": begin}
    return facts


def _size(text: str, logical: int | None) -> int | None:
    """Bytes of a disk's size; as coarse as it is printed."""
    if text.endswith("s"):
        return int(text[:-1]) * logical if logical and text[:-1].isdecimal() else None
    return round(units.printed(text.replace(",", "."))[0]) if text else None
