"""Partition tables: `fdisk -l`, `sfdisk -l`, `parted … print` and `sgdisk -p`.

Where partitions begin is read only where the tool prints it in sectors or bytes: parted's usual
"1049kB" is rounded.

Source:
    util-linux 2.38, disk-utils/fdisk-list.c and libfdisk/src/table.c; older fdisk, disk-utils/
    fdisk.c of 2.20; sfdisk of 2.23, fdisk/sfdisk.c (out_partitions); parted 3.5, parted/parted.c
    (print_disk_info); gdisk 1.0.9, gpt.cc (DisplayGPTData), gptpart.cc (ShowSummary).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.layers._grid import alignment_facts, believed_stripe
from iosonde.layers.partition import fdisk_languages, table_facts
from iosonde.layers.partition.fdisk_languages import ANCHORS
from iosonde.layers.partition.printed_dialogue import WELCOME
from iosonde.records.printed import OutputReading, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, joined, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_DISK = re.compile(
    r"\s*(?:[^\W\d_][\w-]{1,15}\s+\"?(?P<device>/dev/[\w/.!-]+)\"?|Disk (?P<image>[\w./-]+\.img))"
    r"\s?[:：]\s*(?P<size>\d[\d.,]*)(?: ?(?P<unit>[kKMGTP]?i?B|s)\b)?"
)
_WELCOME_REACH = 12  # lines above the disk's
_CYLINDERS = re.compile(r"Units = cylinders|\d [*×·] 512 = (?!512 )\d{5,}")
_COUNTED_CYLINDERS = re.compile(r"Units: cylinders|[^\W\d_][:：] ?[^=]{1,40}\d [*×·] 512 = ")
"""Since 2.23, where a row counts the cylinders; before it counted blocks of 1 KiB."""
_UNITS = re.compile(r"\d [*×·] \d+ = \d+")
_COUNT = re.compile(r": (\d{4,18}) sectors, ")
_LABEL = re.compile(
    r"(?:Disklabel type|Partition Table): (\w+)"
    r"|[:：] ?(gpt|dos|msdos|sun|sgi|mac|bsd|loop|amiga|atari|dvh|pc98|aix)(?=\s|$)"
)
FREE = re.compile(
    r"\s*+(?P<start>[\d.,]{1,20}\w{0,3})\s++(?P<end>[\d.,]{1,20}\w{0,3})\s++"
    r"(?P<size>[\d.,]{1,20}\w{0,3})\s++"
    r"Free Space\s*+$"
)
_FDISK = re.compile(
    r"\s*(?P<name>(?:/dev/)?[\w/.!-]*\d)\s+(?P<boot>\*\s+)?(?P<start>\d+)\s+(?P<end>\d+)\s+"
    r"(?P<sectors>\d+)[+-]?\s+(?:(?P<human>[\d.,]+[BKMGTPE])\s+)?(?P<type>\S.*)$"
)
_CHS = re.compile(r"\s+\d{1,6}/\d{1,6}/\d{1,6}\s+\d{1,6}/\d{1,6}/\d{1,6}(?:\s+\S+)?$")
_DETAILS = re.compile(
    r"(?P<guid>[\dA-F]{8}-[\dA-F-]{27})\s+(?P<uuid>[\dA-F]{8}-[\dA-F-]{27})(?:\s+(?P<label>\S.*))?$"
)
"""What `fdisk -x` prints of a partition of GPT in place of the name of its type."""
_OLD_SFDISK = re.compile(
    r"\s*/dev/(?P<name>[\w/.!-]*\d)\s+(?P<boot>\*\s+)?(?P<start>\d+)[+-]?\s+(?P<end>\d+|-)[+-]?\s+"
    r"(?P<count>\d+)[+-]?\s+(?:(?P<blocks>\d+)[+-]?\s+)?(?P<type>[\da-f]{1,2}\s+\S.*)$"
)
_OLD_UNITS = re.compile(r"Units(?::| =) \S.{0,50}, counting from 0")
"""sfdisk before 2.26."""
_OLD_WARNING = re.compile(
    r"\s*+(?:s?fdisk: )?(?:DOS and Linux will interpret|for C/H/S=\*/|For this listing I'll assume|"
    r"(?:start|end): \(c,h,s\) expected|partition ends on cylinder|Warning: )"
)
"""What it says above its rows and between them."""
NUMBERED = re.compile(
    r"\s*(?P<number>\d{1,3})\s+(?P<start>[\d.,]+)(?P<unit>s|B|[kMGT]i?B)?\s+"
    r"(?P<end>[\d.,]+)(?P<end_unit>s|B|[kMGT]i?B)?\s+(?P<size>[\d.,]+ ?\w*)"
    r"(?:\s+(?P<rest>\S.*?))?\s*$"
)
_HEAD = re.compile(
    r"\s*(?:Disk|Units|Sector size|I/O size|Disklabel|Disk identifier|Device\s|Number\s|Partition|"
    r"Main partition|First usable|Total free|Logical sector|Model|Warning|\d+ heads|Disk model"
    r"|cylinders Units = |0x[\da-f]{8}\s*$)"
)
_ERROR = re.compile(r"\s*(?:Error: \S|Warning: Unable to open /)")
"""What parted says between two disks, of the second."""
_GUID = re.compile(r"Disk identifier \(GUID\): ([\dA-F]{8}-[\dA-F-]{27})(?![\dA-F-])")
_IDENTIFIER = re.compile(r"Disk identifier: (0x[\da-f]{8})(?!\w)")
"""Where somebody filled the lines above the table up to their margin."""
_CYLINDER_SIZE = re.compile(r"cylinders of \d{1,6} \\?[*×·] 512 = (\d{4,10}) bytes")
_LOGICAL = re.compile(r"\s*Logical sector size: (\d{3,5}) bytes")
"""Of gdisk before 1.0.4."""
_LABELLED = re.compile(r"\s*[^\W\d_][^:：=]{0,60}[:：=]")
"""A line above the table in whatever language the tool speaks."""


class PartitionTable(StateOutput):
    tool = "partitions"
    anchors = (
        "Sector size (logical",
        "Disk /dev/",
        "Disklabel type:",
        "Partition Table:",
        *ANCHORS,
    )
    commands = ("fdisk", "sfdisk", "parted", "sgdisk", "gdisk")
    nothing = "neither its disk nor a partition is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 6, -1), -1):
            if _DISK.match(cursor.line(index)):
                return index if _is_table(cursor, index) else None
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """The model stands above the disk in what parted prints."""
        reading = super().read(cursor, first)
        own = first - 1 if fdisk_languages.model(cursor.line(first - 1)) else first
        return replace(reading, first=min(reading.first, own))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, begun = first, False
        for index, line in close_lines(cursor, first + 1, 400, gap=3):
            is_row = _FDISK.match(line) or NUMBERED.match(line) or _OLD_SFDISK.match(line)
            begun = begun or bool(is_row)
            own = (
                is_row
                or FREE.match(line)
                or fdisk_languages.lacks_table(line)
                or _HEAD.match(line)
                or _OLD_WARNING.match(line)
                or (not begun and _is_head(cursor, index))
            )
            if prompt_in(line) or _DISK.match(line) or not own or _is_of_next(cursor, index):
                break
            last = index
        head = _DISK.match(cursor.line(first))
        if head is None:
            raise Unreadable("the line of its disk is cut off", last)
        facts = _facts_of_disk(cursor, (first, last), head)
        device = (head["device"] or head["image"]).removeprefix("/dev/")
        for index in range(first - 1, max(first - _WELCOME_REACH, 0) - 1, -1):
            if prompt_in(cursor.line(index)) or _DISK.match(cursor.line(index)):
                break
            if welcome := WELCOME.match(cursor.line(index)):
                facts |= welcome.groupdict()
        return last, [
            PrintedSubject("disk", device, facts, prompt.host),
            *(
                PrintedSubject("partition", name, own, prompt.host)
                for name, own in _partitions(cursor, (first, last), device, facts)
            ),
        ]


def _facts_of_disk(
    cursor: TextCursor, span: tuple[int, int], head: re.Match[str]
) -> dict[str, Scalar]:
    """What the lines above a table say of its disk."""
    first, last = span
    text = flow(cursor, first, last)
    logical, physical = fdisk_languages.sector_sizes(text)
    if logical is None and (of_gdisk := _LOGICAL.search(text)):
        logical = int(of_gdisk[1])
    label, free = _LABEL.search(text), list(_free_areas(cursor, span))
    models = (fdisk_languages.model(cursor.line(index)) for index in range(first - 1, last + 1))
    disk: dict[str, Scalar] = {
        "size": _size(head, cursor.line(first), logical),
        "partition_table": label[1] or label[2] if label else None,
        "logical_block_size": logical, "physical_block_size": physical,
        **fdisk_languages.io_sizes(text),
        "alignment_offset": fdisk_languages.alignment_offset(text) or None,
        "model": next(filter(None, models), None),
        "disk_identifier": fdisk_languages.identifier(joined(cursor, first, last)),
        "free_areas": len(free) or None,
        "free_places": ", ".join(free) or None,
    }  # fmt: skip
    if head["unit"] == "s" and head["size"].isdecimal():
        disk["sectors"] = int(head["size"])
    disk |= fdisk_languages.geometry(text) | table_facts.of_table(joined(cursor, *span), text)
    if identifier := _GUID.search(text) or (
        None if disk["disk_identifier"] else _IDENTIFIER.search(text)
    ):
        disk["disk_identifier"] = identifier[1]
    if unit := _CYLINDER_SIZE.search(text):
        disk["cylinder_size"] = int(unit[1])
    for line in cursor.block(first, last - first + 1):
        lacking = fdisk_languages.lacks_table(line)
        if lacking and head["device"] == f"/dev/{lacking[0]}":
            disk |= {"partition_table": "none", "message": lacking[1]}
    return {name: value for name, value in disk.items() if value is not None}


def _free_areas(cursor: TextCursor, span: tuple[int, int]) -> Iterator[str]:
    """Where parted's `print free` lists free space, in its own units, and how much there."""
    for line in cursor.block(span[0], span[1] - span[0] + 1):
        if match := FREE.match(line):
            yield f"{match['start']} to {match['end']} ({match['size']})"


