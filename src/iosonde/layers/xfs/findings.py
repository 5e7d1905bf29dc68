"""XFS whose log was made for other sectors than the disk's.

Source: mkfs.xfs(8), sector size.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._raid.below import StackBelow, size_of
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding


def log_sectors(case: EvidenceSet) -> Iterator[Finding]:
    """XFS whose log writes less than a physical block."""
    stack = StackBelow(case)
    for state in case.of_kind("xfs"):
        sector = size_of(state, "sector_size")
        for disk in stack.disks_under(state) if sector else ():
            block = size_of(disk, "physical_block_size")
            if sector and block and sector < block:
                yield Finding(
                    rule="misaligned",
                    severity="note",
                    subject=subject_of(state),
                    message=f"{state.name} (xfs) was made for sectors of "
                    f"{units.show_bytes(sector)}, but {disk.name} writes physical blocks of "
                    f"{units.show_bytes(block)}: its log may begin and end within one.",
                    evidence=(
                        Evidence("sector size", sector, "B", state.where),
                        Evidence("physical block size", block, "B", disk.where),
                    ),
                    remedy=f"`mkfs.xfs -s size={block}` on a new file system; the data must be "
                    "moved",
                    confirm="small writes with a sync each, on both",
                )
                break


RULES: tuple[Rule, ...] = (
    Rule("misaligned", "xfs, disk", "Logs in sectors smaller than a physical block.",
         "mkfs.xfs(8), -s size", log_sectors),
)  # fmt: skip
