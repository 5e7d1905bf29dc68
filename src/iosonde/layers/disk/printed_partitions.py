"""/proc/partitions: the block devices that the kernel has, and how large each is.

Source: Linux 6.1, block/genhd.c (show_partition_start(), show_partition(): "%4d  %7d %10llu %pg",
its blocks of 1 KiB).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.layers import DEVICE_NUMBERS
from iosonde.layers.disk.facts import subjects
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, start_of

_HEAD = re.compile(r"\s*major\s+minor\s+#blocks\s+name(?:\s+rio\s.*)?$")
_ROW = re.compile(
    r"\s*(?P<major>\d{1,4})\s+(?P<minor>\d{1,7})\s+(?P<blocks>\d{1,17})\s+"
    r"(?P<name>[a-z][\w!/-]{0,31})\s*$"
)
_FEWEST = 3  # rows without a head
_MOST = 2000
_GAP = 3  # lines from the head to the first row, with what a mail adds


class ProcPartitions(StateOutput):
    tool = "/proc/partitions"
    anchors = (
        "#blocks", " sda", " sdb", " vda", " vdb", " xvda", " dm-0", " nvme0n1", " mmcblk0",
    )  # fmt: skip
    holds: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"#blocks|(?:^|[\s>])\d{1,4}\s+\d{1,7}\s+\d{1,17}\s+[a-z][\w!/-]{0,31}\s*$", re.MULTILINE
    )
    commands = ("cat",)
    reach = 2
    nothing = "no device follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """Without its head, as grep leaves it, three devices in a row."""
        if _HEAD.match(cursor.line(cursor.at)):
            return cursor.at
        first = start_of(cursor, _is_row, most=40)
        rows = cursor.block(first, _FEWEST)
        return first if len(rows) == _FEWEST and all(map(_is_row, rows)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table: list[tuple[dict[str, str], tuple[str, ...]]] = []
        last = first
        bare = not _HEAD.match(cursor.line(first))
        for index, line in lines(cursor, first if bare else first + 1, _MOST):
            row = _ROW.match(line)
            if row:
                size = str(int(row["blocks"]) * units.KIB)
                number = f"{row['major']}:{row['minor']}"
                table.append(({"NAME": row["name"], "MAJ:MIN": number, "SIZE": size}, ()))
                last = index
            elif line or index > last + _GAP:
                break
        return last, subjects(table, prompt.host)


def _is_row(line: str) -> bool:
    """Whether a line is a row without doubt: the device is one of its major number's."""
    row = _ROW.match(line)
    name = row and next((name for name in DEVICE_NUMBERS if row["name"].startswith(name)), None)
    return bool(row and name and int(row["major"]) in DEVICE_NUMBERS[name])
