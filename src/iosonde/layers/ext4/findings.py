"""File systems: data written twice, errors noted, devices shorter than what is on them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.records.evidence import (
    CounterEvidence,
    EvidenceSet,
    Rule,
    StateEvidence,
    subject_of,
)
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


def larger_than_device(case: EvidenceSet) -> Iterator[Finding]:
    """A file system that reaches beyond the end of its device, as e2fsck or the kernel counts."""
    spoken = set[tuple[str, str]]()
    for thing, own, device in _sizes(case):
        if own <= device or (thing.source, thing.name) in spoken:
            continue
        spoken.add((thing.source, thing.name))
        name = thing.name or "a file system"
        yield Finding(
            rule="larger-than-device",
            severity="error",
            subject=thing.name,
            message=f"{name} has {own} blocks and its device {device}: the device became shorter "
            f"than the file system on it by {_blocks(own - device)}, and what is there cannot be "
            "read; an array, a partition or a volume was made anew or cut with another size, or "
            "this kernel reads its size otherwise than the last.",
            evidence=(
                Evidence("filesystem_blocks", own, "", thing.where),
                Evidence("device_blocks", device, "", thing.where),
            ),
            remedy="answer no to e2fsck's question and mount nothing for writing; find out what "
            "shortened the device (`mdadm --examine` for the size and data offset of each member, "
            "`fdisk -l`, /etc/lvm/archive) and give it its size back; only where that is "
            "impossible copy the data off, mounted with ro",
            confirm="`e2fsck -n` no longer says that the sizes differ",
        )


def _blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{count} blocks"


def _sizes(case: EvidenceSet) -> Iterator[tuple[StateEvidence | CounterEvidence, int, int]]:
    """Each file system of which both sizes are said: its blocks, and those of its device."""
    for state in case.of_kind("ext4"):
        own, device = state.values.get("filesystem_blocks"), state.values.get("device_blocks")
        if isinstance(own, int) and isinstance(device, int):
            yield state, own, device
    for counter in case.counters:
        excesses = counter.values.get("excesses")
        for excess in excesses if counter.kind == "ext4" and isinstance(excesses, list) else ():
            own, device = map(int, re.findall(r"\d+", str(excess)))
            yield counter, own, device


def noted_errors(case: EvidenceSet) -> Iterator[Finding]:
    """A superblock in which the kernel noted errors that no check has found mended since."""
    for state in case.latest("ext4", "superblock_state", "error_count"):
        count, said = state.number("error_count"), str(state.values.get("superblock_state") or "")
        if not count and "with errors" not in said:
            continue
        spans = [
            f"the {which} {state.values[f'{which}_error_time']}"
            + (f" in {function}()" if (function := state.values.get(f"{which}_error_function"))
               else "")
            for which in ("first", "last") if state.values.get(f"{which}_error_time")
        ]  # fmt: skip
        errors = f"{count:,.0f} error{'s'[: count != 1]}" if count else "errors"
        when = f" ({', '.join(spans)})" if spans else ""
        yield Finding(
            rule="filesystem-errors",
            severity="error",
            subject=subject_of(state),
            message=f"The superblock of {state.name or 'a file system'} notes {errors}{when} that "
            "no check has found mended: the kernel met damaged metadata in it.",
            evidence=state.evidence("superblock_state", "error_count", "last_checked"),
            remedy="save what can be read; look at what the kernel's log says of it and of the "
            "devices below it at these times; then, unmounted, `e2fsck -fn` first, and only then "
            "with repairs",
            confirm="`dumpe2fs -h` shows “Filesystem state: clean” and no error count",
        )


RULES: tuple[Rule, ...] = (
    Rule("filesystem-errors", "ext4", "A superblock in which errors are noted.",
         "Linux fs/ext4/super.c, save_error_info(); e2fsprogs 1.47, lib/e2p/ls.c, list_super2()",
         noted_errors, stage="data"),
    Rule("journal-double-write", "ext3, ext4", "The journal takes data as well as metadata.",
         "Linux Documentation/filesystems/ext4/journal.rst; ext4(5)", double_write),
    Rule("larger-than-device", "ext4", "A file system is longer than its device.",
         "e2fsprogs 1.47, e2fsck/super.c, check_super_block(); Linux fs/ext4/super.c, "
         "ext4_check_geometry()",
         larger_than_device),
)  # fmt: skip
