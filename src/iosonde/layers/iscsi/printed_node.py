"""`iscsiadm -m node -o show` and iscsid.conf: settings of an initiator's sessions.

Source: open-iscsi 2.1, usr/idbm.c, idbm_print() (`# BEGIN RECORD`, `name = value`) and
etc/iscsid.conf; times are in seconds.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_LINE = re.compile(
    r"\s*(?P<name>(?:node|iface|discovery|iscsid)\.[a-z_]{2,40}[\w.\[\]-]{0,80})\s*=\s*"
    r"(?P<value>.{0,300})$"
)
_FRAME = re.compile(r"\s*#\s*(?:BEGIN|END) RECORD\b")
_SECRET = re.compile(r"password|username")
_ABSENT = frozenset({"<empty>", ""})


class IscsiNode(StateOutput):
    tool = "iscsi node"
    anchors = (
        "node.session.", "node.conn[0].", "node.startup", "node.name =", "discovery.sendtargets.",
        "BEGIN RECORD",
    )  # fmt: skip
    commands = (
        "iscsiadm", "cat", "grep", "egrep", "vi", "vim", "nano", "sed",
    )  # fmt: skip
    reach = 3
    nothing = "it holds no setting"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        match = _LINE.match(line)
        if not (match or _FRAME.match(line)) or (match and _SECRET.search(match["name"])):
            return None  # of a secret alone nothing is said
        first = cursor.at
        for index in range(first - 1, max(first - 70, -1), -1):
            line = cursor.line(index)
            if _LINE.match(line) or _FRAME.match(line):
                first = index
            elif line.strip() or first - index > 2:
                break
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        nodes: list[dict[str, Scalar]] = [{}]
        last = first
        for index, line in lines(cursor, first, 2000):
            match = _LINE.match(line)
            comment = line.strip().startswith("#") and (
                not prompt_in(line) or _LINE.match(line.strip().lstrip("# ")) is not None
            )
            if index > last + 3 or (line.strip() and not (match or comment or _FRAME.match(line))):
                break
            if match:
                if match["name"] == "node.name" and nodes[-1]:
                    nodes.append({})
                text = match["value"].strip()
                if text not in _ABSENT and not _SECRET.search(match["name"]):
                    nodes[-1][match["name"]] = int(text) if _is_number(text) else text
                last = index
            elif _FRAME.match(line):
                last = index
        return last, [
            PrintedSubject("iscsi_node", str(values.get("node.name", "")), values, prompt.host)
            for values in nodes
            if values
        ]


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 19


VERSION = PackageVersion(
    {"open-iscsi": rf"iscsiadm version {V}"},
    anchors=("iscsiadm version ",),
    commands=("iscsiadm",),
)
"""Source: open-iscsi 2.1, iscsiadm.c."""
