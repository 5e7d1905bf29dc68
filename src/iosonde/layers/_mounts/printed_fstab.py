"""Lines of /etc/fstab, alone or as a file, with four, five or six fields.

Source: fstab(5); util-linux 2.38.1; systemd 252, src/udev/udev-builtin-path_id.c ("ip-%s-iscsi-…").
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.layers._mounts.facts import OPTIONS, STORAGE, TYPES, subject, unmarked
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, entries
from iosonde.text.torn import joinings

_LINE = re.compile(
    r"(?P<source>[\w/][^\s(),;]*|[A-Z]+=\"?[\w/.-]+\"?)\s+(?P<point>/\S*|none|swap)\s+"
    rf"(?P<type>[a-z]\w*(?:\.\w+|(?:,[a-z]\w*)+)?)\s+(?P<options>{OPTIONS})(?:\s+\d(?:\s+(?P<pass>\d))?)?(?:\s+>|\s+#.{{0,200}})?"
)
_OVER_NETWORK = re.compile(r"/dev/disk/by-path/ip-[\w.:\[\]-]{3,80}-lun-\d")
"""A disk behind a target's address: that an entry lacks `_netdev` is only said of these."""
_LIVE = re.compile(r"r[wo](?:,\S*)?\s+0\s+0$|r[wo],\S*$")
"""The options of /proc/mounts, which begin so; it has no file systems by their labels."""
_TAG = re.compile(r"[A-Z]+=")


class Fstab(StateOutput):
    tool = "fstab"
    anchors = (
        "UUID=", "none swap", " swap sw", " swap default",
        *(f"{blank}{name}{after}"
        for name in sorted(STORAGE)
        for blank in (" ", "\t")
        for after in (" ", "\t")
        if (name, blank, after) != ("swap", " ", " ")
        ),
    )  # fmt: skip

    commands = ("cat", "grep", "less")
    reach = 3
    about = "fstab"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 2, -1), -1):
            if self._entry(cursor, index):
                return self._first(cursor, index)
        return None

    def _first(self, cursor: TextCursor, index: int) -> int:
        """The first line of the file, as far as it goes up without a gap."""
        first, step = index, index - 1
        while step >= 0 and step > index - 40:
            line = cursor.line(step).strip()
            if not line or (not line.startswith("#") and not self._entry(cursor, step)):
                break
            if not line.startswith("#"):
                first = step
            step -= 1
        return first

    @staticmethod
    def _entry(cursor: TextCursor, index: int) -> tuple[PrintedSubject | None, int] | None:
        """The entry that begins in a line, and the index of its last line; None: no entry."""
        parts: list[str] = []
        for end in range(index, index + 3):
            line = cursor.line(end)
            if not line or (not parts and line.lstrip().startswith("#")):
                return None
            parts.append(unmarked(line))
            for whole in joinings(parts):
                match = _LINE.fullmatch(whole)
                if match and re.split("[.,]", match["type"])[0] in TYPES:
                    is_live = _LIVE.match(match.string, match.start("options"))
                    if is_live and not _TAG.match(match["source"]):
                        return None  # /proc/mounts
                    after = cursor.line(end + 1)
                    if len(line) > 65 and _goes_on(after):
                        break
                    return _mount(match), end
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        mounts, last = entries(cursor, first, self._entry, comment="#", most=200)
        return last, [mount for mount in mounts if mount]


_WRITTEN = re.compile(
    r"\b(?:echo|printf)(?: -[en]{1,2})? "
    r"(?:(?P<quote>[\"'])(?P<text>[^\"'\n]{8,400})(?P=quote)|(?P<bare>[^\s\"'>|-][^\"'>|\n]{8,400}))"
    r"[\"']? {0,4}(?:>>|\| {0,4}(?:sudo )?tee (?:-a|--append)) {0,4}[\"']?/etc/fstab\b"
)
_INLINE = re.compile(r"(?<!`)`(?P<text>[^`\n]{20,300})`(?!`)")
_FIELDS = re.compile(r"\s\d\s+\d$")
_MOST = 40


class FstabWritten(StateOutput):
    """An entry that a command adds to the file, or that stands whole in a sentence."""

    tool = "fstab"
    anchors = ("/etc/fstab", "`UUID=", "`LABEL=", "`/dev/")
    commands = ()
    reach = 1

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _added(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _added, _MOST)
        return last, rows


def _added(line: str) -> PrintedSubject | None:
    """The entry that a line has within a command or between backticks."""
    match = _WRITTEN.search(line)
    text = (match["text"] or match["bare"]).replace("\\t", " ") if match else ""
    text = text.strip().removesuffix("\\n")
    if not match and (inline := _INLINE.search(line)) and _FIELDS.search(inline["text"]):
        text = inline["text"]
    entry = _LINE.fullmatch(text.strip()) if text else None
    if entry is None or re.split("[.,]", entry["type"])[0] not in TYPES:
        return None
    return _mount(entry)


def _mount(match: re.Match[str]) -> PrintedSubject | None:
    """A mount with its place in the order of checks, where it is checked at boot."""
    mount = subject(*match.group("source", "point", "type", "options"))
    if mount and _OVER_NETWORK.match(match["source"]) and "_netdev" not in mount.values:
        mount = replace(mount, values={**mount.values, "_netdev": False})
    if mount is None or match["pass"] in {None, "0"}:
        return mount
    return replace(mount, values={**mount.values, "check_order": int(match["pass"])})


def _goes_on(line: str) -> bool:
    """Whether a line can only be the end of the one before it: options, or the last two fields."""
    return bool(re.fullmatch(r"[\w=,.-]{0,60}(?:\s+\d){0,2}|\d(?:\s+\d)?", line)) and bool(
        line.strip()
    )
