"""What btrfs's tools say of blocks of its trees that they cannot read.

Source: btrfs-progs 6.2, kernel-shared/disk-io.c (csum_tree_block_size(): "checksum verify failed on
%llu wanted %s found %s", the two the other way round before 5.11; print_tree_block_error(): "bad
tree block %llu, bytenr mismatch, want=%llu, have=%llu").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.btrfs.progs_version import version_above
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_CHECKSUM = re.compile(
    r"\s*checksum verify failed on (?P<block>\d{1,20}) (?:found|wanted) (?:0x)?[\da-fA-F]{1,64} "
    r"(?:found|wanted) (?:0x)?[\da-fA-F]{1,64}\s*$"
)
_MISMATCH = re.compile(
    r"\s*(?:bad tree block (?P<block>\d{1,20}), )?bytenr mismatch, "
    r"want=(?P<wanted>\d{1,20}), have=\d{1,20}\s*$"
)
_BETWEEN = re.compile(
    r"\s*(?:Csum didn't match|Error searching -?\d|warning, device \d{1,6} is missing"
    r"|Could not open root, trying backup super|Couldn't (?:read|setup|open) [\w ]{2,40}"
    r"|Ignoring transid failure|parent transid verify failed on \d|ERROR: |Error: )"
)
_MOST = 4000
_KEPT = 20  # blocks


class BtrfsErrors(StateOutput):
    tool = "btrfs"
    anchors = ("checksum verify failed on ", "bytenr mismatch, want=")
    commands = ("btrfs", "btrfsck", "btrfs-find-root", "mount")
    reach = 3
    beginnings = (_CHECKSUM, _MISMATCH)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        checksums, mismatches, last = 0, 0, first
        blocks: dict[int, None] = {}
        for index, line in close_lines(cursor, first, _MOST):
            if match := _CHECKSUM.match(line):
                checksums += 1
                blocks[int(match["block"])] = None
            elif match := _MISMATCH.match(line):
                mismatches += 1
                blocks[int(match["block"] or match["wanted"])] = None
            elif not _BETWEEN.match(line) or prompt_in(line):
                break
            last = index
        values: dict[str, Json] = {
            name: count
            for name, count in (
                ("checksum_failures", checksums), ("bytenr_mismatches", mismatches),
            )
            if count
        }  # fmt: skip
        values |= version_above(cursor, first)
        values["bad_blocks"] = len(blocks)
        kept: list[Json] = [*blocks]
        values["blocks"] = kept[:_KEPT]
        return last, [self.counted("btrfs", "", values, prompt)]
