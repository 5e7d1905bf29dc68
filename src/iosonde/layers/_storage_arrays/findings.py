"""Storage arrays: pools and volumes that are degraded, offline or full, drives that failed.

A pool (an aggregate) is kind "storage_pool", what hosts mount or map is a "storage_volume" or a
"lun", its copy on another array a "replication"; its drives are "array_drive".

Source: NetApp, na_aggr(1), "aggr status" (degraded: a RAID group lacks a disk and is not being
reconstructed; mirror degraded: a plex is offline or resyncing; partial: disks are missing; failed);
ONTAP 9, volume modify (-space-full-threshold-percent, 98 unless told otherwise), storage disk show
(container type broken: failed, to be replaced), snapmirror show (Healthy); IBM Storage Virtualize
CLI guide, lsmdisk (status: degraded_paths, degraded_ports, excluded).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._raid.findings import reads_of_lost
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_FULL = 0.98
"""Share in use from which on ONTAP itself calls a volume full."""
_LACKING = {
    "degraded": "a RAID group of it lacks a disk that is not being reconstructed",
    "double degraded": "a RAID group of it lacks two disks that are not being reconstructed: the "
    "next one that fails takes the data with it",
    "mirror degraded": "one of its two plexes is offline or not yet in sync",
}
_LOST = {
    "failed": "has failed", "partial": "lacks more disks than its RAID level can stand",
    "wafl inconsistent": "has a file system that is inconsistent",
}  # fmt: skip
_WORK = {"reconstruct": "is being reconstructed", "resyncing": "is resyncing a plex"}
_LEVELS = {"raid4": "raid4", "raid_dp": "raid6", "raid_tec": "raid6"}


def _raid_states(pool: StateEvidence) -> list[str]:
    status = str(pool.values.get("raid_status") or "")
    return [word.strip() for word in status.split(",")]


def _array_pools(case: EvidenceSet) -> Iterator[Finding]:
    """Aggregates that lack disks, are rebuilt, or of which nothing can be read."""
    for pool in case.of_kind("storage_pool"):
        states = _raid_states(pool)
        lost = next((_LOST[word] for word in states if word in _LOST), None)
        lacking = next((word for word in states if word in _LACKING), None)
        work = next((_WORK[word] for word in states if word in _WORK), None)
        state = str(pool.values.get("state") or "")
        if lost or state in {"offline", "failed"}:
            yield Finding(
                "degraded", "error", subject_of(pool),
                f"The pool {pool.name} {lost or f'is {state}'}: nothing of it can be read or "
                "written.",
                pool.evidence("state", "raid_status"),
                "see which disks it misses (ONTAP: `storage aggregate show-status`; Storage "
                "Virtualize: `lsmdisk`) and bring their shelves and paths back before anything is "
                "replaced or destroyed; ask the array's support where disks really failed",
                "the pool is online, and normal",
            )  # fmt: skip
        elif lacking:
            level = _LEVELS.get(str(pool.values.get("raid_level")), "")
            reads = (
                ""
                if lacking == "mirror degraded"
                else reads_of_lost(level, "reads of what is missing", "the other disks")
            )
            yield Finding(
                "degraded", "error", subject_of(pool),
                f"The pool {pool.name} is {lacking}: {_LACKING[lacking]}"
                + (f", {reads}" if reads else "") + "; figures measured now are not its own.",
                pool.evidence("raid_status", "raid_level", "raid_groups", "missing_disks", "node"),
                "mend the plex that is offline (its shelves, its paths), or wait until it is in "
                "sync" if lacking == "mirror degraded" else
                "look for a spare that fits (`storage aggregate show-spare-disks`): the array "
                "reconstructs by itself once it has one; replace the disk that failed",
                "the pool is normal again, and the same measurement then",
            )  # fmt: skip
        elif work:
            yield Finding(
                "degraded", "warning", subject_of(pool),
                f"The pool {pool.name} {work}, which takes time of its disks from whatever is "
                "measured meanwhile.",
                pool.evidence("raid_status", "raid_level", "node"),
                "measure when it is done; `storage aggregate show-status` tells how far it is",
                "the pool is normal again, and the same measurement then",
            )  # fmt: skip


_REMAINS = {
    "degraded": "is degraded: a copy, a path or a part of what it stands on is lost",
    "degraded_paths": "is reached over fewer paths than it was, and not by every node",
    "degraded_ports": "is reached by fewer ports of its controller than it was",
    "excluded": "was taken out of use after repeated errors: volumes with data on it may be "
    "offline",
}


def _virtualized(case: EvidenceSet) -> Iterator[Finding]:
    """Pools, volumes and MDisks of Storage Virtualize that are not whole."""
    for thing in case.of_kind("storage_pool", "storage_volume", "mdisk"):
        state = str(thing.values.get("state") or "")
        if state in _REMAINS:
            yield Finding(
                "degraded", "error" if state == "excluded" else "warning", subject_of(thing),
                f"{thing.name} {_REMAINS[state]}; figures measured now are not those of the whole.",
                thing.evidence("state", "mdisk_grp_name", "controller_name", "size"),
                "`lseventlog -fixed no` names the cause, and `lsmdisk` what it stands on; mend the "
                "paths, nodes or drives, then run the fix procedure of the event",
                "the status is online, and the same measurement then",
            )  # fmt: skip


_NOUNS = {"storage_volume": "volume", "lun": "LUN", "mdisk": "MDisk"}


def _array_volumes(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes, LUNs and MDisks that are offline, which somebody may have wanted."""
    for volume in case.of_kind(*_NOUNS):
        if volume.values.get("state") != "offline":
            continue
        what = _NOUNS[volume.kind]
        yield Finding(
            "degraded", "warning", subject_of(volume),
            f"The {what} {volume.name} is offline: whoever uses it gets errors.",
            volume.evidence("state", "aggregate", "size"),
            "if nobody took it offline on purpose, look at its pool and at the array's events for "
            "the reason before it is brought online",
            f"the {what} is online",
        )  # fmt: skip


