"""lvs, vgs and pvs as tables, with the columns that were asked for.

Source: LVM2 2.03, lvs(8), vgs(8), pvs(8), lvmreport(7): small letters are prefixes of 1024, capital
ones of 1000, "s" is sectors; "<" marks a size that was rounded up. What LVM calls stripe size is
the chunk on one volume; lv_attr tells the volume's kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from iosonde import units
from iosonde.layers.lvm.kind import volume_facts
from iosonde.printed import PrintedState, Reading, Subject, Unreadable
from iosonde.records import Scalar
from iosonde.text.cells import Column, head_at, rows
from iosonde.text.passage import Passage, command_before

_NAME = re.compile(r"\[?(?![\d.,]+$)[\w+][\w+.-]*\]?")
_SIZE = re.compile(r"<?(\d+(?:[.,]\d+)?)([bBsSkKmMgGtTpPeE]?)")
_WORD, _NUMBER = re.compile(r"\S+"), re.compile(r"-?\d+")
_TEXT = re.compile(r"\S.*")
_SHARE = re.compile(r"\d+[.,]\d+")
_ATTR = re.compile(  # of logical volumes, groups, physical volumes
    r"[-CmMoOrRsSpvVtTdeEil][-wrR][-a-zA-Z][-m][-a-zA-Z]{5,6}|[-wr][-z][-x][-p][-a-z][-cs]"
    r"|[-adu][-x][-m]"
)
_TYPE = re.compile(r"[a-z]+[a-z0-9_-]*")
_ALIKE: tuple[tuple[str, re.Pattern[str], bool, bool], ...] = (  # names, cell, empty, words
    ("LV,VG", _NAME, False, False),
    ("PV", re.compile(r"/dev/\S+|\[unknown\]|unknown device"), False, True),
    ("Attr", _ATTR, False, False),
    ("LSize,PSize,PFree,VSize,VFree,SSize,DevSize,1st PE,Used,Ext,BA Size", _SIZE, False, False),
    ("#PV,#LV,#SN,#Str,#Seg,#PE,#Ext,Free", _NUMBER, False, False),
    ("Stripe,Region,Chunk,Start", _SIZE, False, False),
    ("Maj,Min,KMaj,KMin", _NUMBER, True, False),
    ("Data%,Meta%,Cpy%Sync", _SHARE, True, False),
    ("Pool,Origin", _NAME, True, False),
    ("Type", _TYPE, False, False),
    ("Fmt", re.compile(r"lvm[12]"), True, False),
    ("Devices", re.compile(r"[^\s,()]+\(\d+\)(?:,[^\s,()]+\(\d+\))*"), True, False),
    ("PE Ranges,LE Ranges", re.compile(r"\S+:\d+-\d+(?: \S+:\d+-\d+)*"), True, True),
    ("Move,Log,Convert,LProfile,VProfile,Host", _NAME, True, False),
    ("LV UUID,VG UUID,PV UUID", re.compile(r"\w{6}(?:-\w{4}){5}-\w{6}"), True, False),
    ("Tags,LV Tags,VG Tags,PV Tags,Path,DMPath", _WORD, True, False),
    ("KRahead,Rahead", re.compile(r"auto|[\d.]+[a-zA-Z]?"), True, False),
)  # fmt: skip
_COLUMNS: Mapping[str, Column] = {
    name: Column(name, cell, empty, words)
    for names, cell, empty, words in _ALIKE
    for name in names.split(",")
} | {"VG": Column("VG", _NAME, empty=True)}
_REPORT = {
    "VG": "vg_name", "Attr": "lv_attr", "Type": "segtype", "#Str": "stripes",
    "Stripe": "stripe_size", "Chunk": "chunk_size", "Region": "region_size",
    "Data%": "data_percent", "Meta%": "metadata_percent", "Cpy%Sync": "copy_percent",
    "Origin": "origin", "Pool": "pool_lv",
}  # fmt: skip
_SIZES = frozenset({"stripe_size", "chunk_size", "region_size"})
_GROUP = {"VSize": "size", "VFree": "free", "Ext": "extent_size", "#PV": "volumes",
          "#LV": "logical_volumes", "#SN": "snapshots", "Attr": "attributes"}  # fmt: skip
_VOLUME = {"PSize": "size", "PFree": "free", "1st PE": "data_offset", "VG": "volume_group",
           "Attr": "attributes", "DevSize": "device_size"}  # fmt: skip
_HEAD = re.compile(r"^\s*(?:LV|VG|PV)\s+[A-Z#1]")


class LvmOutput:
    """See `iosonde.text.passage.Output`."""

    tool: ClassVar[str] = "lvm"
    anchors: ClassVar[tuple[str, ...]] = (
        "LSize", "PSize", "VSize", " #PV", "#Str", "LV VG", "LV   ", "1st PE", "Fmt  Attr",
    )  # fmt: skip

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        for index in range(passage.at, max(passage.at - 4, -1), -1):
            line = passage.line(index)
            if line is None:
                return None
            if _HEAD.match(line):
                return index if head_at(passage, index, _COLUMNS) else None
        return None

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        head = head_at(passage, first, _COLUMNS)
        if head is None:
            raise Unreadable("its columns are not known")
        table = list(rows(passage, head))
        if not table:
            raise Unreadable("no volume follows")
        asked = command_before(passage, first, ("lvs", "vgs", "pvs", "lvm"))
        command, host = (asked[1].command, asked[1].host) if asked else ("", "")
        cells = [row.cells for row in table]
        names = {column.name for column in head.columns}
        if "LV" in names:
            found = tuple(_volumes(cells, host))
        elif "PV" in names:
            found = tuple(_others("lvm_pv", "PV", _VOLUME, cells, host))
        else:
            found = tuple(_others("lvm_group", "VG", _GROUP, cells, host))
        state = PrintedState(self.tool, found, host, command)
        return Reading(asked[0] if asked else first, table[-1].last, states=(state,))


def size_of(text: str) -> int | None:
    """Bytes of "<1.50t", "64.00k", "1000.00M" (of 1000), "2048s" or "0"."""
    found = _SIZE.fullmatch(text)
    if not found:
        return None
    number, letter = float(found[1].replace(",", ".")), found[2]
    if letter in {"s", "S"}:
        return round(number * units.SECTOR)
    if letter in {"", "b", "B"}:
        return round(number)
    base = 1024.0 if letter.islower() else 1000.0
    return round(number * base ** ("kmgtpe".index(letter.lower()) + 1))


def mapper_name(group: str, volume: str) -> str:
    """The volume's name in /dev, as device-mapper has it: mapper/vg0-data."""
    if not group:
        return volume
    return f"mapper/{group.replace('-', '--')}-{volume.replace('-', '--')}"


