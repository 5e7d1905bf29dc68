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
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.partition.facts import alignment_facts
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_DISK = re.compile(r"\s*Disk (?P<device>/dev/[\w/.!-]+|[\w./-]+\.img): (?P<size>\d\S*)")
_SECTORS = re.compile(
    r"Sector size \(logical(?P<both>/physical)?\): (?P<logical>\d+) ?(?:bytes|B)"
    r"(?: ?/ ?(?P<physical>\d+) ?(?:bytes|B))?"
)
_BYTES = re.compile(r", (\d+) bytes")
_MODEL = re.compile(r"\s*Disk model: +(\S.*?)\s*$")
_GEOMETRY = re.compile(r"(?<!\S)(\d{1,6}) heads, (\d{1,6}) sectors/track, (\d{1,9}) cylinders")
_LABEL = re.compile(r"(?:Disklabel type|Partition Table): (\w+)")
_FDISK = re.compile(
    r"\s*(?P<name>(?:/dev/)?[\w/.!-]*\d)\s+(?P<boot>\*\s+)?(?P<start>\d+)\s+(?P<end>\d+)\s+"
    r"(?P<sectors>\d+)[+-]?\s+(?:[\d.]+[KMGTP]?\s+)?(?P<type>\S.*)$"
)
_NUMBERED = re.compile(
    r"\s*(?P<number>\d{1,3})\s+(?P<start>[\d.]+)(?P<unit>s|B|[kMGT]i?B)?\s+"
    r"(?P<end>[\d.]+)(?:s|B|[kMGT]i?B)?\s+(?P<size>[\d.]+ ?\w*)"
)
_HEAD = re.compile(
    r"\s*(?:Disk|Units|Sector size|I/O size|Disklabel|Disk identifier|Device\s|Number\s|Partition|"
    r"Main partition|First usable|Total free|Logical sector|Model|Warning|\d+ heads|Disk model)"
)


class PartitionTable(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "partitions"
    anchors: ClassVar[tuple[str, ...]] = (
        "Sector size (logical", "Disk /dev/", "Disklabel type:", "Partition Table:",
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
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in lines(cursor, first + 1, 400):
            if not line:
                if index > last + 3:
                    break
                continue
            is_row = _FDISK.match(line) or _NUMBERED.match(line)
            if prompt_in(line) or _DISK.match(line) or not (is_row or _HEAD.match(line)):
                break
            last = index
        head = _DISK.match(cursor.line(first) or "")
        if head is None:
            raise Unreadable("the line of its disk is cut off", last)
        text = flow(cursor, first, last)
        sizes = _SECTORS.search(text)
        logical = int(sizes["logical"]) if sizes else None
        physical = int(sizes["physical"]) if sizes and sizes["physical"] else None
        label, size = _LABEL.search(text), _BYTES.search(text)
        disk: dict[str, Scalar] = {
            "size": int(size[1]) if size else None, "partition_table": label[1] if label else None,
            "logical_block_size": logical, "physical_block_size": physical,
        }  # fmt: skip
        models = (_MODEL.match(cursor.line(index) or "") for index in range(first, last + 1))
        disk["model"] = next((model[1] for model in models if model), None)
        if geometry := _GEOMETRY.search(text):
            names = ("heads", "sectors_per_track", "cylinders")
            disk |= dict(zip(names, map(int, geometry.groups()), strict=True))
        device = head["device"].removeprefix("/dev/")
        facts = {name: value for name, value in disk.items() if value is not None}
        return last, [
            PrintedSubject("disk", device, facts, prompt.host),
            *(
                PrintedSubject("partition", name, own, prompt.host)
                for name, own in _partitions(cursor, (first, last), device, (logical, physical))
            ),
        ]


def _is_table(cursor: TextCursor, first: int) -> bool:
    """Whether the lines below the disk's are those of a partition table."""
    below = [cursor.line(first + step) or "" for step in range(1, 6)]
    return any(_SECTORS.search(line) or line.startswith("Units") for line in below)


def _partitions(
    cursor: TextCursor, span: tuple[int, int], device: str, sizes: tuple[int | None, int | None]
) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Name and facts of each partition. `sizes` are the logical and physical blocks of the disk."""
    logical, physical = sizes
    for index in range(span[0], span[1] + 1):
        line = cursor.line(index) or ""
        own: dict[str, Scalar] = {"below": device}
        if row := _FDISK.match(line):
            name, start = row["name"].removeprefix("/dev/"), int(row["start"])
            unit = logical
            own |= {"type": row["type"].strip()}
            if logical:
                own["size"] = int(row["sectors"]) * logical
        elif row := _NUMBERED.match(line):
            between = "p" if device[-1:].isdigit() else ""
            name = f"{device}{between}{row['number']}"
            unit = {"s": logical, "B": 1, None: logical}.get(row["unit"])
            start = int(row["start"]) if row["start"].isdecimal() else 0
        else:
            continue
        if unit and start:
            begin = start * unit
            own |= alignment_facts(begin, physical, None) if physical else {"start": begin}
        yield name, own
