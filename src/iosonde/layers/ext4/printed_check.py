"""What e2fsck says: why it checks, what it mended, and how full the file system is.

Source: e2fsprogs 1.47, e2fsck/unix.c (main(), check_if_skip(), show_stats()), e2fsck/util.c
(preenhalt()), e2fsck/pass1.c to pass5.c; the problems are those of check_problems.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.layers.ext4.check_problems import answers, begins_problem, is_problem, problems
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, before, top_of

_DEVICE = r"(?P<device>\.{0,2}/[\w/.:+-]{1,120}|\w[\w/.:+-]{0,60})"
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
    r"\s*Pass (?P<value>\d[A-E]?): "
    r"(?:Checking|Re-checking|Rescanning|Scanning|Reconciling|Optimi)\w* ?\S"
)
_BACKUP = re.compile(r".{0,160}trying backup blocks\.\.\.\s*$")
_MANUALLY = re.compile(rf"\s*(?:{_DEVICE}: )?UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY\.\s*$")
_RESTARTED = re.compile(r"\s*Restarting e2fsck from the beginning\.\.\.\s*$")
_MAGIC = re.compile(
    rf"\s*(?:ext2fs_open2|e2fsck|fsck\.ext[234]): (?P<value>Bad magic number in super-block)"
    rf"(?: while trying to open {_DEVICE})?\s*$"
)
_SIZE = re.compile(
    r"\s*The filesystem size \(according to the superblock\) is (?P<value>\d{1,19}) blocks\s*$"
)
_PHYSICAL = re.compile(r"\s*The physical size of the device is (?P<value>\d{1,19}) blocks\s*$")
_UNSUPPORTED = re.compile(
    rf"\s*{_DEVICE} has unsupported feature\(s\): (?P<value>\w[\w ]{{1,200}}?)\s*$"
)
_SURE: Sequence[tuple[str, re.Pattern[str]]] = (
    ("modified_by_check", _MODIFIED), ("errors_remain", _ERRORS),
    ("journal_recovered", _JOURNAL), ("check_forced", _FORCED), ("check_passes", _PASS),
    ("backup_superblock", _BACKUP), ("run_manually", _MANUALLY), ("check_restarted", _RESTARTED),
    ("unsupported_features", _UNSUPPORTED), ("superblock_error", _MAGIC),
    ("filesystem_blocks", _SIZE), ("device_blocks", _PHYSICAL),
)  # fmt: skip
"""Lines that are e2fsck's own whatever stands around them, by the setting that each tells."""
_VERSION = re.compile(
    r"\s*e2fsck (?P<e2fsck_version>\d[\w.+~-]{1,30}) \((?P<e2fsck_date>\d{1,2}-\w{3,9}-\d{4})\)\s*$"
)
_FSCK = re.compile(
    r"\s*fsck (?:from (?P<package>util-linux(?:-ng)?) )?(?P<version>\d[\w.+~-]{1,30})"
    r"(?: \(\d{1,2}-\w{3,9}-\d{4}\))?\s*$"
)
"""Of util-linux, or before 2.15 of e2fsprogs."""
_VERSIONS = frozenset({"e2fsck_version", "e2fsck_date", "fsck_version"})
_PREEN = re.compile(r"\s*(?P<device>/[\w/.:+-]{1,120}): (?=[A-Z])")
_OTHERS = re.compile(
    r"\s*(?:e2fsck \d|Using EXT2FS Library"
    r"|fsck(?:\.ext[234]|\.ext4dev)? from|fsck \d|e2fsck: |fsck\.ext[234]: |ext2fs_\w+: "
    r"|Inode \d|Block bitmap|Inode bitmap|Free (?:blocks|inodes) count|Directories count"
    r"|Superblock |Journal |Group descriptor|Resize inode|Unattached|Entry '|Padding at|i_size"
    r"|Extent tree|Directory inode|Symlink |Deleted inode|The filesystem size|Running additional"
    r"|Multiply-claimed|File \S|has \d{1,20} multiply-claimed|\(There are \d|Setting "
    r"|Restarting e2fsck)"
)
_SUMMARY = re.compile(r"\s*\S{1,120}: (?:clean, )?\d{1,19}/\d{1,19} files")
_CHECKED = re.compile(
    r"\s*(?P<device>[\w/.:+-]{1,120}): (?:(?P<state>clean|recovering journal), )?"
    r"(?P<used>\d{1,19})/(?P<inodes>\d{1,19}) files"
    r"(?: \((?P<share>\d{1,3}\.\d)% non-contiguous\))?, "
    r"(?P<full>\d{1,19})/(?P<blocks>\d{1,19}) blocks(?: \(check (?:in|after) .{1,40}\))?\s*$"
)
"""By the device, its label, or the file of an image."""
COMMANDS = ("e2fsck", "fsck", "fsck.ext4", "fsck.ext3", "fsck.ext2")
_MOST = 2000
_GAP = 6  # lines from one to the next: messages stand between, and blank lines


