"""Device-mapper devices made to fail (error, flakey, delay, dust), and VDO volumes without room.

Source:
    Linux drivers/md/dm-target.c (error: every request fails); Documentation/admin-guide/
    device-mapper/dm-flakey.rst, delay.rst, dm-dust.rst; lvmraid(7) and lvm2's activation: a missing
    physical volume is mapped to error; lvmvdo(7), "Out of space" and vdo(8): writes fail once no
    physical block is free, whatever is free in the file system above.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_DOES = {
    "error": ("error", "fails every read and write of the part that is mapped to it"),
    "flakey": ("error", "fails reads and writes from time to time, or drops them"),
    "dust": ("error", "fails reads of blocks that somebody named"),
    "delay": ("warning", "holds every request back for a fixed time"),
}


def made_to_fail(case: EvidenceSet) -> Iterator[Finding]:
    """Devices with such a target in their table; dust that passes all reads on does no harm."""
    for state in case.states:
        targets = str(state.values.get("target") or "").replace(" ", "").split(",")
        for name in dict.fromkeys(targets):
            if name in _DOES and state.values.get("fails_reads") is not False:
                yield _finding(state, name)


def _finding(state: StateEvidence, target: str) -> Finding:
    severity, does = _DOES[target]
    return Finding(
        rule="error-target",
        severity=severity,
        subject=subject_of(state),
        message=f"{state.name} has a target “{target}” in its device-mapper table, which {does}: "
        "nothing measured on it is the storage's.",
        evidence=(Evidence("targets", state.values["target"], "", state.where),),
        remedy="LVM maps missing physical volumes so (`pvs`, `lvs -o name,lv_attr`): bring them "
        "back; else somebody tests with it, and `dmsetup table` shows what it should be"
        if target == "error"
        else "ask who tests with it; `dmsetup table` shows what lies below",
        confirm=f"`dmsetup table {state.name}` names no {target}",
    )


_NEARLY, _FULL = 0.9, 0.999


def short_of_blocks(case: EvidenceSet) -> Iterator[Finding]:
    """VDO volumes with less than a tenth of their physical blocks free."""
    for state in case.of_kind("dm"):
        share = state.values.get("used_share")
        if state.values.get("target") != "vdo" or not isinstance(share, (int, float)):
            continue
        if share < _NEARLY:
            continue
        gone = share >= _FULL
        after = "writes fail" if gone else "writes fail once they are used up"
        yield Finding(
            rule="out-of-space",
            severity="error" if gone else "warning",
            subject=subject_of(state),
            message=f"{share:.1%} of the physical blocks of the VDO volume {state.name} are in "
            f"use: {after}, whatever its file system says to be free.",
            evidence=(Evidence("used_share", share, "fraction", state.where),),
            remedy="Give it more storage (lvextend of its pool; `vdo growPhysical`), or delete "
            "files and discard their blocks with fstrim.",
            confirm="`vdostats` shows a lower Use%",
        )


def read_only(case: EvidenceSet) -> Iterator[Finding]:
    """VDO volumes that take no more writes after an error of their metadata."""
    for state in case.of_kind("dm"):
        modes = (state.values.get(name) for name in ("mode", "operating_mode"))
        if state.values.get("target") != "vdo" or "read-only" not in modes:
            continue
        yield Finding(
            rule="read-only",
            severity="error",
            subject=subject_of(state),
            message=f"The VDO volume {state.name} is in read-only mode: it met an error of its "
            "metadata, every write fails, and it stays so until it is rebuilt.",
            evidence=(Evidence("mode", "read-only", "", state.where),),
            remedy="copy what can be read; then `vdo start --forceRebuild` or vdoforcerebuild, "
            "which may lose the latest writes",
            confirm="`dmsetup status` says normal for it",
        )


_BIOS_SETS = {
    "broken": ("error", "is broken: too many of its drives are gone for it to be used"),
    "inconsistent": ("error", "is inconsistent: it lacks drives, or they differ"),
    "nosync": ("warning", "is not in sync: its copies differ until a rebuild ends"),
}


def bios_sets(case: EvidenceSet) -> Iterator[Finding]:
    """Sets of a BIOS' RAID that lack drives, or whose drives are not in sync."""
    for state in case.of_kind("dmraid"):
        status = str(state.values.get("status") or "")
        present, expected = state.values.get("disks"), state.values.get("expected_disks")
        if isinstance(present, int) and isinstance(expected, int) and present < expected:
            severity, says = "error", f"has {present} of its {expected} drives"
            evidence = Evidence("disks", present, "", state.where)
        elif status in _BIOS_SETS:
            severity, says = _BIOS_SETS[status]
            evidence = Evidence("status", status, "", state.where)
        else:
            continue
        yield Finding(
            rule="degraded",
            severity=severity,
            subject=subject_of(state),
            message=f"The RAID set {state.name} of the BIOS {says}; figures measured now are not "
            "those of the whole set.",
            evidence=(evidence,),
            remedy="look which drive is missing (`dmraid -r`), replace it and rebuild with "
            "`dmraid -R`, mdadm or the BIOS",
            confirm="`dmraid -s` says status ok, and the same trial then",
        )


RULES: tuple[Rule, ...] = (
    Rule("error-target", "dm", "Devices of device-mapper that are made to fail or to be slow.",
         "Linux drivers/md/dm-target.c; dm-flakey.rst, delay.rst, dm-dust.rst", made_to_fail),
    Rule("out-of-space", "dm", "VDO volumes with hardly a physical block free.",
         "lvmvdo(7), vdo(8)", short_of_blocks, stage="waiting"),
    Rule("read-only", "dm", "VDO volumes that went into read-only mode.",
         "Linux drivers/md/dm-vdo/dm-vdo-target.c, vdo_status(); vdoforcerebuild(8)", read_only,
         stage="data"),
    Rule("degraded", "dm", "Sets of a BIOS' RAID that lack drives or are not in sync.",
         "dmraid 1.0.0.rc16, lib/metadata/metadata.c and lib/format/format.c", bios_sets,
         stage="redundancy"),
)  # fmt: skip
