"""Swap areas of the BSDs and of macOS: `swapinfo`, `swapctl -l` and `pstat -s`.

Source: FreeBSD 14, usr.sbin/pstat/pstat.c, print_swap_header() and print_swap_line(): sizes in the
blocks that the head names, with -h as a figure with a prefix of 1024; NetBSD and OpenBSD,
swapctl/swaplist.c, list_swap(), which has a priority as well. "Total" sums the areas up.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_HEAD = re.compile(
    r"\s*Device\s{1,60}(?P<blocks>Size|\d{1,4}[KMG]?-blocks)\s{1,20}Used\s{1,20}Avail\s{1,20}"
    r"Capacity(?:\s{1,20}Priority)?(?:\s{1,20}Type)?\s*"
)
_SIZE = r"\d{1,15}(?:\.\d)?[BKMGTP]?i?"
_ROW = re.compile(
    rf"\s*(?P<name>[A-Za-z/]\S{{1,120}})\s{{1,60}}(?P<size>{_SIZE})\s{{1,20}}(?P<used>{_SIZE})"
    rf"\s{{1,20}}(?P<free>{_SIZE})\s{{1,20}}(?P<share>\d{{1,3}})%"
    r"(?:\s{1,20}(?P<priority>-?\d{1,6}))?(?:\s{1,20}(?P<type>[A-Z][a-z]{3,12}))?\s*"
)
_BLOCKS = {"": 1, "K": units.KIB, "M": units.MIB, "G": units.GIB}
_NAMED = re.compile(r"(?P<number>\d{1,4})(?P<prefix>[KMG]?)-blocks")
_PLAIN = re.compile(r"\d{1,15}")
_MOST = 64


class Swapinfo(StateOutput):
    tool = "swapinfo"
    anchors = ("Avail Capacity",)
    commands = ("swapinfo", "swapctl", "pstat")
    nothing = "no swap area follows"
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _HEAD.fullmatch(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.fullmatch(cursor.line(first))
        block = _block(head["blocks"]) if head else None
        subjects: list[PrintedSubject] = []
        rows, last = close_rows(cursor, first + 1, _ROW.fullmatch, _MOST)
        for row in rows:
            values: dict[str, Scalar] = {}
            for name in ("size", "used", "free"):
                if (size := _bytes(row[name], block)) is not None:
                    values[name] = size
            values["used_share"] = int(row["share"]) / 100
            if row["priority"]:
                values["priority"] = int(row["priority"])
            if row["type"]:
                values["type"] = row["type"].lower()
            whole = row["name"] == "Total"
            area = "" if whole else row["name"].removeprefix("/dev/")
            subjects.append(PrintedSubject("swap", area, values, prompt.host))
        return last, subjects


def _block(named: str) -> int | None:
    """Bytes of a block that the head names ("1K-blocks"); None where it names none."""
    match = _NAMED.fullmatch(named)
    return int(match["number"]) * _BLOCKS[match["prefix"]] if match else None


def _bytes(cell: str, block: int | None) -> int | None:
    """Bytes of blocks, or of a figure with a prefix; None where it is neither."""
    if block is not None:
        return int(cell) * block if _PLAIN.fullmatch(cell) else None
    if cell == "0":
        return 0
    if cell[-1:].isdigit():
        return None
    return round(units.printed(cell.removesuffix("i"), binary=True)[0])
