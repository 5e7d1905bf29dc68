"""What mke2fs and mkfs.ext4 say of the file system that they make: blocks, inodes, stripe, journal.

Source: e2fsprogs 1.47, misc/mke2fs.c (show_stats(), main(): "Creating filesystem with %llu %dk
blocks and %u inodes", "Creating journal (%u blocks): "), misc/util.c; lib/support/plausible.c
(check_plausibility(): what the device holds already). Other languages are read by
mke2fs_languages.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID, fields
from iosonde.layers.ext4 import mke2fs_languages
from iosonde.layers.ext4.mke2fs_languages import in_english
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of
from iosonde.text.said_lines import sentences_of

_MADE = re.compile(
    r"\s*Creating filesystem with (?P<blocks>\d{1,19}) (?P<size>\d{1,5})(?P<kilo>k)? blocks "
    r"and (?P<inodes>\d{1,19}) inodes\s*$"
)
_LABEL = re.compile(r"\s*Filesystem label=(?P<label>.{0,16}?)\s*$")
_BLOCK = re.compile(r"\s*Block size=(?P<size>\d{1,6}) \(log=\d\)\s*$")
_STRIPE = re.compile(
    r"\s*Stride=(?P<stripe_unit>\d{1,10}) blocks, "
    r"Stripe width=(?P<stripe_width>\d{1,10}) blocks\s*$"
)
_COUNTS = re.compile(r"\s*(?P<inodes>\d{1,19}) inodes, (?P<blocks>\d{1,19}) blocks\s*$")
_RESERVED = re.compile(
    r"\s*(?P<reserved_blocks>\d{1,19}) blocks \((?P<share>\d{1,2}\.\d\d)%\) "
    r"reserved for the super user\s*$"
)
_GROUPS = re.compile(r"\s*(?P<block_groups>\d{1,10}) block groups?\s*$")
_UUID = re.compile(rf"\s*Filesystem UUID: (?P<uuid>{UUID})\s*$")
_JOURNAL = re.compile(r"\s*Creating journal \((?P<journal_size>\d{1,10}) blocks\): *(?:done)?\s*$")
_PARTS = re.compile(
    r"\s*(?P<blocks_per_group>\d{1,10}) blocks per group, "
    r"(?P<fragments_per_group>\d{1,10}) fragments per group\s*$"
)
_INODES = re.compile(r"\s*(?P<inodes_per_group>\d{1,10}) inodes per group\s*$")
_FRAGMENT = re.compile(r"\s*Fragment size=(?P<fragment_size>\d{1,6}) \(log=\d\)\s*$")
_FIRST = re.compile(r"\s*First data block=(?P<first_block>\d{1,10})\s*$")
_LIMIT = re.compile(r"\s*Maximum filesystem blocks=(?P<max_blocks>\d{1,20})\s*$")
_VERSION = re.compile(
    r"\s*mke2fs (?P<mke2fs_version>\d[\w.+~-]{1,30}) \((?P<mke2fs_date>\d{1,2}-\w{3,9}-\d{4})\)\s*$"
)
_DISCARD = re.compile(
    r"\s*Discarding device blocks: "
    r"(?:[ \d/\x08]{0,400}(?P<done>done)|failed - (?P<error>\S.{0,60}?))\s*$"
)
"""Its progress, which a terminal overwrites, stands before the end where a log keeps all."""
_BACKUPS = re.compile(r"\s*Superblock backups stored on blocks:")
_BLOCKS = re.compile(r"\s*\d{1,19}(?:, \d{1,19}){0,40},?\s*$")
_COUNTED = frozenset({
    "blocks", "inodes", "reserved_blocks", "block_groups", "blocks_per_group",
    "fragments_per_group", "inodes_per_group", "fragment_size", "first_block", "max_blocks",
})  # fmt: skip
_SURE = (_MADE, _LABEL, _BLOCK, _STRIPE, _RESERVED, _JOURNAL)
_OTHERS = re.compile(
    r"\s*+(?:mke2fs \d|fs_types for mke2fs\.conf|Discarding device blocks: |Discard succeeded "
    r"|OS type: |Fragment size=|First data block=|Maximum filesystem blocks="
    r"|\d{1,10} (?:blocks|inodes) per group|Superblock backups stored on blocks:"
    r"|\d{1,19}(?:, \d{1,19}){0,20},?\s*$|Allocating group tables: |Writing inode tables: "
    r"|Writing superblocks and filesystem accounting info\w*: |Proceed anyway\?"
    r"|This filesystem will be automatically checked every|180 days, whichever comes first\."
    r"|\d{1,3} mounts or \d{1,4} days, whichever|\S{1,80} contains (?:an? \S{2,20} file system|`)"
    r"|(?:last mounted|last modified|created) on |Found an? \S{2,20} partition table in /"
    r"|\S{1,80} is entire device, not just one partition!|64-bit filesystem support is not enabled)"
)
_HELD = re.compile(
    r"\s*(?:/\S{1,80} contains (?:an? (?P<contains>\S{2,20}) file system"
    r"(?: labelled '[^'\n]{1,60}')?|`(?P<data>[^'\n]{2,80})' data)"
    r"|Found an? (?P<table>\S{2,20} partition table) in /\S{1,80})\s*$"
)
"""What the device holds before."""
_COMMAND = re.compile(r"(?:mke2fs|mkfs(?:\.ext[234])?)\s(?P<arguments>.*)$")
_DEVICE = re.compile(r"(?:^|\s)(?P<device>/\S{1,160}|[\w.-]{1,80}\.img)(?=\s|$)")
_MOST = 80
_GAP = 4  # lines: a blank one stands below the list of superblocks


class Mke2fs(StateOutput):
    tool = "mke2fs"
    anchors = (
        "Creating filesystem with ", "Filesystem label=", ", Stripe width=", "Block size=",
        " reserved for the super user", "Creating journal (", *mke2fs_languages.anchors(),
    )  # fmt: skip
    commands = (
        "mke2fs", "mkfs", "mkfs.ext4", "mkfs.ext3", "mkfs.ext2",
    )  # fmt: skip
    nothing = "it says nothing of the file system"

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return sentences_of(cursor, first, last, _HELD.match)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = in_english(cursor.line(cursor.at))
        if not any(pattern.match(line) for pattern in _SURE):
            return None
        return top_of(cursor, _is_other)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, block, copies = first, 0, list[str]()
        for index, printed in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and prompt_in(printed)):
                break
            line = in_english(printed)
            if made := _MADE.match(line):
                block = int(made["size"]) * (units.KIB if made["kilo"] else 1)
            elif size := _BLOCK.match(line):
                block = int(size["size"])
            said = dict(_said(line, block))
            is_own = said or _OTHERS.match(line) or any(form.match(line) for form in _SURE)
            if line and not is_own:
                break
            values |= said
            above = in_english(cursor.line(last))
            if _BLOCKS.match(line) and (copies or _BACKUPS.match(above)):
                copies += fields(line.replace(",", " "))
            last = index if line else last
        if copies:
            values["superblock_copies"] = " ".join(copies)
        command = _COMMAND.search(prompt.command)
        devices = _DEVICE.findall(command["arguments"]) if command else []
        kind = re.search(r"ext[23]\b", prompt.command)
        name = devices[-1].removeprefix("/dev/") if devices else ""
        subject = PrintedSubject(kind[0] if kind else "ext4", name, values, prompt.host)
        return last, [subject] if values else []


def _is_other(line: str) -> bool:
    return _OTHERS.match(in_english(line)) is not None


def _said(line: str, block: int) -> Iterator[tuple[str, Scalar]]:
    """What a line says of the file system, sizes in bytes.

    Args:
        line: of the output.
        block: bytes of a block, as far as they are known; 0: not yet.
    """
    if block and (_MADE.match(line) or _BLOCK.match(line)):
        yield "block_size", block
    for pattern in (_MADE, _COUNTS, _RESERVED, _GROUPS, _PARTS, _INODES, _FRAGMENT, _FIRST, _LIMIT):
        if match := pattern.match(line):
            yield from ((name, int(match[name])) for name in match.groupdict() if name in _COUNTED)
    if reserved := _RESERVED.match(line):
        yield "reserved_share", round(float(reserved["share"]) / 100, 6)
    for pattern in (_STRIPE, _JOURNAL):
        if match := pattern.match(line):
            yield from _in_bytes(match, block)
    yield from _discarded(line)
    if held := _HELD.match(line):
        yield "contains", held["contains"] or held["data"] or held["table"]
    for pattern in (_LABEL, _UUID, _VERSION):
        if match := pattern.match(line):
            yield from ((name, text) for name, text in match.groupdict().items() if text)


def _discarded(line: str) -> Iterator[tuple[str, Scalar]]:
    """Whether all blocks were discarded before, and why not."""
    if match := _DISCARD.match(line):
        yield "discarded", bool(match["done"])
        if match["error"]:
            yield "discard_error", match["error"]


def _in_bytes(match: re.Match[str], block: int) -> Iterator[tuple[str, Scalar]]:
    """Sizes that are printed in blocks; as these where it is not known how large they are."""
    for name, blocks in match.groupdict().items():
        if int(blocks):  # a stride of 0: there is none
            yield (name, int(blocks) * block) if block else (f"{name}_blocks", int(blocks))
