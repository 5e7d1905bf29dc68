"""`dumpe2fs -h` and `tune2fs -l`: the superblock of an ext2, ext3 or ext4.

Source: e2fsprogs 1.47, lib/e2p/ls.c (list_super2), misc/dumpe2fs.c
(print_inline_journal_information).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.ext4.facts import superblock_facts
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*Filesystem volume name:\s+\S")
_FIRST = re.compile(r"\s*(?:dumpe2fs|tune2fs) \d")
_LINE = re.compile(r"\s*[A-Z][\w #(),/'-]{2,40}:(?:\s|$)")
_DEVICE = re.compile(r"(?:dumpe2fs|tune2fs)\s.*?(/dev/[\w/.-]+|\S+\.img)")
_FEATURES = re.compile(r"^Filesystem features:([^:]{0,2000}?)\n[A-Z][\w ]+:", re.MULTILINE)
_KEPT = {
    "Filesystem features": "features", "Errors behavior": "errors", "Last mounted on": "mount",
    "Default mount options": "default_options",
}  # fmt: skip
_COUNTS = {
    "Block count": "blocks", "Reserved block count": "reserved_blocks",
    "Free blocks": "free_blocks", "Inode count": "inodes", "Free inodes": "free_inodes",
    "Inode size": "inode_size", "Reserved GDT blocks": "reserved_gdt_blocks",
    "Mount count": "mount_count", "Maximum mount count": "max_mount_count",
    "FS Error count": "error_count",
}  # fmt: skip


class Superblock(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "dumpe2fs"
    anchors: ClassVar[tuple[str, ...]] = ("Filesystem volume name:",)
    commands: ClassVar[tuple[str, ...]] = ("dumpe2fs", "tune2fs")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at) or ""):
            return None
        above = cursor.line(cursor.at - 1) or ""
        return cursor.at - 1 if _FIRST.match(above) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, torn = first, 0
        for index, line in lines(cursor, first + 1, 160):
            if prompt_in(line) or index > last + 3 or (_HEAD.match(line) and index > first + 2):
                break
            torn = 0 if _LINE.match(line) else torn + bool(line)
            if torn > 3:
                break
            last = index if line and not torn else last
        text = "\n".join(line.strip() for line in joined(cursor, first, last).split("\n"))
        facts: dict[str, Scalar] = dict(superblock_facts(text))
        if not facts:
            raise Unreadable("its block size is missing", last)
        facts |= _labelled(text)
        device = _DEVICE.search(prompt.command)
        name = str(facts.pop("mount", "") or (device[1].removeprefix("/dev/") if device else ""))
        if device:
            facts["device"] = device[1]
        feature_lines = _FEATURES.search(text)
        features = "".join(feature_lines[1].split()) if feature_lines else ""
        if feature_lines and "\n" in feature_lines[1].strip():
            facts.pop("features", None)  # a wrap tore them, maybe within a word
        kind = "ext4" if "extent" in features else "ext3" if "has_journal" in features else "ext2"
        return last, [PrintedSubject(kind, name, facts, prompt.host)]


def _labelled(text: str) -> dict[str, Scalar]:
    """What stands behind the labels of text and of counts."""
    facts: dict[str, Scalar] = {}
    for label, name in _KEPT.items():
        match = re.search(rf"^{label}:[ \t]+(\S.*)$", text, re.MULTILINE)
        if match and not match[1].startswith(("<", "(none)")):
            facts[name] = match[1].strip()
    for label, name in _COUNTS.items():
        if match := re.search(rf"^{label}:[ \t]+(-?\d{{1,19}})$", text, re.MULTILINE):
            facts[name] = int(match[1])
    return facts
