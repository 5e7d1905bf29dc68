"""Swap areas: `swapon -s`, `swapon --show`, /proc/swaps, and what mkswap says of one it made.

Areas are kind `swap`, with `type`, `size`, `used` and `priority`. No rule speaks of swap: how much
is used, or on which drive it lies, alone proves no fault.

Source: Linux mm/swapfile.c, swap_show() (sizes in KiB, columns parted by tabs and blanks);
util-linux 2.38, sys-utils/swapon.c, infos[] (columns of --show, sizes with prefixes of 1024, zram
and all others as "partition"), and disk-utils/mkswap.c, main() ("size = %s (%ju bytes)"; before
2.26 "size = %ju KiB"), whose words are translated and whose order is not; above it its warnings:
"mkswap: %s: warning: wiping old %s signature.", "insecure permissions %04o, fix with: chmod".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows
from iosonde.text.said_lines import sentences_of

_HEAD = re.compile(r"\s*Filename\s+Type\s+Size\s+Used\s+Priority\s*$")
_ROW = re.compile(
    r"\s*(?P<name>/\S{1,200})\s+(?P<type>partition|file)\s+(?P<size>\d{1,15})\s+(?P<used>\d{1,15})\s+"
    r"(?P<priority>-?\d{1,6})\s*$"
)
_COLUMNS = frozenset({"NAME", "TYPE", "SIZE", "USED", "PRIO", "UUID", "LABEL"})
_SIZE = re.compile(r"\d{1,9}(?:[.,]\d)?[BKMGTP]?$")
_MADE = re.compile(
    r"[^()]{0,120}?= (?P<size>[\d.]{1,12} [KMGT]i?B)"
    r"(?: \((?P<bytes>\d{1,19}) ?[^\W\d_]{1,20}\))?\s*$"
)
_UUID = re.compile(
    r"(?:LABEL=(?P<label>[^,]{1,16}), |[^=]{0,60}, ?)?UUID=(?P<uuid>[0-9a-f-]{36})\s*$"
)
_ASKED = re.compile(
    r"(?:^\s*|[#$>] *|sudo )(?:/\w{1,8}/)?(?:sbin/)?mkswap (?:.{0,80} )?(?P<name>/\S{1,200})"
)
_WARNING = re.compile(r"\s*(?:/\S{1,40}/)?mkswap: \S")
_WARNINGS = 3
_MOST = 64


class SwapTable(StateOutput):
    tool = "swapon"
    anchors = ("Filename", "NAME      ", "NAME TYPE", "USED PRIO")
    commands = ("swapon", "cat")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        below = next(filter(None, cursor.block(cursor.at + 1, 2)), "")
        if _HEAD.match(line):
            return cursor.at if _ROW.match(below) else None
        return cursor.at if _shown(line, below) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first)
        areas, last = close_rows(
            cursor, first + 1, lambda line: _area(head, line), _MOST, no_prompts=True
        )
        subjects: list[PrintedSubject] = []
        for values in areas:
            name = str(values.pop("name"))
            subjects.append(PrintedSubject("swap", name, values, prompt.host))
        return last, subjects


class Mkswap(StateOutput):
    tool = "mkswap"
    anchors = ("mkswap ", "swapspace version")
    commands = ("mkswap",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, cursor.at + 1, cursor.at + 2):
            if _MADE.match(cursor.line(index)) and _uuid(cursor, index):
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        made, (last, uuid) = (
            _MADE.match(cursor.line(first)),
            _uuid(cursor, first) or (first, None),
        )
        values: dict[str, Scalar] = {}
        if made:
            exact = made["bytes"]
            values["size"] = (
                int(exact) if exact else round(units.printed(made["size"].replace(" ", ""))[0])
            )
        if uuid:
            values |= {name: text for name, text in uuid.groupdict().items() if text}
        asked = _ASKED.search(prompt.command) or _ASKED.search(cursor.line(first - 1))
        name = asked["name"].removeprefix("/dev/") if asked else ""
        return last, [PrintedSubject("swap", name, values, prompt.host)]

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        """What it warns of above."""
        return sentences_of(cursor, max(first - _WARNINGS, 0), last, _WARNING.match)


def _uuid(cursor: TextCursor, first: int) -> tuple[int, re.Match[str]] | None:
    """Index and match of the line with the UUID, one or two below that with the size."""
    for index in (first + 1, first + 2):
        if match := _UUID.match(cursor.line(index).strip()):
            return index, match
    return None


def _area(head: str, line: str) -> dict[str, Scalar] | None:
    """A row of either form below its head; None where it is none."""
    row = _ROW.match(line)
    return _listed(row) if row else _shown(head, line)


def _listed(row: re.Match[str]) -> dict[str, Scalar]:
    """A row of /proc/swaps; sizes in bytes."""
    return {
        "name": row["name"].removeprefix("/dev/"), "type": row["type"],
        "size": int(row["size"]) * units.KIB, "used": int(row["used"]) * units.KIB,
        "priority": int(row["priority"]),
    }  # fmt: skip


def _shown(head: str, line: str) -> dict[str, Scalar] | None:
    """A row of `swapon --show` below its head; None where it is none."""
    names, cells = fields(head), fields(line)
    if len(names) < 4 or not set(names) <= _COLUMNS or names[0] != "NAME":
        return None
    row = dict(zip(names, cells, strict=False))
    sizes = [row[name] for name in ("SIZE", "USED") if name in row]
    if len(cells) < min(len(names), 5) or cells[0][:1] != "/" or not all(map(_SIZE.match, sizes)):
        return None
    values: dict[str, Scalar] = {"name": row["NAME"].removeprefix("/dev/")}
    for column, name in (("SIZE", "size"), ("USED", "used")):
        if column in row:
            printed = row[column].replace(",", ".").removesuffix("B")
            values[name] = round(units.printed(printed, binary=True)[0])
    if "TYPE" in row:
        values["type"] = row["TYPE"]
    if "PRIO" in row:
        values["priority"] = int(row["PRIO"])
    return values
