"""`blkid`: the file systems and tables of partitions that it finds on block devices.

Source: util-linux 2.38, misc-utils/blkid.c (print_value, OUTPUT_FULL): `DEVICE: NAME="VALUE" …`;
libblkid/src/topology/topology.c, whose values `-i` prints before those of a disk's table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.disk.facts import subjects
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_LINE = re.compile(
    r'\s*(?P<device>/dev/[^\s:"]{1,120}): '
    r'(?P<pairs>[A-Z_]{2,24}="[^"]*"(?: +[A-Z_]{2,24}="[^"]*")*)\s*$'
)
_PAIR = re.compile(r'([A-Z_]{2,24})="([^"]*)"')
_MORE = re.compile(r'[A-Z_]{2,24}="[^"]*"(?: +[A-Z_]{2,24}="[^"]*")*\s*$')
"""The rest of a line that a mail broke between two pairs."""
_COLUMNS = {"TYPE": "FSTYPE"}


class Blkid(StateOutput):
    tool = "blkid"
    anchors = (
        ': UUID="', ': LABEL="', ': PARTUUID="', ': TYPE="', ': BLOCK_SIZE="', ': SEC_TYPE="',
        ': PTUUID="', ': PARTLABEL="', ': LABEL_FATBOOT="', ': VERSION="', ': FSSIZE="',
        ': USAGE="', ': FSLASTBLOCK="', ': PART_ENTRY_SCHEME="', ': FSBLOCKSIZE="', ': UUID_SUB="',
        ': LOGUUID="', ': SYSTEM_ID="', ': APPLICATION_ID="', ': PTTYPE="', ': EXT_JOURNAL="',
        ': MINIMUM_IO_SIZE="', ': ALIGNMENT_OFFSET="', ': PHYSICAL_SECTOR_SIZE="',
    )  # fmt: skip
    commands = ("blkid",)
    reach = 3
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table: list[tuple[Mapping[str, str], tuple[str, ...]]] = []
        last = first
        for index, line in close_lines(cursor, first, 2000):
            match = _LINE.match(line)
            if match:
                table.append(({"NAME": match["device"], **_pairs(match["pairs"])}, ()))
            elif _MORE.match(line) and index == last + 1:
                device, symbols = table.pop()
                table.append(({**device, **_pairs(line)}, symbols))
            else:
                break
            last = index
        return last, subjects(table, prompt.host)


def _pairs(text: str) -> dict[str, str]:
    """What a line says of a device, by the names of lsblk's columns."""
    return {_COLUMNS.get(name, name): value for name, value in _PAIR.findall(text) if value}
