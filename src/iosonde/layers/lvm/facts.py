"""LVM: what lvs, vgs and pvs report, in JSON or as tables.

LVM calls "stripe size" what is `chunk_size` here: bytes on one physical volume before the next
one's turn. What it calls chunk size (thin pools, caches, snapshots) is `block_size`: what is mapped
or copied at once.

Source: lvs(8), vgs(8), pvs(8), lvmreport(7) (fields, --reportformat json, lv_attr; in tables small
letters are prefixes of 1024, capital ones of 1000, "s" is sectors, and "<" marks a size that was
rounded up); lib/activate/dev_manager.c of LVM 2.03: the uuid of a device is "LVM-", the group's and
the volume's uuid without dashes and, of a device inside a volume, its role ("-tpool", "-real",
"-cow", "-cdata" …).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iosonde import units
from iosonde.exact import from_json
from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.layers._raid import geometry
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar

UUID = r"\w{6}(?:-\w{4}){5}-\w{6}"
"""The form of a uuid of LVM's. Source: LVM2 2.03, lib/uuid/uuid.c, id_write_format()."""
_REPORT = ("--reportformat", "json", "--units", "b", "--nosuffix")
_FIELDS = (
    "lv_name,vg_name,lv_uuid,lv_attr,segtype,stripes,stripe_size,chunk_size,region_size,"
    "data_percent,metadata_percent,copy_percent,origin,pool_lv,vg_extent_size"
)
# Since 2.02.178 (data_stripes), 2.03.03 (writecache); an older lvs refuses all for one it lacks.
_NEWER = (
    ",data_stripes,cache_mode,cache_policy,cache_total_blocks,cache_used_blocks,"
    "cache_dirty_blocks,raid_sync_action,raid_mismatch_count,writecache_block_size,"
    "writecache_total_blocks,writecache_free_blocks"
)
LVS = ("lvs", "--all", *_REPORT, "-o", _FIELDS + _NEWER)
LVS_OLD = ("lvs", "--all", *_REPORT, "-o", _FIELDS)
PVS = ("pvs", *_REPORT, "-o", "pv_name,vg_name,pe_start,pv_attr")
# Ninth place of lv_attr, the volume's health (lvs(8)).
_HEALTH = {
    "p": "partial", "r": "refresh needed", "m": "mismatches", "F": "failed", "X": "unknown",
    "D": "out of space", "M": "metadata read-only", "E": "failed", "R": "reshape needed",
}  # fmt: skip
_FULL = 0.9  # share of a thin pool or snapshot from which on it is a hazard
_UUIDS = 64  # signs of two uuids
_SPREAD = {"m", "M", "r", "R"}  # first place of lv_attr: mirrors and RAID
_BUSY = {"resync", "recover", "reshape", "check", "repair"}


def parse_report(report: bytes, part: str) -> list[Mapping[str, Any]]:
    """The rows of a report in JSON, "lv" or "pv"; none where it is no such report."""
    try:
        document = from_json(report or b"{}")
    except ValueError:
        return []
    parts = document.get("report", []) if isinstance(document, dict) else []
    return [
        row
        for report_part in parts
        if isinstance(report_part, dict)
        for row in report_part.get(part, [])
    ]


