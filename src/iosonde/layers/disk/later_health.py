"""What a drive's alert says and a later output of the same text does not show any more.

Source: smartmontools 7.3, smartd.cpp, check_pending() ("No more Currently unreadable (pending)
sectors": sectors that were written again, or turned out to be readable, are pending no more).
"""

from __future__ import annotations

from iosonde.records.evidence import EvidenceSet, StateEvidence

_ALERT = "message"
"""What smartd said, of a state that was read from that."""


def is_gone(case: EvidenceSet, state: StateEvidence, figure: str) -> bool:
    """Whether the text shows a figure of a drive to be 0 after it was not.

    A table that names no drive counts for an alert right above it, where no other drive has one.

    Args:
        case: all that is explained together.
        state: of the drive.
        figure: that is not 0 in it.
    """
    disks = [other for other in case.of_kind("disk") if _same_place(state, other)]
    later = disks[disks.index(state) + 1 :]
    last: StateEvidence | None = None
    for place, other in enumerate(later):
        is_next = place == 0 and _is_of_alert(disks, state, other)
        if other.values.get(figure) is not None and (_is_same(state, other) or is_next):
            last = other
    return last is not None and last.where != state.where and not last.number(figure)


def _same_place(state: StateEvidence, other: StateEvidence) -> bool:
    return state.source == other.source and len({state.host, other.host} - {""}) < 2


def _is_same(state: StateEvidence, other: StateEvidence) -> bool:
    """Whether both have one name, and serial numbers that do not differ."""
    return bool(state.name) and state.name == other.name and not _differ(state, other)


def _differ(state: StateEvidence, other: StateEvidence) -> bool:
    return len({_serial(state), _serial(other)} - {""}) == 2


def _serial(state: StateEvidence) -> str:
    return str(state.values.get("serial") or state.values.get("serial_number") or "")


def _is_of_alert(disks: list[StateEvidence], state: StateEvidence, other: StateEvidence) -> bool:
    """Whether a table without a drive's name stands below the only drive's alerts of a text."""
    alerts = {disk.name for disk in disks if _ALERT in disk.values}
    return (
        _ALERT in state.values and alerts == {state.name}
        and not other.name and _ALERT not in other.values and not _differ(state, other)
    )  # fmt: skip
