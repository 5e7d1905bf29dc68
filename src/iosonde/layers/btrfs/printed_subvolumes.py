"""`btrfs subvolume list` and `btrfs subvolume show` in any text.

Source: btrfs-progs 6.2, cmds/subvolume-list.c (print_all_subvol_info(), print_one_subvol_info();
of -t print_subvol_info_tab_head(), names of columns and dashes, and print_one_subvol_info_table(),
cells between tabs) and cmds/subvolume.c (cmd_subvolume_show()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows

_ROW = re.compile(
    r"\s*ID (?P<id>\d{1,19}) gen (?P<generation>\d{1,19})(?: cgen (?P<created_in>\d{1,19}))?"
    r"(?: parent (?P<parent>\d{1,19}))? top level (?P<top_level>\d{1,19})"
    r"(?: otime (?P<created>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d))?"
    r"(?: parent_uuid (?P<parent_uuid>\S{1,36}) {0,40})?"
    r"(?: received_uuid (?P<received_uuid>\S{1,36}) {0,40})?"
    r"(?: uuid (?P<uuid>\S{1,36}))? path (?P<path>\S.{0,400}?)\s*$"
)
_NUMBERS = frozenset({"id", "generation", "created_in", "parent", "top_level"})
_NAME = re.compile(r"\s*Name:\s+(?P<name>\S.{0,250}?)\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z ]{2,18}):\s+(?P<value>\S.{0,250}?)\s*$")
_LABELS = {
    "UUID": "uuid", "Parent UUID": "parent_uuid", "Received UUID": "received_uuid",
    "Creation time": "created", "Subvolume ID": "id", "Generation": "generation",
    "Gen at creation": "created_in", "Parent ID": "parent", "Top level ID": "top_level",
    "Flags": "flags", "Send transid": "send_transid", "Receive transid": "receive_transid",
}  # fmt: skip
_SNAPSHOTS = re.compile(r"\s*Snapshot\(s\):\s*$")
_MOST = 2000
_TAB_HEAD = re.compile(
    r"\s*ID\s+gen\s+(?P<cgen>cgen\s+)?(?P<parent>parent\s+)?top level\s+(?P<otime>otime\s+)?"
    r"(?P<parent_uuid>parent_uuid\s+)?(?P<received_uuid>received_uuid\s+)?(?P<uuid>uuid\s+)?"
    r"path\s*$"
)
_DASHES = re.compile(r"\s*-{2,6}(?:\s+-{2,15}){3,9}\s*$")


class BtrfsSubvolumeTable(StateOutput):
    """A row for each, below the names of columns (-t)."""

    tool = "btrfs subvolume list"
    anchors = ("top level\t", "top level  ")
    commands = ("btrfs",)
    reach = 3
    beginning = _TAB_HEAD
    nothing = "no subvolume follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        names = _columns(head)
        subvolumes: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            if index == first + 1 and _DASHES.match(line):
                last = index
                continue
            cells = fields(line)
            if len(cells) <= len(names) or not _are_numbers(names, cells):
                break
            said = dict(zip(names, cells, strict=False))
            values: dict[str, Scalar] = {
                name: int(text) if name in _NUMBERS else text
                for name, text in said.items() if text != "-" and name not in {"date", "time"}
            }  # fmt: skip
            if "date" in said:
                values["created"] = f"{said['date']} {said['time']}"
            path = " ".join(cells[len(names) :])
            subvolumes.append(PrintedSubject("btrfs_subvolume", path, values, prompt.host))
            last = index
        return last, subvolumes


def _columns(head: re.Match[str]) -> list[str]:
    """What the cells of a row are called, up to the path; a time is two of them."""
    names = ["id", "generation"]
    names += ["created_in"] if head["cgen"] else []
    names += ["parent"] if head["parent"] else []
    names += ["top_level", *(["date", "time"] if head["otime"] else [])]
    return [*names, *(name for name in ("parent_uuid", "received_uuid", "uuid") if head[name])]


def _are_numbers(names: list[str], cells: list[str]) -> bool:
    """Whether the cells of a row are numbers where its columns have them."""
    return all(
        cell.isdecimal() for name, cell in zip(names, cells, strict=False) if name in _NUMBERS
    )


class BtrfsSubvolumes(StateOutput):
    """A row for each."""

    tool = "btrfs subvolume list"
    anchors = (" top level ",)
    commands = ("btrfs",)
    reach = 3
    beginning = _ROW

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subvolumes: list[PrintedSubject] = []
        rows, last = close_rows(cursor, first, _ROW.match, _MOST)
        for row in rows:
            values: dict[str, Scalar] = {
                name: int(text) if name in _NUMBERS else text
                for name, text in row.groupdict().items()
                if name != "path" and text and text != "-"
            }
            subvolumes.append(PrintedSubject("btrfs_subvolume", row["path"], values, prompt.host))
        return last, subvolumes


class BtrfsSubvolume(StateOutput):
    """All about one of them."""

    tool = "btrfs subvolume show"
    anchors = ("Subvolume ID:",)
    commands = ("btrfs",)
    reach = 8

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The path above the name, or the name."""
        for index in range(cursor.at, max(cursor.at - 8, -1), -1):
            line = cursor.line(index)
            if _NAME.match(line):
                above = cursor.line(index - 1).strip()
                has_path = above and " " not in above and not prompt_in(above)
                return index - 1 if has_path else index
            if not _PAIR.match(line):
                break
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        name, last, snapshots = "", first, 0
        begin = first if _NAME.match(cursor.line(first)) else first + 1
        in_snapshots = False
        for index, line in lines(cursor, begin, _MOST):
            pair = _PAIR.match(line)
            if in_snapshots and line and " " not in line.strip() and not prompt_in(line):
                snapshots += 1
            elif _SNAPSHOTS.match(line):
                in_snapshots = True
            elif pair is None or in_snapshots:
                break
            elif pair["label"] == "Name":
                name = pair["value"]
            elif pair["label"] in _LABELS and pair["value"] != "-":
                text = pair["value"]
                values[_LABELS[pair["label"]]] = int(text) if text.isdecimal() else text
            last = index
        if in_snapshots:
            values["snapshots"] = snapshots
        path = cursor.line(first).strip() if begin > first else ""
        return last, [PrintedSubject("btrfs_subvolume", path or name, values, prompt.host)]
