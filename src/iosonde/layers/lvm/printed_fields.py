"""lvs, vgs and pvs by the names of their fields: `--nameprefixes`.

Source: LVM2 2.03, lvs(8) (`--nameprefixes`, `--unquoted`: LVM2_ and the name of the field in
capital letters), libdm/libdm-report.c.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.lvm.facts import units_of
from iosonde.layers.lvm.rows import of_fields, subjects
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_COMMANDS = ("lvs", "vgs", "pvs", "lvm", "lvdisplay", "vgdisplay", "pvdisplay")
_PAIR = re.compile(
    r"LVM2_([A-Z0-9_]{2,40})=(?:'([^'\n]{0,2000})'|\"([^\"\n]{0,2000})\"|([^\s'\"|;]*))"
)
_START = re.compile(r"\s*LVM2_([A-Z0-9_]{2,40})=")
_TORN = re.compile(r"(?:^|[\s|;,])L(?:V(?:M(?:2(?:_[A-Z0-9_]{0,40}=?)?)?)?)?$")
_WARNING = re.compile(r"\s*(?:WARNING: |File descriptor \d)")


class LvmPairs(StateOutput):
    tool = "lvm"
    anchors = ("LVM2_", r"LVM2\_")
    looks_above: ClassVar[bool] = True
    commands = _COMMANDS
    nothing = "no volume follows"
    beginning = _START

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = _rows(cursor, first, self.first_line(cursor, first)[1])
        cells = [of_fields(row) for row in rows]
        return last, subjects(cells, units_of(prompt.command), prompt.host)


def _rows(cursor: TextCursor, first: int, name: str) -> tuple[list[Mapping[str, str]], int]:
    """The rows, each of which begins with the same field, and the index of the last line."""
    parts: list[list[str]] = []
    last = first
    for index, line in close_lines(cursor, first, 4000):
        start = _START.match(line)
        if prompt_in(line) or (not start and _WARNING.match(line)):
            break
        if start and start[1] == name:
            parts.append([line])
        elif start or _is_rest(parts[-1], line):
            parts[-1].append(line)
        else:
            break
        last = index
    width = max((len(line) for part in parts for line in part), default=0)
    return [_fields_of(part, width) for part in parts], last


def _is_rest(parts: list[str], line: str) -> bool:
    """Whether a line that begins with no field is the rest of a row.

    It holds a field, or a quote mark or the name of a field above it is left open.
    """
    torn = sum(part.count("'") for part in parts) % 2 or _TORN.search(parts[-1])
    return len(parts[-1]) >= 56 and bool("LVM2_" in line or torn)


def _fields_of(parts: list[str], width: int) -> dict[str, str]:
    """Name → value of one row, whose lines were cut at a column or folded at blanks."""
    whole = parts[0]
    for above, part in pairwise(parts):
        whole += part if len(above) == width else f" {part}"
    return {
        match[1].lower(): (match[2] or match[3] or match[4] or "").strip()
        for match in _PAIR.finditer(whole)
    }