def _array_room(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes and pools of which hardly anything is left."""
    for state in case.of_kind("storage_volume", "storage_pool"):
        share, left = state.values.get("used_share"), state.values.get("available")
        if not isinstance(share, float) or share < _FULL or not isinstance(left, int):
            continue
        is_pool = state.kind == "storage_pool"
        after = (
            "thin volumes and snapshots on it fail to grow once nothing is left"
            if is_pool
            else "writes that need new blocks fail with ENOSPC once nothing is left, and LUNs in "
            "it may go offline, unless it grows by itself"
        )
        yield Finding(
            "out-of-space", "error" if left == 0 and not is_pool else "warning", subject_of(state),
            f"The {'pool' if is_pool else 'volume'} {state.name} is {units.show_fraction(share)} "
            f"full, {units.show_bytes(left)} are left: {after}.",
            state.evidence("used_share", "available", "size"),
            "add disks to it, or move volumes to another pool (`volume move start`)" if is_pool
            else "see what takes the room (`volume show-space`), delete snapshots that nobody "
            "needs, or let it grow (`volume size`, `volume autosize`)",
            "less than 95 % in use",
        )  # fmt: skip


def _array_drives(case: EvidenceSet) -> Iterator[Finding]:
    for disk in case.of_kind("array_drive"):
        if disk.values.get("container_type") == "broken":
            yield Finding(
                "drive-failed", "error", subject_of(disk),
                f"The array counts the drive {disk.name} as broken: what it was a member or a "
                "spare of has less redundancy than it was built with until another one takes its "
                "place.",
                disk.evidence("container_type", "disk_type", "shelf", "bay", "owner"),
                "see whether its pool is whole again (`storage aggregate show-status`, in 7-mode "
                "`aggr status -r`), and replace the drive",
                "`storage disk show -broken`, in 7-mode `aggr status -f`, lists nothing",
            )  # fmt: skip


def _array_mirrors(case: EvidenceSet) -> Iterator[Finding]:
    for mirror in case.of_kind("replication"):
        if mirror.values.get("healthy") is False:
            yield Finding(
                "degraded", "warning", subject_of(mirror),
                f"The mirror {mirror.name} of {mirror.values.get('source')} is not healthy: its "
                "last transfer failed or is late, and the copy is older than it should be.",
                mirror.evidence("healthy", "state", "status", "source"),
                "`snapmirror show -fields unhealthy-reason,lag-time,last-transfer-error` says why; "
                "mend that, then `snapmirror update` or `snapmirror resync`",
                "`snapmirror show`: Healthy true",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "storage array", "Pools that lack disks, are rebuilt or offline.",
         "NetApp na_aggr(1), aggr status", _array_pools, stage="redundancy"),
    Rule("degraded", "storage array", "Parts of Storage Virtualize that are not whole.",
         "IBM Storage Virtualize CLI guide, lsmdisk, lsmdiskgrp, lsvdisk (status)", _virtualized,
         stage="redundancy"),
    Rule("degraded", "storage array", "Volumes, LUNs and MDisks that are offline.",
         "ONTAP 9, volume show; lun show", _array_volumes, stage="redundancy"),
    Rule("out-of-space", "storage array", "Volumes and pools of arrays with no room left.",
         "ONTAP 9, volume modify (-space-full-threshold-percent: 98 %)", _array_room,
         stage="waiting"),
    Rule("drive-failed", "storage array", "A drive that an array counts as broken.",
         "ONTAP 9, storage disk show (container type broken)", _array_drives, stage="drive"),
    Rule("degraded", "storage array", "Mirrors between arrays that are not healthy.",
         "ONTAP 9, snapmirror show (Healthy)", _array_mirrors, stage="redundancy"),
)  # fmt: skip
