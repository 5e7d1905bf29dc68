"""`kpartx`, `losetup` and `fstrim`: partitions mapped, loop devices, and bytes discarded.

Source: multipath-tools 0.9, kpartx/kpartx.c (main(): "add map %s (%d:%d): 0 %llu %s %s %llu",
"del devmap : %s", "loop deleted : %s"; -l prints "%s : 0 %llu %s %llu"); util-linux 2.38,
sys-utils/losetup.c (printf_loopdev(): "%s: [%04d]:%llu (%s)", "sizelimit", "offset"; --list is a
table) and sys-utils/fstrim.c ("%s: %s (%llu bytes) trimmed").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows
from iosonde.units import SECTOR

_MAPPED = re.compile(
    r"\s*add map (?P<name>[\w.+:-]{1,120}) \((?P<major>\d{1,4}):(?P<minor>\d{1,7})\): 0 "
    r"(?P<length>\d{1,15}) linear (?P<device>/dev/[\w./-]{1,120}|\d{1,4}:\d{1,7}) "
    r"(?P<start>\d{1,15})\s*$"
)
_LISTED = re.compile(
    r"\s*(?P<name>[\w.+:-]{1,120}) : 0 (?P<length>\d{1,15}) (?P<device>/dev/[\w./-]{1,120}) "
    r"(?P<start>\d{1,15})\s*$"
)
_GONE = re.compile(r"\s*(?:del devmap|loop deleted) : (?P<name>[\w./+:-]{1,120})\s*$")
_TRIMMED = re.compile(
    r"\s*(?P<mount>/[^\s:]{0,200}): (?P<size>[\d.,]{1,12} ?[KMGTP]?i?B)? ?\(?(?P<bytes>\d{1,20})"
    r"(?: bytes)?\)? (?:bytes were )?trimmed(?: on (?P<device>/dev/\S{1,100}))?\s*$"
)
_LOOP = re.compile(
    r"\s*(?P<name>/dev/loop\d{1,6}): (?:\[(?P<device>[0-9a-f]{1,8})\]:(?P<inode>\d{1,20}|0)|\[\]:?)"
    r" ?\((?P<file>[^()]{1,300}?)(?P<deleted> \(deleted\))?\)"
    r"(?:, offset (?P<offset>\d{1,19}))?(?:, sizelimit (?P<limit>\d{1,19}))?"
    r"(?:, encryption.{0,80})?\s*$"
)
_TABLE_HEAD = re.compile(r"\s*NAME\s+(?:[A-Z-]{2,10}\s+){0,8}BACK-FILE(?:\s+[A-Z-]{2,10}){0,5}\s*$")
LOOP_COLUMNS = {
    "SIZELIMIT": "size_limit", "OFFSET": "offset", "AUTOCLEAR": "autoclear", "RO": "read_only",
    "BACK-FILE": "backing_file", "DIO": "direct_io", "LOG-SEC": "logical_block_size",
}  # fmt: skip
LOOP_FLAGS = frozenset({"AUTOCLEAR", "RO", "DIO"})
_MOST = 300


class Kpartx(StateOutput):
    tool = "kpartx"
    anchors = ("add map ", "del devmap : ", "loop deleted : ", " : 0 ")
    commands = ("kpartx",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _partition(cursor.line(cursor.at), "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        partitions, last = close_rows(
            cursor, first, lambda line: _partition(line, prompt.host), _MOST
        )
        return last, partitions


class Losetup(StateOutput):
    tool = "losetup"
    anchors = ("BACK-FILE", "/dev/loop")
    commands = ("losetup",)
    reach = 3
    nothing = "no loop device follows"
    beginnings = (_TABLE_HEAD, _LOOP)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        head: list[str] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            if _TABLE_HEAD.match(line) and index == first:
                head = fields(line)
                continue
            loop = _LOOP.match(line)
            if index > last + 2 or (line and not loop and not line.strip().startswith("/dev/loop")):
                break
            if loop and not head:
                subjects.append(_loop(loop, prompt.host))
            elif line and head:
                subjects.append(_loop_row(head, line, prompt.host))
            elif line:
                break
            last = index if line else last
        return last, subjects


class Fstrim(StateOutput):
    tool = "fstrim"
    anchors = (" bytes) trimmed", " bytes were trimmed", " bytes trimmed")
    commands = ("fstrim", "time")
    reach = 3
    beginning = _TRIMMED

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mounts: dict[str, dict[str, Json]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            trimmed = _TRIMMED.match(line)
            if trimmed is None or trimmed["mount"] in mounts:
                break
            mounts[trimmed["mount"]] = {"trimmed_bytes": int(trimmed["bytes"])}
            if trimmed["device"]:
                mounts[trimmed["mount"]]["device"] = trimmed["device"].removeprefix("/dev/")
            last = index
        return last, [
            self.counted("filesystem", name, values, prompt) for name, values in mounts.items()
        ]


def _partition(line: str, host: str) -> PrintedSubject | None:
    """A partition that kpartx maps, lists or takes away."""
    if gone := _GONE.match(line):
        name = gone["name"].removeprefix("/dev/").removeprefix("mapper/")
        kind = "loop" if "loop deleted" in line else "partition"
        return PrintedSubject(kind, name, {"state": "deleted"}, host)
    row = _MAPPED.match(line) or _LISTED.match(line)
    if row is None:
        return None
    parts = row.groupdict()
    values: dict[str, Scalar] = {
        "size": int(row["length"]) * SECTOR, "start": int(row["start"]) * SECTOR,
        "device": row["device"].removeprefix("/dev/"),
    }  # fmt: skip
    if parts.get("major"):
        values["number"] = f"{parts['major']}:{parts['minor']}"
    return PrintedSubject("partition", row["name"], values, host)


def _loop(row: re.Match[str], host: str) -> PrintedSubject:
    """A line of `losetup -a`; an offset of 0 is not printed."""
    values: dict[str, Scalar] = {"backing_file": row["file"].strip()}
    if row["deleted"]:
        values["backing_file_deleted"] = True
    if row["offset"]:
        values["offset"] = int(row["offset"])
    if row["limit"]:
        values["size_limit"] = int(row["limit"])
    return PrintedSubject("loop", row["name"].removeprefix("/dev/"), values, host)


def _loop_row(head: list[str], line: str, host: str) -> PrintedSubject:
    """A row of `losetup --list`.

    Raises:
        Unreadable: it has not as many cells as its head.
    """
    deleted = line.replace(" (deleted)", "")
    cells = fields(deleted)
    if len(cells) != len(head):
        raise Unreadable("a row has not as many cells as its head")
    values: dict[str, Scalar] = {}
    for column, cell in zip(head, cells, strict=True):
        if column not in LOOP_COLUMNS:
            continue
        if column == "BACK-FILE":
            values[LOOP_COLUMNS[column]] = cell
        elif not cell.isdecimal():
            raise Unreadable(f"{column} is no number")
        else:
            values[LOOP_COLUMNS[column]] = cell == "1" if column in LOOP_FLAGS else int(cell)
    if not values.get("size_limit", 1):
        del values["size_limit"]  # 0: none
    if deleted != line:
        values["backing_file_deleted"] = True
    return PrintedSubject("loop", cells[head.index("NAME")].removeprefix("/dev/"), values, host)
