"""What diskutil says while it unmounts, mounts, ejects, erases and partitions a disk.

Source: man page diskutil(8), verbs unmountDisk, mountDisk, eject, eraseDisk, partitionDisk, and
outputs of macOS 10.6 to 15 in public repositories (the program itself is not open); newfs_msdos(8)
of Apple, which prints what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of_own

_DISK = r"(?:/dev/)?r?(?P<disk>disk\d{1,4}(?:s\d{1,3}){0,2})"
_SAID: tuple[tuple[str, dict[str, Scalar]], ...] = (
    (rf"(?:Forced u|U)nmount of all volumes on {_DISK} was successful", {"unmounted": True}),
    (rf"(?:Forced u|U)nmount of {_DISK} failed: (?P<error>\S.{{3,120}}?)",
     {"unmounted": False}),
    (rf"Volume (?P<label>\S.{{0,60}}?) on {_DISK} (?:force-)?unmounted", {"unmounted": True}),
    (rf"Volume (?P<label>\S.{{0,60}}?) on {_DISK} mounted", {"mounted": True}),
    (rf"Disk {_DISK} ejected", {"ejected": True}),
    (rf"Started erase on {_DISK}(?: (?P<label>\S.{{0,60}}?))?", {"erased": False}),
    (rf"Finished erase on {_DISK}(?: (?P<label>\S.{{0,60}}?))?", {"erased": True}),
    (rf"Started partitioning on {_DISK}", {"partitioned": False}),
    (rf"Finished partitioning on {_DISK}", {"partitioned": True}),
    (rf"Formatting {_DISK} as (?P<format>\S.{{1,60}}?) with name (?P<label>\S.{{0,60}}?)", {}),
    (rf"{_DISK}: (?P<sectors>\d{{1,15}}) sectors in (?P<clusters>\d{{1,12}}) "
     r"(?P<fat>FAT(?:12|16|32|64)|exFAT) clusters "
     r"\((?P<cluster_size>\d{1,9}) bytes/cluster\)", {}),
    (rf"Initialized {_DISK} as an? (?P<format>\S.{{3,120}}?)", {}),
    (rf"Failed to find disk {_DISK}", {"error": "not found"}),
)  # fmt: skip
_FORMS = tuple((re.compile(rf"\s*{pattern}\s*$"), values) for pattern, values in _SAID)
_BESIDE = re.compile(
    r"\s*(?:Unmounting disk|Mounting disk|Creating the partition map"
    r"|Volume\(s\) mounted successfully"
    r"|Waiting for (?:partitions to activate|the disks? to reappear)"
    r"|\d{3,5} bytes per physical sector"
    r"|bps=\d{3,5} spc=\d.{0,200}|Error: -\d{5}: \S.{3,160}"
    r"|\[ [-|/\\+ \d%.]{3,90}\]?[ \d%.]{0,8})\s*$"
)
_COUNTS = frozenset({"sectors", "clusters", "cluster_size"})
_MOST = 60


class DiskutilSaid(StateOutput):
    tool = "diskutil messages"
    anchors = (
        "nmount of all volumes on disk", "nmount of disk", " on disk", "Disk /dev/disk",
        "Disk disk", "Started erase on", "Finished erase on", "FAT32 clusters (",
        "Formatting disk", "Failed to find disk disk",
    )  # fmt: skip
    commands = ("diskutil",)
    reach = 3
    answers = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if _said(cursor.line(cursor.at)) is None:
            return None
        return top_of_own(cursor, _is_own, most=30)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            if prompt_in(line) or not _is_own(line):
                break
            if said := _said(line):
                things.setdefault(said[0], {}).update(said[1])
            last = index
        return last, list(_subjects(things, prompt.host))


def _is_own(line: str) -> bool:
    return _said(line) is not None or _BESIDE.match(line) is not None


def _said(line: str) -> tuple[str, dict[str, Scalar]] | None:
    """The disk that a line names, and what it says of it."""
    for form, values in _FORMS:
        if match := form.match(line):
            groups = {name: text for name, text in match.groupdict().items() if text}
            name = groups.pop("disk")
            figures: dict[str, Scalar] = {
                key: int(text) if key in _COUNTS else text for key, text in groups.items()
            }
            return name, values | figures
    return None


def _subjects(things: dict[str, dict[str, Scalar]], host: str) -> Iterator[PrintedSubject]:
    for name, values in things.items():
        kind = "partition" if "s" in name.removeprefix("disk") else "disk"
        yield PrintedSubject(kind, name, values, host)