def _is_table(cursor: TextCursor, first: int) -> bool:
    """Whether the lines below the disk's are of a table, or it stands alone and says its bytes.

    Rows without the size of a sector are left to `PartitionRows`.
    """
    below = [cursor.line(first + step) for step in range(1, 6)]
    exact = fdisk_languages.size_in_bytes(cursor.line(first))
    if exact and not any(map(_FDISK.match, below)):
        return True
    return any(
        fdisk_languages.is_sector_size(line)
        or _LOGICAL.match(line)
        or _UNITS.search(line)
        or line.lstrip().startswith("Units")
        for line in below
    )


def _is_of_next(cursor: TextCursor, index: int) -> bool:
    """Whether a line is what parted says of the next disk, above the line with its name."""
    following = cursor.line(index + 1)
    is_model = fdisk_languages.model(cursor.line(index)) and _DISK.match(following)
    return bool(is_model or _ERROR.match(cursor.line(index)))


def _is_head(cursor: TextCursor, index: int) -> bool:
    """Whether a line may be one of those above the partitions, or the names of their columns."""
    below = next((line for line in cursor.block(index + 1, 3) if line), "")
    return bool(
        _LABELLED.match(cursor.line(index))
        or fdisk_languages.geometry(cursor.line(index))
        or _FDISK.match(below)
        or NUMBERED.match(below)
        or _OLD_SFDISK.match(below)
    )


