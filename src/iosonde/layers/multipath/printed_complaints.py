"""What multipath and multipathd say of lines of multipath.conf that they do not follow.

Source: multipath-tools, libmpathutil/parser.c, process_stream() ("%s line %d, invalid keyword: %s",
"%s line %d, invalid keyword in the %s section: %s", "%s line %d, duplicate keyword: %s"; up to
0.4.9 "multipath.conf +%d, invalid keyword: %s"), libmultipath/dict.c ("%s line %d, invalid value
for %s: ", "%s line %d: ignoring deprecated option "; both put a text in quotes behind it).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_messages

_FORM = re.compile(
    r".{0,120}?(?<![\w./-])(?P<file>(?:/[\w./-]{1,120}/)?[\w.-]{1,80}\.conf) (?:line |\+)"
    r"(?P<line>\d{1,6})[,:] (?:(?P<what>invalid keyword|duplicate keyword)"
    r"(?: in the (?P<section>\w{3,30}) section)?: (?P<key>\S{1,80})"
    r"|(?P<value>invalid value) for (?P<of>\w{2,60}): \"(?P<text>[^\"]{0,120})\""
    r"|ignoring (?P<old>deprecated) option \"(?P<option>\w{2,60})\".{0,80})\s*$"
)
_LISTS = {"invalid keyword": "invalid_keywords", "duplicate keyword": "duplicate_keywords"}
_MOST = 500


class MultipathComplaints(StateOutput):
    tool = "multipath.conf warnings"
    anchors = (
        ", invalid keyword: ", ", invalid keyword in the ", ", duplicate keyword: ",
        ", invalid value for ", ": ignoring deprecated option \"",
    )  # fmt: skip
    commands = ("multipath", "multipathd", "mpathconf", "systemctl", "journalctl")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _FORM.match(cursor.stamped(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        files: dict[str, dict[str, list[str]]] = {}
        warnings, last = close_messages(cursor, first, _warning, _MOST)
        for match in warnings:
            name, said = _said(match)
            listed = files.setdefault(match["file"], {}).setdefault(name, [])
            listed.extend([said] if said not in listed else [])
        return last, [
            PrintedSubject(
                "multipath_config", file,
                {name: ", ".join(said) for name, said in values.items()}, prompt.host,
            )
            for file, values in files.items()
        ]  # fmt: skip


def _warning(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    match = _FORM.match(cursor.stamped(index))
    return (match, index) if match else None


def _said(match: re.Match[str]) -> tuple[str, str]:
    """The list that a warning belongs to, and what it is about with its line."""
    at = f"(line {match['line']})"
    if match["what"]:
        section = f" of {match['section']}" if match["section"] else ""
        return _LISTS[match["what"]], f"{match['key']}{section} {at}"
    if match["value"]:
        return "invalid_values", f"{match['of']} {match['text'] or 'nothing'} {at}"
    return "deprecated_options", f"{match['option']} {at}"
