"""`mdadm --examine` of a disk that holds a partition table and no member of an array.

Source: mdadm 4.4, super-mbr.c and super-gpt.c, examine_mbr() and examine_gpt(). The latter prints
the first sector of a partition where it says "sectors", and its length where it says "at"; UEFI
2.10, 5.2.3 (type EE: protective, the table itself is a GPT).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_DEVICE = re.compile(r"\s*(?P<device>/dev/[\w/.-]{1,60}):\s*$")
_MAGIC = re.compile(
    r"\s*(?:(?P<device>/dev/[\w/.-]{1,60}):\s+)?(?P<table>MBR|GPT) Magic : "
    r"(?P<magic>[\da-f]{1,16})\s*$"
)
_REVISION = re.compile(r"\s*GPT Revision : \d{1,10}\s*$")
_PARTITION = re.compile(
    r"\s*Partition\[(?P<number>\d{1,3})\] :\s{1,12}(?P<size>\d{1,20}) sectors at\s{1,12}"
    r"(?P<start>\d{1,20})(?: \(type (?P<type>[\da-f]{2})\))?\s*$"
)
_PROTECTIVE = "ee"


class MdadmPartitions(StateOutput):
    tool = "mdadm"
    anchors = ("MBR Magic :", "GPT Magic :")
    commands = ("mdadm",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _MAGIC.match(cursor.line(cursor.at)):
            return None
        above = before(cursor, cursor.at)
        return above if _DEVICE.match(cursor.line(above)) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _DEVICE.match(cursor.line(first))
        last, swapped = first, False
        device = head["device"] if head else ""
        values: dict[str, Scalar] = {}
        for index, line in close_lines(cursor, first + bool(head)):
            if magic := _MAGIC.match(line):
                if values:
                    break
                device = device or magic["device"] or ""
                swapped = magic["table"] == "GPT"
                values |= {"partition_table": "gpt" if swapped else "dos", "magic": magic["magic"]}
            elif row := _PARTITION.match(line):
                values |= _partition(row, swapped=swapped)
            elif not _REVISION.match(line):
                break
            last = index
        return last, [PrintedSubject("disk", device.removeprefix("/dev/"), values, prompt.host)]


def _partition(row: re.Match[str], *, swapped: bool) -> dict[str, Scalar]:
    """Where a partition lies, in bytes from the disk's begin, and of what type it is."""
    prefix = f"partition_{row['number']}"
    size, start = (row["start"], row["size"]) if swapped else (row["size"], row["start"])
    values: dict[str, Scalar] = {
        f"{prefix}_size": int(size) * units.SECTOR, f"{prefix}_start": int(start) * units.SECTOR,
    }  # fmt: skip
    if row["type"]:
        values[f"{prefix}_type"] = row["type"]
        if row["type"] == _PROTECTIVE:
            values["partition_table"] = "gpt"
    return values
