"""IBM Storage Virtualize (SVC, Storwize, FlashSystem): `lsmdiskgrp`, `lsvdisk`, `lsmdisk`.

In columns, or with `-delim` and one character between cells. Sizes are of 1024; with `-bytes` they
are bytes, and an extent's is always of MiB.

Source: IBM Storage Virtualize, Command-Line Interface User's Guide (lsmdiskgrp, lsvdisk, lsmdisk:
concise views); outputs of versions 6.4 to 8.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.layers._storage_arrays.printed_ontap import size_in
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*id(?P<delimiter>[:;,!|]| {1,30})name(?P=delimiter)?(?=[ \w:;,!|])")
_NAME = re.compile(r"[A-Za-z][\w#]{1,60}")
_KINDS = {"mdisk_count": "storage_pool", "IO_group_name": "storage_volume", "ctrl_LUN_#": "mdisk"}
"""Column that one list alone has → what it lists."""
_SIZES = {
    "capacity": "size", "free_capacity": "available", "used_capacity": "used",
    "real_capacity": "allocated", "virtual_capacity": "provisioned",
}  # fmt: skip
_READ = frozenset({"id", "name", "status", "extent_size", *_SIZES})


class VirtualizeLists(StateOutput):
    tool = "storage virtualize"
    anchors = (
        "mdisk_count", "mdisk\\_count", "IO_group_name", "IO\\_group\\_name", "ctrl_LUN_#",
        "ctrl\\_LUN\\_#",
    )  # fmt: skip
    commands = ("lsmdiskgrp", "lsvdisk", "lsmdisk", "svcinfo", "ssh")
    reach = 3
    nothing = "no row is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _columns(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        cells_of = _columns(cursor.line(first))
        things: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first + 1, 10_000) if cells_of else ():
            row = None if prompt_in(line) or cells_of is None else cells_of(line)
            if not row:
                break
            last = index
            kind = next((kind for column, kind in _KINDS.items() if column in row), "")
            things.append(PrintedSubject(kind, row["name"], _values(row), prompt.host))
        return last, things


def _columns(line: str) -> Callable[[str], dict[str, str]] | None:
    """What gives the cells of a row, by a head; None where a line is no head of these lists."""
    head = _HEAD.match(line)
    delimiter = head["delimiter"].strip() if head else ""
    matches = list(_NAME.finditer(line)) if head else []
    names = line.strip().split(delimiter) if delimiter else [match[0] for match in matches]
    is_list = "status" in names and any(column in names for column in _KINDS)
    if not is_list or not all(_NAME.fullmatch(name) for name in names):
        return None
    if delimiter:
        return lambda row: _row(names, row.strip().split(delimiter))
    starts = [match.start() for match in matches]
    return lambda row: _row(names, _sliced(row, starts))


def _sliced(row: str, starts: Sequence[int]) -> list[str]:
    """The cells below the names; none where a word crosses the border of two."""
    if any(start and row[start - 1 : start].strip() for start in starts[1:]):
        return []
    ends = [*starts[1:], len(row) + 1]
    cells = [row[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [] if any("  " in cell for cell in cells) else cells


def _row(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    row = dict(zip(names, cells, strict=True)) if len(names) == len(cells) else {}
    return row if row.get("id", "").isdecimal() and row["name"] and row["status"] else {}


def _values(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"state": row["status"]}
    for column, name in _SIZES.items():
        text = row.get(column, "")
        size = int(text) if text.isdecimal() else size_in(text)
        if size is not None:
            values[name] = size
    if (extent := row.get("extent_size", "")).isdecimal():
        values["extent_size"] = int(extent) * units.MIB
    return values | as_labelled(dict(row), _READ)
