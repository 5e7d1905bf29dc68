"""Thin pools and snapshots that are about to have no room left.

Source: lvmthin(7), "Data space exhaustion" (writes wait for no_space_timeout, 60 seconds unless
told otherwise, and fail then; with errorwhenfull they fail at once) and "Metadata space
exhaustion" (the pool becomes read-only and has to be repaired); lvm(8), lvconvert(8): a full
copy-on-write snapshot is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_NEARLY = 0.9  # share in use from which on it is told
_FULL = 0.999  # of what lvs prints with two digits after the point


def short_of_room(case: EvidenceSet) -> Iterator[Finding]:
    """Pools and snapshots with less than a tenth of their data or metadata blocks free."""
    reported: set[tuple[str, str, str]] = set()
    for state in case.of_kind("lvm"):
        is_pool = _is_pool(state)
        if not is_pool and not _is_snapshot(state):
            continue
        for fact in ("full", "metadata_full"):
            share = state.values.get(fact)
            # A pool is two maps, itself and, with this role in its name, what its volumes stand on.
            key = (state.host, state.name.removesuffix("-tpool"), fact)
            if isinstance(share, float) and share >= _NEARLY and key not in reported:
                reported.add(key)
                yield _full_finding(state, fact, share, is_pool=is_pool)


def _is_pool(state: StateEvidence) -> bool:
    """Whether it is a thin pool. Source: lvs(8), the first of lv_attr's characters is t."""
    attributes = str(state.values.get("attributes", ""))
    return "thin-pool" in str(state.values.get("segment_type", "")) or attributes.startswith("t")


def _is_snapshot(state: StateEvidence) -> bool:
    """Whether it is a copy-on-write snapshot; what is thin, cached or converted has origins too.

    Source: lvs(8), the first of lv_attr's characters: s and S (merging) are snapshots.
    """
    kinds = str(state.values.get("segment_type", ""))
    if attributes := str(state.values.get("attributes", "")):
        return attributes[0] in "sS"
    return bool(state.values.get("origin")) and "thin" not in kinds and "cache" not in kinds


def _full_finding(state: StateEvidence, fact: str, share: float, *, is_pool: bool) -> Finding:
    what = "metadata" if fact == "metadata_full" else "data"
    gone = share >= _FULL
    if not is_pool:
        after = (
            "has been dropped: it is of no use any more" if gone else "is dropped once it is full"
        )
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


RULES: tuple[Rule, ...] = (
    Rule("out-of-space", "lvm", "Thin pools and snapshots with no room left.",
         "lvmthin(7), lvconvert(8)", short_of_room),
)  # fmt: skip
