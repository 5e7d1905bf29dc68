"""/proc/partitions: the block devices that the kernel has, and how large each is.

Source: Linux 6.1, block/genhd.c (show_partition_start(), show_partition(): "%4d  %7d %10llu %pg",
its blocks of 1 KiB).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.layers.disk.facts import subjects
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*major\s+minor\s+#blocks\s+name(?:\s+rio\s.*)?$")
_ROW = re.compile(
    r"\s*(?P<major>\d{1,4})\s+(?P<minor>\d{1,7})\s+(?P<blocks>\d{1,17})\s+"
    r"(?P<name>[a-z][\w!/-]{0,31})\s*$"
)
_MOST = 2000
_GAP = 3  # lines from the head to the first row, with what a mail adds


class ProcPartitions(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "/proc/partitions"
    anchors: ClassVar[tuple[str, ...]] = ("#blocks",)
    commands: ClassVar[tuple[str, ...]] = ("cat",)
    reach: ClassVar[int] = 2
    beginning: ClassVar[re.Pattern[str]] = _HEAD
    nothing: ClassVar[str] = "no device follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table: list[tuple[dict[str, str], tuple[str, ...]]] = []
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            row = _ROW.match(line)
            if row:
                size = str(int(row["blocks"]) * units.KIB)
                table.append(({"NAME": row["name"], "SIZE": size}, ()))
                last = index
            elif line or index > last + _GAP:
                break
        return last, subjects(table, prompt.host)
