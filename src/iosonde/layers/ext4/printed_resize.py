"""resize2fs' result and e2fsck's summary: how large an ext file system is, and how full.

Source: e2fsprogs 1.47, resize/main.c ("The filesystem on %s is now %llu (%dk) blocks long.") and
e2fsck/unix.c (show_stats, check_if_skip: "%s: %u/%u files (…), %llu/%llu blocks").
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_RESIZED = re.compile(
    r"\s*The filesystem (?:on (?P<device>\S+) is (?:now|already)|is already) "
    r"(?P<blocks>\d{1,19}) \((?P<size>\d{1,3})k\) blocks long\.(?P<nothing>\s+Nothing to do!)?\s*$"
)
_CHECKED = re.compile(
    r"\s*(?P<device>/dev/[\w/.-]+): (?:(?P<state>clean|recovering journal), )?"
    r"(?P<used>\d{1,19})/(?P<inodes>\d{1,19}) files"
    r"(?: \((?P<share>\d{1,3}\.\d)% non-contiguous\))?, "
    r"(?P<full>\d{1,19})/(?P<blocks>\d{1,19}) blocks\s*$"
)
_COMMAND = re.compile(r"resize2fs\s+(?:-\S+ )*(?P<device>/dev/[\w/.-]+)")


class ExtSize(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "resize2fs"
    anchors: ClassVar[tuple[str, ...]] = ("k) blocks long.", " files (", " files, ")
    commands: ClassVar[tuple[str, ...]] = ("resize2fs", "e2fsck", "fsck", "fsck.ext4", "fsck.ext3")
    reach: ClassVar[int] = 12

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        return cursor.at if _RESIZED.match(line) or _CHECKED.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first) or ""
        values: dict[str, Scalar]
        if resized := _RESIZED.match(line):
            asked = _COMMAND.search(prompt.command)
            device = resized["device"] or (asked["device"] if asked else "")
            block = int(resized["size"]) * units.KIB
            values = {"blocks": int(resized["blocks"]), "block_size": block}
        elif checked := _CHECKED.match(line):
            device = checked["device"]
            values = {
                "blocks": int(checked["blocks"]), "inodes": int(checked["inodes"]),
                "free_blocks": int(checked["blocks"]) - int(checked["full"]),
                "free_inodes": int(checked["inodes"]) - int(checked["used"]),
            }  # fmt: skip
            if checked["state"]:
                values["superblock_state"] = checked["state"]
            if checked["share"]:
                values["non_contiguous"] = round(float(checked["share"]) / 100, 4)
        else:
            raise Unreadable("it is no summary")
        return first, [PrintedSubject("ext4", device.removeprefix("/dev/"), values, prompt.host)]
