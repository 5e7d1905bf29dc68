"""`zfs list` and `zpool list` without their heads: with -H, or where grep left the rows alone.

The command stands above the rows; its -o says which columns they have, and without it their number.

Source: OpenZFS 2.2, cmd/zfs/zfs_main.c, zfs_do_list() (default_fields "name,used,available,
referenced,mountpoint") and cmd/zpool/zpool_main.c, zpool_do_list() (default_props
"name,size,allocated,free,checkpoint,expandsize,fragmentation,capacity,dedupratio,health,altroot";
"checkpoint" since 0.8, "expandsize" and "fragmentation" since 0.6.4).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.zfs.facts import STATES
from iosonde.layers.zfs.printed_tables import pool_facts, property_value
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_COMMAND = re.compile(
    r"(?:sudo )?(?:/\S{1,40}/)?(?P<program>zfs|zpool) list(?P<options>(?: -{1,2}[^\s|]{1,60}"
    r"| [^\s|>-][^\s|>]{0,120}){0,8}) ?"
    r"(?P<behind>(?:\| ?(?:[ef]?grep|tail|sort)\b[^|>]{0,80}){0,3})$"
)
_BARE = re.compile(r"(?:^| )-\w*H")
_COLUMNS = re.compile(r"(?:^| )-o ?(?P<columns>[\w:.,-]{2,200})")
_VALUES = re.compile(
    r"-|none|legacy|on|off|/\S*|\d{1,20}(?:\.\d{1,3})?[KMGTPEZ]?B?x?|[\w.@/:-]{1,80}"
)
_SIZE = re.compile(r"\d{1,20}(?:\.\d{1,3})?[KMGTPEZ]?B?|-")
_DATASETS = ("used", "available", "referenced", "mount")
_NAMES = {"avail": "available", "refer": "referenced", "mountpoint": "mount",
          "ratio": "compressratio", "recsize": "recordsize", "compress": "compression",
          "lused": "logicalused"}  # fmt: skip
_POOLS = (
    "SIZE",
    "ALLOC",
    "FREE",
    "CKPOINT",
    "EXPANDSZ",
    "FRAG",
    "CAP",
    "DEDUP",
    "HEALTH",
    "ALTROOT",
)
_OLDER = {9: _POOLS[:3] + _POOLS[4:], 7: _POOLS[:3] + _POOLS[6:], 10: _POOLS}
_MOST = 2000


class ZfsRows(StateOutput):
    tool = "zfs list"
    anchors = ("zfs list ", "zpool list ")
    commands = ("zfs", "zpool")
    reach = 2
    nothing = "no row follows the command"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        command = _command(cursor, cursor.at)
        if command is None:
            return None
        names = _names(command)
        return cursor.at + 1 if _row(command, names, cursor.line(cursor.at + 1)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        command = _command(cursor, first - 1)
        if command is None:
            return first, ()
        names, last = _names(command), first
        kind = "zpool" if command["program"] == "zpool" else "dataset"
        subjects: list[PrintedSubject] = []
        for index, line in lines(cursor, first, _MOST):
            facts = None if prompt_in(line) else _row(command, names, line)
            if not line or facts is None:
                break
            subjects.append(PrintedSubject(kind, facts[0], facts[1], prompt.host))
            last = index
        return last, subjects


def _command(cursor: TextCursor, index: int) -> re.Match[str] | None:
    """The command in a line, where what it prints has no head."""
    line = cursor.line(index)
    prompt = prompt_in(line)
    match = _COMMAND.fullmatch((prompt.command if prompt else line).strip())
    if match is None or not (_BARE.search(match["options"]) or match["behind"]):
        return None
    return match


def _names(command: re.Match[str]) -> tuple[str, ...] | None:
    """The columns behind the name that are asked for, as properties; None: the usual ones."""
    match = _COLUMNS.search(command["options"])
    if match is None:
        return None
    names = [_NAMES.get(name, name) for name in match["columns"].split(",")]
    return tuple(names[1:]) if names[0] == "name" else ()


def _row(
    command: re.Match[str], names: tuple[str, ...] | None, line: str
) -> tuple[str, dict[str, Scalar]] | None:
    """Name and values of a row; None where a line is none."""
    cells = fields(line)
    if len(cells) < 2 or cells[0] == "NAME" or names == ():
        return None
    if names is None and command["program"] == "zpool":
        return _pool(cells)
    names = _DATASETS if names is None else names
    if len(cells) != len(names) + 1 or not all(map(_VALUES.fullmatch, cells[1:])):
        return None
    if names is _DATASETS and not all(map(_SIZE.fullmatch, cells[1:4])):
        return None
    return cells[0], {
        name: cell if name == "mount" else property_value(cell)
        for name, cell in zip(names, cells[1:], strict=True) if cell not in {"-", "none"}
    }  # fmt: skip


def _pool(cells: Sequence[str]) -> tuple[str, dict[str, Scalar]] | None:
    head = _OLDER.get(len(cells) - 1)
    if head is None or cells[head.index("HEALTH") + 1] not in STATES:
        return None
    return cells[0], pool_facts(head, cells[1:])
