"""multipath.conf, and what `multipath -t` and `multipathd show config` print in its form.

Source: multipath.conf(5) of multipath-tools 0.9: sections in braces, a keyword and its value in a
line, values with blanks in quotes; libmultipath/dict.c for the names of the sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.nested import ConfigSection, in_braces, opened_head
from iosonde.text.reader import Items, StateOutput, over_comments

_TOPS = frozenset({
    "defaults", "blacklist", "blacklist_exceptions", "devices", "multipaths", "overrides",
})  # fmt: skip
_PAIR = re.compile(r"(?P<key>[a-z][a-z_]{1,40})\s+(?P<value>\S.{0,300})$")
_REACH = 40


class MultipathConf(StateOutput):
    tool = "multipath.conf"
    anchors = (
        "user_friendly_names", "find_multipaths", "path_grouping_policy", "no_path_retry",
        "blacklist {", "blacklist{", "multipaths {", "devnode \"", "fast_io_fail_tmo",
        "polling_interval", "path_selector", "blacklist_exceptions", "defaults {",
        "multipath {", "path_checker ", "hardware_handler \"",
    )  # fmt: skip
    commands = (
        "cat", "multipath", "multipathd", "mpathconf", "vi", "vim", "nano", "tee", "grep",
    )  # fmt: skip
    reach = 4
    nothing = "its sections are empty"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        top = None
        for index in range(cursor.at, max(cursor.at - _REACH, -1), -1):
            if opened_head(cursor.line(index)) in _TOPS:
                top = index
                break
        if top is None:
            return None
        reached, _ = in_braces(cursor, top, _TOPS.__contains__, most=cursor.at - top + 1)
        if reached < cursor.at:
            return None
        return over_comments(cursor, top, self.commands)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = first
        while opened_head(cursor.line(begin)) not in _TOPS and begin < first + _REACH:
            begin += 1
        last, sections = in_braces(cursor, begin, _TOPS.__contains__)
        return last, list(_subjects(sections, prompt.host))


def _subjects(sections: list[ConfigSection], host: str) -> Iterator[PrintedSubject]:
    for section in sections:
        values: dict[str, Scalar] = {}
        for line in section.lines:
            if (pair := _PAIR.match(line)) is None:
                continue
            text = pair["value"].strip().strip('"')
            value: Scalar = int(text) if text.isdecimal() and len(text) < 12 else text
            before = values.get(pair["key"])
            values[pair["key"]] = value if before is None else f"{before} {value}"
        if values:
            yield PrintedSubject("multipath_config", _name(section, values), values, host)


def _name(section: ConfigSection, values: dict[str, Scalar]) -> str:
    """`defaults`, or what a section within another is about: its device, or its map."""
    if len(section.heads) == 1:
        return section.heads[0]
    about = ("alias", "wwid") if section.heads[-1] == "multipath" else ("vendor", "product")
    said = [str(values[key]) for key in about if key in values]
    outer = "" if section.heads[0] in {"devices", "multipaths"} else f"{section.heads[0]} "
    if section.heads[-1] == "multipath":
        said = said[:1]
    return f"{outer}{section.heads[-1]} {' '.join(said)}".strip()
