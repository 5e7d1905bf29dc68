"""RAID and mirrors of LVM: whether they are whole, and what brings them back.

Source:
    lvs(8), lv_attr, ninth place ("p" partial: a physical volume is missing; "r" refresh: a member
    was missing and is out of date); lvmraid(7), "Refreshing a RAID LV", "Repairing a RAID LV",
    "Data loss during initial synchronization"; Linux
    Documentation/admin-guide/device-mapper/dm-raid.rst (health characters, sync_action).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._names import kind_by_type
from iosonde.layers._raid.findings import busy, reads_of_lost
from iosonde.layers._raid.geometry import tolerance
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_MAPPED = kind_by_type("dm")
"""Of what a volume is a record as dmsetup shows it."""
_IDLE = frozenset({"", "idle", "frozen"})


def volumes(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes of LVM, and the dm devices under them, that lack members or are busy."""
    for state in case.of_kind("lvm", _MAPPED):
        partial = state.kind == "lvm" and state.values.get("health") == "partial"
        if partial and str(state.values.get("segment_type")).startswith("raid0"):
            yield _lost(state)
        elif state.values.get("degraded") is True:
            yield _lacking(state)
        elif "degraded" in state.values:
            continue
        elif partial:
            yield _lost(state)


def _volume(state: StateEvidence) -> str:
    """VG/LV, as LVM's commands take it."""
    group = str(state.values.get("volume_group") or "VG")
    name = state.name.rpartition("/")[2].strip("[]")
    start = group.replace("-", "--") + "-"  # dm's name doubles the dashes within
    if name.startswith(start):
        name = name.removeprefix(start).replace("--", "-")
    elif state.kind == _MAPPED or re.fullmatch(r"dm-\d+", name):
        name = "LV"
    return f"{group}/{name}"


def _lacking(state: StateEvidence) -> Finding:
    volume = _volume(state)
    failed, disks = (state.values.get(name) for name in ("failed_disks", "raid_disks"))
    back = state.values.get("health") == "refresh needed"
    how = str(state.values.get("segment_type") or state.values.get("level") or "RAID")
    lacks = (
        "has a member that was missing and is out of date"
        if back
        else f"lacks {failed} of its {disks} members"
        if failed
        else "lacks a physical volume under one of its members"
    )
    evidence = [
        Evidence(name.replace("_", " "), state.values[name], "", state.where)
        for name in ("health", "failed_disks", "in_sync", "sync_share")
        if state.values.get(name) is not None
    ]
    repair = (
        f"`lvconvert --repair {volume}` puts a free physical volume of the group in the place of "
        "the missing one (`vgextend` first where none is free); `lvchange --refresh` instead where "
        "the disk itself is back"
    )
    level = how.lower().partition("_")[0].replace("mirror", "raid1")
    reads = reads_of_lost(level, "reads of what is gone", "the other members")
    more = 0
    if isinstance(failed, int) and isinstance(disks, int):
        more = tolerance(level, disks) - failed
    left = (
        f"{'one' if more == 1 else more} more may be lost"
        if more > 0
        else "the next loss may take data with it"
    )
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{state.name} ({how}) {lacks}: {reads}{', ' * bool(reads)}{left}, and what is "
        "measured now is not the whole array's.",
        evidence=tuple(evidence) or (Evidence("degraded", True, "", state.where),),
        remedy=f"`lvchange --refresh {volume}` takes it in again; the resync takes bandwidth until "
        "it is done"
        if back
        else f"{repair}; the rebuild takes bandwidth until it is done",
        confirm="`lvs -a -o name,lv_attr,copy_percent,devices`: no p or r in the ninth place, and "
        "100 % in sync; then the same trial",
    )


def volumes_at_work(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes that have all their members and are busy with them."""
    for state in case.of_kind("lvm", _MAPPED):
        if state.values.get("degraded") is False:
            yield from _busy(case, state)


def _busy(case: EvidenceSet, state: StateEvidence) -> Iterator[Finding]:
    action = str(state.values.get("sync_action") or "")
    share = state.values.get("in_sync", state.values.get("sync_share"))
    if action in _IDLE:
        if not isinstance(share, int | float) or share >= 1:
            return
        action = "resync"
    yield busy(
        case,
        state,
        action,
        share,
        done="in sync",
        remedy=f"`lvchange --maxrecoveryrate 10M {_volume(state)}` slows it down",
        confirm="`lvs -o name,copy_percent,raid_sync_action` shows 100 % and idle",
    )


def _lost(state: StateEvidence) -> Finding:
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{state.name} lies in part on a physical volume that is missing, and has no "
        "second copy of it: what lay there cannot be read or written.",
        evidence=(Evidence("health", state.values["health"], "", state.where),),
        remedy="bring the disk back (`pvs` names it as unknown) and `vgchange --refresh`; where it "
        "is lost, only a backup has those data",
        confirm="`lvs -o name,lv_attr`: no p in the ninth place",
    )


RULES: tuple[Rule, ...] = (
    Rule("degraded", "lvm, dm", "Volumes of LVM that lack members.",
         "lvs(8), lv_attr; lvmraid(7); dm-raid.rst", volumes,
         stage="redundancy"),
    Rule("background-work", "lvm, dm", "Volumes of LVM that are busy with themselves.",
         "lvmraid(7); dm-raid.rst", volumes_at_work),
)  # fmt: skip
