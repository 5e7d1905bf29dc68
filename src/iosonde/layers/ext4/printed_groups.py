"""`dumpe2fs`: the groups of an ext file system, where their bitmaps and tables are, what is free.

Source: e2fsprogs 1.47, misc/dumpe2fs.c (list_desc(): "Group %lu: (Blocks ", " csum 0x%04x",
" (EXPECTED 0x%04x)", "  Block bitmap at ", "%u free %s, %u free inodes, %u directories");
before 1.43 both bitmaps are in a line.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, groups_of

_N = r"\d{1,19}"
_HEAD = re.compile(
    rf"\s*Group (?P<group>{_N}): \(Blocks (?P<first>{_N}|0x[\da-f]{{1,16}})-"
    rf"(?P<last>{_N}|0x[\da-f]{{1,16}})\)(?: csum (?P<csum>0x[\da-f]{{4}}))?"
    r"(?: \(EXPECTED (?P<expected_csum>0x[\da-f]{4})\))?(?: \[(?P<flags>[A-Z_, ]{4,60})\])?\s*$"
)
_PARTS = tuple(re.compile(form) for form in (
    rf"(?P<superblock_kind>Primary|Backup) superblock at (?P<superblock>{_N})",
    rf"Group descriptors? at (?P<descriptors>{_N}(?:-{_N})?)",
    rf"Reserved GDT blocks at (?P<reserved_gdt>{_N}-{_N})",
    rf"Block bitmap at (?P<block_bitmap>{_N})(?: \([^)]{{1,40}}\))?"
    r"(?:, csum (?P<block_bitmap_csum>0x[\da-f]{8}))?",
    rf"Inode bitmap at (?P<inode_bitmap>{_N})(?: \([^)]{{1,40}}\))?"
    r"(?:, csum (?P<inode_bitmap_csum>0x[\da-f]{8}))?",
    rf"Inode table at (?P<inode_table>{_N}(?:-{_N})?)",
    rf"(?P<free_blocks>{_N}) free (?:blocks|clusters), (?P<free_inodes>{_N}) free inodes, "
    rf"(?P<directories>{_N}) director(?:y|ies)(?:, (?P<unused_inodes>{_N}) unused inodes)?",
))  # fmt: skip
_FREE = re.compile(
    rf"\s*(?P<what>Free (?:blocks|inodes)): (?P<ranges>{_N}(?:-{_N})?(?:, .{{1,4000}}?)?)?\s*$"
)
_SUMS = ("free_blocks", "free_inodes", "directories", "unused_inodes")
_MOST = 20000
_KEPT = 200  # groups


class ExtGroups(StateOutput):
    tool = "dumpe2fs"
    anchors = (": (Blocks ",)
    commands = ("dumpe2fs",)
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = list[dict[str, Json]](), first
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            head, free = _HEAD.match(line), _FREE.match(line)
            if head:
                rows.append(groups_of(head))
            elif free:
                name = f"{free['what'].lower().replace(' ', '_')}_at"
                rows[-1][name] = (free["ranges"] or "")[:400]
            elif said := _said(line):
                rows[-1] |= said
            else:
                break
            last = index
        values: dict[str, Json] = {"groups": len(rows), "rows": [*rows[:_KEPT]]}
        for name in _SUMS:
            counts = [row[name] for row in rows if name in row]
            if len(counts) == len(rows):  # else it is no sum of what is listed
                values[name] = sum(int(str(count)) for count in counts)
        return last, [self.counted("ext4", "", values, prompt)]


def _said(line: str) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for form in _PARTS:
        if match := form.search(line):
            values |= groups_of(match)
    return values
