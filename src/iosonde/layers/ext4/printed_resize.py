"""resize2fs' result: how large an ext file system is.

Source: e2fsprogs 1.47, resize/main.c ("The filesystem on %s is now %llu (%dk) blocks long.").
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
_COMMAND = re.compile(r"resize2fs\s+(?:-\S+ )*(?P<device>/dev/[\w/.-]+)")


class ExtSize(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "resize2fs"
    anchors: ClassVar[tuple[str, ...]] = ("k) blocks long.",)
    commands: ClassVar[tuple[str, ...]] = ("resize2fs",)
    reach: ClassVar[int] = 12

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _RESIZED.match(cursor.line(cursor.at) or "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        resized = _RESIZED.match(cursor.line(first) or "")
        if resized is None:
            raise Unreadable("it is no result")
        asked = _COMMAND.search(prompt.command)
        device = resized["device"] or (asked["device"] if asked else "")
        block = int(resized["size"]) * units.KIB
        values: dict[str, Scalar] = {"blocks": int(resized["blocks"]), "block_size": block}
        return first, [PrintedSubject("ext4", device.removeprefix("/dev/"), values, prompt.host)]