def _size(head: re.Match[str], line: str, logical: int | None) -> int | None:
    """Bytes of a disk: as said, by its sectors, or as coarsely as parted says it."""
    if exact := fdisk_languages.size_in_bytes(line):
        return exact
    if (count := _COUNT.search(line)) and logical:
        return int(count[1]) * logical
    if head["unit"] == "s":
        return int(head["size"]) * logical if logical and head["size"].isdecimal() else None
    if not head["unit"] or head["unit"] == "B":
        return int(head["size"]) if head["unit"] and head["size"].isdecimal() else None
    return round(units.printed(head["size"].replace(",", ".") + head["unit"])[0])


def numbered(row: re.Match[str], unit: int | None) -> dict[str, Scalar]:
    """What a row of parted or sgdisk says; exact if places are in sectors or bytes.

    Places that parted rounds ("1049kB") stand as printed.
    """
    values: dict[str, Scalar] = {}
    if unit and row["start"].isdecimal() and row["end"].isdecimal():
        values["size"] = (int(row["end"]) - int(row["start"]) + 1) * unit
        values["last_byte" if row["unit"] == "B" else "last_sector"] = int(row["end"])
    elif re.fullmatch(r"[\d.,]+ ?[kKMGTP]?i?B", row["size"]):
        values["size"] = round(units.printed(row["size"].replace(",", ".").replace(" ", ""))[0])
    if row["unit"] and row["unit"] not in {"s", "B"}:
        values["start_printed"] = f"{row['start']}{row['unit']}"
        values["end_printed"] = f"{row['end']}{row['end_unit'] or ''}"
    if row["rest"]:
        values["type"] = " ".join(row["rest"].split())
    return values


