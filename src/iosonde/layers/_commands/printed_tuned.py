"""`tuned-adm active`, and the last line of `tuned-adm list`: the profile in force.

Source: tuned 2.19, tuned/admin/admin.py (_action_dbus_active, _action_dbus_list).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_LINE = re.compile(
    r"\s*(?:Current active|Preset) profile: "
    r"(?P<profile>[a-z][\w.-]{1,60}(?: [a-z][\w.-]{1,60}){0,5})\s*$"
)


class TunedProfile(StateOutput):
    tool = "tuned-adm"
    anchors = ("Current active profile:", "Preset profile:")
    commands = ("tuned-adm",)
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values = {"tuned_profile": self.first_line(cursor, first)["profile"]}
        return first, [PrintedSubject("host", "", values, prompt.host)]
