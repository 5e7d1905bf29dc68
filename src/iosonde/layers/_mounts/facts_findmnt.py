"""What the columns of findmnt say of a mount, in its tables, pairs and JSON.

Source: util-linux 2.38 to 2.41, misc-utils/findmnt.c (infos[], get_data(), get_vfs_attr()): sizes
are printed with prefixes of 1024, or (-b) in bytes; USE% is a whole percentage, rounded up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.layers._mounts.facts import STORAGE, printed_kind, subject
from iosonde.layers._mounts.options import options_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column

_SIZE = r"\d{1,20}(?:[.,]\d{1,3})?[BKMGTPE]?"
_KINDS: tuple[tuple[str, str, bool, bool], ...] = (
    # columns, what a cell holds, whether it may be empty, whether it may hold blanks
    ("TARGET", r"/\S*|none|swap", False, False),
    ("SOURCE", r"[^\s|`]\S*", False, False),
    ("FSTYPE", r"[a-z][\w.,-]*", False, False),
    ("OPTIONS VFS-OPTIONS FS-OPTIONS", r"[A-Za-z][^\s\"]*", True, False),
    ("OPT-FIELDS", r"[a-z_]+:\d+(?:,? ?[a-z_]+:\d+)*", True, False),
    ("PROPAGATION", r"(?:private|shared|slave|unbindable)(?:,[a-z]+)*", True, False),
    ("SIZE USED AVAIL INO.TOTAL INO.USED INO.AVAIL", _SIZE, False, False),
    ("USE% INO.USE%", r"\d{1,3}%|-", False, False),
    ("MAJ:MIN", r"\d{1,4}:\d{1,7}", False, False),
    ("ID PARENT", r"\d{1,10}", False, False),
    ("TID FREQ PASSNO UNIQ-ID", r"\d{1,20}", True, False),
    ("FSROOT", r"/\S*|\w{2,8}:\[\d+\]", True, False),
    ("LABEL PARTLABEL", r"\S.{0,79}", True, True),
    ("UUID PARTUUID", r"[0-9A-Fa-f]{4,16}(?:-[0-9A-Fa-f]{2,12}){0,4}", True, False),
)
COLUMNS: Mapping[str, Column] = {
    name: Column(name, re.compile(cell), empty, blanks)
    for names, cell, empty, blanks in _KINDS
    for name in fields(names)
}
"""The columns of its tables; not those that only --poll fills, nor SOURCES, of several lines."""
_SIZES = {"SIZE": "size", "USED": "used", "AVAIL": "available"}
_INODES = {
    "INO.TOTAL": "inodes", "INO.USED": "inodes_used", "INO.AVAIL": "inodes_free",
}  # fmt: skip
_SHARES = {"USE%": "used_share", "INO.USE%": "inodes_used_share"}
_COUNTS = {
    "ID": "mount_id", "PARENT": "parent_mount_id", "TID": "task_id", "FREQ": "dump_frequency",
    "PASSNO": "check_order",
}  # fmt: skip
_TEXTS = {
    "MAJ:MIN": "device_number", "UUID": "uuid", "LABEL": "label", "PARTUUID": "partition_uuid",
    "PARTLABEL": "partition_label", "PROPAGATION": "propagation", "OPT-FIELDS": "optional_fields",
    "UNIQ-ID": "unique_id",
}  # fmt: skip
_SHELL = {"USE_PCT": "USE%", "INO_USE_PCT": "INO.USE%"}


def column_of(name: str) -> str:
    """The column that pairs and JSON call by a name for shells, or in lower case."""
    plain = name.upper()
    if plain in _SHELL:
        return _SHELL[plain]
    if plain in COLUMNS or "_" not in plain:
        return plain
    return next((other for gap in ":.-" if (other := plain.replace("_", gap)) in COLUMNS), plain)


def fit(cells: Mapping[str, str]) -> bool:
    """Whether each cell holds what its column does, or nothing, or a text with blanks in it."""
    return all(
        not cell or name not in COLUMNS or COLUMNS[name].cell.fullmatch(cell.replace(" ", "_"))
        for name, cell in cells.items()
    )


def mount_of(cells: Mapping[str, str], host: str = "") -> PrintedSubject | None:
    """What the cells of a row say; None of a file system that stores nothing and has no size.

    Args:
        cells: by their columns; TARGET must be among them.
        host: where it is mounted.
    """
    fstype, source = cells.get("FSTYPE", ""), cells.get("SOURCE", "")
    base = fstype.partition(".")[0]
    options = ",".join(cells[name] for name in _option_columns(cells) if cells.get(name))
    mount = subject(source, cells["TARGET"], fstype, options) if base in STORAGE else None
    figures = _figures(cells)
    if mount is None and base and not any(name in figures for name in _SIZES.values()):
        return None
    kind, name = printed_kind(base or "filesystem"), cells["TARGET"]
    values: dict[str, Scalar] = {"device": source} if source else {}
    if options and not base:
        values |= options_of(options.split(","))
    if mount is not None:
        kind, name = mount.kind, mount.name
        values |= mount.values
        if not source:
            values.pop("device", None)
        if values.get("ro") is True:  # one of the mount and its file system is enough
            values.pop("rw", None)
    return PrintedSubject(kind, name, values | figures, host)


def _option_columns(cells: Mapping[str, str]) -> tuple[str, ...]:
    return ("OPTIONS",) if cells.get("OPTIONS") else ("VFS-OPTIONS", "FS-OPTIONS")


def _figures(cells: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for columns in (_SIZES, _INODES):
        for column, name in columns.items():
            if cell := cells.get(column):
                values[name] = round(units.printed(cell.replace(",", "."), binary=True)[0])
    for column, name in _SHARES.items():
        if (cell := cells.get(column, "-")) and cell != "-":
            values[name] = int(cell.rstrip("%")) / 100
    values |= {name: int(cells[column]) for column, name in _COUNTS.items() if cells.get(column)}
    values |= {name: cells[column] for column, name in _TEXTS.items() if cells.get(column)}
    if cells.get("FSROOT", "/") != "/" and cells["FSROOT"]:
        values["root"] = cells["FSROOT"]
    return values
