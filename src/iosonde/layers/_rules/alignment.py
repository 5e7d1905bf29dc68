"""Alignment: data offsets and file systems against what lies below them.

Source:
    mkfs.xfs(8), su and sw; ext4(5), stride and stripe_width; pvcreate(8), --dataalignment; md(4),
    data offset.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers import MEMBERS
from iosonde.layers._raid.arrays import Array, array_traits
from iosonde.layers._raid.below import StackBelow, fits, size_of, stripe_hints
from iosonde.layers._raid.traits import StripeHints
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding


def file_systems(case: EvidenceSet) -> Iterator[Finding]:
    """File systems made for another stripe than the one below, or for none."""
    stack = StackBelow(case)
    for state in case.states:
        hints = stripe_hints(state.kind)
        array = stack.array_under(state) if hints else None
        if hints is None or array is None:
            continue
        unit, width = _geometry(state, hints)
        remedy = hints.remedy(state.values, array.chunk or 0, array.stripe or 0)
        if unit is None and width is None:
            if array.parity and state.values.get(hints.superblock) is not None:
                yield _made_for_none(state, array, remedy)
        elif (unit or array.chunk, width or array.stripe) != (array.chunk, array.stripe):
            yield _made_for_another(state, array, unit, width, remedy)


def _geometry(state: StateEvidence, hints: StripeHints) -> tuple[int | None, int | None]:
    """Stripe unit and width in bytes, by the superblock, or by the options of a mount."""
    unit, width = size_of(state, "stripe_unit"), size_of(state, "stripe_width")
    by_options = hints.of_options(state.values) if unit is None else None
    return by_options or (unit, width)


def _made_for_none(state: StateEvidence, array: Array, remedy: str) -> Finding:
    return Finding(
        rule="misaligned",
        severity="note",
        subject=subject_of(state),
        message=f"{state.name} ({state.kind}) knows of no stripe, but stands on {array.called} "
        f"with one of {units.show_bytes(array.stripe or 0)}: files and logs begin anywhere in it.",
        evidence=(Evidence(f"stripe of {array.name}", array.stripe, "B", array.where),),
        remedy=remedy,
        confirm="reads at the members during sequential writes of many files",
    )


def _made_for_another(
    state: StateEvidence, array: Array, unit: int | None, width: int | None, remedy: str
) -> Finding:
    own = [
        f"{phrase} {units.show_bytes(size)}"
        for phrase, size in (("a stripe of", width), ("units of", unit))
        if size
    ]
    evidence = [
        Evidence(f"{phrase} of the file system", size, "B", state.where)
        for phrase, size in (("stripe", width), ("unit", unit))
        if size
    ]
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"{state.name} ({state.kind}) was made for {' in '.join(own)}, but stands on "
        f"{array.called} with one of {units.show_bytes(array.stripe or 0)} in {array.strip}s of "
        f"{units.show_bytes(array.chunk or 0)}.",
        evidence=(
            *evidence,
            Evidence(f"stripe of {array.name}", array.stripe, "B", array.where),
            Evidence(f"{array.strip} of {array.name}", array.chunk, "B", array.where),
        ),
        remedy=remedy,
        confirm="reads at the members during sequential writes",
    )


def data_offsets(case: EvidenceSet) -> Iterator[Finding]:
    """Where data begin on the members of arrays and groups, against what is below them."""
    stack = StackBelow(case)
    seen: set[tuple[str, str]] = set()
    of_groups, of_arrays = _with_offsets(case)
    for state in of_groups:
        offset = size_of(state, "data_offset")
        names = _members(state)
        if offset is None or offset % units.SECTOR or len(names) != 1:
            continue  # no whole sectors: megabytes that were printed rounded
        array = stack.array(state, names[0])
        if array is None or fits(offset, array):
            continue
        if (array.host, array.name) not in seen:
            seen.add((array.host, array.name))
            yield _volume_offset(array, offset, state.where)
    for state in of_arrays:
        offset = size_of(state, "data_offset")
        lower = [under for name in _members(state) if (under := stack.state(state, name))]
        for under in lower:
            block = size_of(under, "physical_block_size")
            if offset and block and offset % block:
                yield _member_offset(state, under, offset, block)
                break


def _with_offsets(case: EvidenceSet) -> tuple[list[StateEvidence], list[StateEvidence]]:
    """What tells where data begin on its members: that of groups of devices, and that of arrays."""
    states = [
        (state, traits)
        for state in case.with_value("data_offset")
        if (traits := array_traits(MEMBERS.get(state.kind, state.kind)))
    ]
    return (
        [state for state, traits in states if traits.in_group],
        [state for state, traits in states if not (traits.in_group or traits.by_controller)],
    )


def _members(state: StateEvidence) -> tuple[str, ...]:
    return (state.name,) if state.kind in MEMBERS else state.below


def _volume_offset(array: Array, offset: int, where: str) -> Finding:
    chunk, stripe = array.chunk or 1, array.stripe or 1
    within = offset % chunk != 0
    what = (
        f"a {array.strip} of {units.show_bytes(chunk)}: aligned requests straddle two members"
        if within
        else f"a stripe of {units.show_bytes(stripe)}: writes of whole stripes straddle two"
    )
    return Finding(
        rule="misaligned",
        severity="warning" if within else "note",
        subject=array.subject,
        message=f"The volumes on {array.called} begin at {units.show_bytes(offset)}, within "
        f"{what}.",
        evidence=(
            Evidence("data offset", offset, "B", where),
            Evidence(f"stripe of {array.name}", stripe, "B", array.where),
        ),
        remedy=f"`pvcreate --dataalignment {stripe}b` on a new volume; the data must be moved",
        confirm="reads at the members during sequential writes of whole stripes",
    )


def _member_offset(state: StateEvidence, member: StateEvidence, offset: int, block: int) -> Finding:
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"Data of {state.name} begin at {units.show_bytes(offset)} of {member.name}, off "
        f"the grid of its physical blocks of {units.show_bytes(block)}: small writes become a "
        "read and a write in the drive.",
        evidence=(
            Evidence("data offset", offset, "B", state.where),
            Evidence(f"physical block size of {member.name}", block, "B", member.where),
        ),
        remedy="make the array anew with `mdadm --create --data-offset=1M`; its data must be moved",
        confirm="4 KiB random writes on the array and on a member",
    )


RULES: tuple[Rule, ...] = (
    Rule("misaligned", "xfs, ext4", "File systems made for another stripe than the one below, or "
         "for none.", "mkfs.xfs(8); ext4(5); tune2fs(8)", file_systems),
    Rule("misaligned", "lvm, md", "Data of volumes or members that begin within a stripe, a chunk "
         "or a physical block.", "pvcreate(8), --dataalignment; md(4)", data_offsets),
)  # fmt: skip
