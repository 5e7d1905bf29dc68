"""A rule: what is measured on a ramdisk is memory."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding


def on_memory(case: EvidenceSet) -> Iterator[Finding]:
    """Ramdisks below what was measured."""
    for state in case.of_kind("ramdisk"):
        yield Finding(
            rule="ramdisk-target",
            severity="note",
            subject=subject_of(state),
            message=f"{state.name} is a ramdisk: figures measured on it are those of memory.",
            evidence=(Evidence("kind", "ramdisk", "", state.where),),
            remedy="measure on the disks that will hold the data",
            confirm="its major device number is 1 (lsblk -o NAME,MAJ:MIN)",
        )


RULES: tuple[Rule, ...] = (
    Rule("ramdisk-target", "ramdisk", "Ramdisks, whose figures are those of memory.",
         "Linux drivers/block/brd.c", on_memory),
)  # fmt: skip
