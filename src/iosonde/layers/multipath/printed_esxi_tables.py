"""ESXi's tables: datastores and their extents, file systems, NVMe controllers and namespaces.

Source: outputs of ESXi 5.0 to 8.0 of `esxcli storage vmfs extent list`, `storage filesystem list`
(sizes in bytes), `nvme device|controller|namespace list` (capacity in MB of 1024 × 1024 bytes).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from typing_extensions import override

from iosonde import units
from iosonde.layers.multipath.printed_esxi import esxi_prompt
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.ruled import ruled_head

_ANY = re.compile(r"\S{1,300}")
_NAMED = re.compile(r"(?![/ ])(?:(?! (?:true|false)\b|[0-9a-f]{8}-[0-9a-f]{8}).){1,100}")
_VOLUME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{4}-[0-9a-f]{12})?")
_COUNT = re.compile(r"\d{1,18}")
_SWITCH = re.compile(r"true|false")


def _columns(*columns: Column) -> Mapping[str, Column]:
    return {column.name: column for column in columns}


_COLUMNS = _columns(
    Column("Volume Name", _NAMED, empty=True, blanks=True), Column("VMFS UUID", _VOLUME),
    Column("Extent Number", _COUNT), Column("Device Name", re.compile(r"[a-z][a-z0-9]{1,8}\.\S+")),
    Column("Partition", _COUNT),
    Column("Mount Point", re.compile(r"/\S{1,200}"), empty=True), Column("UUID", _VOLUME),
    Column("Mounted", _SWITCH), Column("Type", re.compile(r"[A-Za-z][\w.-]{1,12}")),
    Column("Size", _COUNT), Column("Free", _COUNT),
    Column("Name", re.compile(r"(?:nqn|eui|uuid|t10|naa)\.\S{3,300}")),
    Column("Controller Number", _COUNT), Column("Adapter", re.compile(r"vmhba\d{1,3}")),
    Column("Transport Type", re.compile(r"[A-Za-z]{2,8}")), Column("Is Online", _SWITCH),
    Column("Is VVOL", _SWITCH), Column("Namespace ID", _COUNT), Column("Block Size", _COUNT),
    # A name has two words at most: "Capacity in MB" is a column, and one without cells.
    Column("Capacity", _COUNT), Column("in MB", re.compile(r"(?!)"), empty=True),
    Column("HBA Name", re.compile(r"vmhba\d{1,3}")),
    Column("Status", re.compile(r"[A-Z][a-z]{2,12}")), Column("Signature", _ANY),
)  # fmt: skip


class _Form(NamedTuple):
    """Which things the rows of a table are: kind, the column of their names, what rows say."""

    kind: str
    name: str
    columns: frozenset[str]
    values: Callable[[Mapping[str, str]], dict[str, Scalar]]


def _switch(text: str) -> bool:
    return text == "true"


def _extent(row: Mapping[str, str]) -> dict[str, Scalar]:
    return {
        "uuid": row["VMFS UUID"], "extent": int(row["Extent Number"]),
        "device": row["Device Name"], "partition": int(row["Partition"]),
    }  # fmt: skip


def _file_system(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "uuid": row["UUID"], "mounted": _switch(row["Mounted"]), "type": row["Type"],
        "size": int(row["Size"]), "available": int(row["Free"]),
    }  # fmt: skip
    for label, name in (("Volume Name", "volume"), ("Mount Point", "mount_point")):
        if row.get(label):
            values[name] = row[label]
    return values


def _controller(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "controller": int(row["Controller Number"]), "adapter": row["Adapter"],
        "transport": row["Transport Type"].lower(),
        "state": "online" if _switch(row["Is Online"]) else "offline",
    }  # fmt: skip
    return values


def _namespace(row: Mapping[str, str]) -> dict[str, Scalar]:
    return {
        "controller": int(row["Controller Number"]), "namespace": int(row["Namespace ID"]),
        "logical_block_size": int(row["Block Size"]), "size": int(row["Capacity"]) * units.MIB,
    }  # fmt: skip


def _adapter(row: Mapping[str, str]) -> dict[str, Scalar]:
    return {"state": row["Status"].lower(), "signature": row["Signature"]}


_FORMS = (
    _Form("vmfs", "Volume Name", frozenset({"VMFS UUID", "Extent Number", "Partition"}), _extent),
    _Form("vmfs", "UUID", frozenset({"Mount Point", "Mounted", "Size", "Free"}), _file_system),
    _Form("nvme_controller", "Name", frozenset({"Transport Type", "Is Online"}), _controller),
    _Form("disk", "Name", frozenset({"Namespace ID", "Block Size", "Capacity"}), _namespace),
    _Form("nvme_controller", "HBA Name", frozenset({"Status", "Signature"}), _adapter),
)


class EsxcliTables(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "esxcli tables"
    anchors: ClassVar[tuple[str, ...]] = (
        "VMFS UUID", "Mount Point  ", "Controller Number", "HBA Name  ",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("esxcli", "localcli")
    reach: ClassVar[int] = 3
    nothing: ClassVar[str] = "its first row is not whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(cursor.at, max(cursor.at - 2, -1), -1):
            head = ruled_head(cursor, first, _COLUMNS)
            names = {column.name for column in head.columns} if head else set()
            if any(form.columns <= names for form in _FORMS):
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        head = ruled_head(cursor, first, _COLUMNS)
        names = {column.name for column in head.columns} if head else set()
        form = next((form for form in _FORMS if form.columns <= names), None)
        if head is None or form is None:
            return first, ()
        last, subjects = head.last, list[PrintedSubject]()
        for row in rows(cursor, head):
            cells = {name: cell for name, cell in row.cells.items() if cell}
            name = cells.get("Volume Name") or cells.get(form.name, "")
            subjects.append(PrintedSubject(form.kind, name, form.values(cells), prompt.host))
            last = row.last
        return last, subjects
