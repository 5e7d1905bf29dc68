"""What checks of file systems say of these and of the medium.

Source: Microsoft, Windows commands, chkdsk (/r finds bad sectors; /b clears the list of bad
clusters and checks them again, for volumes that were copied to another drive); f2fs-tools 1.16,
fsck/fsck.c (fsck_verify()); exfatprogs 1.4, fsck/fsck.c (exfat_show_info(): "corrupted" where
errors are left); dosfstools 4.2, src/fat.c (read_fat()); ntfs-3g 2022.10, ntfsprogs/ntfsresize.c
(check_cluster_allocation()), ntfsfix.c; e2fsck(8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iosonde import units
from iosonde.layers import LAYERS
from iosonde.layers._backing import where_to_look
from iosonde.layers._mounts.traits import FileSystemCheck
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_CHECKS: Mapping[str, FileSystemCheck] = {
    "exfat": FileSystemCheck("fsck.exfat -y", {"state": ("corrupted",)}),
    "f2fs": FileSystemCheck("fsck.f2fs -f", {"": ("failed",)}),
    "mount": FileSystemCheck("chkdsk /f", {"state": ("problems found", "problems left")}),
    "ntfs": FileSystemCheck("chkdsk /f", {"state": ("corrupt", "inconsistent")}),
    "vfat": FileSystemCheck("fsck.fat -a", {
        "state": ("no FAT file system",),
        "fat_copies": ("differ, intact", "differ, both corrupt", "differ, the first is corrupt",
                       "differ, the second is corrupt"),
    }),
}  # fmt: skip
"""Of those without a folder of their own."""


def _check(kind: str) -> FileSystemCheck | None:
    return _CHECKS.get(kind) or (LAYERS.load(kind).fsck if kind in LAYERS else None)


def _failed_checks(case: EvidenceSet) -> Iterator[Finding]:
    """File systems of which a check says that they are damaged."""
    for system in case.states:
        if (check := _check(system.kind)) is None:
            continue
        always = check.damaged.get("", ())
        damages = [
            name for name, value in system.values.items()
            if value in check.damaged.get(name, always)
        ]  # fmt: skip
        if not damages:
            continue
        name = system.name or "a file system"
        yield Finding(
            rule="filesystem-errors",
            severity="error",
            subject=subject_of(system),
            message=f"A check found {name} damaged: files of it may be lost, or hold other data "
            "than was written.",
            evidence=system.evidence(*damages),
            remedy="save what can be read; read the kernel's log; "
            f"{where_to_look(case, system, system.name)}; then, with the file system not mounted, "
            f"`{check.repair}`",
            confirm=f"`{check.repair}` a second time finds nothing",
        )


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
         "Microsoft, Windows commands, chkdsk", _bad_sectors, stage="device"),
    Rule("filesystem-errors", "btrfs, exfat, ext4, f2fs, mount, ntfs, vfat",
         "File systems that a check found damaged.",
         "f2fs-tools fsck/fsck.c; exfatprogs fsck/fsck.c; dosfstools src/fat.c; e2fsck(8)",
         _failed_checks, stage="data"),
)  # fmt: skip
