"""`rbd du`, `rbd ls -l`, `rbd showmapped` and `rbd status`: use, mapping and watchers of images.

Source: Ceph 10 to 18, tools/rbd/action/DiskUsage.cc ("NAME", "PROVISIONED", "USED", "<TOTAL>"),
List.cc ("NAME", "SIZE", "PARENT", "FMT", "PROT", "LOCK"), krbd.cc (dump_images(): "id", "pool",
since 14 "namespace", "image", "snap" or a dash, "device"), Status.cc ("Watchers: none",
"watcher=… client.N cookie=N", since 14 "Migration:"); sizes as in `rbd info`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import ClassVar

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers.ceph.facts import SIZE, size
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import joined_match

_AMOUNT = rf"(?:{SIZE}|0)"
_USAGE = re.compile(
    rf"\s*(?P<name>\S{{1,200}})\s+(?P<provisioned>{_AMOUNT})\s+(?P<used>{_AMOUNT})\s*$"
)
_LISTED = re.compile(
    rf"\s*(?P<name>\S{{1,200}})\s+(?P<size>{_AMOUNT})\s+(?:(?P<parent>\S{{1,100}}/\S{{1,200}}@"
    r"\S{1,100})\s+)?(?P<format>[12])(?:\s+(?P<protected>yes))?(?:\s+(?P<lock>excl|shr))?\s*$"
)
_MAPPED = re.compile(
    r"\s*(?P<id>\d{1,6})\s+(?P<pool>\S{1,100})\s+(?:(?P<namespace>\S{1,100})\s+)?"
    r"(?P<image>\S{1,200})\s+(?P<snapshot>\S{1,100})\s+(?P<device>/dev/rbd\d{1,6})\s*$"
)
_WATCHER = re.compile(
    r"\s*watcher=(?P<address>\S{3,80}) (?P<client>client\.\d{1,12}) cookie=(?P<cookie>\d{1,20})\s*$"
)
_MIGRATION = re.compile(r"\s*(?P<name>source|destination|state): (?P<value>\S.{0,200}?)\s*$")
_HEADS = re.compile(r"\s*(?:Watchers:(?: none)?|Migration:)\s*$")
_LEFT_OUT = re.compile(r"\s*(?:\.{2,6}|…+|<\w{3,12}>)\s*$")
"""Where somebody left out rows."""
_MOST = 5000


class _RbdTable(StateOutput):
    """A table of images, each of whose rows is one thing."""

    commands = ("rbd",)
    reach = 4
    nothing = "its first row is not whole"
    row: ClassVar[re.Pattern[str]]

    @abstractmethod
    def subject(self, row: re.Match[str], host: str) -> PrintedSubject:
        """What a row says."""

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST):
            if index <= last or _LEFT_OUT.match(line):
                continue
            below = cursor.line(index + 1)
            row = None if self.row.match(below) else joined_match(self.row, [line, below])
            last_of_row = index + 1 if row and below else index
            row = row or self.row.match(line)
            if row is None:
                break
            subjects.append(self.subject(row, prompt.host))
            last = last_of_row
        return last, subjects


class RbdUsage(_RbdTable):
    tool = "rbd du"
    anchors = (" PROVISIONED ",)
    beginning = re.compile(r"\s*NAME\s+PROVISIONED\s+USED\s*$")
    row = _USAGE

    @override
    def subject(self, row: re.Match[str], host: str) -> PrintedSubject:
        values: dict[str, Scalar] = {
            "provisioned": _bytes(row["provisioned"]), "used": _bytes(row["used"])
        }  # fmt: skip
        return PrintedSubject("rbd", row["name"], values, host)


class RbdImages(_RbdTable):
    tool = "rbd ls"
    anchors = (" FMT ", " PROT ")
    beginning = re.compile(r"\s*NAME\s+SIZE\s+PARENT\s+FMT\s+PROT\s+LOCK\s*$")
    row = _LISTED

    @override
    def subject(self, row: re.Match[str], host: str) -> PrintedSubject:
        values: dict[str, Scalar] = {"size": _bytes(row["size"]), "format": int(row["format"])}
        if row["parent"]:
            values["parent"] = row["parent"]
        if row["protected"]:
            values["protected"] = True
        if row["lock"]:
            values["lock"] = row["lock"]
        return PrintedSubject("rbd", row["name"], values, host)


class RbdMapped(_RbdTable):
    tool = "rbd showmapped"
    anchors = ("snap device", "snap  device", "id pool ", "id  pool ")
    beginning = re.compile(r"\s*id\s+pool\s+(?:namespace\s+)?image\s+snap\s+device\s*$")
    row = _MAPPED

    @override
    def subject(self, row: re.Match[str], host: str) -> PrintedSubject:
        values: dict[str, Scalar] = {"id": int(row["id"]), "pool": row["pool"]}
        values |= {
            name: row[name] for name in ("namespace", "image", "device")
            if row[name] and row[name] != "-"
        }  # fmt: skip
        spec = "/".join(filter(None, (row["pool"], row["namespace"], row["image"])))
        if row["snapshot"] != "-":
            values["snapshot"] = row["snapshot"]
            spec += f"@{row['snapshot']}"
        return PrintedSubject("rbd", spec, values, host)


class RbdStatus(StateOutput):
    tool = "rbd status"
    anchors = ("Watchers:",)
    commands = ("rbd",)
    reach = 3
    beginning = re.compile(r"\s*Watchers:(?: none)?\s*$")
    nothing = "no watcher follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        watchers: list[str] = []
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue
            below = cursor.line(index + 1)
            watcher = joined_match(_WATCHER, [line, below]) or _WATCHER.match(line)
            if watcher:
                watchers.append(" ".join(watcher.groups()))
                last = index if _WATCHER.match(line) else index + 1
                continue
            migration = _MIGRATION.match(line)
            if migration and index > first:
                values[f"migration_{migration['name']}"] = migration["value"]
            elif not _HEADS.match(line) or (prompt_in(line) and index > first):
                break
            last = index
        none = cursor.line(first).rstrip().endswith("none")
        if not watchers and not none:
            return last, []
        values |= {"watchers": len(watchers)}
        if watchers:
            values["watched_by"] = "; ".join(watchers)
        return last, [PrintedSubject("rbd", _image(prompt.command), values, prompt.host)]


def _image(command: str) -> str:
    """The image that a command names, with its pool where that is an option."""
    operands = [part for part in kerneltext.fields(command)[1:] if not part.startswith("-")]
    return operands[1] if len(operands) > 1 else ""


def _bytes(text: str) -> int:
    return 0 if text == "0" else size(text)
