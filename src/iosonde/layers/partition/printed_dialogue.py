"""What fdisk asks and answers: partitions that it makes, changes and deletes, until it writes them.

Tables within the dialogue are read as those of `fdisk -l` are; what follows them is an output of
its own. Nothing is on the disk before "The partition table has been altered".

Source: util-linux 2.40, disk-utils/fdisk.c, libfdisk/src/ask.c and dos.c; fdisk of util-linux 2.20
(disk-utils/fdisk.c, fdiskdoslabel.c), whose sector of an answer stands in the line
below it, and which asks for cylinders unless -u is given (2.12: `Last cylinder or +size or +sizeM
or +sizeK`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.said_lines import sentences_of

_OWN = re.compile(
    r"\s*+(?:Command (?:\(m for help\)|action)|[pel\d]{1,3}$|Note: sector size"
    r"|Device (?:contains neither|does not contain)"
    r"|Building a new |Created a new |Changes will remain|After that, of course|Be careful before"
    r"|W(?:arning|ARNING): |Partition (?:type|number|#?\d|\S{1,20} is)"
    r"|[pel]\s{1,4}(?:primary|extended|logical)|Select \(default|(?:First|Last) (?:sector|cylinder)"
    r"|Using default|Hex code|Selected partition|Changed (?:system )?type|Do you want"
    r"|The (?:partition table|signature|device presents|old|kernel|disk|backup|size|primary)"
    r"|Calling ioctl|Syncing disks|Re-reading the|partitions, please see|information\.$"
    r"|the physical sector|I/O\) size|Value out of range|No free sectors|All (?:space|primary)"
    r"|Adding (?:logical|another)|Welcome to fdisk|Failed to |the next reboot)"
)
_DISKLABEL = re.compile(
    r"(?:Building|Created) a new (?P<kind>DOS|GPT|SGI|Sun|BSD) (?:disk)?label[^.\n]{0,20}?"
    r"(?: with disk identifier |\(GUID: )(?P<identifier>0x[\da-f]{8}|[\dA-F-]{36})"
)
WELCOME = re.compile(r"\s*Welcome to s?fdisk \(util-linux (?P<fdisk_version>\d[\w.~-]{1,30})\)\.")
"""The first line of a dialogue since util-linux 2.23."""
_SECTOR = re.compile(r"Note: sector size is (\d{3,5}) ")
_CREATED = re.compile(
    r"(?:Created a new p|P)artition (?P<number>\d{1,3}) of type (?:'(?P<type>[^'\n]{1,40})'"
    r"|(?P<set>\w[\w /()-]{0,40}?)) and of size (?P<size>\d{1,5}(?:[.,]\d{1,3})? [KMGTP]?i?B)"
    r"(?! is set \S)"
)
"""Also as util-linux 2.23 to 2.25 said it: "Partition 1 of type Linux and of size 5 GiB is set"."""
_SAID = re.compile(
    r"\s*+(?:Device (?:contains neither|does not contain)|Building a new |Created a new "
    r"|W(?:arning|ARNING): |Partition (?:#?\d{1,3} (?:of|has|contains|does)|\S{1,20} is)|Changed "
    r"|The (?:partition table|signature|device presents|old|kernel|disk|backup|size|primary)"
    r"|Calling ioctl|Syncing disks|Re-reading the|Value out of range|No free sectors"
    r"|All (?:space|primary)|Failed to )"
)
"""What it says by itself, neither asked nor asking."""
_NUMBER = re.compile(
    r"Partition number \([^)]{1,30}?(?:, default (?P<default>\d{1,3}))?\): ?\[?(?P<answer>\d{1,3})?"
)
_PLACE = re.compile(
    r"(?P<end>First|Last) (?P<unit>sector|cylinder)[^(\n]{0,40}\(\d{1,15}-\d{1,15}, "
    r"default (?P<default>\d{1,15})\): ?\[?(?P<answer>\+?\d{1,15}[KMGTP]?)?"
)
_TYPE = re.compile(
    r"Changed (?:system )?type of partition (?:(?P<number>\d{1,3}) to "
    r"(?P<old>\w{1,2} \([^)\n]{1,40}\))"
    r"|'[^'\n]{0,40}' to '(?P<new>[^'\n]{1,40})')"
)
_CODE = re.compile(r"Hex code [^:\n]{0,60}: ?(?P<code>[\da-fA-F]{1,2})(?:\s|$)")
_DELETED = re.compile(r"Partition (?P<number>\d{1,3}) has been deleted")
_SELECTED = re.compile(r"Selected partition \[?(\d{1,3})")
_FAILED = re.compile(
    r"Re-reading the partition table failed(?: with error \d{1,3})?\.?: ?(.{3,60}?)\.?\s*$"
)
_DEVICE = re.compile(r"(?:^|\s)/dev/(?P<device>[\w/.!-]{2,60})\s*$")
_ASKED = re.compile(r"\s*Last (?:sector|cylinder)")
_ABOVE = 8  # lines from the number of a partition to its end
_MOST = 200
_GAP = 4  # lines
_REACH = 60  # lines above it, a table among them, in which the command is looked for


@dataclass(slots=True)
class _Session:
    """What a dialogue did so far: of the disk, and of each partition by its number."""

    disk: dict[str, Scalar] = field(default_factory=dict)
    partitions: dict[str, dict[str, Scalar]] = field(default_factory=dict)
    number: str = ""

    def take(self, line: str) -> None:
        """Takes a line of it."""
        self._take_of_disk(line)
        if match := _CREATED.search(line):
            size = round(units.printed(match["size"].replace(",", ".").replace(" ", ""))[0])
            kind = match["type"] or match["set"]
            self._of(match["number"]).update({"type": kind, "size": size})
        elif match := _NUMBER.search(line):
            self.number = match["answer"] or match["default"] or ""
        elif match := _SELECTED.search(line):
            self.number = match[1]
        elif (match := _PLACE.search(line)) and self.number:
            self._place(match)
        elif (match := _CODE.search(line)) and self.number:
            self._of(self.number)["type_code"] = match["code"].lower()
        elif match := _TYPE.search(line):
            if number := match["number"] or self.number:
                self._of(number)["type"] = match["old"] or match["new"]
        elif match := _DELETED.search(line):
            self._of(match["number"])["deleted"] = True

    def _take_of_disk(self, line: str) -> None:
        if match := _DISKLABEL.search(line):
            self.disk |= {
                "partition_table": match["kind"].lower(), "disk_identifier": match["identifier"],
            }  # fmt: skip
        elif match := WELCOME.match(line):
            self.disk |= match.groupdict()
        elif match := _SECTOR.search(line):
            self.disk["logical_block_size"] = int(match[1])
        elif "partition table has been altered" in line:
            self.disk["written"] = True
        elif match := _FAILED.search(line):
            self.disk["not_read_again"] = match[1]

    def _of(self, number: str) -> dict[str, Scalar]:
        return self.partitions.setdefault(number, {})

    def _place(self, match: re.Match[str]) -> None:
        """Where a partition begins or ends: `+500M` is the size that was asked for."""
        answer = match["answer"] or match["default"]
        if answer.startswith("+"):
            self._of(self.number)["size_asked"] = answer
        elif answer.isdecimal():
            self._of(self.number)[f"{match['end'].lower()}_{match['unit']}"] = int(answer)


def _is_asked(cursor: TextCursor, index: int) -> bool:
    """Whether fdisk asks there where a partition ends, of one whose number stands above."""
    above = cursor.block(max(index - _ABOVE, 0), min(index, _ABOVE))
    numbers = any(_NUMBER.search(line) or _SELECTED.search(line) for line in above)
    return numbers and _PLACE.search(cursor.line(index)) is not None


class FdiskDialogue(StateOutput):
    tool = "fdisk dialogue"
    anchors = (
        "partition table has been altered", "Created a new partition ",
        " disklabel with disk identifier", "Created a new GPT disklabel",
        "Changed system type of", "Changed type of partition", "Last cylinder", "Last sector, +",
        "Last sector (", " and of size ",
    )  # fmt: skip
    commands = ("fdisk", "cfdisk")
    reach = _REACH
    looks_above: ClassVar[bool] = True
    nothing = "it changes nothing"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = cursor.at
        line = cursor.line(first)
        if not _OWN.match(line) or (_ASKED.match(line) and not _is_asked(cursor, first)):
            return None
        for index in range(first - 1, max(first - _REACH, 0) - 1, -1):
            line = cursor.line(index)
            if line and not _OWN.match(line):
                break
            first = index if line else first
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        session, last = _Session(), first
        for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
            if not _OWN.match(line):
                break
            session.take(line)
            last = index
        device = _DEVICE.search(prompt.command)
        name = device["device"] if device else ""
        between = "p" if name[-1:].isdigit() else ""
        subjects = [PrintedSubject("disk", name, session.disk, prompt.host)] if session.disk else []
        subjects += [
            PrintedSubject("partition", f"{name}{between}{number}", own, prompt.host)
            for number, own in session.partitions.items()
        ]
        return last, subjects

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return sentences_of(cursor, first, last, _SAID.match)