def _partitions(
    cursor: TextCursor, span: tuple[int, int], device: str, disk: Mapping[str, Scalar]
) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Name and facts of each partition. `disk` is what is said of the disk."""
    above = [cursor.line(index) for index in range(span[0], span[0] + 8)]
    unit = _Unit(
        next((line for line in above if _CYLINDERS.search(line) or _OLD_UNITS.search(line)), ""),
        _bytes_in(disk, "logical_block_size"),
    )
    physical = _bytes_in(disk, "physical_block_size")
    stripe = None
    if physical and (best := _bytes_in(disk, "io_opt")):
        stripe = believed_stripe(physical, _bytes_in(disk, "io_min") or 0, best)
    offset = _bytes_in(disk, "alignment_offset") or 0
    columns: Mapping[str, tuple[int, int]] = {}
    for index in range(span[0], span[1] + 1):
        line = cursor.line(index)
        columns = table_facts.columns_of(line) or columns
        own: dict[str, Scalar] = {"below": device}
        begin = 0
        if row := _OLD_SFDISK.match(line) if unit.is_old_sfdisk else None:
            if row["end"] == "-":
                continue
            name = row["name"]
            begin = unit.of_old_sfdisk(row, own)
        elif row := _FDISK.match(line):
            name = row["name"].removeprefix("/dev/")
            begin = unit.of_fdisk(row, own)
        elif row := NUMBERED.match(line):
            between = "p" if device[-1:].isdigit() else ""
            name = f"{device}{between}{row['number']}"
            size = {"s": unit.logical, "B": 1, None: unit.logical}.get(row["unit"])
            begin = int(row["start"]) * (size or 0) if row["start"].isdecimal() else 0
            cells = table_facts.cells_of(line, columns) or table_facts.cells_of_row(
                row["rest"] or "", columns
            )
            own |= numbered(row, size)
            if cells:  # what stands behind the size, in its columns
                own.pop("type", None)
            own |= cells
        else:
            continue
        if not name.startswith(device):  # of another disk: what stood between was lost
            own.pop("below")
        if begin:
            own |= (
                alignment_facts(begin, physical, stripe, offset) if physical else {"start": begin}
            )
        yield name, own


def _bytes_in(values: Mapping[str, Scalar], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) else None


class _Unit:
    """In what a table of fdisk or sfdisk counts.

    Args:
        line: that names the unit, where it is no sector or the table is of an old sfdisk.
        logical: bytes of the disk's sector; None where it is not said.
    """

    def __init__(self, line: str, logical: int | None) -> None:
        self.in_cylinders = bool(_CYLINDERS.search(line))
        self.counts_cylinders = self.in_cylinders and bool(_COUNTED_CYLINDERS.search(line))
        self.is_old_sfdisk = bool(_OLD_UNITS.search(line))
        self.in_old_cylinders = self.is_old_sfdisk and " cylinders of " in line
        self.in_sectors = "sectors of 512 bytes" in line
        self.in_blocks = "blocks of 1024 bytes, counting" in line and ", blocks" not in line
        self.logical = logical

    def of_fdisk(self, row: re.Match[str], own: dict[str, Scalar]) -> int:
        """Takes a row of fdisk; where the partition begins in bytes, 0 where that is not said."""
        start, count = int(row["start"]), int(row["sectors"])
        own |= _type_of(row["type"].strip())
        if row["boot"]:
            own["boot"] = True
        if self.in_cylinders:
            own |= {"first_cylinder": start, "last_cylinder": int(row["end"])}
        if self.counts_cylinders:
            own["cylinders"] = count
            if human := row["human"]:
                text = human.replace(",", ".").removesuffix("B")
                own["size"] = round(
                    units.printed(f"{text}{'B' if text[-1:].isdigit() else 'iB'}")[0]
                )
        elif self.in_cylinders:
            own |= {"blocks": count, "size": count * units.KIB}  # whatever the unit of the others
        elif self.logical:
            end = int(row["end"])
            own |= {"size": (end - start + 1) * self.logical, "last_sector": end}
            return start * self.logical
        return 0

    def of_old_sfdisk(self, row: re.Match[str], own: dict[str, Scalar]) -> int:
        """As `of_fdisk`, of sfdisk before 2.26, which rounds all but sectors and blocks."""
        own["type"] = " ".join(row["type"].split())
        if row["boot"]:
            own["boot"] = True
        if row["blocks"]:
            own |= {"blocks": int(row["blocks"]), "size": int(row["blocks"]) * units.KIB}
        elif self.in_blocks:
            own |= {"blocks": int(row["count"]), "size": int(row["count"]) * units.KIB}
        elif self.in_sectors:
            own |= {"size": int(row["count"]) * units.SECTOR, "last_sector": int(row["end"])}
            return int(row["start"]) * units.SECTOR
        if self.in_old_cylinders:
            own |= {"first_cylinder": int(row["start"]), "last_cylinder": int(row["end"])}
        return 0


def _type_of(text: str) -> dict[str, Scalar]:
    """The type at the end of a row, with what `fdisk -x` says of a partition beside it."""
    if details := _DETAILS.match(text):
        facts: dict[str, Scalar] = {"type": details["guid"], "partuuid": details["uuid"]}
        return facts | ({"label": details["label"]} if details["label"] else {})
    return {"type": " ".join(_CHS.sub("", text).split())}
