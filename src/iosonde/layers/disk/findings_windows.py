"""What Windows prints of its drives and Storage Spaces, and rules about it.

Drives are kind `disk`, named after their number; pools are `storage_pool`, spaces (virtual disks)
`storage_space`, volumes `mount` and jobs `storage_job`. Wear, errors and hours of a reliability
counter have the names that they have of other drives.

Nothing is asked of a live host. No rule speaks of states that an administrator asked for (Detached
By Policy, Read-only by Policy, maintenance mode, Offline, Retired), of those that pass by
themselves, of volumes, or of jobs. States in another language are kept as they are printed, and no
rule knows them.

Source: Microsoft, "Troubleshoot Storage Spaces health and operational states" (windowsserverdocs,
storage/storage-spaces/storage-spaces-states.md), which says of each state what it means and what to
do.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, called, subject_of
from iosonde.records.finding import Finding

_STATES = "Microsoft, Troubleshoot Storage Spaces health and operational states"
_REPLACE = "bring servers that are down back, reconnect missing drives and replace failed ones; "
_SPACES = {
    "noredundancy": ("error", "has lost data: more of its drives failed than it can do without",
                     "replace the failed drives and restore the data from a backup"),
    "degraded": ("error", "is less resilient: drives failed or are missing, and hold copies that "
                 "are outdated", _REPLACE + "then `Repair-VirtualDisk`"),
    "incomplete": ("error", "is less resilient: drives failed or are missing, whose copies are up "
                   "to date", _REPLACE + "then `Repair-VirtualDisk`"),
    "inservice": ("warning", "is being repaired: its drives do that beside the load",
                  "wait until `Get-StorageJob` shows no job, then measure again"),
}  # fmt: skip
_DETACHED = frozenset({"majoritydisksunhealthy", "incomplete"})
_DRIVES = {
    "failedmedia": ("error", "has failed, and Storage Spaces does not use it any more"),
    "devicehardwarefailure": ("error", "had a hardware failure"),
    "devicehardwareerror": ("error", "had a hardware failure"),
    "ioerror": ("warning", "had a temporary error"),
    "transienterror": ("warning", "had a temporary error, or did not answer for a time"),
    "abnormallatency": ("warning", "is slow, as Windows' Health Service measures it"),
}


def _word(value: object) -> str:
    """A state in small letters, without blanks and hyphens."""
    return "".join(letter for letter in str(value or "").lower() if letter.isalpha())


def _states(thing: StateEvidence) -> list[str]:
    """Its operational states; several stand in braces."""
    return [_word(part) for part in str(thing.values.get("operational_status") or "").split(",")]


def _spaces(case: EvidenceSet) -> Iterator[Finding]:
    for space in case.of_kind("storage_space"):
        states, health = _states(space), _word(space.values.get("health_status"))
        worst = next((state for state in _SPACES if state in states), "")
        if worst == "inservice" and health == "healthy":
            continue
        if "detached" in states and _word(space.values.get("detached_reason")) in _DETACHED:
            yield _of_space(space, "error", "is detached: too few of its drives are there to read "
                            "it", _REPLACE + "where more failed than it can do without, restore "
                            "a backup")  # fmt: skip
        elif worst:
            yield _of_space(space, *_SPACES[worst])
        elif health == "unhealthy":
            yield _of_space(space, "error", "is unhealthy: some or all of its data cannot be "
                            "accessed", _REPLACE + "then `Repair-VirtualDisk`")  # fmt: skip


def _of_space(space: StateEvidence, severity: str, does: str, remedy: str) -> Finding:
    return Finding(
        "degraded", severity, subject_of(space), f"The storage space {called(space)} {does}.",
        space.evidence("operational_status", "health_status", "detached_reason",
                       "resiliency_setting_name"),
        remedy,
        "`Get-VirtualDisk` shows it as OK and Healthy",
    )  # fmt: skip


def _storage_pools(case: EvidenceSet) -> Iterator[Finding]:
    for pool in case.of_kind("storage_pool"):
        states, reason = _states(pool), _word(pool.values.get("read_only_reason"))
        if pool.values.get("is_primordial") is True or pool.name == "Primordial":
            continue
        read_only = "readonly" in states or pool.values.get("is_read_only") is True
        if read_only and reason not in {"policy", "bypolicy", "starting"}:
            lost = reason == "incomplete"
            does = "is read-only: " + (
                "most of its drives failed or are away" if lost else "nothing of it can be "
                "changed. Either most of its drives failed or are away, or an administrator or "
                "the start of Windows set it so"
            )  # fmt: skip
        elif "degraded" in states:
            lost, does = False, "lacks drives: some that hold its metadata failed or are missing"
        else:
            continue
        yield Finding(
            "degraded", "error" if lost else "warning", subject_of(pool),
            f"The storage pool {called(pool)} {does}.",
            pool.evidence("operational_status", "health_status", "is_read_only",
                          "read_only_reason"),
            _REPLACE + "then `Set-StoragePool -IsReadOnly $false` where it stays read-only"
            if read_only else "`Get-PhysicalDisk` names them: " + _REPLACE.rstrip("; "),
            "`Get-StoragePool` shows it as OK and Healthy",
        )  # fmt: skip


def _drives(case: EvidenceSet) -> Iterator[Finding]:
    for drive in case.of_kind("disk"):
        states = _states(drive)
        state = next((state for state in _DRIVES if state in states), "")
        if state:
            severity, does = _DRIVES[state]
            yield _of_drive(drive, "drive-failing", severity, does)


def _missing(case: EvidenceSet) -> Iterator[Finding]:
    for drive in case.of_kind("disk"):
        if "lostcommunication" in _states(drive):
            yield _of_drive(drive, "lost-device", "error", "is missing: it is not connected, has "
                            "failed, or its server is down")  # fmt: skip


def _of_drive(drive: StateEvidence, rule: str, severity: str, does: str) -> Finding:
    return Finding(
        rule, severity, subject_of(drive), f"Windows reports that {called(drive)} {does}.",
        drive.evidence("operational_status", "health_status", "model", "serial", "usage"),
        "reconnect it, or replace it and repair the spaces (`Repair-VirtualDisk`); where Windows "
        "calls a temporary error, replace it if that comes back",
        "`Get-PhysicalDisk` shows it as OK and Healthy, `Get-VirtualDisk` all spaces, too",
    )  # fmt: skip


_VOLUMES = {
    "failedrd": ("error", "has lost its redundancy: a disk that holds a part of it failed",
                 "replace the failed disk and repair or resynchronise the volume"),
    "failed": ("error", "has failed: it cannot be read",
               "bring its disks back online and reactivate them, else restore a backup"),
}  # fmt: skip


def _windows_volumes(case: EvidenceSet) -> Iterator[Finding]:
    for volume in case.of_kind("mount"):
        state = _VOLUMES.get(_word(volume.values.get("volume_status")))
        if state:
            severity, does, remedy = state
            yield Finding(
                "degraded", severity, subject_of(volume),
                f"diskpart says that the volume {called(volume)} {does}.",
                volume.evidence("volume_status", "layout", "size"), remedy,
                "`list volume` of diskpart shows it as Healthy",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "mount", "Volumes of dynamic disks that failed or lost their redundancy.",
         "Microsoft, Disk Management: volume status descriptions", _windows_volumes,
         stage="redundancy"),
    Rule("degraded", "storage_space", "Spaces that lack drives, lost data, or are being repaired.",
         _STATES, _spaces, stage="redundancy"),
    Rule("degraded", "storage_pool", "Pools that lack drives or are read-only.",
         _STATES, _storage_pools, stage="redundancy"),
    Rule("drive-failing", "disk", "Drives that Windows reports as failed, erring or slow.",
         _STATES, _drives, stage="drive"),
    Rule("lost-device", "disk", "Drives with which Windows has lost communication.",
         _STATES, _missing, stage="stopped"),
)  # fmt: skip
