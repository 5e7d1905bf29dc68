"""What e2fsck says: why it checks, what it mended, and how full the file system is.

Source: e2fsprogs 1.47, e2fsck/unix.c (main(), check_if_skip(), show_stats()), e2fsck/problem.c
(messages end in "FIXED", "CLEARED" and the like, or in the question with its answer),
e2fsck/pass1.c to pass5.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_DEVICE = r"(?P<device>/[\w/.:-]{1,120}|\w[\w/.:-]{0,60})"
_MODIFIED = re.compile(rf"\s*(?:{_DEVICE}: )?\*{{5}} FILE SYSTEM WAS MODIFIED \*{{5}}\s*$")
_ERRORS = re.compile(
    rf"\s*(?:{_DEVICE}: )?\*{{10}} WARNING: Filesystem still has errors \*{{10}}\s*$"
)
_JOURNAL = re.compile(rf"\s*{_DEVICE}: recovering journal\s*$")
_FORCED = re.compile(
    rf"\s*{_DEVICE} (?P<value>contains a file system with errors|was not cleanly unmounted"
    r"|has been mounted \d{1,9} times without being checked"
    r"|has gone \d{1,9} days without being checked|has filesystem last checked time in the future"
    r"|primary superblock features different from backup), check forced\.\s*$"
)
_PASS = re.compile(
    r"\s*Pass (?P<value>\d[A-D]?): (?:Checking|Re-checking|Rescanning|Optimi)\w* ?\S"
)
_BACKUP = re.compile(r".{0,160}trying backup blocks\.\.\.\s*$")
_SURE: Sequence[tuple[str, re.Pattern[str]]] = (
    ("modified_by_check", _MODIFIED), ("errors_remain", _ERRORS),
    ("journal_recovered", _JOURNAL), ("check_forced", _FORCED), ("check_passes", _PASS),
    ("backup_superblock", _BACKUP),
)  # fmt: skip
"""Lines that are e2fsck's own whatever stands around them, by the setting that each tells."""
_MENDED = re.compile(
    r"(?:\.|\?|\)|\s)\s{0,2}(?:FIXED|CLEARED|SALVAGED|TRUNCATED|RELOCATED|ALLOCATED|EXPANDED"
    r"|CONNECTED TO LOST\+FOUND|CREATED|DELETED|SPLIT|INODE CLEARED|ABORTED|OPTIMIZED|RECREATED"
    r"|UNLINKED|CONVERTED|HTREE INDEX CLEARED|WILL RECREATE|REPLAYED)\.?\s*$"
)
_QUESTION = re.compile(
    r"(?:Fix|Clear|Clear inode|Connect to /lost\+found|Salvage|Recreate|Delete|Truncate"
    r"|Ignore error|Force rewrite|Create|Allocate|Relocate|Expand|Split|Optimize|Abort|Continue"
    r"|Recompute|Update)"
    r"(?:<y>)?\?\s*(?P<answer>yes|no)\s*$"
)
_OTHERS = re.compile(
    r"\s*(?:e2fsck \d|fsck(?:\.ext[234]|\.ext4dev)? from|e2fsck: |fsck\.ext[234]: |ext2fs_\w+: "
    r"|Inode \d|Block bitmap|Inode bitmap|Free (?:blocks|inodes) count|Directories count"
    r"|Superblock |Journal |Group descriptor|Resize inode|Unattached|Entry '|Padding at|i_size"
    r"|Extent tree|Directory inode|Symlink |Deleted inode|The filesystem size|Running additional"
    r"|Multiply-claimed|Setting |Restarting e2fsck)"
)
_SUMMARY = re.compile(r"\s*\S{1,120}: (?:clean, )?\d{1,19}/\d{1,19} files")
_CHECKED = re.compile(
    r"\s*(?P<device>[\w/.:+-]{1,120}): (?:(?P<state>clean|recovering journal), )?"
    r"(?P<used>\d{1,19})/(?P<inodes>\d{1,19}) files"
    r"(?: \((?P<share>\d{1,3}\.\d)% non-contiguous\))?, "
    r"(?P<full>\d{1,19})/(?P<blocks>\d{1,19}) blocks(?: \(check (?:in|after) .{1,40}\))?\s*$"
)
"""By the device, its label, or the file of an image."""
_COMMANDS = ("e2fsck", "fsck", "fsck.ext4", "fsck.ext3", "fsck.ext2")
_MOST = 2000
_GAP = 6  # lines from one to the next: messages stand between, and blank lines


class ExtCheck(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "e2fsck"
    anchors: ClassVar[tuple[str, ...]] = (
        "FILE SYSTEM WAS MODIFIED", "Filesystem still has errors", ": recovering journal",
        ", check forced.", "Pass 1: Checking inodes", "trying backup blocks...",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = _COMMANDS
    reach: ClassVar[int] = 12

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _sure(cursor.line(cursor.at) or "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or _SUMMARY.match(line) or (index > first and prompt_in(line)):
                break
            if sure := _sure(line):
                setting, match = sure
                groups = match.groupdict()
                values[setting] = groups.get("value") or True
                name = name or groups.get("device") or ""
            elif question := _QUESTION.search(line):
                _count(values, "mended" if question["answer"] == "yes" else "left_as_it_was")
            elif _MENDED.search(line):
                _count(values, "mended")
            elif not _OTHERS.match(line):
                continue
            last = index
        if not values:
            raise Unreadable("it says nothing of the file system", last)
        asked = prompt.command.rpartition(" ")[2]
        name = name or (asked if asked.startswith("/") else "")
        return last, [PrintedSubject("ext4", name.removeprefix("/dev/"), values, prompt.host)]


class ExtCheckSummary(StateOutput):
    """See `iosonde.text.cursor.Output`: the last line of a check, which others print alone."""

    tool: ClassVar[str] = "e2fsck"
    anchors: ClassVar[tuple[str, ...]] = (" files (", " files, ")
    commands: ClassVar[tuple[str, ...]] = _COMMANDS
    reach: ClassVar[int] = 12

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _CHECKED.match(cursor.line(cursor.at) or "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        checked = _CHECKED.match(cursor.line(first) or "")
        if checked is None:
            raise Unreadable("it is no summary")
        values: dict[str, Scalar] = {
            "blocks": int(checked["blocks"]), "inodes": int(checked["inodes"]),
            "free_blocks": int(checked["blocks"]) - int(checked["full"]),
            "free_inodes": int(checked["inodes"]) - int(checked["used"]),
        }  # fmt: skip
        if checked["state"]:
            values["superblock_state"] = checked["state"]
        if checked["share"]:
            values["non_contiguous"] = round(float(checked["share"]) / 100, 4)
        name = checked["device"].removeprefix("/dev/")
        return first, [PrintedSubject("ext4", name, values, prompt.host)]


def _sure(line: str) -> tuple[str, re.Match[str]] | None:
    """The setting that a line tells, and what it says; None where it may be another's."""
    matches = ((setting, pattern.match(line)) for setting, pattern in _SURE)
    return next(((setting, match) for setting, match in matches if match), None)


def _count(values: dict[str, Scalar], name: str) -> None:
    before = values.get(name)
    values[name] = (before if isinstance(before, int) else 0) + 1
