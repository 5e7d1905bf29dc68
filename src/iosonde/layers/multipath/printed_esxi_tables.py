"""ESXi's tables: datastores and their extents, file systems, NVMe controllers and namespaces.

Source: outputs of ESXi 5.0 to 8.0 of `esxcli storage vmfs extent list`, `storage filesystem list`
(sizes in bytes), `nvme adapter|device|controller|namespace list` (capacity in MB of 1024 × 1024
bytes), `storage core adapter list`, `storage core device smart get`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
    Column("Driver", re.compile(r"[a-z][\w-]{1,30}")),
    Column("Link State", re.compile(r"link-(?:up|down|n/a)|online|offline|unbound|unknown")),
    Column("UID", re.compile(r"[a-z][a-z0-9]{1,8}\.\S{1,200}")),
    Column("Capabilities", re.compile(r"[A-Z][A-Za-z, ]{2,80}"), empty=True, blanks=True),
    Column("Description", re.compile(r"\(.{3,160}|iSCSI [A-Za-z ]{3,60}"), empty=True, blanks=True),
    Column("Parameter", re.compile(r"[A-Z][A-Za-z /-]{2,60}"), blanks=True),
    *(Column(name, re.compile(r"N/A|\d{1,18}"), empty=name != "Threshold")
      for name in ("Threshold", "Worst", "Raw")),
    Column("Value", re.compile(r"N/A|\d{1,18}|[A-Z][A-Za-z]{1,12}")),
    Column("HBA Name", re.compile(r"vmhba\d{1,3}")),
    Column("Status", re.compile(r"[A-Z][a-z]{2,12}")), Column("Signature", _ANY),
)  # fmt: skip

_ADAPTERS = _columns(
    _COLUMNS["Adapter"],
    # A name has two words at most: "Adapter Qualified Name" is a column, and one without cells.
    Column("Adapter Qualified", re.compile(r"aqn:[\w:.-]{3,120}")),
    Column("Name", re.compile(r"(?!)"), empty=True),
    _COLUMNS["Transport Type"], _COLUMNS["Driver"],
    Column("Associated Devices", re.compile(r"vm\w{2,10}(?:, ?vm\w{2,10})*"), empty=True),
)  # fmt: skip
"""Of a table whose second column has a name of which another one has the last word."""


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


def _nvme_adapter(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "driver": row["Driver"], "transport": row["Transport Type"].lower(),
        "aqn": row["Adapter Qualified"],
    }  # fmt: skip
    return values | ({"devices": row["Associated Devices"]} if "Associated Devices" in row else {})


def _host_adapter(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "driver": row["Driver"], "state": row["Link State"], "uid": row["UID"]
    }  # fmt: skip
    for label in ("Capabilities", "Description"):
        if row.get(label):
            values[label.lower()] = row[label]
    return values


_FORMS = (
    _Form("vmfs", "Volume Name", frozenset({"VMFS UUID", "Extent Number", "Partition"}), _extent),
    _Form("vmfs", "UUID", frozenset({"Mount Point", "Mounted", "Size", "Free"}), _file_system),
    _Form("nvme_controller", "Name", frozenset({"Transport Type", "Is Online"}), _controller),
    _Form("disk", "Name", frozenset({"Namespace ID", "Block Size", "Capacity"}), _namespace),
    _Form("controller", "HBA Name", frozenset({"Driver", "Link State", "UID"}), _host_adapter),
    _Form("controller", "Adapter", frozenset({"Adapter Qualified", "Driver"}), _nvme_adapter),
    _Form("nvme_controller", "HBA Name", frozenset({"Status", "Signature"}), _adapter),
)


_SMART = frozenset({"Parameter", "Value", "Threshold", "Worst"})
_DEVICE = re.compile(r"\s(?:-d|--device-name)[= ]?\s?(\S{4,200})")
_SLUG = re.compile(r"[^a-z0-9]+")


def _smart(cursor: TextCursor, head: Head, prompt: Prompt) -> Items:
    """`storage core device smart get`: a drive's parameters, each with up to four figures."""
    values: dict[str, Scalar] = {}
    last = head.last
    for row in rows(cursor, head):
        label = _SLUG.sub("_", row.cells["Parameter"].lower()).strip("_")
        for column, cell in row.cells.items():
            if column != "Parameter" and cell not in {"", "N/A"}:
                name = label if column == "Value" else f"{label}_{column.lower()}"
                values[name] = int(cell) if cell.isdecimal() else cell
        last = row.last
    if values.get("health_status") in {"OK", "WARNING"}:
        values["health_passed"] = values["health_status"] == "OK"
    device = _DEVICE.search(prompt.command)
    subject = PrintedSubject("disk", device[1] if device else "", values, prompt.host)
    return last, [subject] if values else []


def _head(cursor: TextCursor, first: int) -> Head | None:
    """The head of a table that begins in a line."""
    is_of_adapters = "Adapter Qualified Name" in cursor.line(first)
    return ruled_head(cursor, first, _ADAPTERS if is_of_adapters else _COLUMNS)


class EsxcliTables(StateOutput):
    tool = "esxcli tables"
    anchors = (
        "VMFS UUID", "Mount Point  ", "Adapter Qualified Name", "Controller Number",
        "HBA Name  ", "Parameter      ",
    )  # fmt: skip
    commands = ("esxcli", "localcli")
    reach = 3
    nothing = "its first row is not whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(cursor.at, max(cursor.at - 2, -1), -1):
            head = _head(cursor, first)
            names = {column.name for column in head.columns} if head else set()
            if names >= _SMART or any(form.columns <= names for form in _FORMS):
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        head = _head(cursor, first)
        names = {column.name for column in head.columns} if head else set()
        if head and names >= _SMART:
            return _smart(cursor, head, prompt)
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
