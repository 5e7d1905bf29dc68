"""`dumpe2fs -h` and `tune2fs -l`: the superblock of an ext2, ext3 or ext4.

Source: e2fsprogs 1.47, lib/e2p/ls.c (list_super2), lib/e2p/feature.c (names of features),
misc/dumpe2fs.c (print_inline_journal_information).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.ext4.facts import superblock_facts
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_HEAD = re.compile(r"\s*Filesystem volume name:\s+\S")
_FIRST = re.compile(r"\s*(?:dumpe2fs|tune2fs) \d")
_LINE = re.compile(r"\s*[A-Z][\w #(),/'-]{2,40}:(?:\s|$)")
_DEVICE = re.compile(r"(?:dumpe2fs|tune2fs)\s.*?(/dev/[\w/.-]+|\S+\.img)")
_FEATURES = re.compile(
    r"^Filesystem features:(?P<features>[^:]{0,2000}?)(?=\n[A-Z][\w #]{2,30}:|\n\n|\Z)",
    re.MULTILINE,
)
_NAMES = frozenset({
    "64bit", "bigalloc", "casefold", "compression", "dir_index", "dir_nlink", "dir_prealloc",
    "dirdata", "ea_inode", "encrypt", "ext_attr", "extent", "extents", "extra_isize",
    "fast_commit", "filetype", "flex_bg", "has_journal", "huge_file", "imagic_inodes",
    "inline_data", "journal_dev", "large_dir", "large_file", "lazy_bg", "meta_bg",
    "metadata_csum", "metadata_csum_seed", "mmp", "needs_recovery", "orphan_file",
    "orphan_present", "project", "quota", "read-only", "replica", "resize_inode",
    "shared_blocks", "snapshot", "snapshot_bitmap", "sparse_super", "sparse_super2",
    "stable_inodes", "uninit_bg", "uninit_groups", "verity",
})  # fmt: skip
_LABELS = frozenset({
    "Filesystem created", "Filesystem features", "Filesystem flags", "Filesystem state",
    "Filesystem UUID", "Filesystem OS type", "Filesystem magic number", "Filesystem revision #",
    "Last mounted on", "Last mount time", "Last write time", "Last checked", "Errors behavior",
    "Inode count", "Block count", "Reserved block count", "Reserved GDT blocks",
    "Reserved blocks uid", "Reserved blocks gid", "Free blocks", "Free inodes", "First block",
    "First inode", "Block size", "Fragment size", "Blocks per group", "Fragments per group",
    "Clusters per group", "Cluster size", "Inodes per group", "Inode blocks per group",
    "Flex block group size", "First meta block group", "Mount count", "Maximum mount count",
    "Check interval", "Next check after", "Lifetime writes", "Inode size", "Required extra isize",
    "Desired extra isize", "Journal inode", "Journal backup", "Journal UUID", "Journal device",
    "Journal features", "Journal size", "Journal length", "Journal sequence", "Journal start",
    "Journal checksum type", "Journal checksum", "Journal errno", "Total journal size",
    "Total journal blocks", "Max transaction length", "Fast commit length",
    "Default mount options", "Mount options", "Default directory hash", "Directory Hash Seed",
    "Group descriptor size", "Overhead clusters", "RAID stride", "RAID stripe width",
    "FS Error count", "First orphan inode", "Orphan file inode", "Checksum", "Checksum type",
    "Checksum seed", "MMP block number", "MMP update interval", "Character encoding",
    "User quota inode", "Group quota inode", "Project quota inode", "Backup block groups",
    *(f"{which} error {what}" for which in ("First", "Last")
      for what in ("time", "function", "line #", "inode #", "block #", "err")),
})  # fmt: skip
"""Labels other than the name of the volume, at which the whole begins."""
_GROUP = re.compile(r"\s*Group \d{1,10}:")
_SURE = re.compile(r"\s*[A-Z][\w #]{3,30}:(?:[ \t]{2,24}|\t)\S")
"""As the labels are aligned; with a single blank it may be anybody's line."""
_KEPT = {
    "Filesystem features": "features", "Errors behavior": "errors", "Last mounted on": "mount",
    "Default mount options": "default_options", "Filesystem state": "superblock_state",
    "Filesystem UUID": "uuid",
}  # fmt: skip
_COUNTS = {
    "Block count": "blocks", "Reserved block count": "reserved_blocks",
    "Free blocks": "free_blocks", "Inode count": "inodes", "Free inodes": "free_inodes",
    "Inode size": "inode_size", "Reserved GDT blocks": "reserved_gdt_blocks",
    "Mount count": "mount_count", "Maximum mount count": "max_mount_count",
    "FS Error count": "error_count",
}  # fmt: skip

_READ = frozenset({
    "Block size", "RAID stride", "RAID stripe width", "Journal size",
    "Total journal size", "Filesystem volume name",
})  # fmt: skip
_TOOLS = ("dumpe2fs: ", "tune2fs: ")
_PROBLEM = re.compile(r"(?:dumpe2fs|tune2fs): (\S.{4,120}?) while (?:trying to open|reading)\b")
"""Of the library, which the programs print behind what they could read."""
_PAIR = re.compile(r"(?P<label>[A-Z][\w #(),/'-]{2,40}):[ \t]{1,40}(?P<value>\S.{0,200}?)\s*$")


