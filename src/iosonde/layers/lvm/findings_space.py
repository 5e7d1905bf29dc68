"""Thin pools and snapshots that are about to have no room left.

Source: lvmthin(7), "Data space exhaustion" (writes wait for no_space_timeout, 60 seconds unless
told otherwise, and fail then; with errorwhenfull they fail at once) and "Metadata space
exhaustion" (the pool becomes read-only and has to be repaired); lvm(8), lvconvert(8): a full
copy-on-write snapshot is dropped; Linux drivers/md/dm-snap.c, __invalidate_snapshot(): for good,
and reads and writes of the origin go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_CHECK = re.compile(
    r"Check of pool (?P<pool>[\w+./-]{1,160}) failed \(status:(?P<status>-?\d{1,6})\)"
)
_NEARLY = 0.9  # share in use from which on it is told
_FULL = 0.999  # of what lvs prints with two digits after the point


def short_of_room(case: EvidenceSet) -> Iterator[Finding]:
    """Pools and snapshots with less than a tenth of their data or metadata blocks free."""
    reported: set[tuple[str, str, str]] = set()
    for state in case.of_kind("lvm"):
        is_pool = _is_pool(state)
        if not is_pool and not _is_snapshot(state):
            continue
        if not is_pool and (_is_invalid(state) or state.number("full") >= _FULL):
            key = (state.host, state.name, "full")
            if key not in reported:
                reported.add(key)
                yield _dropped(state)
            continue
        for fact in ("full", "metadata_full"):
            share = state.values.get(fact)
            # A pool is two maps, itself and, with this role in its name, what its volumes stand on.
            key = (state.host, state.name.removesuffix("-tpool"), fact)
            if isinstance(share, float) and share >= _NEARLY and key not in reported:
                reported.add(key)
                yield _full_finding(state, fact, share, is_pool=is_pool)


def _is_pool(state: StateEvidence) -> bool:
    """Whether it is a thin pool.

    Source: lvs(8), the first of lv_attr's characters is t; lvdisplay names what a pool stands on.
    """
    attributes = str(state.values.get("attributes", ""))
    if "lv_pool_data" in state.values:
        return True
    return "thin-pool" in str(state.values.get("segment_type", "")) or attributes.startswith("t")


def _is_snapshot(state: StateEvidence) -> bool:
    """Whether it is a copy-on-write snapshot; what is thin, cached or converted has origins too.

    Source: lvs(8), the first of lv_attr's characters: s and S (merging) are snapshots.
    """
    kinds = str(state.values.get("segment_type", ""))
    if attributes := str(state.values.get("attributes", "")):
        return attributes[0] in "sS"
    return bool(state.values.get("origin")) and "thin" not in kinds and "cache" not in kinds


def _is_invalid(state: StateEvidence) -> bool:
    """Whether a snapshot has been dropped. Source: lvs(8), the fifth of lv_attr's characters."""
    return str(state.values.get("attributes", ""))[4:5] in {"I", "S"}


def _dropped(state: StateEvidence) -> Finding:
    """A snapshot that is invalid for good: room does not bring it back, its origin is whole."""
    origin = str(state.values.get("origin") or "").strip("[]")
    if not _is_invalid(state):
        return _without_room(state, origin)
    return Finding(
        rule="out-of-space",
        severity="warning",
        subject=subject_of(state),
        message=f"The snapshot {state.name} is invalid: it is of no use any more. Its origin"
        f"{f' {origin}' * bool(origin)} is not touched by that.",
        evidence=state.evidence("full", "attributes", "origin", units={"full": "fraction"}),
        remedy=f"Remove it (`lvremove /dev/{state.name}`); nothing brings it back. Make the next "
        "one larger, or let it grow (snapshot_autoextend_threshold in lvm.conf).",
        confirm="lvs -a -o name,attr,origin,data_percent",
    )


def _without_room(state: StateEvidence, origin: str) -> Finding:
    """A full snapshot that nobody says to be invalid: it is when the next change has no room."""
    return Finding(
        rule="out-of-space",
        severity="warning",
        subject=subject_of(state),
        message=f"The snapshot {state.name} has no room left: with the next block of its origin"
        f"{f' {origin}' * bool(origin)} that is changed for the first time it is dropped for good, "
        "if it has not been. The origin is not touched by that.",
        evidence=state.evidence("full", "attributes", "origin", units={"full": "fraction"}),
        remedy=f"while lvs shows no I in the fifth place, `lvextend -L +1G /dev/{state.name}`; "
        "else remove it and make the next one larger, or let it grow "
        "(snapshot_autoextend_threshold in lvm.conf).",
        confirm="lvs -a -o name,attr,origin,data_percent",
    )


def _full_finding(state: StateEvidence, fact: str, share: float, *, is_pool: bool) -> Finding:
    what = "metadata" if fact == "metadata_full" else "data"
    gone = share >= _FULL
    if not is_pool:
        after = "is dropped once it is full"
    elif what == "metadata":
        after = (
            "is read-only and has to be repaired" if gone
            else "becomes read-only once they are used up"
        )  # fmt: skip
    else:
        after = (
            "lets writes to new blocks wait, and fail after no_space_timeout (60 s)" if gone
            else "lets writes wait, and fail, once they are used up"
        )  # fmt: skip
    thing = "thin pool" if is_pool else "snapshot"
    return Finding(
        rule="out-of-space",
        severity="error" if gone else "warning",
        subject=subject_of(state),
        message=f"{share:.1%} of the {what} blocks of the {thing} {state.name} are in use: "
        f"it {after}.",
        evidence=(Evidence(fact, share, "fraction", state.where),),
        remedy=f"Give it more room (lvextend{' --poolmetadatasize' * (what == 'metadata')}), or "
        "free some: fstrim for deleted files, lvremove for volumes that are not needed.",
        confirm="lvs -a -o name,data_percent,metadata_percent",
    )


def unchecked_pools(case: EvidenceSet) -> Iterator[Finding]:
    """Pools whose metadata LVM's check, before it activates them, found damaged."""
    for log in case.counted("lvm messages"):
        messages = log.values.get("messages")
        for message in messages if isinstance(messages, list) else ():
            check = _CHECK.search(str(message))
            if check is None:
                continue
            yield Finding(
                rule="failed-volume",
                severity="error",
                subject=f"{log.host}: {check['pool']}" if log.host else check["pool"],
                message=f"The check of the pool {check['pool']} failed (status {check['status']}): "
                "its metadata is damaged, and neither the pool nor what is in it can be used.",
                evidence=(Evidence("message", str(message), "", log.where),),
                remedy="remove and create nothing in it, and repair it only once its metadata is "
                f"copied: `lvchange -ay {check['pool']}_tmeta` and `dd` or `thin_dump` it to a "
                "file; then `lvconvert --repair`, which keeps the old one as _meta0, or "
                "`thin_dump --repair` with newer thin-provisioning-tools",
                confirm=f"`lvchange -ay {check['pool']}` activates it without a message",
            )


RULES: tuple[Rule, ...] = (
    Rule("out-of-space", "lvm", "Thin pools and snapshots with no room left.",
         "lvmthin(7), lvconvert(8)", short_of_room, stage="waiting"),
    Rule("failed-volume", "lvm", "Pools whose metadata does not stand its check.",
         "LVM2 2.03, lib/activate/dev_manager.c, _pool_callback(); lvmthin(7), Metadata check and "
         "repair", unchecked_pools, stage="stopped"),
)  # fmt: skip
