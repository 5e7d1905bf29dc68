"""Keys of `smartctl --json` that somebody shows without the braces around the whole.

Figures of health have the names that the whole gives them; other numbers, texts and answers keep
the names of the keys on the way to them.

Source: smartmontools 7.3, smartctl.cpp and json.cpp: an object of objects, each key on a line.
"""

from __future__ import annotations

import json
import re

from typing_extensions import override

from iosonde.layers.disk.facts_smart_tree import facts_of_tree, tables_of_tree
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.text.cursor import Prompt, TextCursor, joined, lines
from iosonde.text.reader import Items, StateOutput, start_of

_BEGIN = re.compile(r'\s*"(?:smart_status|smart_support|power_on_time)"\s*:\s*(?:\{|$)')
_PART = re.compile(
    r'\s*(?:"[\w ./()-]{1,60}"\s*:\s*(?:[\[{"\d-]|true|false|null)|[\]}\[{]{1,6}\s*,?\s*$'
    r'|-?\d[\d.]{0,20},?\s*$|"[^"]{0,100}",?\s*$)'
)
_DRIVE = re.compile(r"(?:/dev/)?([\w/.-]{1,40})")
_MOST = 6000


class SmartJsonPart(StateOutput):
    tool = "part of smartctl --json"
    anchors = ('"smart_status"', '"smart_support"', '"power_on_time"')
    commands = ("smartctl",)
    reach = 3
    nothing = "it says nothing of the drive and its health"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The first line of the keys; a whole object is another reader's."""
        if not _BEGIN.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _PART.match, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = _end(cursor, first)
        text = joined(cursor, first, last).strip().rstrip(",")
        try:
            tree = json.loads(text if text.startswith("{") else f"{{{text}}}")
        except json.JSONDecodeError as error:
            raise Unreadable("its JSON is broken") from error
        values, tables = facts_of_tree(tree), tables_of_tree(tree)
        device = tree.get("device")
        drive = _DRIVE.fullmatch(str(device.get("name"))) if isinstance(device, dict) else None
        name = drive[1] if drive else prompt.path
        items: list[PrintedSubject | PrintedCounters] = []
        if values:
            items.append(PrintedSubject("disk", name, values, prompt.host))
        if tables:
            items.append(self.counted("disk", name, tables, prompt))
        return last, items


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line that is one of the keys' or of their values."""
    depth, last = 0, first
    for index, line in lines(cursor, first, _MOST):
        if not line.strip() and depth > 0:
            continue
        if not _PART.match(line):
            break
        depth += sum(map(line.count, "{[")) - sum(map(line.count, "}]"))
        if depth < 0:  # the brace of an object whose first one is cut off
            break
        last = index
    return last