def by_uuid(reported: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Uuid of a volume without dashes → its rows, one for each segment."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in reported:
        rows.setdefault(str(row.get("lv_uuid", "")).replace("-", ""), []).append(row)
    return rows


def split_uuid(uuid: str) -> tuple[str, str]:
    """The volume's uuid and the role of a device inside it, from device-mapper's uuid."""
    signs = uuid.removeprefix("LVM-")
    return signs[_UUIDS // 2 : _UUIDS], signs[_UUIDS:].lstrip("-")


def data_members(segment_type: str, stripes: int, row: Mapping[str, Any]) -> int | None:
    """Members that hold data in each stripe; None where nothing is striped."""
    base = segment_type.partition("_")[0]
    if base in {"raid1", "mirror", "linear"}:
        return None
    data = figure(row.get("data_stripes"))
    if data is None:
        data = geometry.data_members(base if base in geometry.LEVELS else "raid0", stripes)
    return data if data and data > 1 else None


def volume_facts(segments: Sequence[Mapping[str, Any]]) -> dict[str, Scalar]:
    """What the rows of `lvs` say of a volume, the geometry by its first segment."""
    if not segments:
        return {}
    row = segments[0]
    kinds = list(
        dict.fromkeys(str(segment.get("segtype")) for segment in segments if segment.get("segtype"))
    )
    if str(row.get("lv_attr", ""))[:1] in {"s", "S"}:  # lvs gives the type of its store
        kinds = ["snapshot"]
    stripes, chunk = figure(row.get("stripes")), figure(row.get("stripe_size")) or None
    data = data_members(kinds[0], stripes, row) if kinds and stripes and chunk else None
    blocks = figure(row.get("cache_total_blocks"))
    facts: dict[str, Scalar] = {
        "volume_group": row.get("vg_name"),
        "segment_type": ", ".join(kinds) or None,
        "segments": len(segments) if len(segments) > 1 else None,
        "stripes": stripes or None,
        "chunk_size": chunk,
        "data_members": data,
        "stripe_width": chunk * data if chunk and data else None,
        "block_size": figure(row.get("chunk_size"))
        or figure(row.get("writecache_block_size"))
        or None,
        "region_size": figure(row.get("region_size")) or None,
        "extent_size": figure(row.get("vg_extent_size")),
        "origin": row.get("origin") or None,
        "pool": row.get("pool_lv") or None,
        "mode": row.get("cache_mode") or None,
        "policy": row.get("cache_policy") or None,
        "used_share": _share(row, "cache_used_blocks", blocks),
        "dirty_share": _share(row, "cache_dirty_blocks", blocks),
        "full": _percent(row.get("data_percent")),
        "metadata_full": _percent(row.get("metadata_percent")),
        "in_sync": _percent(row.get("copy_percent")),
        "sync_action": row.get("raid_sync_action") or None,
        "mismatch_cnt": figure(row.get("raid_mismatch_count")),
        **_health(str(row.get("lv_attr", ""))),
    }
    return without_none(facts)


def _health(attributes: str) -> dict[str, Scalar]:
    """What the ninth place of lv_attr says; of mirrors and RAID also whether members are missing.

    "r" is a member that was missing and is back, out of date until `lvchange --refresh` (lvs(8)).
    """
    if len(attributes) < 9:
        return {}
    kind, health = attributes[0], attributes[8]
    facts: dict[str, Scalar] = {"health": _HEALTH.get(health)}
    return facts | ({"degraded": health in {"p", "r"}} if kind in _SPREAD else {})


def _share(row: Mapping[str, Any], name: str, whole: int | None) -> float | None:
    part = figure(row.get(name))
    return part / whole if part is not None and whole else None


def volume_hazards(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Words for what is wrong with a volume."""
    attributes = str(row.get("lv_attr", ""))
    kind, health = attributes[:1], attributes[8:9]
    hazards = [_HEALTH[health]] if health in _HEALTH else []
    if health in {"p", "r", "F"} and kind in _SPREAD:
        hazards.insert(0, "degraded")
    for name, what in (("data_percent", ""), ("metadata_percent", "metadata ")):
        share = _percent(row.get(name))
        if share is not None and share >= _FULL and kind in {"t", "s", "S"}:
            hazards.append(f"{what}{share:.0%} full")
    synced = _percent(row.get("copy_percent"))
    if synced is not None and kind in _SPREAD:
        action = str(row.get("raid_sync_action"))
        busy = action if action in _BUSY else "resync" * (synced < 1)
        hazards += [f"{busy} {synced:.0%}"] if busy else []
    return tuple(hazards)


def figure(value: object) -> int | None:
    """A whole number of a report; None where a field is empty."""
    text = str(value or "").split(".")[0]
    return int(text) if text.isdecimal() else None


def _percent(value: object) -> float | None:
    try:
        return float(str(value)) / 100
    except ValueError:
        return None


# ── tables ────────────────────────────────────────────────────────────────────────────────────

SIZE = re.compile(r"<?(\d+(?:[.,]\d+)?)([bBsSkKmMgGtTpPeEuU]?)")
"""A cell that is a size."""
_ASKED = re.compile(r"--units[= ]\s*[\"']?(\d{1,9}(?:\.\d{1,4})?)?([a-zA-Z])\b")


@dataclass(frozen=True, slots=True)
class SizeUnits:
    """What sizes of an output are in, where they do not say so themselves.

    Args:
        factor: bytes of what has no letter behind it, or a "U"; None: nobody says.
        thousands: whether capital letters are prefixes of 1000.
        asked: whether capital letters were asked for.
    """

    factor: float | None = None
    thousands: bool = True
    asked: bool = False

    def of_old_versions(self) -> SizeUnits:
        """As versions print them that have capital letters for prefixes of 1024."""
        return self if self.asked else SizeUnits(self.factor, thousands=False)


def units_of(command: str) -> SizeUnits:
    """The units that a command asks for; without `--units` capital letters are of old versions.

    Source: LVM2 2.03, libdm/libdm-string.c, dm_size_to_string and dm_units_to_factor (a number
    before the letter makes a unit "U" of its own); WHATS_NEW of 2.02.54 (si_unit_consistency).
    """
    match = _ASKED.search(command)
    if match is None:
        return SizeUnits(thousands=not command)
    number, letter = float(match[1] or 1), match[2]
    capital = letter.isupper() and letter not in "BS"
    if letter.lower() in {"r", "h"}:
        return SizeUnits(None, capital, capital)
    factor = _factor(letter, thousands=True)
    return SizeUnits(factor * number if factor else None, capital, capital)


def _factor(letter: str, *, thousands: bool) -> float | None:
    """Bytes of what a letter stands for; None where it stands for nothing."""
    if letter in {"s", "S"}:
        return units.SECTOR
    if letter in {"b", "B"}:
        return 1
    place = "kmgtpe".find(letter.lower())
    base = 1000.0 if thousands and letter.isupper() else 1024.0
    return base ** (place + 1) if letter and place >= 0 else None


_COLUMNS = {
    "VG": "vg_name", "Attr": "lv_attr", "Type": "segtype", "#Str": "stripes",
    "Stripe": "stripe_size", "Chunk": "chunk_size", "Region": "region_size",
    "Snap%": "data_percent", "Copy%": "copy_percent", "Data%": "data_percent",
    "Meta%": "metadata_percent", "Cpy%Sync": "copy_percent",
    "Origin": "origin", "Pool": "pool_lv", "LSize": "lv_size", "CacheMode": "cache_mode",
    "CachePolicy": "cache_policy", "CacheTotalBlocks": "cache_total_blocks",
    "CacheUsedBlocks": "cache_used_blocks", "CacheDirtyBlocks": "cache_dirty_blocks",
    "SyncAction": "raid_sync_action", "Mismatches": "raid_mismatch_count",
    "WCacheBlkSize": "writecache_block_size", "Ext": "vg_extent_size",
}  # fmt: skip
_SIZED = frozenset({"stripe_size", "chunk_size", "region_size", "lv_size", "vg_extent_size"})


def size_of(text: str, given: SizeUnits | None = None) -> int | None:
    """Bytes of "<1.50t", "64.00k", "1000.00M" (of 1000), "2048s" or "0"; None where nobody says.

    Args:
        text: of a cell.
        given: what its command says about it.
    """
    match, given = SIZE.fullmatch(text), given or SizeUnits()
    if not match:
        return None
    number, letter = float(match[1].replace(",", ".")), match[2]
    bare = letter in {"", "u", "U"}
    factor = given.factor if bare else _factor(letter, thousands=given.thousands)
    if factor is None:
        return None if number else 0
    return round(number * factor)


def row_of_table(cells: Mapping[str, str], given: SizeUnits | None = None) -> dict[str, Any]:
    """A row of lvs by the names that LVM's own report in JSON has, sizes in bytes.

    Where a wrap broke it, its volume's kind tells the column of some cells.

    Args:
        cells: heading → cell.
        given: what the command says about its sizes.
    """
    kind, moved = cells.get("Attr", "-")[:1], dict(cells)
    if kind in "rRmM" and "Data%" in cells and not {"Cpy%Sync", "Meta%"} & cells.keys():
        moved["Cpy%Sync"] = moved.pop("Data%")
    if kind in "sS" and "Pool" in cells and "Origin" not in cells:
        moved["Origin"] = moved.pop("Pool")
    if kind in "mM" and "Pool" in cells:  # a mirror is in none: it is its log
        moved.setdefault("Log", moved.pop("Pool"))
    return {
        name: size_of(moved[column], given) if name in _SIZED else moved[column].replace(",", ".")
        for column, name in _COLUMNS.items()
        if column in moved
    }


PHYSICAL_VOLUME = CarriedContent(
    what="is a physical volume of LVM",
    instead="`vgchange -ay` and `lvs` show the logical volumes on it: mount one of these",
    new_uuid="`vgimportclone` of all physical volumes of the copy",
    until="LVM uses one of them, and refuses to change the group while both are there",
)

VERSION = PackageVersion(
    {
        "libdevmapper": rf"Library version:\s+{V} \(\d{{4}}-\d\d-\d\d\)",
        "dm-driver": r"Driver version:\s+(?P<version>\d{1,3}\.\d{1,3}\.\d{1,3})",
        "lvm2": rf"LVM version:\s+{V} \(\d{{4}}-\d\d-\d\d\)",
    },
    anchors=("LVM version:",),
    commands=("lvm", "lvs", "pvs", "vgs", "lvcreate"),
)
"""Source: LVM2 2.03.16, tools/toollib.c, version()."""
