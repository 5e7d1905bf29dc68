"""ESXi's tables of interfaces, adapters and what is set of them, and of partitions.

What is set of an adapter or a module is one thing with the parameters as its values; those that
nobody set are left out. A table whose blanks a page took away is read where its cells say which
columns they are of: of modules they do not.

Source: outputs of ESXi 5.0 to 8.0 of `esxcli network nic list` (speed in units of a million bits),
`iscsi adapter list`, `iscsi adapter param get`, `storage nmp satp list`, `system module parameters
list`, `storage core device partition list` (sectors of 512 bytes; the size in bytes is of those
from the first to before the last).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.layers.multipath.printed_esxi import esxi_prompt
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, Head, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.ruled import ruled_head

_TEXT = re.compile(r"\S.{0,200}")
_SWITCH = re.compile(r"true|false")
_COUNT = re.compile(r"\d{1,18}")
_VALUE = re.compile(r"\S{1,200}")
_ADAPTER = re.compile(r"vmhba\d{1,3}")
_OF_ADAPTER = re.compile(r"\s(?:-A|--adapter)[= ]?\s?(vmhba\d{1,3})\b")
_OF_MODULE = re.compile(r"\s(?:-m|--module)[= ]?\s?([\w.-]{1,60})\b")
_APART = re.compile(r"-\s{2,}-")

_Row = Mapping[str, str]


def _columns(*columns: Column) -> Mapping[str, Column]:
    return {column.name: column for column in columns}


def _typed(text: str) -> Scalar:
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text


# ── tables of things ────────────────────────────────────────────────────────────────────────────


def _interface(row: _Row) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "driver": row["Driver"], "pci_device": row["PCI Device"], "mtu": int(row["MTU"]),
        "admin_state": row["Admin Status"].lower(), "state": row["Link Status"].lower(),
        "mac_address": row["MAC Address"],
    }  # fmt: skip
    if row["Link Status"] == "Up" and int(row["Speed"]):
        values |= {"speed": int(row["Speed"]) * 1_000_000 // 8, "duplex": row["Duplex"].lower()}
    return values | ({"description": row["Description"]} if "Description" in row else {})


def _adapter(row: _Row) -> dict[str, Scalar]:
    own = ("Driver", "State", "UID", "Description")
    return {name.lower(): row[name] for name in own if name in row}


def _plugin(row: _Row) -> dict[str, Scalar]:
    return {"default_path_selection": row["Default PSP"], "description": row["Description"]}


def _partition(row: _Row) -> dict[str, Scalar]:
    return {
        "disk": row["Device"], "number": int(row["Partition"]), "size": int(row["Size"]),
        "start": int(row["Start Sector"]) * units.SECTOR, "partition_type": row["Type"],
    }  # fmt: skip


def _things(
    kind: str, name: str, values: Callable[[_Row], dict[str, Scalar]]
) -> Callable[[Sequence[_Row], Prompt], Iterable[PrintedSubject]]:
    """A reader of rows each of which is a thing, named by a column."""
    return lambda table, prompt: [
        PrintedSubject(kind, row[name], values(row), prompt.host) for row in table
    ]


def _partitions(table: Sequence[_Row], prompt: Prompt) -> Iterable[PrintedSubject]:
    """The partitions of each disk; the row of number 0 is the disk itself."""
    for row in table:
        length = int(row["End Sector"]) - int(row["Start Sector"])
        if row["Partition"] != "0" and length * units.SECTOR == int(row["Size"]):
            name = f"{row['Device']}:{row['Partition']}"
            yield PrintedSubject("partition", name, _partition(row), prompt.host)


# ── tables of what is set ───────────────────────────────────────────────────────────────────────


def _set_of(
    kind: str, column: str, asked: re.Pattern[str]
) -> Callable[[Sequence[_Row], Prompt], Iterable[PrintedSubject]]:
    """A reader of rows that are the parameters of one thing, which the command names."""

    def subjects(table: Sequence[_Row], prompt: Prompt) -> Iterable[PrintedSubject]:
        values = {row["Name"]: _typed(row[column]) for row in table if row.get(column)}
        named = asked.search(prompt.command)
        if values and named:
            yield PrintedSubject(kind, named[1], values, prompt.host)

    return subjects


class _Table(NamedTuple):
    """The columns of a table, those that tell it from others, and what its rows say."""

    columns: Mapping[str, Column]
    own: frozenset[str]
    subjects: Callable[[Sequence[_Row], Prompt], Iterable[PrintedSubject]]
    aligned: bool = False
    """Its cells do not say which columns they are of."""


_TABLES = (
    _Table(
        _columns(
            Column("Name", re.compile(r"vmnic\d{1,3}|vusb\d")),
            Column("PCI Device", re.compile(r"[0-9a-f]{4}:[0-9a-f:.]{6,9}|Pseudo|N/A")),
            Column("Driver", re.compile(r"[a-z]\w{1,30}")),
            *(Column(f"{what} Status", re.compile(r"Up|Down")) for what in ("Admin", "Link")),
            Column("Speed", _COUNT), Column("Duplex", re.compile(r"Full|Half")),
            Column("MAC Address", re.compile(r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}")),
            Column("MTU", _COUNT), Column("Description", _TEXT, empty=True, blanks=True),
        ),
        frozenset({"PCI Device", "Link Status", "MTU"}), _things("link", "Name", _interface),
    ),
    _Table(
        _columns(
            Column("Adapter", _ADAPTER), Column("Driver", re.compile(r"[a-z][\w-]{1,30}")),
            Column("State", re.compile(r"[a-z][a-z-]{1,20}")),
            Column("UID", re.compile(r"\S{4,230}")),
            Column("Description", _TEXT, empty=True, blanks=True),
        ),
        frozenset({"Adapter", "Driver", "State", "UID"}),
        _things("controller", "Adapter", _adapter),
    ),
    _Table(
        _columns(
            Column("Name", re.compile(r"[A-Z][A-Z0-9_]{3,60}")),
            Column("Default PSP", re.compile(r"[A-Z][A-Z0-9_]{3,60}")),
            Column("Description", _TEXT, blanks=True),
        ),
        frozenset({"Default PSP"}), _things("path_plugin", "Name", _plugin),
    ),
    _Table(
        _columns(
            Column("Device", re.compile(r"[a-z][a-z0-9]{1,8}\.\S{3,200}")),
            *(Column(name, _COUNT) for name in ("Partition", "Start Sector", "End Sector", "Size")),
            Column("Type", re.compile(r"[0-9a-f]{1,2}")),
        ),
        frozenset({"Device", "Partition", "Start Sector", "End Sector", "Size"}), _partitions,
    ),
    _Table(
        _columns(
            Column("Name", re.compile(r"[A-Z]\w{2,40}")),
            *(Column(name, _VALUE) for name in ("Current", "Default", "Min", "Max")),
            *(Column(name, _SWITCH) for name in ("Settable", "Inherit")),
        ),
        frozenset({"Name", "Current", "Default", "Settable"}),
        _set_of("controller", "Current", _OF_ADAPTER),
    ),
    _Table(
        _columns(
            Column("Name", re.compile(r"\w{2,80}")),
            Column("Type", re.compile(r"[a-z][a-z ]{2,20}"), blanks=True),
            Column("Value", _VALUE, empty=True, blanks=True),
            Column("Description", _TEXT, empty=True, blanks=True),
        ),
        frozenset({"Name", "Type", "Value", "Description"}),
        _set_of("module", "Value", _OF_MODULE), aligned=True,
    ),
)  # fmt: skip


def _head(cursor: TextCursor, first: int) -> tuple[Head, _Table] | None:
    """The head of a table that begins in a line, and which it is; None where none does."""
    for table in _TABLES:
        head = ruled_head(cursor, first, table.columns)
        if head and table.own <= {column.name for column in head.columns}:
            placed = not head.broken and _APART.search(cursor.line(head.last))
            return (head, table) if placed or not table.aligned else None
    return None


class EsxcliSettings(StateOutput):
    tool = "esxcli settings"
    anchors = (
        "PCI Device", "Default PSP", "Start Sector", "Settable", "Adapter  ",
        "Description",
    )  # fmt: skip
    commands = ("esxcli", "localcli")
    reach = 3
    nothing = "its first row is not whole, or no command says of what it is"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(cursor.at, max(cursor.at - 2, -1), -1):
            if _head(cursor, first):
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        read = _head(cursor, first)
        if read is None:
            return first, ()
        head, table = read
        last, cells = head.last, list[_Row]()
        for row in rows(cursor, head):
            cells.append({name: cell for name, cell in row.cells.items() if cell})
            last = row.last
        return last, table.subjects(cells, prompt)
