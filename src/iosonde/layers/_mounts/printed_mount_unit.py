"""Units of systemd that mount a file system or switch on swap.

Source: systemd.mount(5), systemd.swap(5), systemd.automount(5) and systemd.syntax(7) of systemd
252: sections in brackets, `Name=value`; [Mount] has What=, Where=, Type= and Options=, which are
the fields of fstab(5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers._mounts.facts import subject
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import below_names, first_section, section_name
from iosonde.text.reader import Items, StateOutput, over_comments

_SECTIONS = frozenset({"Unit", "Mount", "Swap", "Automount", "Install"})
_UNIT = re.compile(r"[\w@\\:.-]{1,120}\.(?:mount|swap|automount)\b")
_REACH = 16


class MountUnit(StateOutput):
    tool = "systemd mount unit"
    anchors = ("[Mount]", "[Swap]", "[Automount]")
    commands = ("cat", "systemctl", "vi", "vim", "nano", "tee")
    reach = 4
    nothing = "it does not say what is mounted"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if section_name(cursor.line(cursor.at)) not in _SECTIONS:
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - _REACH, -1), -1):
            name = section_name(cursor.line(index))
            if name and name not in _SECTIONS:
                break
            if name:
                first = index
        return over_comments(cursor, first, self.commands)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first_section(cursor, first)
        last, sections = below_names(cursor, begin, _SECTIONS.__contains__)
        unit = _UNIT.search(prompt.command)
        return last, _subjects(sections, unit[0] if unit else "")


def _subjects(sections: Mapping[str, Mapping[str, str]], unit: str) -> list[PrintedSubject]:
    """The mount, as fstab's line of it, where its type is said; and the unit as it is written."""
    own = {
        name: text
        for section in sections.values()
        for name, text in section.items()
        if text and name not in {"Description", "Options"}
    }
    subjects: list[PrintedSubject | None] = []
    for mount in (sections.get("Mount", {}), {"Where": "none", **sections.get("Swap", {})}):
        what, where, fstype = mount.get("What"), mount.get("Where"), mount.get("Type")
        if what and where and (fstype or where == "none"):
            subjects.append(subject(what, where, fstype or "swap", mount.get("Options", "")))
    if own.keys() & {"What", "Where"}:
        subjects.append(PrintedSubject("unit", unit or own.get("Where") or own["What"], own))
    return [each for each in subjects if each]
