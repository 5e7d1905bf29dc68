"""getfattr: extended attributes of files, such as quotas and counts of Ceph's directories.

Numbers of Ceph's attributes are numbers; all other values are the texts that are printed.

Source: attr 2.5, tools/getfattr.c (do_print(): `# file: PATH`, `NAME="TEXT"`, `NAME=0xHEX`,
`NAME=0sBASE64`, a name alone without a value); xattr(7): the names' first parts; Ceph 18,
doc/cephfs/quota.rst and src/client/Client.cc (ceph.dir.rbytes …).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_FILE = re.compile(r"\s*# file: (?P<path>\S.{0,1000}?)\s*$")
_NAME = (
    r"(?:user|trusted|security|system|ceph|btrfs|bcachefs|bcachefs_effective|afs|cifs|lustre"
    r"|glusterfs)"
)
_ATTRIBUTE = re.compile(
    rf"\s*(?P<name>{_NAME}\.[\w.:@%+/-]{{1,200}})"
    r"(?:=(?P<value>\"(?:[^\"\\]|\\.){0,4000}\"|0x[\da-fA-F]{0,4000}|0s[\w+/=]{0,4000}|(?=$)))?\s*$"
)
_BARE = re.compile(rf"\s*{_NAME}\.[\w.:@%+/-]{{1,200}}=(?:\"|0x|0s)")
_NOTE = re.compile(r"\s*(?:getfattr: )?Removing leading '/' from absolute path names\s*$")
_MOST = 2000
_GAP = 4


class Getfattr(StateOutput):
    tool = "getfattr"
    anchors = (
        "# file: ", "ceph.dir.", "ceph.quota", "ceph.file.", "trusted.afr.", "trusted.gfid",
        "trusted.glusterfs.", "security.ima=", "security.evm=", "security.selinux=",
        "security.capability=", "trusted.overlay.",
    )  # fmt: skip
    commands = ("getfattr",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _FILE.match(line):
            return cursor.at if _is_above_attributes(cursor, cursor.at) else None
        if not _BARE.match(line) or not _ATTRIBUTE.match(line):
            return None
        return top_of(cursor, _is_attribute)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        files: dict[str, dict[str, Json]] = {}
        last, path = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP:
                break
            if head := _FILE.match(line):
                path = head["path"]
                if not _is_above_attributes(cursor, index):
                    break
            elif attribute := _ATTRIBUTE.match(line):
                values = files.setdefault(path, {})
                if attribute["name"] in values:
                    break
                values[attribute["name"]] = _exact(attribute["name"], attribute["value"])
            elif line and (prompt_in(line) or not _NOTE.match(line)):
                break
            last = index if line else last
        return last, [self.counted("file", name, values, prompt) for name, values in files.items()]


def _is_above_attributes(cursor: TextCursor, index: int) -> bool:
    """Whether an attribute stands below a line; one of getfacl(1) has its owner there."""
    below = cursor.line(index + 1) or cursor.line(index + 2)
    return _ATTRIBUTE.match(below) is not None


def _is_attribute(line: str) -> bool:
    return _ATTRIBUTE.match(line) is not None or _FILE.match(line) is not None


def _exact(name: str, value: str | None) -> Json:
    """A value as it is printed, without its quotes; of Ceph's a number where it is one."""
    text = (value or "").removeprefix('"').removesuffix('"')
    if name.startswith("ceph.") and re.fullmatch(r"0|[1-9]\d{0,18}", text):
        return int(text)
    return text
