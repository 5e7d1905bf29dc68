"""What btrfs's tools say is wrong, where nothing but their sentences was sent.

Source: as `iosonde.layers.btrfs.check_messages`.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde.layers.btrfs.check_messages import CheckMessages, message_sort
from iosonde.layers.btrfs.progs_version import version_above
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_MOST = 20000


class BtrfsMessages(StateOutput):
    tool = "btrfs"
    anchors = (
        " errors ", " EXTENT", " INODE", "unresolved ref ", "ref mismatch on [", "backref ",
        "backpointer mismatch on [", "Block group[", "Chunk[", "Device extent[", "Repaired extent ",
        "owner ref check failed", "data extent[", "tree extent[", "bad metadata [", "bad extent [",
        "reserved space leaked,", "child eb corrupted", "] level ", "errors found in ",
        "ERROR: cannot read ", "ERROR: could not ", "ERROR: open ctree", "exhausted mir",
        "Error copying data for", "failed to clone extents", "At subvol ", "At snapshot ",
        "csum exists for ", "bytes_used was ", "total_bytes was ", "invalid imode mode",
    )  # fmt: skip
    commands = ("btrfs", "btrfsck", "btrfstune", "btrfs.static")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if message_sort(line, begins=True) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        messages, last = CheckMessages(), first
        for index, line in close_lines(cursor, first, _MOST):
            if (index > first and prompt_in(line)) or not messages.takes(line):
                break
            last = index
        values = {**version_above(cursor, first), **messages.values()}
        return last, [self.counted("btrfs", "", values, prompt)]
