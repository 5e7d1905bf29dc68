"""`diskutil list` of macOS: each disk with its partitions and APFS volumes.

Sizes are rounded to a tenth of a decimal unit, so that they are no exact ones.

Source: man page diskutil(8), verb list, and outputs of macOS 10.11 to 13 in public issue trackers
(the program itself is not open): StackExchange/blackbox#335, RefindPlus#93, jaypipes/ghw#266,
AsahiLinux/asahi-installer#109.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_DISK = re.compile(
    r"\s*+/dev/(?P<disk>disk\d{1,3})(?: \((?P<traits>[a-z]+(?:, [a-z ]{3,20}){0,3})\))?:?\s*$"
)
_HEAD = re.compile(r"\s*+#:\s+TYPE NAME\s+SIZE\s+IDENTIFIER\s*$")
_SIZE = r"(?P<size>[*+]?\d{1,4}(?:\.\d)? [KMGTP]?B)"
_ROW = re.compile(
    rf"\s*+(?P<index>\d{{1,3}}): +(?P<what>\S.{{0,90}}?) +{_SIZE} +"
    r"(?P<name>disk\d{1,3}(?:s\d{1,3}){0,2})\s*$"
)
_FREE = re.compile(rf"\s*+\(free space\) +{_SIZE} +-\s*$")
_STORE = re.compile(
    r"\s*+Physical Stores? (?P<stores>disk\d{1,3}s\d{1,3}(?:, disk\d{1,3}s\d{1,3}){0,9})\s*$"
)
_TYPES = re.compile(
    r"(?P<type>APFS Container Scheme|APFS Volume|APFS Snapshot|Linux Filesystem|Linux Swap|"
    r"Microsoft Basic Data|Microsoft Reserved|Windows Recovery|\S+)(?: (?P<label>\S.*))?"
)


class DiskutilList(StateOutput):
    tool = "diskutil list"
    anchors = ("TYPE NAME  ",)
    commands = ("diskutil",)
    reach = 3
    nothing = "no disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        above = range(cursor.at - 1, max(cursor.at - 3, -1), -1)
        return next((at for at in above if _DISK.match(cursor.line(at))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        rows: list[str] = []
        for index, line in close_lines(cursor, first, 1200, gap=3):
            own = any(form.match(line) for form in (_DISK, _HEAD, _ROW, _FREE, _STORE))
            if not own or (index > first and prompt_in(line)):
                break
            rows.append(line)
            last = index
        return last, list(_subjects(rows, prompt.host))


def _subjects(rows: list[str], host: str) -> Iterator[PrintedSubject]:
    """One thing for each disk, partition and volume; `unpartitioned` are bytes of a disk."""
    things: dict[str, dict[str, Scalar]] = {}
    disk, free = "", 0
    for line in rows:
        if head := _DISK.match(line):
            disk, free = head["disk"], 0
            things[disk] = {"traits": head["traits"]} if head["traits"] else {}
        elif row := _ROW.match(line):
            of_disk: dict[str, Scalar] = {} if row["name"] == disk else {"disk": disk}
            things[row["name"]] = things.get(row["name"], of_disk) | _facts(row)
        elif gap := _FREE.match(line):
            free += _bytes(gap["size"])
            things[disk]["unpartitioned"] = free
        elif store := _STORE.match(line):
            things[disk]["physical_stores"] = store["stores"]
    for name, values in things.items():
        yield PrintedSubject("partition" if "disk" in values else "disk", name, values, host)


def _facts(row: re.Match[str]) -> dict[str, Scalar]:
    match = _TYPES.fullmatch(" ".join(row["what"].split()))
    values: dict[str, Scalar] = {"size": _bytes(row["size"])}
    if match is not None:
        values["type"] = match["type"]
        if match["label"] and match["label"] != "-":
            values["label"] = match["label"]
    return values


def _bytes(text: str) -> int:
    return round(units.printed(text.lstrip("*+").replace(" ", ""))[0])
