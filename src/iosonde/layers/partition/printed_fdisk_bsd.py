r"""`fdisk` of OpenBSD: the table in a disk's MBR, in sectors.

It does not say how large a sector is, so sizes stay in sectors. Entries of type 00 are none.

Source: OpenBSD 7, sbin/fdisk/disk.c, DISK_printgeometry() ("Disk: %s\\tgeometry: %d/%d/%d [%s
Sectors]"), sbin/fdisk/mbr.c, MBR_print() ("Offset: %llu\\tSignature: 0x%X"), sbin/fdisk/part.c,
PRT_print() ("%c%1zu: %.2X %6u %3u %3u - %6u %3u %3u [%12llu:%12llu ] %s", "unused").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_DISK = re.compile(
    r"\s*Disk: (?P<disk>[a-z]{2,5}\d{1,3})\s+geometry: (?P<cylinders>\d{1,9})/(?P<heads>\d{1,5})/"
    r"(?P<track>\d{1,5}) \[(?P<sectors>\d{1,18}) Sectors\]\s*$"
)
_SIGNATURE = re.compile(r"\s*Offset: \d{1,18}\s+Signature: (?P<signature>0x[\dA-Fa-f]{1,4})\s*$")
_HEAD = re.compile(r"\s*(?:Starting\s+Ending\s+LBA Info:|#: id\s|-{20,120}\s*$)")
_ROW = re.compile(
    r"\s*(?P<active>\*)?(?P<number>\d): (?P<id>[\dA-F]{2})(?:\s+\d{1,9}){3} -(?:\s+\d{1,9}){3}"
    r" \[\s*(?P<start>\d{1,18}):\s*(?P<size>\d{1,18}) \](?: (?P<type>\S.{0,60}?))?\s*$"
)
_MOST = 40


class OpenbsdFdisk(StateOutput):
    tool = "fdisk"
    anchors = (" Sectors]", "geometry: ")
    commands = ("fdisk",)
    reach = 3
    nothing = "it names no disk"
    beginning = _DISK

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = " ".join(cursor.block(cursor.at + 1, 3))
        return cursor.at if _DISK.match(cursor.line(cursor.at)) and "Signature: " in below else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disk = self.first_line(cursor, first)
        rows, last, signature = list[re.Match[str]](), first, ""
        for index, line in close_lines(cursor, first + 1, _MOST):
            if row := _ROW.match(line):
                rows.append(row)
            elif match := _SIGNATURE.match(line):
                signature = match["signature"]
            elif prompt_in(line) or not _HEAD.match(line):
                break
            last = index
        return last, list(_subjects(disk, signature, rows, prompt.host))


def _subjects(
    disk: re.Match[str], signature: str, rows: list[re.Match[str]], host: str
) -> Iterator[PrintedSubject]:
    """The disk, and the entries that are used."""
    values: dict[str, Scalar] = {
        "sectors": int(disk["sectors"]), "cylinders": int(disk["cylinders"]),
        "heads": int(disk["heads"]), "sectors_per_track": int(disk["track"]),
    }  # fmt: skip
    if signature.lower() == "0xaa55":
        values["partition_table"] = "dos"
    if signature:
        values["signature"] = signature
    yield PrintedSubject("disk", disk["disk"], values, host)
    for row in rows:
        if row["id"] == "00":
            continue
        own: dict[str, Scalar] = {
            "disk": disk["disk"], "type_code": row["id"].lower(), "type": row["type"] or "",
            "first_sector": int(row["start"]), "sectors": int(row["size"]),
        }  # fmt: skip
        if row["active"]:
            own["boot"] = True
        yield PrintedSubject("partition", f"{disk['disk']} {row['number']}", own, host)
