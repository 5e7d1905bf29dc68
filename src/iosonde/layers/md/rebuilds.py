"""Arrays of md whose members are all there: one of them is being filled, or the array does not run.

Source:
    Linux drivers/md/md.c, md_seq_show() ("(F)" of a faulty member, "(S)" of one without a place,
    "(R)" of a replacement; a member that is being rebuilt has no mark) and array_state_show();
    mdadm(8), --create: a RAID 5 is built by a recovery onto its last member; mdadm(8), --assemble;
    drivers/md/raid10.c, __raid10_find_phys() (which members hold the copies of a chunk).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.kerneltext import fields
from iosonde.layers._raid.geometry import NEAR_TWO, far_copies, near_copies, tolerance
from iosonde.records.evidence import EvidenceSet, StateEvidence, called, subject_of
from iosonde.records.finding import Evidence, Finding


def spare_losses(state: StateEvidence, missing: int) -> int:
    """How many members more an array can lose; below 0 where it lost too many."""
    level, disks, layout = (state.values.get(name) for name in ("level", "raid_disks", "layout"))
    return -missing + tolerance(
        str(level),
        disks if isinstance(disks, int) else 0,
        layout if isinstance(layout, int) else NEAR_TWO,
    )


_PARITY_ON_LAST = 16
_SLOTS = re.compile(r"\[(\d{1,4})/\d{1,4}\] \[([U_]{1,512})\]")


def lost_copies(state: StateEvidence) -> tuple[int, ...]:
    """Places of members of a RAID 10 that are gone and held all copies of the same chunks.

    Empty where each chunk has a copy left, or where the text does not show who is gone.
    """
    layout, slots = (
        state.values.get("layout"),
        _SLOTS.search(str(state.values.get("working_slots"))),
    )
    if state.values.get("level") != "raid10" or slots is None or int(slots[1]) != len(slots[2]):
        return ()
    number = layout if isinstance(layout, int) else NEAR_TWO
    near, far, disks = near_copies(number), far_copies(number), len(slots[2])
    for chunk in range(disks):
        holders = {(chunk * near + place) % disks for place in range(near * far)}
        if all(slots[2][holder] == "_" for holder in holders):
            return tuple(sorted(holders))
    return ()


def may_be_lost(more: int) -> str:
    """The same in words."""
    count = "one" if more == 1 else more
    return f"{count} more may be lost" if more > 0 else "the next loss may take data with it"


def is_filled(state: StateEvidence, missing: int) -> bool:
    """Whether the members that an array lacks are there and a recovery fills them."""
    values, disks = state.values, state.values.get("raid_disks")
    if values.get("sync_waits") or not (
        values.get("sync_action") == "recover" or _becomes_raid6(state)
    ):
        return False
    if values.get("faulty") or "(R)" in str(values.get("head")) or "magic" in values:
        return False
    if not isinstance(values.get("level"), str) or spare_losses(state, missing) < 0:
        return False
    placed = _names(state, "below") - _names(state, "spares") - _names(state, "journal")
    return len(placed) == disks or len(_names(state, "rebuilding")) == missing


def _becomes_raid6(state: StateEvidence) -> bool:
    """Whether a RAID 5 is being reshaped to a RAID 6, of which the new member is not yet in sync.

    Until it is done the second parity lies on that member alone (`*-6` layouts, from 16 on).
    """
    layout, action = state.values.get("layout"), state.values.get("sync_action")
    is_between = isinstance(layout, int) and layout >= _PARITY_ON_LAST
    return action == "reshape" and state.values.get("level") == "raid6" and is_between


def _names(state: StateEvidence, role: str) -> set[str]:
    value = state.values.get(role)
    return set(fields(value)) if isinstance(value, str) else set()


def is_new(case: EvidenceSet, array: StateEvidence) -> bool:
    """Whether what the text last said of an array is mdadm's answer to --create."""
    before: StateEvidence | None = None
    for state in case.of_kind("md"):
        if state is array:
            break
        if (state.source, state.host, state.name) == (array.source, array.host, array.name):
            before = state
    if before is None or "drives" in before.values:
        return False
    return before.values.get("started") is True


def being_filled(state: StateEvidence, missing: int, *, is_new: bool) -> Finding:
    """An array that lacks nothing but time."""
    share, disks = state.values.get("sync_share"), state.values.get("raid_disks")
    which = "one of them is" if missing == 1 else f"{missing} of them are"
    action = "recovery"
    how = "as `mdadm --create` begins" if is_new else "as after --create, --add or --assemble"
    level = str(state.values.get("level")).upper().replace("RAID", "RAID ")
    evidence = [Evidence("members not in sync", missing, "", state.where)]
    if isinstance(share, float):
        evidence.append(Evidence("done", share, "fraction", state.where))
    doing = "is being built" if is_new else "is being built or rebuilt"
    if _becomes_raid6(state):
        doing, action, how = "is made of a RAID 5", "reshape", "as `mdadm --grow --level=6` begins"
    return Finding(
        rule="degraded",
        severity="warning",
        subject=subject_of(state),
        message=f"{called(state)} ({level}) {doing}: all of its {disks} members are there, and "
        f"{which} being filled from the others ({action}), {how}. Until that is done "
        f"{may_be_lost(spare_losses(state, missing))}, and it takes bandwidth from whatever is "
        "measured meanwhile.",
        evidence=tuple(evidence),
        remedy="wait until it is done, there is nothing to add, and measure then; `sysctl "
        "dev.raid.speed_limit_max` slows it down, and leaves it longer without redundancy",
        confirm="/proc/mdstat shows U for each member and no progress line; then the same trial",
    )


def not_running(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays that are put together and do not run; a container of IMSM or DDF never does."""
    for state in case.of_kind("md"):
        metadata = str(state.values.get("metadata_version") or "")
        is_container = metadata.startswith("external:") and metadata[9:10] not in {"/", "-"}
        if state.values.get("array_state") != "inactive" or not state.name or is_container:
            continue
        size, members = state.values.get("size"), state.values.get("below")
        held = f" ({members})" if isinstance(members, str) else ""
        evidence = [Evidence("array_state", "inactive", "", state.where)]
        if isinstance(size, int):
            evidence.append(Evidence("size of its members", size, "B", state.where))
        yield Finding(
            rule="degraded",
            severity="error",
            subject=subject_of(state),
            message=f"{state.name} is inactive: md holds its members{held}, but does not run it, "
            "and what is on it cannot be read as it is.",
            evidence=tuple(evidence),
            remedy="create and add nothing: compare Events, Update Time and Array State of its "
            "members (`mdadm --examine`), see which are missing, then `mdadm --stop "
            f"/dev/{state.name}` and `mdadm --assemble` it with those that belong to it; --force, "
            "which takes one whose Events are behind, only after copies or on overlays",
            confirm="/proc/mdstat shows it active, and its file system's check reads it",
        )
