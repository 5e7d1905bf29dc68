"""`ceph orch ls`, `orch ps`, `orch device ls` and `osd pool autoscale-status`: rows by columns.

Source: Ceph 15 to 19, pybind/mgr/orchestrator/module.py (_list_services(), _list_daemons(),
_list_devices(): PrettyTable without borders, two blanks behind each column; memory by
format_bytes(), prefixes of 1024), pybind/mgr/pg_autoscaler/module.py (table of `autoscale-status`;
sizes likewise). The sizes of drives and all ages stay as they are printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, Head, head_at, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_AMOUNT = r"\d{1,9}(?:\.\d{1,3})?[kMGTPE]?"
_AGO = r"\d{1,6}[smhdwMy](?: ago)?|just now|-"
_RATE = r"\d{1,6}\.\d{1,20}"
_RATIO = r"\d{1,9}\.\d{4}"
_UNKNOWN = "<unknown>"
_CELLS: Mapping[str, tuple[str, bool, bool]] = {
    # what a cell looks like, whether it may be empty, whether it may hold blanks
    "NAME": (r"[\w.:@-]{2,160}", False, False), "PORTS": (r"[?*\d][\w.:,*?-]{1,100}", True, False),
    "RUNNING": (r"\d{1,6}(?:/\d{1,6})?", False, False), "REFRESHED": (_AGO, True, True),
    "AGE": (r"\d{1,6}[smhdwMy]|-", True, False), "PLACEMENT": (r"\S{1,300}", True, False),
    "HOST": (r"[\w.:-]{1,253}|<unknown>", False, False),
    "STATUS": (r"[a-z][a-z ]{2,20}(?: \(\d{1,6}\w\))?|<unknown>", False, True),
    "MEM USE": (rf"{_AMOUNT}|-", True, False), "MEM LIM": (rf"{_AMOUNT}|-", True, False),
    "VERSION": (r"[\w.+~:-]{1,60}|<unknown>", True, False),
    "IMAGE NAME": (r"\S{1,200}", True, False),
    "IMAGE ID": (r"[0-9a-f]{12}|<unknown>|mix", True, False),
    "CONTAINER ID": (r"[0-9a-f]{12}|<unknown>", True, False),
    "PATH": (r"/\S{1,160}", False, False), "TYPE": (r"hdd|ssd|nvme|unknown", False, False),
    "TRANSPORT": (r"\S{1,20}", True, False), "RPM": (r"\S{1,20}", True, False),
    "DEVICE ID": (r"\S.{0,120}", True, True), "HEALTH": (r"\S{1,20}", True, False),
    "IDENT": (r"N/A|On|Off", True, False), "FAULT": (r"N/A|On|Off", True, False),
    "SIZE": (_AMOUNT, False, False), "AVAILABLE": (r"Yes|No", True, False),
    "REJECT REASONS": (r"[A-Za-z][^.:#$?!]{1,300}", True, True),
    "POOL": (r"\S{1,120}", False, False), "TARGET SIZE": (_AMOUNT, True, False),
    "RATE": (_RATE, False, False), "RAW CAPACITY": (_AMOUNT, False, False),
    "RATIO": (_RATIO, False, False), "TARGET RATIO": (_RATIO, True, False),
    "EFFECTIVE RATIO": (_RATIO, True, False), "BIAS": (r"\d{1,6}\.\d{1,3}", True, False),
    "PG_NUM": (r"\d{1,7}", False, False), "NEW PG_NUM": (r"\d{1,7}", True, False),
    "AUTOSCALE": (r"on|off|warn", False, False), "BULK": (r"True|False", True, False),
    "PROFILE": (r"scale-up|scale-down", True, False),
}  # fmt: skip
_COLUMNS = {
    name: Column(name, re.compile(cell), empty=empty, blanks=blanks)
    for name, (cell, empty, blanks) in _CELLS.items()
}
_TABLES = (
    (frozenset({"POOL", "RATE", "AUTOSCALE"}), "ceph_pool", ("POOL",)),
    (frozenset({"HOST", "PATH", "AVAILABLE"}), "ceph_device", ("HOST", "PATH")),
    (frozenset({"NAME", "HOST", "STATUS", "CONTAINER ID"}), "ceph_daemon", ("NAME",)),
    (frozenset({"NAME", "RUNNING", "PLACEMENT"}), "ceph_service", ("NAME",)),
)
"""Columns that one list alone has, what it lists, and what names a row of it."""
_SIZES = frozenset({"MEM USE", "MEM LIM", "TARGET SIZE", "RAW CAPACITY"})
_BOOLEANS = {"True": True, "False": False, "Yes": True, "No": False}


class CephOrch(StateOutput):
    tool = "ceph orch"
    anchors = ("REJECT REASONS", "CONTAINER ID", " AGE  PLACEMENT", "EFFECTIVE RATIO")
    commands = ("ceph",)
    reach = 3
    nothing = "its first row is not whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        head = head_at(cursor, cursor.at, _COLUMNS)
        return cursor.at if head and _table(head) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = head_at(cursor, first, _COLUMNS)
        table = _table(head) if head else None
        last, things = first, list[PrintedSubject]()
        if head is None or table is None:
            return last, things
        kind, names = table
        for row in rows(cursor, head):
            cells = {name: cell for name, cell in row.cells.items() if cell not in {"-", _UNKNOWN}}
            name = ":".join(row.cells[part] for part in names)
            values = {
                _key(column): _value(kind, column, cell)
                for column, cell in cells.items() if column not in names or len(names) > 1
            }  # fmt: skip
            things.append(PrintedSubject(kind, name, values, prompt.host))
            last = row.last
        return last, things


def _table(head: Head) -> tuple[str, tuple[str, ...]] | None:
    """What a head lists, and what names its rows; None where it is of another tool."""
    columns = {column.name for column in head.columns}
    return next(((kind, names) for own, kind, names in _TABLES if own <= columns), None)


def _key(column: str) -> str:
    return {"MEM USE": "memory", "MEM LIM": "memory_limit", "TYPE": "class"}.get(
        column, column.lower().replace(" ", "_")
    )


def _value(kind: str, column: str, cell: str) -> Scalar:
    if column in _SIZES or (column == "SIZE" and kind == "ceph_pool"):
        return round(units.printed(cell, binary=True)[0])
    if column in {"BULK", "AVAILABLE"}:
        return _BOOLEANS[cell]
    if column in {"PG_NUM", "NEW PG_NUM"}:
        return int(cell)
    if column in {"RATE", "RATIO", "TARGET RATIO", "EFFECTIVE RATIO", "BIAS"}:
        return float(cell)
    return cell
