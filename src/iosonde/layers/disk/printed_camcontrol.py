"""`camcontrol devlist` of FreeBSD: the devices of each bus, with the drivers that took them.

Source: FreeBSD 14, sbin/camcontrol/camcontrol.c, getdevtree() and print_dev_scsi(), print_dev_ata()
("<%s %s>" of vendor, product and revision in brackets padded to 33 columns, "at scbus%d target %d
lun %jx", in brackets the peripherals; with -v the bus above them).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, top_of

_ROW = re.compile(
    r"\s*<(?P<model>[^<>]{0,80})>\s+at scbus(?P<bus>\d{1,4}) target (?P<target>\d{1,5}) "
    r"lun (?P<lun>[\da-f]{1,16}) "
    r"\((?P<drivers>(?:[a-z_]{1,16}\d{1,5})(?:,[a-z_]{1,16}\d{1,5}){0,7})\)"
    r"\s*$"
)
_BUS = re.compile(r"\s*scbus-?\d{1,4} on \w{1,40} bus -?\d{1,4}:?\s*$")
_DISK = re.compile(r"(?:da|ada|nda|mmcsd|sdda)\d{1,5}")
_REVISED = re.compile(r"(?P<model>\S.*\S)\s+(?P<revision>\S{1,8})")
_MOST = 4000


def _is_own(line: str) -> bool:
    return bool(_ROW.match(line) or _BUS.match(line))


class Camcontrol(StateOutput):
    tool = "camcontrol"
    anchors = (" at scbus",)
    commands = ("camcontrol",)
    reach = 3
    nothing = "no disk is in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ROW.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: list[PrintedSubject] = []
        last, adapter = first, ""
        for index, line in lines(cursor, first, _MOST):
            row = _ROW.match(line)
            if not row and not _BUS.match(line):
                if line and not re.match(r"\s*<>\s+at scbus", line):
                    break
                if index > last + 1:
                    break
                continue
            last = index
            if row is None:
                adapter = line.split(" on ", 1)[1].split(" ", 1)[0]
                continue
            drivers = row["drivers"].split(",")
            name = next(filter(_DISK.fullmatch, drivers), "")
            if name:
                disks.append(PrintedSubject("disk", name, _facts(row, adapter), prompt.host))
        return last, disks


def _facts(row: re.Match[str], adapter: str) -> dict[str, Scalar]:
    made = _REVISED.fullmatch(row["model"].strip())
    return without_none({
        "bus": int(row["bus"]), "target": int(row["target"]), "lun": int(row["lun"], 16),
        "model": made["model"].strip() if made else row["model"].strip() or None,
        "firmware": made["revision"] if made else None,
        "adapter": adapter or None,
    })  # fmt: skip
