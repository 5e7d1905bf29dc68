"""Rows of partitions that stand without the lines about their disk.

Source:
    util-linux 2.38, disk-utils/fdisk-list.c: device, boot, start, end, sectors, size, type; a DOS
    table has the type's number before its name. 2.20, fdisk/fdisk.c, list_table(): blocks of 1 KiB
    with "+" behind an odd sector. parted 3.5, parted/parted.c (do_print()); gdisk
    1.0.9, gpt.cc (DisplayGPTData()), whose places are sectors.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers.partition import table_facts
from iosonde.layers.partition.printed import FREE, NUMBERED, numbered
from iosonde.layers.partition.printed_parted import device_above
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, close_rows, start_of_own

_ROW = re.compile(
    r"\s*/dev/(?P<name>[\w/.-]{1,60}\d)\s+(?P<boot>\*\s+)?(?P<start>\d{1,15})\s+"
    r"(?P<end>\d{1,15})\s+(?P<sectors>\d{1,15})(?P<odd>[+-])?\s+"
    r"(?:(?P<size>\d{1,6}(?:[.,]\d)?[KMGTP])\s+)?(?P<type>\w.{1,60})$"
)
_TRACK = 63
_CYLINDER = 255 * _TRACK
"""Sectors of a cylinder in the geometry that fdisk of 2.20 assumes: of disks with 255 heads."""
_BLOCKS = re.compile(r"\d{1,15}[+-]?\s+[\da-f]{1,2}\s+[A-Z]")
"""What sfdisk before 2.26 has in place of a type: blocks stand beside its own unit."""
_ID = re.compile(r"(?P<id>[\da-f]{1,2})\s+(?P<type>[A-Z]\S.{0,60})")


class PartitionRows(StateOutput):
    tool = "fdisk"
    anchors = (
        " 83 Linux", "Linux filesystem", "Linux RAID", "fd Linux raid", "Linux LVM", "EFI System",
        "Linux swap", "BIOS boot", " 82 Linux", "  5 Extended", "  f W95", "W95 FAT32",
        "HPFS/NTFS", "Microsoft basic data", "83  Linux", "fd  Linux raid", "82  Linux",
    )  # fmt: skip
    commands = ("fdisk", "sfdisk")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _row, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _row, gap=2)
        return last, [
            PrintedSubject("partition", row["name"], _facts(row), prompt.host) for row in rows
        ]


class NumberedRows(StateOutput):
    """The table of parted or gdisk, under its columns' names."""

    tool = "partitions"
    anchors = ("Number  Start ",)
    commands = ("parted", "gdisk", "sgdisk")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not table_facts.columns_of(cursor.line(cursor.at)):
            return None
        below = [line for line in cursor.block(cursor.at + 1, 3) if line]
        return cursor.at if below and NUMBERED.match(below[0]) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns = table_facts.columns_of(cursor.line(first))
        device = device_above(cursor, first)
        between = "p" if device[-1:].isdigit() else ""
        partitions, last = list[PrintedSubject](), first
        for index, line in lines(cursor, first + 1, 400):
            row = NUMBERED.match(line)
            if row:
                cells = table_facts.cells_of(line, columns)
                facts = _numbered_facts(row) | cells
                if cells:  # what stands behind the size, in its columns
                    facts.pop("type", None)
                name, below = row["number"], {"below": device} if device else {}
                partitions.append(
                    PrintedSubject(
                        "partition", f"{device}{between}{name}", {**below, **facts}, prompt.host
                    )
                )
                last = index
            elif (line and not FREE.match(line)) or index > last + 2:
                break
            elif line:
                last = index
        return last, partitions


def _numbered_facts(row: re.Match[str]) -> dict[str, Scalar]:
    """What a row says; places in sectors as such, for nothing says how large one is."""
    if row["unit"] in {"s", None} and row["start"].isdecimal() and row["end"].isdecimal():
        first, last = int(row["start"]), int(row["end"])
        places = {"first_sector": first, "last_sector": last, "sectors": last - first + 1}
        return numbered(row, None) | places
    size = 1 if row["unit"] == "B" else None
    start: dict[str, Scalar] = {"start": int(row["start"])} if size else {}
    return numbered(row, size) | start


def _row(line: str) -> re.Match[str] | None:
    """The row in a line, where it is known in what it counts."""
    match = _ROW.match(line)
    if match is None or _BLOCKS.match(match["type"]):
        return None
    return match if _places(match) else None


def _places(row: re.Match[str]) -> dict[str, Scalar]:
    """Where a partition lies, by what its figures can only be; empty where they fit nothing.

    Since 2.23 sectors, whose size is not known; before it blocks of 1 KiB beside sectors of 512
    bytes, or beside cylinders of 255 heads and 63 sectors, of which the first is not whole.
    """
    first, last, count = int(row["start"]), int(row["end"]), int(row["sectors"])
    length = last - first + 1
    if length == count:
        return {"first_sector": first, "last_sector": last, "sectors": count}
    odd = row["odd"] == "+"  # half a block more
    blocks: dict[str, Scalar] = {"blocks": count, "size": (2 * count + odd) * units.SECTOR}
    if length == 2 * count + odd:
        return {"first_sector": first, "last_sector": last, **blocks}
    if 0 <= length * _CYLINDER - 2 * count <= _TRACK + 1 and length > 1:
        return {"first_cylinder": first, "last_cylinder": last, **blocks}
    return {}


def _facts(row: re.Match[str]) -> dict[str, Scalar]:
    """What a row says."""
    type_ = _ID.fullmatch(row["type"].strip())
    facts = _places(row) | {"type": type_["type"] if type_ else row["type"].strip()}
    if row["size"]:
        text = row["size"].replace(",", ".")
        facts["size"] = round(units.printed(f"{text}iB")[0])
    if type_:
        facts["type_id"] = type_["id"]
    if row["boot"]:
        facts["boot"] = True
    return facts
