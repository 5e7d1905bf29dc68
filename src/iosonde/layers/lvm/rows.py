"""Rows of lvs, vgs and pvs, however they were printed, as the things that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.columns import COLUMNS, FIELDS, SIZED_FIELDS
from iosonde.layers.lvm.facts import SIZE, SizeUnits, row_of_table, size_of, volume_facts
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.labels import as_labelled

_GROUP = {"VSize": "size", "VFree": "free", "Ext": "extent_size", "#PV": "volumes",
          "#LV": "logical_volumes", "#SN": "snapshots", "Attr": "attributes"}  # fmt: skip
_VOLUME = {"PSize": "size", "PFree": "free", "1st PE": "data_offset", "VG": "volume_group",
           "Attr": "attributes", "DevSize": "device_size"}  # fmt: skip
_READ = frozenset({
    "LV", "VG", "PV", "Attr", "LSize", "Pool", "Origin", "Data%", "Meta%", "Cpy%Sync", "Copy%",
    "Type", "#Str", "Stripe", "Chunk", "Region", "Devices", "CacheMode",
    "CachePolicy", *_GROUP, *_VOLUME,
})  # fmt: skip
_LABELS = {"#Ext": "extents", "PE": "extents", "Free": "free extents", "#Seg": "segments",
           "Alloc": "allocated extents"}  # fmt: skip
"""Headings that say too little, or what another one says of bytes."""
_IN_EXTENTS = {"Start": "first extent", "SSize": "extents"}
"""Of `pvs --segments`: pvseg_start and pvseg_size, which lvs has in bytes under the same names."""
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORT = 6
"""Attributes of a volume in versions that printed capital letters for prefixes of 1024."""


def subjects(
    table: Sequence[Mapping[str, str]], units: SizeUnits, host: str
) -> Iterator[PrintedSubject]:
    """The volumes, physical volumes or groups of some rows.

    Args:
        table: heading (or, where it has none here, name of the field) → cell.
        units: of its sizes.
        host: that they stand on.
    """
    volumes = [cells for cells in table if "LV" in cells]
    if any(len(cells.get("Attr", "")) == _SHORT for cells in volumes):
        units = units.of_old_versions()
    yield from _volumes(volumes, units, host)
    others = [cells for cells in table if "LV" not in cells]
    devices = [cells for cells in others if "PV" in cells]
    if any(len(cells.get("Attr", "")) == 2 for cells in devices):
        units = units.of_old_versions()
    yield from _others("lvm_pv", "PV", _VOLUME, devices, units, host)
    groups = [cells for cells in others if "PV" not in cells and "VG" in cells]
    yield from _others("lvm_group", "VG", _GROUP, groups, units, host)


def of_fields(row: Mapping[str, str]) -> dict[str, str]:
    """A row by names of fields as one by headings; empty cells are left out."""
    names = {name.lower(): text.strip() for name, text in row.items() if text.strip()}
    if "lv_name" not in names and "/" in names.get("lv_full_name", ""):
        group, _, volume = names["lv_full_name"].partition("/")
        names = {"vg_name": group, "lv_name": volume} | names
    kind = "lvm" if "lv_name" in names else "lvm_pv" if "pv_name" in names else "lvm_group"
    headings = FIELDS[kind]
    return {headings.get(name, name): text for name, text in names.items()}


def _volumes(
    table: Sequence[Mapping[str, str]], units: SizeUnits, host: str
) -> Iterator[PrintedSubject]:
    """The logical volumes, each with the rows of all its segments."""
    volumes: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for cells in table:
        volumes.setdefault((cells.get("VG", ""), cells["LV"].strip("[]")), []).append(cells)
    for (group, volume), segments in volumes.items():
        reported = [row_of_table(cells, units) for cells in segments]
        below = [_member(group, device) for cells in segments for device in _devices(cells)]
        part = segments[0]["LV"].startswith("[")
        more = {
            "size": reported[0].get("lv_size"),
            "attributes": reported[0].get("lv_attr"),
            "below": " ".join(dict.fromkeys(below)) or None,
            "first_extents": _first_extents(segments),
            "role": "part" if part else None,
            "size_without_unit": _without_unit(segments[0].get("LSize"), units),
        }
        values = _columns(segments[0], units) | volume_facts(reported) | without_none(more)
        yield PrintedSubject("lvm", mapper_name(group, volume), values, host)


def _columns(cells: Mapping[str, str], units: SizeUnits) -> dict[str, Scalar]:
    """What columns say that `-o` added: "CacheDirtyBlocks" as cache_dirty_blocks."""
    sizes: dict[str, Scalar] = {}
    texts: dict[str, str] = {}
    for name, text in cells.items():
        if name in _READ:
            continue
        column, label = COLUMNS.get(name), _LABELS.get(name) or _CAPITAL.sub(" ", name)
        if name in _IN_EXTENTS and "PSize" in cells and text.isdecimal():
            label = _IN_EXTENTS[name]
        texts[label] = text
        sized = name in SIZED_FIELDS or (column is not None and column.cell is SIZE)
        size = size_of(text, units) if sized and not text.isdecimal() else None
        if size is not None:
            sizes |= dict.fromkeys(as_labelled({label: "0"}), size)
    return as_labelled(texts) | sizes


def _without_unit(text: str | None, units: SizeUnits) -> float | None:
    """A size that was printed without a unit, where nothing says which."""
    if text is None or size_of(text, units) is not None or not SIZE.fullmatch(text):
        return None
    number = float(text.lstrip("<").rstrip("uU").replace(",", "."))
    return int(number) if number.is_integer() else number


def _devices(cells: Mapping[str, str]) -> list[str]:
    text = cells.get("Devices") or cells.get("PE Ranges") or ""
    return re.findall(r"(unknown device|[^\s,(:]+)[(:]\d", text)


def _first_extents(segments: Sequence[Mapping[str, str]]) -> str | None:
    """Where on each device a segment begins, in extents: "/dev/sda2(416)" as "sda2:416"."""
    return (
        " ".join(
            f"{device.strip('[]').removeprefix('/dev/')}:{extent}"
            for cells in segments
            for device, extent in re.findall(r"([^\s,(]+)\((\d+)\)", cells.get("Devices", ""))
            if device.startswith("/")
        )
        or None
    )


def _member(group: str, name: str) -> str:
    """What a volume stands on: a device of /dev, or another volume of the group."""
    if name.startswith("/dev/"):
        return name.removeprefix("/dev/")
    if name in {"[unknown]", "unknown device"}:  # a physical volume that is missing
        return name.replace(" ", "_")
    return mapper_name(group, name.strip("[]"))


def _others(
    kind: str,
    column: str,
    names: Mapping[str, str],
    table: Sequence[Mapping[str, str]],
    units: SizeUnits,
    host: str,
) -> Iterator[PrintedSubject]:
    for cells in table:
        values = _columns(cells, units)
        for name, fact in names.items():
            text = cells.get(name)
            if text is None or name == column:
                continue
            if COLUMNS[name].cell is SIZE:
                size, bare = size_of(text, units), _without_unit(text, units)
                values |= without_none({fact: size, f"{fact}_without_unit": bare})
            else:
                values[fact] = int(text) if re.fullmatch(r"-?\d+", text) else text
        yield PrintedSubject(kind, cells[column].removeprefix("/dev/"), values, host)
