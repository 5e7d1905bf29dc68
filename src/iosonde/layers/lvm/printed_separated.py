"""lvs, vgs and pvs with a separator of one's own, and without headings.

Rows without headings are read only below their command, which says what their columns are.

Source: LVM2 2.03, lvs(8) (`--separator`, `--noheadings`, `-o`), lib/config/config_settings.h
(report/lvs_cols and its neighbours: what is printed without `-o`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.lvm.columns import COLUMNS, DEFAULTS, FIELDS, OTHER_FIELDS
from iosonde.layers.lvm.facts import units_of
from iosonde.layers.lvm.rows import subjects
from iosonde.records.printed import Unreadable
from iosonde.text.cells import Column, assign
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows

_HEAD = re.compile(r"\s*(?P<name>LV|VG|PV)(?P<separator>[|,;:/@!^~]{1,2}|\t)(?=[A-Z#1])")


class LvmSeparated(StateOutput):
    tool = "lvm"
    anchors = (
        "LSize", "PSize", "VSize", "|Attr", ";Attr", ",Attr", ":Attr",
    )  # fmt: skip
    looks_above: ClassVar[bool] = True
    commands = ("lvs", "vgs", "pvs", "lvm")
    nothing = "no volume follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _head(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _head(cursor, first)
        if head is None:
            raise Unreadable("its columns are not known")
        separator, columns, at = head
        table: list[Mapping[str, str]] = []
        last = at
        lines_below = list(close_lines(cursor, at + 1, 2000))
        for place, (index, line) in enumerate(lines_below):
            if index <= last:
                continue
            row, count = _row([text for _, text in lines_below[place : place + 4]],
                              separator, columns)  # fmt: skip
            if row is None or prompt_in(line):
                break
            table.append(row)
            last = lines_below[place + count - 1][0]
        return last, subjects(table, units_of(prompt.command), prompt.host)


def _head(cursor: TextCursor, first: int) -> tuple[str, list[Column], int] | None:
    """The separator, the columns and the head's last line, if all of its words are columns."""
    match = _HEAD.match(cursor.line(first))
    if match is None:
        return None
    text, separator = "", match["separator"]
    best: tuple[str, list[Column], int] | None = None
    for index in range(first, first + 4):
        line = cursor.line(index)
        if not line or (text and separator not in line and best):
            break
        text += line.strip()
        columns = [COLUMNS.get(name.strip()) for name in text.split(separator)]
        named = [column for column in columns if column is not None]
        if len(named) == len(columns) > 1:
            best = separator, named, index
    return best


_LONG = 56
"""Shorter lines are not broken by anyone."""


def _row(
    texts: Sequence[str], separator: str, columns: Sequence[Column]
) -> tuple[dict[str, str] | None, int]:
    """The cells of the row that begins the texts, and how many of them it takes."""
    best: dict[str, str] | None = None
    taken = 1
    for count in range(1, len(texts) + 1):
        if count > 1 and (len(texts[count - 2]) < _LONG or _HEAD.match(texts[count - 1])):
            break
        if best is not None and separator in texts[count - 1]:
            break
        for between in ("", " "):
            cells = between.join(text.strip() for text in texts[:count]).split(separator)
            row = _checked(cells, columns)
            if row is not None:
                best, taken = row, count
                break
    return best, taken


def _checked(cells: Sequence[str], columns: Sequence[Column]) -> dict[str, str] | None:
    """The cells by their columns; None where they are not what these hold."""
    if len(cells) != len(columns):
        return None
    row = {column.name: cell.strip() for column, cell in zip(columns, cells, strict=True)}
    fits = all(
        column.cell.fullmatch(row[column.name]) if row[column.name] else column.empty
        for column in columns
    )
    return {name: cell for name, cell in row.items() if cell} if fits else None


_COMMAND = re.compile(r"(?:^|[\s/;&(`])(?P<command>lvs|vgs|pvs)(?=\s)(?P<options>[^|;&\n]{0,400})")
_BARE = re.compile(r"\s--no-?headings\b")
_PREFIXES = re.compile(r"\s--(?:nameprefixes|reportformat)\b")
_FIELDS = re.compile(
    r"\s(?:-o|--options)[= ]?\s*[\"']?(?P<more>\+?)(?P<names>[a-z_]{2,30}(?:,[a-z_]{2,30})*)"
)
_SEPARATOR = re.compile(
    r"\s--separator[= ]\s*(?P<quote>[\"']?)(?P<separator>[^\s\"'\w]{1,2}|\\t| )"
)
_AFTER = {"lvs": "lvm", "vgs": "lvm_group", "pvs": "lvm_pv"}
_PREFIX = {"lvs": "lv_", "vgs": "vg_", "pvs": "pv_"}


class LvmBare(StateOutput):
    tool = "lvm"
    anchors = ("--nohead", "--no-head")
    commands = ("lvs", "vgs", "pvs")
    reach = 5
    nothing = "no volume follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        prompt = prompt_in(cursor.line(cursor.at))
        columns = _columns_of(prompt.command) if prompt else None
        if not prompt or not columns:
            return None
        row = next((index for index, _ in close_lines(cursor, cursor.at + 1, 2)), cursor.at)
        cells = _cells(cursor.line(row), columns, _separator(prompt.command))
        return row if cells else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns = _columns_of(prompt.command)
        if not columns:
            raise Unreadable("its columns are not known")
        separator = _separator(prompt.command)
        table, last = close_rows(
            cursor, first, lambda line: _cells(line, columns, separator), 2000, no_prompts=True
        )
        return last, subjects(table, units_of(prompt.command), prompt.host)


def _separator(command: str) -> str:
    match = _SEPARATOR.search(command)
    return {"\\t": "\t", " ": ""}.get(match["separator"], match["separator"]) if match else ""


def _cells(line: str, columns: Sequence[Column], separator: str) -> dict[str, str] | None:
    """A row by its columns; a name must be in it."""
    row = _checked(line.split(separator), columns) if separator else assign(line.split(), columns)
    return row if row and row.keys() & {"LV", "VG", "PV"} else None


def _columns_of(command: str) -> list[Column]:
    """The columns that a command without headings prints; none where they are not known."""
    match = _COMMAND.search(command)
    rest = command[match.end() :].lstrip() if match else ""
    if match is None or not _BARE.search(match["options"]) or rest.startswith("|"):
        return []
    options = match["options"]
    if _PREFIXES.search(options):
        return []
    names = DEFAULTS[match["command"]].split(",")
    if asked := _FIELDS.search(options):
        names = [*(names if asked["more"] else ()), *asked["names"].split(",")]
    by_name = dict(OTHER_FIELDS)
    for kind in (*FIELDS, _AFTER[match["command"]]):
        by_name |= FIELDS[kind]
    columns = [
        COLUMNS.get(by_name.get(name) or by_name.get(_PREFIX[match["command"]] + name) or "")
        for name in names
    ]
    named = [column for column in columns if column is not None]
    distinct = {column.name for column in named}
    return named if len(distinct) == len(columns) > 1 else []
