"""Sentences in which btrfs's tools say what is wrong, by sort, with the figures in their words.

Source: btrfs-progs 6.2, check/main.c (print_inode_error(), print_ref_error(), check_chunk_refs(),
check_device_extents(), verify_backrefs()), check/mode-lowmem.c ("root %llu EXTENT_DATA[%llu %llu]
..."), cmds/receive.c ("At subvol %s"), cmds/restore.c, kernel-shared/disk-io.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from iosonde.kerneltext import fields
from iosonde.records.stack import Json

_N = r"\d{1,20}"
_SAYS = r"\s*(?:ERROR: |WARNING: )?"
_SORTS = tuple((name, re.compile(rf"{_SAYS}{form}")) for name, form in (
    ("inode_errors", rf"root {_N} inode {_N} errors [\da-f]{{1,8}}(?:,|\s*$)"),
    ("root_inode_errors", rf"root {_N} (?:EXTENT_DATA|INODE_ITEM|INODE_REF|INODE|DIR_ITEM|DIR_INDEX"
     rf"|DIR INODE|ROOT INODE|FILE) ?\[{_N}"),
    ("unresolved_refs", rf"unresolved ref (?:dir|root) {_N} "),
    ("file_extent_holes", rf"start: {_N}, len: {_N}\s*$"),
    ("ref_mismatches", rf"ref mismatch on \[{_N} {_N}\] extent item {_N}, "),
    ("missing_backrefs", rf"(?:(?:data|tree) )?backref {_N} (?:root|parent) {_N} "),
    ("mismatching_backrefs", r"backref disk bytenr does not match extent record,"),
    ("incorrect_backrefs", rf"(?:incorrect|Incorrect) (?:local|global) backref count on {_N} "),
    ("backpointer_mismatches", rf"backpointer mismatch on \[{_N} {_N}\]"),
    ("added_backrefs", rf"adding new (?:data|tree) backref on (?:start )?{_N} "),
    ("repaired_references", rf"Repaired extent (?:references|flags) for {_N}"),
    ("mismatching_backref_bytes", r"backref bytes do not match extent backref, bytenr=\d"),
    ("repair_attempts", rf"attempting to repair backref discrepency for bytenr {_N}"),
    ("deleted_records", rf"repair deleting extent record: key \[{_N},"),
    ("fixed_roots", r"Fixed [1-9]\d{0,9} roots\.\s*$"),
    ("block_groups_without_chunks", rf"Block group\[{_N}, {_N}\] \(flags = {_N}\) didn't find"),
    ("wrong_device_sums", rf"Dev extent's total-byte\({_N}\) is not equal to byte-used"),
    ("wrong_chunks", rf"Chunk\[{_N}, {_N}, {_N}\]"),
    ("wrong_device_extents", rf"Device extent\[{_N}, {_N}, {_N}\]"),
    ("owner_ref_failures", rf"owner ref check failed \[{_N} {_N}\]"),
    ("wrong_extents", rf"(?:bad (?:extent|metadata)|data extent|tree extent) ?\[{_N}, {_N}"),
    ("bad_blocks_of_check", rf"bad block {_N}\s*$"),
    ("wrong_block_groups", rf"block group \[{_N} {_N}\] used {_N} but extent items used {_N}"),
    ("csums_without_extents", rf"csum exists for {_N}-{_N} but there is no extent record"),
    ("leaked_reservations", r"reserved space leaked, (?:transid=\d|flag=0x)"),
    ("wrong_device_sizes", rf"device {_N}'s (?:total_bytes|bytes_used) was {_N} in tree but {_N}"),
    ("wrong_super_sizes", rf"super (?:bytes used|total bytes) {_N} "),
    ("wrong_inode_modes", r"invalid imode mode bits: 0\d{1,7}\s*$"),
    ("wrong_inode_generations", rf"invalid inode generation {_N} or transid {_N} for\b"),
    ("corrupt_children", r"child eb corrupted: parent bytenr=\d"),
    ("level_mismatches", r"root \[\d{1,20} \d{1,20}\] level \d{1,3} does not match \d"),
    ("errors_found_in",
     r"errors found in (?:fs roots|extent allocation|root items|csum tree|free)"),
    ("unreadable_roots",
     r"(?:cannot read|could not setup|unable to find) (?:chunk|tree|extent|root|csum|device|fs|log)"
     r" (?:root|tree)\b"),
    ("failed_opens", r"(?:could not open ctree|open ctree failed|cannot open file system)\s*$"),
    ("exhausted_mirrors", rf"exhausted mirr?or?s trying to read \({_N} > {_N}\)"),
    ("failed_copies", r"Error copying data for /"),
    ("failed_clones", r"failed to clone extents to \S.{0,200}: \S"),
    ("skipped_files", r"Skipping existing file /"),
    ("received_subvolumes", r"At subvol \S{1,250}\s*$"),
    ("received_snapshots", r"At snapshot \S{1,250}\s*$"),
))  # fmt: skip
_NEEDS_MARK = frozenset({"errors_found_in", "unreadable_roots", "failed_opens", "failed_clones"})
"""Sorts whose words may be anybody's where no "ERROR: " stands before them."""
_NEEDS_OTHERS = frozenset({"file_extent_holes", "bad_blocks_of_check"})
"""Sorts whose lines do not begin an output: too many programs have such ones."""
_SILENT = re.compile(
    r"\s*(?:Found file extent holes:|Ignoring transid failure|\(\.\.\.\)|\.\.\.\s*$"
    r"|\S{0,4}\[\d{1,2}/\d{1,2}\] (?:checking|repairing) \w|Could not open root, trying backup"
    r"|Starting repair\.|Reinitialize checksum tree|Fixed 0 roots\.|Opening filesystem to check)"
)
_REST = re.compile(r"\s*[a-z,(\d'].{0,100}$")
_LONG = 48  # characters of a line that a mail may have broken
_BROKEN = 3
_KEPT = 200  # sentences


def message_sort(line: str, *, begins: bool = False) -> str:
    """Of what sort a line is; empty where it is none of btrfs's.

    Args:
        line: to look at.
        begins: whether an output would begin in it.
    """
    for name, form in _SORTS:
        if form.match(line):
            marked = name not in _NEEDS_MARK or line.lstrip().startswith(("ERROR", "WARNING"))
            return name if marked and not (begins and name in _NEEDS_OTHERS) else ""
    return ""


@dataclass(slots=True)
class CheckMessages:
    """The sentences so far: how many of each sort, and the first of them in their own words."""

    counts: dict[str, int] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    _open: int = 0  # lines that a mail may yet have broken off of the last one

    def takes(self, line: str) -> bool:
        """Whether a line is one of them, the rest of one, or stands among them; it is kept."""
        if sort := message_sort(line):
            self.counts[sort] = self.counts.get(sort, 0) + 1
            self.sentences.append(" ".join(fields(line)))
            self._open = _BROKEN if len(line.strip()) > _LONG else 0
            return True
        if _SILENT.match(line):
            self._open = 0
            return True
        if self._open and _REST.match(line):
            self.sentences[-1] += f" {' '.join(fields(line))}"
            self._open = self._open - 1 if len(line.strip()) > _LONG else 0
            return True
        return False

    def values(self) -> dict[str, Json]:
        """Counts by sort and the sentences; nothing where there was none."""
        kept: list[Json] = [*self.sentences[:_KEPT]]
        return {**self.counts, "messages": kept} if self.counts else {}
