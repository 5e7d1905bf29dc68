"""smb.conf of Samba, and what `testparm -s` prints in its form.

Source: smb.conf(5) of Samba 4.17: sections in brackets, which are shares but for [global], [homes]
and [printers]; parameters with blanks in their names, of which upper and lower case and blanks do
not matter, and synonyms such as `browsable`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import below_names, first_section, section_name
from iosonde.text.reader import Items, StateOutput, over_comments

_PAIR = re.compile(
    r"(?P<key>[A-Za-z][\w:.-]{0,40}(?: [\w:.-]{1,30}){0,5})\s*=\s*(?P<value>.{0,400})$"
)
_SWITCHES = {"yes": True, "true": True, "no": False, "false": False}
_REACH = 30


class SmbConf(StateOutput):
    tool = "smb.conf"
    anchors = (
        "browseable =", "browsable =", "guest ok =", "writable =", "writeable =", "valid users =",
        "create mask =", "force create mode", "vfs objects =", "server min protocol",
        "read only = no", "read only = No", "strict sync =", "aio read size", "socket options =",
        "browseable=", "browsable=", "guest ok=", "writable=", "writeable=", "valid users=",
        "create mask=", "vfs objects=", "read only=",
    )  # fmt: skip
    commands = ("cat", "testparm", "vi", "vim", "nano", "grep", "tee")
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            if section_name(cursor.line(index)):
                return over_comments(cursor, index, self.commands)
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first_section(cursor, first)
        last, sections = below_names(cursor, begin, lambda _name: True, pairs=_PAIR)
        return last, [
            PrintedSubject("smb_share", name, _values(pairs), prompt.host)
            for name, pairs in sections.items()
            if pairs
        ]


def _values(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """Parameters by their names in lower case with single blanks; switches as such."""
    values: dict[str, Scalar] = {}
    for name, text in pairs.items():
        key = re.sub(r"\s+", " ", name).lower()
        number = re.fullmatch(r"0|[1-9]\d{0,17}", text)  # 0664 is a mode
        values[key] = int(text) if number else _SWITCHES.get(text.lower(), text)
    return values