class ExtCheck(StateOutput):
    tool = "e2fsck"
    anchors = (
        "FILE SYSTEM WAS MODIFIED", "Filesystem still has errors", ": recovering journal",
        ", check forced.", "Pass 1: Checking inodes", "trying backup blocks...",
        "(according to the superblock)", "Bad magic number in super-block",
        "RUN fsck MANUALLY", " has unsupported feature(s):", "Clearing orphaned inode ",
        ", i_blocks is ", ", i_size is ", " ref count is ", " count wrong ",
        " bitmap differences:", "the orphaned inode list", "Unattached inode ",
        " has an invalid extent", "Multiply-claimed block(s) in inode ",
    )  # fmt: skip
    commands = COMMANDS

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _sure(line) is None and not begins_problem(line):
            return None
        return top_of(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, strange, name = first, 0, ""
        for index, line in lines(cursor, first, _MOST):
            if strange > _GAP or index > last + 2 * _GAP or (index > first and prompt_in(line)):
                break
            if _SUMMARY.match(line):
                checked = _CHECKED.match(line)
                if checked and name in {"", checked["device"]}:
                    values |= _fill(checked)
                    last, name = index, checked["device"]
                break
            own = _own_line(line)
            if own is None:
                strange += bool(line)
                continue
            settings, device = own
            values |= settings
            name = name or device
            last, strange = index, 0
        text = joined(cursor, first, last)
        values |= answers(text)
        counts = problems(text)
        if not counts and not values.keys() - _VERSIONS:
            raise Unreadable("it says nothing of the file system", last)
        name = name.removeprefix("/dev/") or prompt.path
        items: list[PrintedSubject | PrintedCounters] = []
        if values:
            items.append(PrintedSubject("ext4", name, values, prompt.host))
        if counts:
            items.append(self.counted("ext4", name, counts, prompt))
        return last, items


class ExtCheckSummary(StateOutput):
    """The last line of a check, which others print alone."""

    tool = "e2fsck"
    anchors = (" files (", " files, ")
    commands = COMMANDS

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _CHECKED.match(cursor.line(cursor.at)):
            return None
        above = before(cursor, cursor.at)
        return above if _VERSION.match(cursor.line(above)) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        version = _VERSION.match(cursor.line(first))
        last = next((at for at, line in lines(cursor, first, 3) if _CHECKED.match(line)), first)
        checked = _CHECKED.match(cursor.line(last))
        if checked is None:
            raise Unreadable("it is no summary")
        values = _fill(checked)
        if version:
            values |= version.groupdict()
        name = checked["device"].removeprefix("/dev/")
        return last, [PrintedSubject("ext4", name, values, prompt.host)]


def _fill(checked: re.Match[str]) -> dict[str, Scalar]:
    """How full a file system is by the summary of its check."""
    values: dict[str, Scalar] = {
        "blocks": int(checked["blocks"]), "inodes": int(checked["inodes"]),
        "used_blocks": int(checked["full"]), "used_inodes": int(checked["used"]),
        "free_blocks": int(checked["blocks"]) - int(checked["full"]),
        "free_inodes": int(checked["inodes"]) - int(checked["used"]),
    }  # fmt: skip
    if checked["state"]:
        values["superblock_state"] = checked["state"]
    if checked["share"]:
        values["non_contiguous"] = round(float(checked["share"]) / 100, 4)
    return values


def _is_own(line: str) -> bool:
    return bool(_OTHERS.match(line) or _sure(line)) or is_problem(line)


def _own_line(line: str) -> tuple[dict[str, Scalar], str] | None:
    """The settings and the device that a line of a check names; None where it is no line of it."""
    if sure := _sure(line):
        setting, match = sure
        groups = match.groupdict()
        value = groups.get("value") or True
        counts = setting.endswith("_blocks")
        return {setting: int(value) if counts else value}, groups.get("device") or ""
    if version := _VERSION.match(line):
        return version.groupdict(), ""
    if wrapper := _FSCK.match(line):
        return {"fsck_version": " ".join(filter(None, wrapper.groups()))}, ""
    if not _is_own(line):
        return None
    mended_by_itself = _PREEN.match(line)
    return {}, mended_by_itself["device"] if mended_by_itself else ""


def _sure(line: str) -> tuple[str, re.Match[str]] | None:
    """The setting that a line tells, and what it says; None where it may be another's."""
    matches = ((setting, pattern.match(line)) for setting, pattern in _SURE)
    return next(((setting, match) for setting, match in matches if match), None)
