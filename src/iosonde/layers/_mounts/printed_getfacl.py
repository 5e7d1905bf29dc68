"""getfacl: who owns a file and what its access control list grants, entry by entry as printed.

Source: acl 2.3, tools/getfacl.c (do_print(): `# file:`, `# owner:`, `# group:`, `# flags:`, and
entries, behind which `#effective:` stands) and getfacl(1); FreeBSD's getfacl(1) of NFSv4's lists
(`owner@:rw-p--aARWcCos:-------:allow`); nfs4-acl-tools 0.4, nfs4_getfacl(1) (`A:fd:OWNER@:rwx`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before

_HEAD = re.compile(r"\s*# (?P<name>file|owner|group|flags): ?(?P<value>\S.{0,1000}?)\s*$")
_ENTRY = re.compile(
    r"\s*(?P<entry>(?:default:)?(?:user|group|mask|other):[^:\s]{0,80}:[r-][w-][xX-]"
    r"|(?:owner@|group@|everyone@|(?:user|group):[^:\s]{1,80}):[rwxpdDaARWcCos-]{2,16}"
    r":[fdinSFI-]{0,8}:(?:allow|deny)"
    r"|[ADUL]:[fdnigSF]{0,8}:[^:\t]{1,80}:[rwaxdDtTnNcCoyRWX]{1,16})"
    r"(?:\s{1,40}#effective:(?P<effective>[r-][w-][x-]))?\s*$"
)
_MOST = 4000
_ABOVE = 10  # lines, a blank one below each
_GAP = 3


@dataclass(slots=True)
class _File:
    """What stands above a list, and its entries."""

    head: dict[str, str] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)


class Getfacl(StateOutput):
    tool = "getfacl"
    anchors = ("# file: ", "# owner: ")
    commands = ("getfacl", "nfs4_getfacl")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = cursor.at
        while _HEAD.match(cursor.line(before(cursor, first))):
            first = before(cursor, first)
        below = (line for _, line in lines(cursor, first, _ABOVE) if line and not _HEAD.match(line))
        return first if _ENTRY.match(next(below, "")) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        files: list[_File] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            if head := _HEAD.match(line):
                if not files or files[-1].entries:
                    files.append(_File())
                files[-1].head[head["name"]] = head["value"].replace("\\040", " ")
            elif entry := _ENTRY.match(line):
                masked = f" (effective {entry['effective']})" if entry["effective"] else ""
                files[-1].entries.append(entry["entry"] + masked)
            elif line or index > last + _GAP:
                break
            last = index if line else last
        return last, [
            self.counted(
                "file", each.head.pop("file", ""), {**each.head, "acl": [*each.entries]}, prompt
            )
            for each in files if each.entries
        ]  # fmt: skip
