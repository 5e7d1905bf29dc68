"""What a text says of one array in several places: a table without its head belongs to an array.

Source: mdadm 4.3, Detail.c (the table of members stands below the array's name and level, and is
often shown without them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iosonde.kerneltext import fields
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar

_GEOMETRY = ("level", "raid_disks", "layout")


def lacking_states(case: EvidenceSet) -> Iterator[StateEvidence]:
    """The last state of each array that says how many members it lacks.

    Each has its level where the same text shows it elsewhere. A table without a name is that of the
    array with the same members; where that array is known to lack as many, it says nothing more.
    """
    every = list(case.latest("md", "degraded"))
    for place, state in enumerate(every):
        if state.name and not state.host and any(
            other.name == state.name and other.host and _same_place(state, other)
            for other in every[place + 1 :]
        ):  # fmt: skip
            continue  # the same array, shown again further down on a host that the text names
        if state.name:
            yield _with_geometry(case, state)
        elif (name := _array_of(case, state)) is None:
            yield state
        elif not _lacks_as_many(case, state, name):
            yield _with_geometry(case, replace(state, name=name))


def is_shown_idle(state: StateEvidence, later: StateEvidence) -> bool:
    """Whether a text shows further down that an array works for itself no more."""
    is_same = bool(state.name) and state.name == later.name and _same_place(state, later)
    is_known = "degraded" in later.values and "magic" not in later.values
    return is_same and is_known and not later.values.get("sync_action")


def _same_place(state: StateEvidence, other: StateEvidence) -> bool:
    """Whether both are of one text, and of no two hosts."""
    hosts = {state.host, other.host} - {""}
    return state.source == other.source and len(hosts) < 2


def _members(state: StateEvidence) -> set[str]:
    below = state.values.get("below")
    return set(fields(below)) if isinstance(below, str) else set()


def _array_of(case: EvidenceSet, state: StateEvidence) -> str | None:
    """The only array that the text says to have the members of a table; None where it has none."""
    members = _members(state)
    names = {
        other.name for other in case.of_kind("md")
        if other.name and members and members <= _members(other) and _same_place(state, other)
    }  # fmt: skip
    return names.pop() if len(names) == 1 else None


def _lacks_as_many(case: EvidenceSet, state: StateEvidence, name: str) -> bool:
    return any(
        other.name == name
        and other.values.get("degraded") == state.values.get("degraded")
        and _same_place(state, other)
        for other in case.of_kind("md")
    )


def _with_geometry(case: EvidenceSet, state: StateEvidence) -> StateEvidence:
    """The state with the level and number of members that the text gives its array elsewhere."""
    if isinstance(state.values.get("level"), str):
        return state
    others = [
        other.values for other in case.of_kind("md")
        if other.name == state.name and _same_place(state, other)
        and isinstance(other.values.get("level"), str)
    ]  # fmt: skip
    if len({str(values["level"]) for values in others}) != 1:
        return state
    geometry: dict[str, Scalar] = {
        name: others[-1][name] for name in _GEOMETRY if name in others[-1]
    }
    return replace(state, values={**geometry, **state.values})
