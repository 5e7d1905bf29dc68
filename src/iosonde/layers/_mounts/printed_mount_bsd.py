"""What the BSDs' and macOS's mount prints: `DEVICE on POINT (TYPE, OPTION, OPTION)`.

Source: FreeBSD sbin/mount/mount.c, prmount() and optnames[] (with -v "writes: sync N async N",
"fsid"); Apple's mount of disk_cmds (the same, "mounted by USER"); OpenBSD sbin/mount/mount.c,
prmnt() ("on POINT type TYPE (local, nodev)").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers import MOUNTS
from iosonde.layers._mounts.facts import printed_kind
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, start_of_own

_STORAGE = (
    "afpfs", "apfs", "cd9660", "exfat", "ext2fs", "ffs", "hammer", "hammer2", "hfs", "msdos",
    "msdosfs", "ntfs", "smbfs", "ufs", "zfs", *MOUNTS,
)  # fmt: skip
_OTHERS = (
    "autofs", "devfs", "fdesc", "fdescfs", "kernfs", "lifs", "linprocfs", "linsysfs", "mfs",
    "nullfs", "procfs", "ptyfs", "tmpfs", "udf", "unionfs", "webdav",
)  # fmt: skip
_TYPE = rf"(?:{'|'.join((*_STORAGE, *_OTHERS))}|fusefs(?:\.\w{{1,20}})?)"
_OPTION = r"[A-Za-z][\w.:=/@ -]{0,80}"
_LINE = re.compile(
    rf"\s*(?P<source>map \S{{1,80}}|\S{{1,255}}) on (?P<point>/[^()]{{0,255}}?) "
    rf"(?:\((?P<type>{_TYPE})(?P<options>(?:, {_OPTION}){{0,30}})\)"
    rf"|type (?P<old>{_TYPE}) \((?P<listed>local|{_OPTION}(?:, {_OPTION}){{1,30}})\))\s*$"
)
_BY = re.compile(r"mounted by (\S{1,64})$")
_COUNTS = re.compile(r"(writes|reads): (sync \d{1,20} async \d{1,20})$")
_FSID = re.compile(r"fsid ([\da-f]{8,32})$")


class BsdMount(StateOutput):
    tool = "mount of BSD"
    anchors = (
        *(f" ({name}{end}" for name in (*_STORAGE, *_OTHERS) for end in (",", ")")),
        *(f" type {name} (" for name in (*_STORAGE, *_OTHERS)),
    )
    commands = ("mount", "/sbin/mount")
    reach = 3
    nothing = "nothing that it names stores data"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _LINE.match, most=80)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mounts, last = close_rows(cursor, first, _LINE.match)
        return last, [subject for mount in mounts for subject in _subject(mount, prompt.host)]


def _subject(mount: re.Match[str], host: str) -> Iterator[PrintedSubject]:
    """A mount that stores data."""
    fstype = mount["type"] or mount["old"]
    if fstype not in _STORAGE:
        return
    values: dict[str, Scalar | None] = {"device": mount["source"]}
    for option in (mount["options"] or mount["listed"] or "").split(", "):
        if option:
            name, value = _option(option)
            values[name] = value
    yield PrintedSubject(printed_kind(fstype), mount["point"], without_none(values), host)


def _option(option: str) -> tuple[str, Scalar]:
    """An option's name, with underscores, and its value; True of what has none."""
    if by := _BY.match(option):
        return "mounted_by", by[1]
    if counts := _COUNTS.match(option):
        return counts[1], counts[2]
    if fsid := _FSID.match(option):
        return "fsid", fsid[1]
    name, equals, value = option.partition("=")
    return re.sub(r"[^\w]+", "_", name).lower(), value if equals else True