def _volumes(table: list[Mapping[str, str]], host: str) -> Iterator[Subject]:
    """The logical volumes, each with the rows of all its segments."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for cells in table:
        found.setdefault((cells.get("VG", ""), cells["LV"].strip("[]")), []).append(_sorted(cells))
    for (group, volume), segments in found.items():
        values: dict[str, Scalar] = volume_facts([_reported(cells) for cells in segments])
        first = segments[0]
        if "LSize" in first:
            values["size"] = size_of(first["LSize"])
        if attributes := first.get("Attr"):
            values["attributes"] = attributes
        below = [_member(group, one) for cells in segments for one in _devices(cells)]
        if below:
            values["below"] = " ".join(dict.fromkeys(below))
        if first["LV"].startswith("["):
            values["role"] = "part"
        yield Subject("lvm", mapper_name(group, volume), values, host)


def _sorted(cells: Mapping[str, str]) -> Mapping[str, str]:
    """Cells of a broken row that its volume's kind puts into another column."""
    kind, moved = cells.get("Attr", "-")[:1], dict(cells)
    if kind in "rRmM" and "Data%" in cells and not {"Cpy%Sync", "Meta%"} & cells.keys():
        moved["Cpy%Sync"] = moved.pop("Data%")
    if kind in "sS" and "Pool" in cells and "Origin" not in cells:
        moved["Origin"] = moved.pop("Pool")
    return moved


def _reported(cells: Mapping[str, str]) -> dict[str, Any]:
    """A row by the names that LVM's own report in JSON has, sizes in bytes."""
    row: dict[str, Any] = {}
    for column, name in _REPORT.items():
        text = cells.get(column)
        if text is not None:
            row[name] = size_of(text) if name in _SIZES else text.replace(",", ".")
    return row


def _devices(cells: Mapping[str, str]) -> list[str]:
    text = cells.get("Devices") or cells.get("PE Ranges") or ""
    return re.findall(r"([^\s,(:]+)[(:]\d", text)


def _member(group: str, name: str) -> str:
    """What a volume stands on: a device of /dev, or another volume of the group."""
    if name.startswith("/dev/"):
        return name.removeprefix("/dev/")
    return mapper_name(group, name.strip("[]"))


def _others(
    kind: str, column: str, names: Mapping[str, str], table: list[Mapping[str, str]], host: str
) -> Iterator[Subject]:
    for cells in table:
        values: dict[str, Scalar] = {}
        for name, fact in names.items():
            text = cells.get(name)
            if text is None or name == column:
                continue
            if _COLUMNS[name].cell is _SIZE:
                values[fact] = size_of(text)
            else:
                values[fact] = int(text) if _NUMBER.fullmatch(text) else text
        yield Subject(kind, cells[column].removeprefix("/dev/"), values, host)
