"""Writes smaller than the physical blocks of a disk that shows smaller logical ones (512e).

Source: Linux ABI/stable/sysfs-block (physical_block_size, logical_block_size).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._raid.arrays import CaseArrays, near
from iosonde.layers._raid.below import size_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence, subject_of
from iosonde.records.finding import Evidence, Finding


def emulated_sectors(case: EvidenceSet) -> Iterator[Finding]:
    """Loads that write less than a physical block of a disk that shows smaller logical ones."""
    disks: dict[tuple[str, str], list[StateEvidence]] = {}
    for state in case.of_kind("disk"):
        block, logical = (size_of(state, f"{kind}_block_size") for kind in ("physical", "logical"))
        if block and logical and logical < block:
            disks.setdefault((state.source, state.name), []).append(state)
    case_arrays = CaseArrays(case)
    for trial in case.trials if disks else ():
        load = case_arrays.load(trial)
        if not load.writes or not load.block or load.direct is False:
            continue
        for disk in _disks(trial, disks):
            block = size_of(disk, "physical_block_size") or 1
            if load.block % block:
                yield _emulated(trial, disk, load.block, block)
                break


def _disks(
    trial: TrialEvidence, disks: dict[tuple[str, str], list[StateEvidence]]
) -> Iterator[StateEvidence]:
    names = [device for kind, device in trial.stands_on if kind == "disk"] or [trial.target]
    for name in names:
        for state in disks.get((trial.source, name.removeprefix("/dev/")), ()):
            if near(state, trial):
                yield state


def _emulated(trial: TrialEvidence, disk: StateEvidence, size: int, block: int) -> Finding:
    logical = size_of(disk, "logical_block_size") or units.SECTOR
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(disk),
        message=f"{disk.name} writes physical blocks of {units.show_bytes(block)} and only shows "
        f"logical ones of {units.show_bytes(logical)}: writes of {units.show_bytes(size)} make it "
        "read what they do not fill.",
        evidence=(
            Evidence("block size of the load", size, "B", trial.where),
            Evidence("physical block size", block, "B", disk.where),
            Evidence("logical block size", logical, "B", disk.where),
        ),
        remedy=f"write in multiples of {units.show_bytes(block)}; what the program on top writes "
        "decides, not the load",
        confirm=f"the same load with blocks of {units.show_bytes(block)}: more IOPS, not fewer",
    )


RULES: tuple[Rule, ...] = (
    Rule("misaligned", "disk", "Writes smaller than a physical block (512e).",
         "Linux ABI/stable/sysfs-block", emulated_sectors),
)  # fmt: skip
