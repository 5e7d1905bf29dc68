"""lsblk as a tree or a list, with the columns that were asked for, also -t, -f and -P.

Source: util-linux 2.38, misc-utils/lsblk.c and libsmartcols: branches are drawn two columns wide,
with UTF-8 or (-i) ASCII characters; a device that several others hold stands under each of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from typing_extensions import override

from iosonde.layers._lsblk import pairs_in
from iosonde.layers.disk.facts import COLUMNS, subjects
from iosonde.records.printed import Unreadable
from iosonde.text.cells import head_at, rows
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, end_of
from iosonde.text.torn import joinings

_HEAD = re.compile(r"^\s*NAME\s+[A-Z]")
_NOTE = re.compile(r"\s+(?:<[-=]+|←|⟵)\s.{0,80}$")  # of whoever pasted it
_MISREAD = {
    "\u00e2\u201d\u0153": "├", "\u00e2\u201d\u20ac": "─", "\u00e2\u201d\u201d": "└",
    "\u00e2\u201d\u201a": "│", '\u00e2"\u0153': "├", '\u00e2"\u20ac': "─", '\u00e2""': "└",
    '\u00e2"\u201a': "│", "\u0393\u00f6\u00a3": "├", "\u0393\u00f6\u00c7": "─",
    "\u0393\u00f6\u00f6": "└", "\u0393\u00f6\u00e9": "│",
}  # fmt: skip
"""Branches in UTF-8 that somebody read as windows-1252 (with its quotes also made plain) or 437."""
_TREE = re.compile(r"^\s*(?:[│├└|`][─-]?\s*)+(?=[\w/])")
_OEM_TREE = re.compile(r"^\s*(?:¦\s{0,3}|\+-|L-)+(?=\w)")
"""Branches that a terminal's code page of one byte made of the others: `+-`, `L-` and `¦`."""
_IS_OEM = re.compile(r"^\s*(?:\+-|¦)")
_FAR = 200  # lines in which these are looked for
_PAIRS = re.compile(r'(?:^|(?<!,)[\s`>])K?NAME="[^"\s]+"(?P<more>\s+[A-Z][A-Z:-]*%?(?:="|=?$))?')
_WHOLE = re.compile(r'(?:[A-Z][A-Z:-]*%?="[^"]*"(?: |$))+')
_WRAPPED = 60  # characters of a line that may have been broken behind its first pair
_SURE = frozenset({"MAJ:MIN", "SIZE", "TYPE", "FSTYPE", "MIN-IO", "SCHED", "ROTA", "PHY-SEC",
                   "MOUNTPOINT", "MOUNTPOINTS", "RQ-SIZE", "START", "PKNAME",
                   "DISC-GRAN"})  # fmt: skip

_BROKEN = re.compile(r"\"\s{0,4}\\\s{0,4}$")
"""A line that an author broke: the name of a device may stand in any of them."""
_PAIR_OF_IT = re.compile(r"[A-Z][A-Z%:-]{1,14}=\"")
_PARTS = 12
_Row = tuple[Mapping[str, str], tuple[str, ...]]


class Lsblk(StateOutput):
    tool = "lsblk"
    anchors = (
        "NAME ", "MAJ:MIN", " PHY-SEC", " RQ-SIZE", " FSTYPE ", " DISC-GRAN", 'NAME="',
    )  # fmt: skip

    commands = ("lsblk",)
    nothing = "no device can be read below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            line = cursor.line(index)
            if pairs := _PAIRS.search(line):
                return index if pairs["more"] or len(line) > _WRAPPED else None
            if _HEAD.match(line):
                head = head_at(cursor, index, COLUMNS)
                sure = head is not None and {column.name for column in head.columns} & _SURE
                return index if sure else None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if _PAIRS.search(cursor.line(first)):
            last, table = _pairs(cursor, first)
        else:
            last, table = _table(cursor, first, inverse=_inverse(prompt.command))
        return last, subjects(table, prompt.host)


def _inverse(command: str) -> bool:
    return bool(re.search(r"\s(?:-[a-zA-Z]*s[a-zA-Z]*|--inverse)(?:\s|$)", command))


def _plain(line: str, *, is_oem: bool = False) -> str:
    """A line with blanks for its branches."""
    line = _NOTE.sub("", line)
    if "\u00e2" in line or "\u0393" in line:
        for misread, branch in _MISREAD.items():
            line = line.replace(misread, branch)
    match = _TREE.match(line) or (_OEM_TREE.match(line) if is_oem else None)
    return " " * match.end() + line[match.end() :] if match else line


def _table(cursor: TextCursor, first: int, *, inverse: bool) -> tuple[int, list[_Row]]:
    """The rows, each with what it stands on: the branches above it, or PKNAME."""
    head = head_at(cursor, first, COLUMNS, alike=True)
    if head is None:
        raise Unreadable("its columns are not known")
    table: list[_Row] = []
    above: list[tuple[int, str]] = []
    last = head.last
    is_oem = any(map(_IS_OEM.match, cursor.block(head.last + 1, _FAR)))
    for row in rows(cursor, head, plain=partial(_plain, is_oem=is_oem)):
        name = row.cells["NAME"]
        while above and above[-1][0] >= row.start:
            above.pop()
        parent = above[-1][1] if above else row.cells.get("PKNAME", "")
        above.append((row.start, name))
        last = row.last
        if inverse:
            table.append((row.cells, ()))
            if parent:
                table.append(({"NAME": parent}, (name,)))
        else:
            table.append((row.cells, (parent,) if parent else ()))
    return last, table


def _pairs(cursor: TextCursor, first: int) -> tuple[int, list[_Row]]:
    """The output of -P: NAME="VALUE" …, a device a line, which a wrap may have broken."""
    table: list[_Row] = []
    parts: list[str] = []
    last = first
    if any(_BROKEN.search(line) for line in cursor.block(first, _PARTS)):
        end = end_of(cursor, first, _PAIR_OF_IT.search, gap=1)
        raise Unreadable("backslashes part its lines, and devices cannot be told apart", end)
    for index, line in lines(cursor, first, 2000):
        begins = line.lstrip().startswith(('NAME="', 'KNAME="'))
        if begins and parts:
            table += _pair_row(parts)
            parts = []
        if line and not begins and (not parts or len(parts) > 6 or '"' not in line):
            break
        if line:
            parts.append(line)
            last = index
        elif index - last > 1:
            break
    return last, table + _pair_row(parts)


def _pair_row(parts: list[str]) -> list[_Row]:
    """The device of one line, as whole as its pieces make it."""
    for text in joinings(parts):
        if _WHOLE.fullmatch(text.strip()):
            break
    else:
        text = " ".join(parts)
    cells = {
        name: value
        for name, value in pairs_in(text).items()
        if value and (name not in COLUMNS or COLUMNS[name].cell.fullmatch(value))
    }
    parent = cells.get("PKNAME", "")
    return [(cells, (parent,) if parent else ())] if "NAME" in cells else []
