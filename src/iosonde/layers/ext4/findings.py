"""Journals of file systems: data that is written twice."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding


def double_write(case: EvidenceSet) -> Iterator[Finding]:
    """ext3 and ext4 with data=journal."""
    for state in case.of_kind("ext3", "ext4"):
        if state.values.get("data") != "journal":
            continue
        buffered = ", without delayed allocation and O_DIRECT" if state.kind == "ext4" else ""
        yield Finding(
            rule="journal-double-write",
            severity="warning",
            subject=state.name,
            message=f"{state.name} ({state.kind}, data=journal) writes all data twice, first into "
            f"the journal and then to its place: at most half of what its device can write is left"
            f"{buffered}; "
            "only short bursts that are synced at once may gain, as the journal takes them in "
            "sequence.",
            evidence=(
                Evidence("data", "journal", "", state.where),
                Evidence("device", state.values.get("device"), "", state.where),
            ),
            remedy="data=ordered, which is the default: put it into /etc/fstab and mount again (it "
            "cannot be changed by a remount); after a crash, data of writes that were not synced "
            "may be older than with data=journal, the file system itself is as safe",
            confirm="the same write load in both modes, counted at the device: twice the bytes of "
            "the load arrive with data=journal",
        )


RULES: tuple[Rule, ...] = (
    Rule("journal-double-write", "ext3, ext4", "The journal takes data as well as metadata.",
         "Linux Documentation/filesystems/ext4/journal.rst; ext4(5)", double_write),
)  # fmt: skip
