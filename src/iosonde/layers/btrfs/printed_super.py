"""`btrfs inspect-internal dump-super`: the superblock of a device, field by field.

Source: btrfs-progs 6.2, kernel-shared/print-tree.c, btrfs_print_superblock() (a name, tabs, the
value; flags are spelt out below, in brackets); cmds/inspect-dump-super.c (the first line).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.btrfs.printed_backups import backups_at
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*superblock: bytenr=(?P<place>\d{1,20}), device=(?P<device>/dev/\S{1,120})\s*$"
)
_RULE = re.compile(r"\s*-{20,}\s*$")
_FIELD = re.compile(
    r"\s*(?P<name>[a-z][a-z_]{2,30}(?:\.[a-z_]{2,20})?)(?: \(deprecated\))?(?:[ \t]{1,40}"
    r"(?P<value>\S.{0,120}?))?\s*$"
)
_FLAGS = re.compile(r"\s*(?:\( )?[A-Za-z][\w :]{2,60}(?: \||\s*\))\s*$|\s*\(\s*\)\s*$")
_CHECKED = re.compile(r"(?P<value>\S{1,80}) \[(?P<mark>match|DON'T MATCH|don't match)\]$")
_FEW = 5


class BtrfsSuper(StateOutput):
    tool = "btrfs dump-super"
    anchors = ("superblock: bytenr=",)
    commands = ("btrfs",)
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first + 1):
            field = _FIELD.match(line)
            if field and not _FLAGS.match(line):
                if field["name"] in values:
                    break
                values |= _field(field["name"], field["value"] or "")
            elif not (_FLAGS.match(line) or _RULE.match(line)):
                break
            last = index
        if len(values) < _FEW:
            raise Unreadable("its fields are cut off", last)
        name = head["device"].removeprefix("/dev/")
        values["superblock_at"] = int(head["place"])
        items: list[PrintedSubject | PrintedCounters] = [
            PrintedSubject("btrfs", name, values, prompt.host)
        ]
        end, backups = backups_at(cursor, last + 1)
        if backups:
            items.append(self.counted("btrfs", name, backups, prompt))
        return max(last, end), items


def _field(name: str, value: str) -> dict[str, Scalar]:
    """A field: numbers as such, sizes are in bytes; whether a sum or the magic matches."""
    checked = _CHECKED.match(value)
    plain = checked["value"] if checked else value
    values: dict[str, Scalar] = {name: int(plain) if plain.isdecimal() else plain}
    if checked:
        values[f"{name}_matches"] = checked["mark"] == "match"
    return values
