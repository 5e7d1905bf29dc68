"""lvs, vgs and pvs as tables, with the columns that were asked for.

Source: LVM2 2.03, lvs(8), vgs(8), pvs(8); lib/report/columns.h: the columns that `-o` may add.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.lvm.columns import COLUMNS
from iosonde.layers.lvm.facts import units_of
from iosonde.layers.lvm.rows import subjects
from iosonde.records.printed import Unreadable
from iosonde.text.cells import head_at, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput
from iosonde.text.rewritten import RewrittenCursor

_HEAD = re.compile(r"^\s*(?:LV|VG|PV)\s+[A-Z#1]")


class _Dashed(RewrittenCursor):
    """A cursor in whose lines two dashes are two again, of which a page made a long one."""

    @override
    def rewritten(self, line: str) -> str:
        return line.replace("\u2013", "--").replace("\u2014", "--")


class LvmOutput(StateOutput):
    tool = "lvm"
    anchors = (
        "LSize", "PSize", "VSize", " #PV", "#Str", "LV VG", "LV   ", "1st PE", "Fmt  Attr",
    )  # fmt: skip

    looks_above: ClassVar[bool] = True
    commands = ("lvs", "vgs", "pvs", "lvm")
    nothing = "no volume can be read below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            line = cursor.line(index)
            if _HEAD.match(line):
                return index if head_at(cursor, index, COLUMNS) else None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        cursor = _Dashed(cursor)
        head = head_at(cursor, first, COLUMNS)
        if head is None:
            raise Unreadable("its columns are not known")
        table = list(rows(cursor, head))
        last = table[-1].last if table else first
        cells = [row.cells for row in table]
        return last, subjects(cells, units_of(prompt.command), prompt.host)