class Superblock(StateOutput):
    tool = "dumpe2fs"
    anchors = ("Filesystem volume name:",)
    commands = ("dumpe2fs", "tune2fs")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        above = cursor.line(cursor.at - 1)
        return cursor.at - 1 if _FIRST.match(above) else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, torn = first, 0
        for index, line in lines(cursor, first + 1, 160):
            if prompt_in(line) or index > last + 3 or (_HEAD.match(line) and index > first + 2):
                break
            if _GROUP.match(line):
                break
            torn = 0 if _LINE.match(line) else torn + bool(line)
            if torn > 3:
                break
            last = index if line and not torn else last
        text = "\n".join(line.strip() for line in joined(cursor, first, last).split("\n"))
        facts = {**superblock_facts(text), **_labelled(text)}
        if not facts:
            raise Unreadable("its lines are cut off", last)
        below = [line.strip() for line in cursor.block(last + 1, 4)]
        at = next((at for at, line in enumerate(below[:3]) if line.startswith(_TOOLS)), 0)
        if problem := _PROBLEM.match(" ".join(below[at : at + 2])):
            facts["problem"] = problem[1]
            last += at + 1
        return last, [_subject(facts, text, prompt)]


class SuperblockPart(StateOutput):
    """Some lines of it, as `grep` chose them."""

    tool = "dumpe2fs"
    anchors = (
        "Filesystem created:", "Filesystem features:", "Filesystem state:", "Errors behavior:",
        "Mount count:", "Maximum mount count:", "Last checked:", "Last mount time:",
        "Lifetime writes:", "Check interval:", "Reserved block count:", "Reserved GDT blocks:",
        "Inode count:", "Inode size:", "FS Error count:", "error function:", "error time:",
        "Default mount options:", "Journal inode:", "RAID stripe width:", "Overhead clusters:",
    )  # fmt: skip
    commands = ("dumpe2fs", "tune2fs")
    reach = 4
    nothing = "it says nothing of the file system"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_is_labelled(line) and _SURE.match(line)):
            return None
        return top_of(cursor, lambda text: _is_labelled(text) or _FIRST.match(text))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, feature, torn = first, False, False
        for index, line in close_lines(cursor, first, 160):
            goes_on = feature and index == last + 1 and _NAMES.issuperset(fields(line))
            if not (goes_on or _is_labelled(line) or (index == first and _FIRST.match(line))):
                torn = feature and index == last + 1 and not _NAMES.isdisjoint(fields(line))
                break
            feature = goes_on or line.lstrip().startswith("Filesystem features:")
            last = index
        text = "\n".join(line.strip() for line in joined(cursor, first, last).split("\n"))
        facts = {**superblock_facts(text), **_labelled(text)}
        subject = _subject(facts, text, prompt)
        whole = {name: fact for name, fact in subject.values.items() if name != "features"}
        if torn:
            subject = PrintedSubject(subject.kind, subject.name, whole, subject.host)
        return last, [subject] if facts and (whole or not torn) else []


def _is_labelled(line: str) -> bool:
    pair = _PAIR.match(line.strip())
    return pair is not None and pair["label"] in _LABELS


def _subject(facts: dict[str, Scalar], text: str, prompt: Prompt) -> PrintedSubject:
    """The file system that the facts are of, by its mount point, or the device of the command."""
    device = _DEVICE.search(prompt.command)
    name = str(facts.pop("mount", "") or (device[1].removeprefix("/dev/") if device else ""))
    if device:
        facts["device"] = device[1]
    listed = _FEATURES.search(text)
    names = fields(listed["features"].replace("\n", " ")) if listed else []
    if _NAMES.issuperset(names) and names:
        facts["features"] = " ".join(names)
    elif listed and "\n" in listed["features"].strip():
        facts.pop("features", None)  # a wrap tore them, maybe within a word
    whole = "".join(names)
    kind = "ext3" if "has_journal" in whole else "ext2"
    kind = "ext4" if "extent" in whole or not names else kind
    return PrintedSubject(kind, name, facts, prompt.host)


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
    return _others(text) | facts


def _others(text: str) -> dict[str, Scalar]:
    """What the other labels say, under their own names; not of a line that a wrap may have torn."""
    rows = [line for line in text.split("\n") if line]
    pairs = dict[str, str]()
    for line, below in zip(rows, [*rows[1:], ""], strict=True):
        match = _PAIR.match(line)
        is_whole = not below or _LINE.match(below)
        if (
            match
            and match["label"] in _LABELS
            and is_whole
            and not match["value"].startswith(("<", "(none)"))
        ):
            pairs.setdefault(match["label"], match["value"])
    return as_labelled(pairs, {*_KEPT, *_COUNTS, *(_READ if "Block size" in pairs else ())})
