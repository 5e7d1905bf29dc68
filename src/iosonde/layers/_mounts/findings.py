"""What checks of foreign file systems say of the medium.

Source: Microsoft, Windows commands, chkdsk (/r finds bad sectors; /b clears the list of bad
clusters and checks them again, for volumes that were copied to another drive).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding


def _bad_sectors(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes of Windows with space that chkdsk counts as bad."""
    for volume in case.of_kind("mount"):
        if not (size := volume.number("bad_sectors_size")):
            continue
        yield Finding(
            rule="media-errors",
            severity="warning",
            subject=subject_of(volume),
            message=f"chkdsk counts {units.show_bytes(size)} of {volume.name or 'a volume'} in bad "
            "sectors, which the file system does not use any more: its drive, or one that it was "
            "copied from, could not read them.",
            evidence=(Evidence("in bad sectors", size, "B", volume.where),),
            remedy="look at the drive (`smartctl -x`: pending and reallocated sectors) and save "
            "what is on it; if the volume was copied from another drive, `chkdsk /b` checks its "
            "list of bad clusters anew",
            confirm="the next chkdsk counts no more of them than this one",
        )


RULES: tuple[Rule, ...] = (
    Rule("media-errors", "mount", "Volumes of Windows with space in bad sectors.",
         "Microsoft, Windows commands, chkdsk", _bad_sectors),
)  # fmt: skip
