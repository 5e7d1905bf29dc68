"""Partitions that begin off the grid of what lies below them, and damaged tables.

Source: Linux ABI/stable/sysfs-block (alignment_offset, physical_block_size); gptfdisk, gpt.cc
(GPTData::ForceLoadGPTData()); gdisk(8), recovery menu.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._raid.below import StackBelow, fits, size_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_DOS_START = 63 * units.SECTOR
_PROTECTIVE = ("ee ", "0xee")
"""The entry of an MBR that stands for a whole GPT, as fdisk and gpart write it: nothing is on it.

Source: UEFI specification 2.10, 5.2.3, OSType 0xEE.
"""


def partitions(case: EvidenceSet) -> Iterator[Finding]:
    """Partitions off the grid of sectors or stripes."""
    stack = StackBelow(case)
    for state in case.of_kind("partition"):
        start, block = size_of(state, "start"), size_of(state, "physical_block_size")
        if start is None or str(state.values.get("type")).startswith(_PROTECTIVE):
            continue
        old = start == _DOS_START
        if state.values.get("aligned_to_sector") is False or (old and (block or 4096) > 512):
            yield _shifted(state, start, block, old=old)
        elif state.values.get("aligned_to_stripe") is False:
            array = stack.array_under(state)
            if array and fits(start, array):
                continue
            width = state.values.get("stripe_width")
            yield Finding(
                rule="misaligned",
                severity="warning",
                subject=subject_of(state),
                message=f"{state.name} begins at {units.show_bytes(start)}, within a stripe of "
                f"{units.show_evidence(width, 'B')}: full stripes of what is on it straddle two.",
                evidence=(
                    Evidence("start", start, "B", state.where),
                    Evidence("stripe", width, "B", state.where),
                ),
                remedy="make the partition anew on a multiple of the stripe; its data must be "
                "moved",
                confirm="reads at the members during sequential writes of whole stripes",
            )


def _shifted(state: StateEvidence, start: int, block: int | None, *, old: bool) -> Finding:
    why = ", the 63-sector start of old partitioning tools" if old else ""
    size = units.show_bytes(block) if block else "4 KiB, where its disk has such"
    return Finding(
        rule="misaligned",
        severity="warning",
        subject=subject_of(state),
        message=f"{state.name} begins at sector {start // units.SECTOR}{why}, off the grid of the "
        f"disk's physical blocks of {size}: blocks on it straddle two of them, and a small write "
        "becomes a read and a write of both.",
        evidence=(
            Evidence("start", start, "B", state.where),
            *((Evidence("physical block size", block, "B", state.where),) if block else ()),
        ),
        remedy="make the partition anew at 1 MiB (parted does so by itself); its data must be "
        "moved",
        confirm="4 KiB random writes on the partition and on the disk",
    )


_COPIES = {
    "main": ("gpt_main_header", "gpt_main_table", "gpt_primary"),
    "backup": ("gpt_backup_header", "gpt_backup_table", "gpt_backup"),
}
"""What gdisk says of the copies of a GPT, and parted and fdisk last."""
_DAMAGED = {"gpt_state": "damaged", "partition_table_state": "corrupt"}


def damaged(case: EvidenceSet) -> Iterator[Finding]:
    """GPTs with a copy that is damaged, as gdisk, parted, fdisk or gpart says."""
    for disk in case.with_value(*_DAMAGED, *_COPIES["main"], *_COPIES["backup"]):
        bad = {
            which
            for which, names in _COPIES.items()
            if {str(disk.values.get(name)) for name in names} & {"ERROR", "corrupt"}
        }
        is_damaged = any(disk.values.get(name) == state for name, state in _DAMAGED.items())
        if not is_damaged and not bad:
            continue
        name = disk.name or "a disk"
        if bad == {"main"}:
            what = "its main copy, at the beginning, is damaged, and the one at the end is whole"
            remedy = (
                "in gdisk `r`, then `b` and `c` take the backup, `p` shows it and `w` writes it"
            )
        elif bad == {"backup"}:
            what = "its copy at the end is damaged, and the main one is whole"
            remedy = "see what wrote there (metadata of RAID, a disk that was grown or made "
            remedy += "smaller); in gdisk `r`, then `d` and `e` take the main one, `w` writes it"
        else:
            what = "one of its copies, or both" if not bad else "both of its copies are damaged"
            remedy = "write nothing; copy the first and last MiB of the disk, and look for the "
            remedy += "partitions (`gdisk -l`, testdisk, `gpart recover` of FreeBSD)"
        yield Finding(
            rule="damaged-table",
            severity="warning" if len(bad) == 1 else "error",
            subject=subject_of(disk),
            message=f"The GPT of {name} is damaged: {what}.",
            evidence=disk.evidence(*_DAMAGED, *_COPIES["main"], *_COPIES["backup"]),
            remedy=f"save what is there first (`sgdisk --backup=FILE`); {remedy}",
            confirm="`sgdisk --verify` finds no problems",
        )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("misaligned", "partition", "Partitions that begin within a physical block or a stripe.",
         "Linux ABI/stable/sysfs-block", partitions),
    Rule("damaged-table", "disk", "GPTs with a header or a table whose sum is wrong.",
         "gptfdisk gpt.cc, GPTData::ForceLoadGPTData(); gdisk(8); parted libparted/labels/gpt.c",
         damaged, stage="data"),
)  # fmt: skip
