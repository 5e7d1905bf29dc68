"""What is mounted: mount, /proc/mounts, findmnt (tree, list and pairs) and nfsstat -m.

Source: mount(8), findmnt(8) of util-linux 2.38.1; Linux fs/proc_namespace.c, show_vfsmnt();
nfs-utils 2.6.2, nfsstat.c, mounts_stats().
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from typing_extensions import override

from iosonde.layers._mounts.facts import (
    OPTIONS,
    REMOTE,
    SERVED,
    STORAGE,
    TYPES,
    subject,
    unmarked,
)
from iosonde.records.printed import Unreadable
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, entries
from iosonde.text.torn import joinings

_Entry: TypeAlias = "tuple[str, str, str, str]"  # source, mount point, type, options

_TYPE = r"[a-z]\w*(?:\.[\w-]{1,60})?"
"""A type, with what serves it where that is a program: fuse.glusterfs, fuse.gvfsd-fuse."""
_MOUNT_LINE = re.compile(
    r"(?P<source>\S+) {1,99}on {1,99}(?P<point>/\S*) {1,99}type {1,99}"
    rf"(?P<type>{_TYPE}) {{1,99}}\((?P<options>[^()\s]*)\)(?: +\[[^\]]*\])?"
)
"""Also as `column -t` parts it."""
_KERNEL = re.compile(
    rf"(?P<source>\S+) (?P<point>/\S*) (?P<type>{_TYPE}) "
    rf"(?P<options>r[wo](?:,{OPTIONS})?) 0 0"
)
_PAIRS = re.compile(
    r'TARGET="(?P<point>[^"]*)" SOURCE="(?P<source>[^"]*)" FSTYPE="(?P<type>[^"]*)" '
    r'OPTIONS="(?P<options>[^"]*)"'
)
_HEAD = re.compile(r"\s*TARGET\s+SOURCE\s+FSTYPE\s+OPTIONS\s*$")
_ROW = re.compile(
    rf"[\s│├└─|`-]*(?P<point>/\S*)\s+(?P<source>\S+)\s+(?P<type>{_TYPE})\s+"
    r"(?P<options>r[wo](?:,\S*)?)"
)
_FLAGS = re.compile(r"(?P<point>/\S*) from (?P<source>\S+:/\S*)\s+Flags:\s*(?P<options>r[wo],\S*)")
_FORMS = (_MOUNT_LINE, _KERNEL, _PAIRS, _ROW, _FLAGS)
_BEGINS = re.compile(
    r"\S+ {1,99}on {1,99}/\S* {1,99}type |"
    rf"\S+ /\S* {_TYPE}(?: r[wo]\b|$)|TARGET=\"|[\s│├└─|`-]*/\S*\s+\S|/\S* from \S+:/"
)
_FIRST = ("relatime", "noatime", "lazytime", "nosuid", "nodev", "seclabel", "sync")
"""Options that stand first; where a mail broke the line before them, no type stands there."""
_MOST = 8


class MountOutput(StateOutput):
    tool = "mount"
    anchors = (
        *(f" type {name}" for name in (*sorted(STORAGE), "fuse")),
        *(f" {name} r{letter}" for name in sorted(STORAGE) for letter in "wo"),
        *(f"fuse.{name} " for name in sorted(SERVED)), " type  ",
        *(f" FSTYPE{after}" for after in ("=", " ")),
        "Flags:\trw,", "Flags: rw,", "Flags:\tro,", "Flags: ro,",
        *(f"r{letter},{option}" for letter in "wo" for option in _FIRST),
    )  # fmt: skip

    commands = ("mount", "cat", "findmnt", "grep", "nfsstat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 3, -1), -1):
            line = cursor.line(index)
            if _HEAD.match(line):
                return index
            if _entry(cursor, index) is not None:
                return _first(cursor, index)
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        start = first + 1 if _HEAD.match(cursor.line(first)) else first
        mounts, last = entries(cursor, start, _entry, most=600)
        if not mounts and start != first:
            raise Unreadable("no mount follows")
        return last, [mount for fields in mounts if (mount := subject(*fields)) is not None]


def _first(cursor: TextCursor, index: int) -> int:
    """The first line of the list that a line belongs to."""
    first = index
    for step in range(index - 1, max(index - 60, -1), -1):
        line = cursor.line(step)
        if _HEAD.match(line):
            return step
        if _entry(cursor, step) is not None:
            first = step
        elif not line or first - step > _MOST:
            break
    return first


def _entry(cursor: TextCursor, index: int) -> tuple[_Entry, int] | None:
    """The mount that begins in a line, and the index of its last line; None where none does."""
    parts: list[str] = []
    best: tuple[_Entry, int] | None = None
    for end in range(index, index + _MOST):
        line = cursor.line(end)
        if not line.strip():
            if len(parts) != 1:
                break
            continue
        text = line.strip() if parts else unmarked(line)
        if (parts and _BEGINS.match(text)) or (not parts and not _BEGINS.match(text)):
            break
        parts.append(text)
        if entry := _parsed(parts):
            best = entry, end
            if len(line) < 66:
                break
        elif best is not None:
            break
    return best


def _parsed(parts: Sequence[str]) -> _Entry | None:
    for whole in joinings(parts):
        for form in _FORMS:
            if not (match := form.fullmatch(whole)):
                continue
            if form is _ROW and match["point"].startswith("/dev/") and match["source"][:1] == "/":
                continue  # a line of mtab whose "0 0" stands below
            fstype = match["type"] if "type" in form.groupindex else REMOTE
            if fstype.partition(".")[0] in TYPES:
                return match["source"], match["point"], fstype, match["options"]
    return None
