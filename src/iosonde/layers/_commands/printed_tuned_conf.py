"""A profile of tuned: tuned.conf, the sections of which set what their plug-ins are about.

Source: tuned.conf(5), tuned-profiles(7) of tuned 2.19: sections in brackets, `name=value`, `=>` for
no less than a value; the plug-ins' names in tuned/plugins.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import below_names, section_name
from iosonde.text.reader import Items, StateOutput, over_comments

_PLUGINS = frozenset({
    "audio", "bootloader", "cpu", "disk", "irqbalance", "modules", "mounts", "net", "scheduler",
    "script", "selinux", "service", "sysctl", "sysfs", "systemd", "usb", "variables", "video", "vm",
})  # fmt: skip
_TELLING = frozenset({"sysctl", "sysfs", "disk", "vm", "cpu", "bootloader", "scheduler"})
_PATH = re.compile(r"tuned/(?:profiles/)?(?P<profile>[\w.-]{1,60})/tuned\.conf")
_REACH = 30


class TunedConf(StateOutput):
    tool = "tuned.conf"
    anchors = (
        "[sysctl]", "[sysfs]", "[bootloader]", "[vm]", "[disk]", "[cpu]", "[scheduler]",
    )  # fmt: skip
    commands = ("cat", "grep", "vi", "vim", "nano", "tee")
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if section_name(cursor.line(cursor.at)) not in _TELLING:
            return None
        for index in range(cursor.at - 1, max(cursor.at - _REACH, -1), -1):
            if section_name(cursor.line(index)) == "main":
                last, _ = below_names(cursor, index, _is_section, most=_REACH + 2)
                return over_comments(cursor, index, self.commands) if last >= cursor.at else None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first
        while section_name(cursor.line(begin)) != "main" and begin < cursor.at:
            begin += 1
        last, sections = below_names(cursor, begin, _is_section)
        values: dict[str, Scalar] = {}
        for section, pairs in sections.items():
            for name, text in pairs.items():
                number = re.fullmatch(r"-?\d{1,18}", text)
                values[f"{section}.{name}"] = int(text) if number else text
        path = _PATH.search(prompt.command)
        name = path["profile"] if path else ""
        return last, [PrintedSubject("tuned_profile", name, values, prompt.host)] if values else ()


def _is_section(name: str) -> bool:
    return (
        name == "main" or name.partition("_")[0] in _PLUGINS or name.partition(".")[0] in _PLUGINS
    )
