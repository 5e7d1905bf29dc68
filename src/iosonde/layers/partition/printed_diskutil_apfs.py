"""`diskutil apfs list` of macOS: containers of APFS, what they stand on, and their volumes.

Sizes are exact: they stand in bytes beside the rounded ones.

Source: man page diskutil(8), verb apfs list, and its output on macOS 10.13 to 14 as that man page
and public notes describe it (the program itself is not open).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_TITLE = re.compile(r"\s*APFS Containers? \(\d{1,4} found\)\s*$")
_TREE = r"[\s|]{0,20}"
_THING = re.compile(
    rf"{_TREE}\+-[-<>] (?P<what>Container|Physical Store|Volume) "
    rf"(?P<name>disk\d{{1,3}}(?:s\d{{1,3}}){{0,3}})"
    r"(?: [0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})?\s*$"
)
_OTHER_THING = re.compile(
    rf"{_TREE}\+-[-<>] \S.{{0,120}}$|{_TREE}(?:=|-){{10,90}}\s*$|[\s|]{{1,20}}$"
    rf"|{_TREE}(?:used|free)\)\s*$"
)
_PAIR = re.compile(
    rf"{_TREE}(?P<label>[A-Z][A-Za-z ()]{{2,40}}):\s{{1,40}}(?P<value>\S.{{0,200}}?)\s*$"
)
_BYTES = re.compile(r"(?P<bytes>\d{1,19}) B(?: \(|$)")
_SIZES = {
    "Size (Capacity Ceiling)": "size", "Minimum Size": "minimum_size",
    "Capacity In Use By Volumes": "used", "Capacity Allocated": "used",
    "Capacity Not Allocated": "free", "Capacity Available": "free", "Size": "size",
    "Capacity Consumed": "used", "Capacity Reserve": "reserve", "Capacity Quota": "quota",
}  # fmt: skip
_TEXTS = {"Name": "label", "Mount Point": "mount_point", "FileVault": "filevault",
          "APFS Volume Disk (Role)": "role",
          "Snapshot Mount Point": "snapshot_mount_point"}  # fmt: skip
_ABSENT = ("Not Mounted", "None", "(No Volume Name)")
_LINES = 4000


class DiskutilApfs(StateOutput):
    tool = "diskutil apfs list"
    anchors = ("APFS Container (", "APFS Containers (", "APFS Container Reference:")
    commands = ("diskutil",)
    reach = 3
    nothing = "no container follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _TITLE.match(line):
            return cursor.at
        above = range(cursor.at - 1, max(cursor.at - 5, -1), -1)
        return next((at for at in above if _THING.match(cursor.line(at))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[tuple[str, str], dict[str, Scalar]] = {}
        values, container, last = dict[str, Scalar](), "", first
        for index, line in close_lines(cursor, first, _LINES):
            if thing := _THING.match(line):
                kind = "disk" if thing["what"] == "Container" else "partition"
                container = thing["name"] if kind == "disk" else container
                values = things.setdefault((kind, thing["name"]), {})
                if kind == "partition":
                    values["disk" if thing["what"] == "Volume" else "container"] = container
            elif (pair := _PAIR.match(line)) and things:
                values |= _fact(pair["label"], pair["value"])
            elif prompt_in(line) or not (_OTHER_THING.match(line) or _TITLE.match(line) or pair):
                break
            last = index
        return last, [
            PrintedSubject(kind, name, facts, prompt.host) for (kind, name), facts in things.items()
        ]


def _fact(label: str, text: str) -> dict[str, Scalar]:
    if label in _SIZES:
        size = _BYTES.match(text)
        return {_SIZES[label]: int(size["bytes"])} if size else {}
    if label not in _TEXTS or text.startswith(_ABSENT):
        return {}
    if label == "APFS Volume Disk (Role)":
        role = re.search(r"\((?P<role>[A-Z][A-Za-z]{1,20})\)$", text)
        return {"role": role["role"]} if role else {}
    return {_TEXTS[label]: text}
