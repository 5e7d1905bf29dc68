"""Rows of lsblk without their head, as grep leaves them, with the columns it prints by default.

Source: util-linux 2.38, misc-utils/lsblk.c: NAME, MAJ:MIN, RM, SIZE, RO, TYPE, MOUNTPOINTS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.disk.facts import subjects
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_ROW = re.compile(
    r"(?P<tree>\s*(?:[│├└|`][─-]?\s*)*)(?P<NAME>(?:/dev/(?:mapper/)?)?"
    r"(?:[A-Za-z]|\d(?=[0-9a-f]{16}))[\w!.:+-]{1,127})(?: \((?P<kernel>dm-\d{1,7})\))? +"
    r"(?P<number>\d{1,4}:\d{1,8}) +(?P<RM>[01]) +"
    r"(?P<SIZE>\d{1,5}(?:[.,]\d)?[BKMGTPE]) +(?P<RO>[01]) +"
    r"(?P<TYPE>disk|part|lvm|crypt|dmraid|mpath|loop|rom|linear|raid\d{1,2}|md|dm|vdo|stratis|faulty|container)"
    r"(?: +(?P<MOUNTPOINT>/\S*|\[SWAP\]))?\s*$"
)
_MOST = 400


class LsblkRows(StateOutput):
    tool = "lsblk"
    anchors = (
        " 0 disk", " 0 part", " 0 lvm", " 0 crypt", " 0 raid", " 0 mpath", " 1 disk", " 1 part",
        " 0 vdo", " 0 rom", " 1 rom", " 0 loop", " 1 loop",
    )  # fmt: skip
    commands = ("lsblk",)
    reach = 2
    beginning = _ROW

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table: list[tuple[Mapping[str, str], tuple[str, ...]]] = []
        above: list[tuple[int, str]] = []
        rows, last = close_rows(cursor, first, _ROW.match, _MOST, gap=0)
        for row in rows:
            start = len(row["tree"])
            while above and above[-1][0] >= start:
                above.pop()
            cells = {
                name: cell for name, cell in row.groupdict().items() if cell and name.isupper()
            }
            cells["MAJ:MIN"] = row["number"]
            if row["kernel"]:
                cells["KNAME"] = row["kernel"]
            table.append((cells, (above[-1][1],) if above else ()))
            above.append((start, row["NAME"]))
        return last, subjects(table, prompt.host)
