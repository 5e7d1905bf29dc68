"""findmnt with the columns that were asked for (-o, -O, -D -b): tree, list, pairs, no head (-n).

Its usual four columns are read with mount's, its -D with df's.

Source: util-linux 2.38 to 2.41, misc-utils/findmnt.c and libsmartcols: branches are drawn two
columns wide, with UTF-8 or ASCII characters; --shell writes MAJ_MIN for MAJ:MIN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from iosonde.layers._mounts.facts_findmnt import COLUMNS, column_of, fit, mount_of
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.text.cells import Column, assign, head_at, rows
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart
from iosonde.text.torn import joinings

_USUAL = frozenset({"TARGET", "SOURCE", "FSTYPE", "OPTIONS"})
_BRANCH = re.compile(r"(?:(?<=\s)|^)[│├└|`](?:[─-]?[ │├└|`]?)(?=[\s/│├└|`─-])[─-]?")
_PAIR = re.compile(r'([A-Z][A-Z:._-]{0,12}%?)="([^"]*)"')
_PAIRS = re.compile(r'(?:[A-Z][A-Z:._-]{0,12}%?="[^"]*"\s*+)+')
_REST = re.compile(r'="|"$')
_BARE = re.compile(
    r"(?:sudo )?(?:\S*/)?findmnt\b(?=.*\s(?:-[a-zA-Z]*n|--noheadings))"
    r".*\s(?:-[a-zA-Z]*o|--output[ =]) ?(?P<columns>[A-Za-z][\w:.%,-]{1,120})"
)
_PLACE = re.compile(r"\s(?P<path>/\S*)\s*$")
_TARGETED = re.compile(r"\s(?:-[a-zA-Z]*T|--target)[ =]")
_ROW = re.compile(r"[\s│├└|`─-]{0,40}/(?:\S| (?=\S)){0,200}\s{2,}\S")
"""A row that is left: a mount point, which may hold blanks, and a cell some way off."""
_MOST = 600


class Findmnt(StateOutput):
    tool = "findmnt"
    anchors = ("TARGET ", " TARGET", 'TARGET="', "findmnt -")
    commands = ("findmnt",)
    reach = 3
    nothing = "it lists no file system that stores anything"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if (bare := prompt_in(line)) and _bare_columns(bare.command):
            return next((at for at, row in lines(cursor, cursor.at + 1, 3) if row), None)
        if 'TARGET="' in line:
            return cursor.at if _is_own_pair(line) else None
        head = head_at(cursor, cursor.at, COLUMNS) if _may_be_head(line) else None
        names = {column.name for column in head.columns} if head is not None else set()
        return cursor.at if "TARGET" in names and names != _USUAL else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        line = cursor.line(first)
        columns = _bare_columns(prompt.command)
        if columns:
            table: list[tuple[Mapping[str, str] | None, int]] = [
                *_without_head(cursor, first, columns, prompt.command)
            ]
        elif 'TARGET="' in line:
            table = list(_pairs(cursor, first))
        else:
            table = list(_below_head(cursor, first))
        things: list[PrintedSubject | PrintedCounters | UnreadPart] = []
        for cells, at in table:
            if cells is None:
                things.append((at, at, "its cells do not stand below the columns' names"))
            elif (mount := mount_of(cells, prompt.host)) is not None:
                things.append(mount)
        return (table[-1][1] if table else first), things


def _below_head(cursor: TextCursor, first: int) -> Iterator[tuple[Mapping[str, str] | None, int]]:
    """Rows and the index of each one's last line; None of those that are in disorder."""
    head = head_at(cursor, first, COLUMNS)
    while head is not None:
        last = head.last
        for row in rows(cursor, head, plain=_plain, most=_MOST):
            last = row.last
            yield row.cells, last
        below = cursor.line(last + 1)
        if prompt_in(below) or not _ROW.match(below):
            return
        yield None, last + 1
        head = replace(head, last=last + 1)


def _may_be_head(line: str) -> bool:
    return all(name.upper() in COLUMNS for name in line.split()[:1])


def _is_own_pair(line: str) -> bool:
    names = [column_of(name) for name, _ in _PAIR.findall(line)]
    return len(names) > 1 and set(names) != _USUAL and all(name in COLUMNS for name in names)


def _plain(line: str) -> str:
    """A line with blanks for the branches of the tree, as long as it was."""
    return _BRANCH.sub(lambda match: " " * len(match[0]), line)


def _pairs(cursor: TextCursor, first: int) -> Iterator[tuple[Mapping[str, str], int]]:
    """Rows of pairs, also wrapped ones: each begins with the name that the first begins with."""
    begins = f'{cursor.line(first).strip().partition("=")[0]}="'
    parts: list[str] = []
    last = first
    for index, line in lines(cursor, first, _MOST):
        text = line.strip()
        if parts and text.startswith(begins):
            if not (cells := _cells(parts)):
                return
            yield cells, last
            parts = []
        if (text and not parts and not text.startswith(begins)) or len(parts) > 5:
            return
        if text and parts and not _REST.search(text):
            break
        if index > last + 2:
            break
        if text:
            parts.append(text)
            last = index
    if parts and (cells := _cells(parts)):
        yield cells, last


def _cells(parts: Sequence[str]) -> dict[str, str]:
    """The cells of a row; none where it is broken."""
    whole = next((text for text in joinings(parts) if _PAIRS.fullmatch(text)), "")
    cells = {column_of(name): value for name, value in _PAIR.findall(whole)}
    return cells if cells.get("TARGET") and fit(cells) else {}


def _bare_columns(command: str) -> tuple[Column, ...]:
    """The columns that a command asks for without a head, if its output names mounts."""
    match = _BARE.match(command)
    if match is None or any(char in command for char in "|>;&$"):
        return ()
    names = [column_of(name) for name in match["columns"].split(",")]
    if not all(name in COLUMNS for name in names):
        return ()
    return tuple(COLUMNS[name] for name in names) if "TARGET" in names or _place(command) else ()


def _place(command: str) -> str:
    """The mount point that a command names: not of a path somewhere below it, nor a device."""
    match = _PLACE.search(command)
    return match["path"] if match and not _TARGETED.search(command) else ""


def _without_head(
    cursor: TextCursor, first: int, columns: Sequence[Column], command: str
) -> Iterator[tuple[Mapping[str, str], int]]:
    place = _place(command)
    given = {"SOURCE" if place.startswith("/dev/") else "TARGET": place} if place else {}
    for index, line in lines(cursor, first, _MOST):
        cells = None if prompt_in(line) else assign(_plain(line).split(), columns)
        if not cells or "TARGET" not in given | cells:
            return
        yield given | cells, index
        if "TARGET" in given:
            return
