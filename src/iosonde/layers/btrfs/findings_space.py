"""File systems of btrfs with space that no new chunk can be made of.

Source:
    Linux 6.12 fs/btrfs/volumes.c, btrfs_raid_array[] (`devs_min`: how many devices a chunk of each
    profile needs) and btrfs_create_chunk(); fs/btrfs/space-info.c (what is left of metadata is
    kept for the global reserve); btrfs-filesystem(8), USAGE; btrfs-balance(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_NEEDED = {
    "single": 1, "dup": 1, "raid1": 2, "raid1c3": 3, "raid1c4": 4, "raid10": 2, "raid5": 2,
    "raid6": 3,
}  # fmt: skip
_ROOM = 64 * units.MIB  # of a device: less makes no chunk that is worth it
_FULL = 0.97
_PART = re.compile(r"device_(\d{1,9})_size")


def _no_chunk(case: EvidenceSet) -> Iterator[Finding]:
    for system in case.latest("btrfs", "data_total"):
        rooms = _rooms(case, system)
        for group in ("metadata", "data") if rooms else ():
            profile = str(system.values.get(f"{group}_profile"))
            needed = _NEEDED.get(profile, 0)
            there = sum(room >= _ROOM for room in rooms)
            if there < needed and _is_full(system, group) and (group == "metadata" or there):
                yield _cannot_grow(system, group, profile, rooms, there)


def _rooms(case: EvidenceSet, system: StateEvidence) -> list[float]:
    """Bytes not allocated of each device: of this output, or of the only `show` beside it."""
    own = [
        float(value) for name, value in system.values.items()
        if name.startswith("unallocated_") and isinstance(value, int)
    ]  # fmt: skip
    shown = [
        state for state in case.latest("btrfs", "devices")
        if state.source == system.source and any(map(_PART.fullmatch, state.values))
    ]  # fmt: skip
    if own or len(shown) != 1 or shown[0].values.get("devices_missing"):
        return own
    devices = [match[1] for name in shown[0].values if (match := _PART.fullmatch(name))]
    if len(devices) != shown[0].values.get("devices"):
        return []
    return [
        shown[0].number(f"device_{each}_size") - shown[0].number(f"device_{each}_used")
        for each in devices
    ]


def _is_full(system: StateEvidence, group: str) -> bool:
    """Whether what is allocated to a type of block groups is in use, but for what is reserved."""
    total, used = system.number(f"{group}_total"), system.number(f"{group}_used")
    reserve = system.number("global_reserve") or system.number("global_reserve_total")
    if not total:
        return False
    if group == "metadata" and reserve:
        return total - used <= reserve
    return used >= _FULL * total


def _cannot_grow(
    system: StateEvidence, group: str, profile: str, rooms: list[float], there: int
) -> Finding:
    needed, most = _NEEDED[profile], max(rooms)
    name = system.name or "The file system"
    has = "have" if there > 1 else "has"
    devices = f"{there or 'none'} of its {len(rooms)} devices {has} space that is not allocated"
    if len(rooms) == 1:
        devices = "no space of its device is not allocated"
    left = f" ({units.show_bytes(int(most))} at most)" if there else ""
    return Finding(
        "out-of-space", "error" if group == "metadata" else "warning", subject_of(system),
        f"{name} can get no more room for {group} ({profile}), which is full: {devices}{left}, and "
        f"a new chunk needs {units.counted(needed, 'device')}. Writes fail with “No "
        "space left”, whatever df shows.",
        (
            Evidence(f"{group} total", system.number(f"{group}_total"), "B", system.where),
            Evidence(f"{group} used", system.number(f"{group}_used"), "B", system.where),
            Evidence("devices with space that is not allocated", there, "", system.where),
        ),
        "delete what is not needed (snapshots, too), or add a device for a while; then let "
        "`btrfs balance start -dusage=10` (and more) free chunks on the devices that are full, and "
        "take the added device away again",
        f"`btrfs filesystem usage` shows {units.counted(needed, 'device')} with unallocated space",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("out-of-space", "btrfs", "Full data or metadata for which no new chunk can be made.",
         "Linux fs/btrfs/volumes.c, btrfs_raid_array[]; btrfs-filesystem(8)", _no_chunk,
         stage="waiting"),
)  # fmt: skip
