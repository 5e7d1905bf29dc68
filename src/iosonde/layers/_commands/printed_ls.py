"""`ls -l` of devices: their major and minor numbers, owner and mode, and where links point.

Of files in other places nothing is read: a text is full of them.

Source: coreutils 9.1, src/ls.c (print_long_format(): mode, links, owner, group, then
"major, minor" of a device or the size, time, name, " -> " and the target of a link;
a "." or "+" behind the mode tells a security context or an access list).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_TIME = (
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d{1,9})? [+-]\d{4})?"
    r"|(?:[^\W\d_]{1,6}\.?|Thg? ?\d{1,2}|\d{1,2}[月월]) {1,3}\d{1,2}[日일]? {1,3}"
    r"(?:\d\d:\d\d|\d{4})"
    r"|\d\d:\d\d {1,3}\d{1,2} {1,3}Thg? ?\d{1,2}"
    r"|\d{1,2}\.? {1,3}[^\W\d_]{1,6}\.? {1,3}(?:\d\d:\d\d|\d{4})|\d\d-\d\d \d\d:\d\d)"
)
_ROW = re.compile(
    r"\s*(?:\d{1,12} )?(?P<type>[bcl])(?P<mode>[r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-])[.+]?"
    r" {1,6}\d{1,9} {1,6}(?P<owner>[\w.@-]{1,32}) {1,9}(?P<group>[\w.@-]{1,32}) {1,9}"
    r"(?:\w{1,30}:\w{1,30}:\w{1,30}:[\w:.,-]{1,80} {1,9}|\? {1,9})?"
    r"(?:(?P<major>\d{1,4}), {1,9}(?P<minor>\d{1,7})|\d{1,19}) {1,9}"
    rf"{_TIME} (?P<name>\S.{{0,300}}?)(?: -> ?(?P<target>\S.{{0,300}})?)?\s*$"
)
_BEGUN = re.compile(r"\s*(?:\d{1,12} )?[bcl][r-][w-][xsS-][r-][w-][xsS-][r-][w-]")
_OTHER = re.compile(
    r"\s*(?:[dps-][r-][w-][xsS-][r-][w-]\S{3,6} {1,6}\d"
    r"|(?:total|insgesamt|totaal|totalt|razem|итого|总用量|總用量|總計|合計|합계|tổng(?: cộng)?)"
    r" ?\d"
    r"|/[\w./-]{1,100}:$|ls: )"
)
_PLACE = re.compile(r"(?<![\w.-])/(?:dev|sys|proc)(?:/|$|\s)")
_DEVICE = re.compile(r"(?:\.\./){1,12}[\w./:@-]{1,300}$")
_TYPES = {"b": "block", "c": "character", "l": "link"}
_SECTION = re.compile(r"\s*(?P<path>/(?:dev|sys)/[\w./:-]{0,120}):\s*$")
_MOST = 1000
_CUT = frozenset({72, 76, 78, 79, 80, 132})
"""Columns at which terminals and mails cut lines."""


class LsDevices(StateOutput):
    tool = "ls -l"
    anchors = (
        "brw-", "brwx", "br--", "crw-", "crwx", "lrwx", "lrw-", "lr-x",
    )  # fmt: skip
    commands = ("ls", "ll", "find", "stat")
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        row, _ = _row(cursor, cursor.at)
        if row is None:
            return None
        first = top_of(cursor, _OTHER.match, most=6)
        if row["major"] or _DEVICE.match(row["target"] or ""):
            return first
        command = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        near = _PLACE.match(row["name"]) or _PLACE.search(command)
        return first if row["type"] == "l" and near else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last, folder = first, _folder(prompt.command)
        for index, line in lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue  # the rest of a row
            if index > last + 2:
                break
            row, end = _row(cursor, index)
            if row and (subject := _subject(row, folder, prompt)):
                subjects.append(subject)
            elif section := _SECTION.match(line):
                folder = section["path"]
            elif line and not row and not _OTHER.match(line):
                break
            last = end if line else last
        if not subjects:
            raise Unreadable("neither a device nor a link to one is in it", last)
        return last, subjects


def _row(cursor: TextCursor, index: int) -> tuple[re.Match[str] | None, int]:
    """A row and the index of its last line: a mail breaks it before a name or an arrow's target."""
    whole = cursor.line(index)
    if not _BEGUN.match(whole):
        return None, index
    row, end = _ROW.match(whole), index
    while end < index + 2 and (row is None or (row["type"] == "l" and not row["target"])):
        below = cursor.line(end + 1)
        if not below or _BEGUN.match(below) or _OTHER.match(below) or prompt_in(below):
            break
        whole = f"{whole} {below.strip()}"
        end += 1
        row = _ROW.match(whole)
    below = cursor.line(end + 1)
    if len(whole) in _CUT and len(fields(below)) == 1 and not _OTHER.match(below):
        return None, index  # a terminal may have cut the target or the name
    complete = row is not None and (row["type"] != "l" or row["target"])
    return (row, end) if complete else (_ROW.match(cursor.line(index)), index)


def _folder(command: str) -> str:
    """The directory that a command lists; empty where it names several, or files."""
    paths = [word for word in fields(command) if word.startswith("/")]
    alone = len(paths) == 1 and not re.search(r"[*?\[{]|\d$", paths[0])
    return paths[0].rstrip("/") if alone and _PLACE.match(f"{paths[0]}/") else ""


def _subject(row: re.Match[str], folder: str, prompt: Prompt) -> PrintedSubject | None:
    """A device or a link to one; None where it is a link elsewhere."""
    name, target = row["name"].strip(), row["target"] or ""
    values: dict[str, Scalar] = {"type": _TYPES[row["type"]]}
    if row["type"] == "l":
        near = _PLACE.match(name) or _PLACE.match(target) or folder
        if not target or not (near or _DEVICE.match(target)):
            return None
        values["target"] = target.strip()
    elif row["major"] is None:
        return None
    else:
        values |= {"major": int(row["major"]), "minor": int(row["minor"])}
        values |= {"owner": row["owner"], "group": row["group"], "mode": row["mode"]}
    if folder and not name.startswith("/"):
        values["directory"] = folder
    return PrintedSubject("device", name.removeprefix("/dev/"), values, prompt.host)
