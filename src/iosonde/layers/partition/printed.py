"""Partition tables: `fdisk -l`, `parted … print` and `sgdisk -p`.

Where partitions begin is read only where the tool prints it in sectors or bytes: parted's usual
"1049kB" is rounded.

Source:
    util-linux 2.38, disk-utils/fdisk-list.c and libfdisk/src/table.c; older fdisk, disk-utils/
    fdisk.c of 2.20; parted 3.5, parted/parted.c (print_disk_info); gdisk 1.0.9, gpt.cc
    (DisplayGPTData), gptpart.cc (ShowSummary).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.layers._grid import alignment_facts
from iosonde.records.printed import OutputReading, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, joined, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_DISK = re.compile(
    r"\s*(?:[^\W\d_][\w-]{1,15}\s+(?P<device>/dev/[\w/.!-]+)|Disk (?P<image>[\w./-]+\.img))"
    r"\s?[:：]\s*(?P<size>\d[\d.,]*)(?: ?(?P<unit>[kKMGTP]?i?B|s)\b)?"
)
_SECTORS = re.compile(
    r"\([^()/:：\d]{2,30}(?P<both>/[^()/:：\d]{2,30})?\)\s?[:：]\s*"
    r"(?P<logical>512|520|528|1024|2048|4096|4160|8192)(?![\d-])(?: ?[^\W\d_]{1,12})?"
    r"(?: ?/ ?(?P<physical>512|520|528|1024|2048|4096|4160|8192|16384|32768)(?!\d))?"
)
"""The logical and the physical sector in any language: "Sektorgröße (logisch/physisch): 512B/…"."""
_CYLINDERS = re.compile(r"Units = cylinders|\d \* 512 = (?!512 )\d{5,}")
_UNITS = re.compile(r"\d \* \d+ = \d+")
_BYTES = re.compile(r"[,，] ?(\d{4,18}) ?[^\W\d_]+(?=[,，\s]|$)")
_COUNT = re.compile(r": (\d{4,18}) sectors, ")
_MODEL = re.compile(
    r"\s*(?:Disk model|Festplattenmodell|Modèle de disque|Modelo de(?:l)? disco|Modello disco"
    r"|Модель диска|磁盘型号|ディスク型式|Model|Modell|Modelo|Modèle|Модель|型号|モデル)"
    r"\s?[:：]\s*(\S.*?)\s*$"
)
_IDENTIFIER = re.compile(
    r"^\s*(?:Disk identifier|Festplattenbezeichner|Identifiant de disque|Идентификатор диска"
    r"|Identificador d[eo] disco|磁盘标识符|ディスク識別子)\s?[:：]\s?"
    r"(0x[\da-f]{8}|[\dA-Fa-f-]{36})",
    re.MULTILINE,
)
_GEOMETRY = re.compile(r"(?<!\S)(\d{1,6}) heads, (\d{1,6}) sectors/track, (\d{1,9}) cylinders")
_LABEL = re.compile(
    r"(?:Disklabel type|Partition Table): (\w+)"
    r"|[:：] ?(gpt|dos|msdos|sun|sgi|mac|bsd|loop|amiga|atari|dvh|pc98|aix)(?=\s|$)"
)
_FREE = re.compile(r"\s*+(?:[\d.,]++\w*+\s++){3}Free Space\s*+$")
_FDISK = re.compile(
    r"\s*(?P<name>(?:/dev/)?[\w/.!-]*\d)\s+(?P<boot>\*\s+)?(?P<start>\d+)\s+(?P<end>\d+)\s+"
    r"(?P<sectors>\d+)[+-]?\s+(?:[\d.,]+[KMGTP]?\s+)?(?P<type>\S.*)$"
)
_NUMBERED = re.compile(
    r"\s*(?P<number>\d{1,3})\s+(?P<start>[\d.,]+)(?P<unit>s|B|[kMGT]i?B)?\s+"
    r"(?P<end>[\d.,]+)(?:s|B|[kMGT]i?B)?\s+(?P<size>[\d.,]+ ?\w*)(?:\s+(?P<rest>\S.*?))?\s*$"
)
_HEAD = re.compile(
    r"\s*(?:Disk|Units|Sector size|I/O size|Disklabel|Disk identifier|Device\s|Number\s|Partition|"
    r"Main partition|First usable|Total free|Logical sector|Model|Warning|\d+ heads|Disk model)"
)
_LABELLED = re.compile(r"\s*[^\W\d_][^:：=]{0,60}[:：=]")
"""A line above the table in whatever language the tool speaks."""


class PartitionTable(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "partitions"
    anchors: ClassVar[tuple[str, ...]] = (
        "Sector size (logical", "Disk /dev/", "Disklabel type:", "Partition Table:",
        "Festplatte /dev/", "Festplatte  /dev/", "Platte /dev/", "Disque /dev/", "Disco /dev/",
        "Диск /dev/", "磁盘 /dev/", "磁碟 /dev/", "ディスク /dev/", "디스크 /dev/", "Dysk /dev/",
        "Schijf /dev/", "Lemez /dev/", "Levy /dev/",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("fdisk", "parted", "sgdisk", "gdisk")
    nothing: ClassVar[str] = "neither its disk nor a partition is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 6, -1), -1):
            if _DISK.match(cursor.line(index) or ""):
                return index if _is_table(cursor, index) else None
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """See `Output.read`. The model stands above the disk in what parted prints."""
        reading = super().read(cursor, first)
        own = first - 1 if _MODEL.match(cursor.line(first - 1) or "") else first
        return replace(reading, first=min(reading.first, own))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, begun = first, False
        for index, line in lines(cursor, first + 1, 400):
            if not line:
                if index > last + 3:
                    break
                continue
            is_row = _FDISK.match(line) or _NUMBERED.match(line)
            begun = begun or bool(is_row)
            own = (
                is_row
                or _FREE.match(line)
                or _HEAD.match(line)
                or (not begun and _is_head(cursor, index))
            )
            if prompt_in(line) or _DISK.match(line) or not own:
                break
            last = index
        head = _DISK.match(cursor.line(first) or "")
        if head is None:
            raise Unreadable("the line of its disk is cut off", last)
        text = flow(cursor, first, last)
        sizes = _SECTORS.search(text)
        logical = int(sizes["logical"]) if sizes else None
        physical = int(sizes["physical"]) if sizes and sizes["physical"] else None
        label = _LABEL.search(text)
        disk: dict[str, Scalar] = {
            "size": _size(head, cursor.line(first) or "", logical),
            "partition_table": label[1] or label[2] if label else None,
            "logical_block_size": logical, "physical_block_size": physical,
        }  # fmt: skip
        models = (_MODEL.match(cursor.line(index) or "") for index in range(first - 1, last + 1))
        disk["model"] = next((model[1] for model in models if model), None)
        if identifier := _IDENTIFIER.search(joined(cursor, first, last)):
            disk["disk_identifier"] = identifier[1]
        if head["unit"] == "s" and head["size"].isdecimal():
            disk["sectors"] = int(head["size"])
        if geometry := _GEOMETRY.search(text):
            names = ("heads", "sectors_per_track", "cylinders")
            disk |= dict(zip(names, map(int, geometry.groups()), strict=True))
        device = (head["device"] or head["image"]).removeprefix("/dev/")
        facts = {name: value for name, value in disk.items() if value is not None}
        return last, [
            PrintedSubject("disk", device, facts, prompt.host),
            *(
                PrintedSubject("partition", name, own, prompt.host)
                for name, own in _partitions(cursor, (first, last), device, (logical, physical))
            ),
        ]


def _is_table(cursor: TextCursor, first: int) -> bool:
    """Whether the lines below the disk's are of a table, or it stands alone and says its bytes.

    Rows without the size of a sector are left to `PartitionRows`.
    """
    below = [cursor.line(first + step) or "" for step in range(1, 6)]
    if _BYTES.search(cursor.line(first) or "") and not any(map(_FDISK.match, below)):
        return True
    return any(
        _SECTORS.search(line) or _UNITS.search(line) or line.startswith("Units") for line in below
    )


def _is_head(cursor: TextCursor, index: int) -> bool:
    """Whether a line may be one of those above the partitions, or the names of their columns."""
    below = cursor.line(index + 1) or ""
    return bool(
        _LABELLED.match(cursor.line(index) or "") or _FDISK.match(below) or _NUMBERED.match(below)
    )


def _size(head: re.Match[str], line: str, logical: int | None) -> int | None:
    """Bytes of a disk: as said, by its sectors, or as coarsely as parted says it."""
    if exact := _BYTES.search(line):
        return int(exact[1])
    if (count := _COUNT.search(line)) and logical:
        return int(count[1]) * logical
    if head["unit"] == "s":
        return int(head["size"]) * logical if logical and head["size"].isdecimal() else None
    if not head["unit"] or head["unit"] == "B":
        return int(head["size"]) if head["unit"] and head["size"].isdecimal() else None
    return round(units.printed(head["size"].replace(",", ".") + head["unit"])[0])


def _numbered(row: re.Match[str], unit: int | None) -> dict[str, Scalar]:
    """Size and the rest of a row of parted or sgdisk; exact if places are in sectors or bytes."""
    values: dict[str, Scalar] = {}
    if unit and row["start"].isdecimal() and row["end"].isdecimal():
        values["size"] = (int(row["end"]) - int(row["start"]) + 1) * unit
    elif re.fullmatch(r"[\d.,]+ ?[kKMGTP]?i?B", row["size"]):
        values["size"] = round(units.printed(row["size"].replace(",", ".").replace(" ", ""))[0])
    if row["rest"]:
        values["type"] = " ".join(row["rest"].split())
    return values


def _partitions(
    cursor: TextCursor, span: tuple[int, int], device: str, sizes: tuple[int | None, int | None]
) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Name and facts of each partition. `sizes` are the logical and physical blocks of the disk."""
    logical, physical = sizes
    above = (cursor.line(index) or "" for index in range(span[0], span[0] + 5))
    in_cylinders = any(_CYLINDERS.search(line) for line in above)
    for index in range(span[0], span[1] + 1):
        line = cursor.line(index) or ""
        own: dict[str, Scalar] = {"below": device}
        if row := _FDISK.match(line):
            name, start = row["name"].removeprefix("/dev/"), int(row["start"])
            unit = None if in_cylinders else logical
            own |= {"type": row["type"].strip()}
            if unit:
                own["size"] = (int(row["end"]) - start + 1) * unit
            elif in_cylinders or logical:
                own["blocks"] = int(row["sectors"])  # of 1 KiB, whatever the unit of the others
                own["size"] = int(row["sectors"]) * units.KIB
        elif row := _NUMBERED.match(line):
            between = "p" if device[-1:].isdigit() else ""
            name = f"{device}{between}{row['number']}"
            unit = {"s": logical, "B": 1, None: logical}.get(row["unit"])
            start = int(row["start"]) if row["start"].isdecimal() else 0
            own |= _numbered(row, unit)
        else:
            continue
        if unit and start:
            begin = start * unit
            own |= alignment_facts(begin, physical, None) if physical else {"start": begin}
        yield name, own
