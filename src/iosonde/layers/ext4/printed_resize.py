"""What resize2fs says: how large an ext file system is, becomes, or may become at least.

Source: e2fsprogs 1.47, resize/main.c (main(): "The filesystem on %s is now %llu (%dk) blocks
long.", before 1.43 without the size of a block, "Resizing the filesystem on %s to %llu (%dk)
blocks.", "Estimated minimum size of the filesystem: %llu", "New size smaller than minimum (%llu)",
"The containing partition (or device) is only %llu (%dk) blocks.", "You requested a new size of %llu
blocks."), resize/online.c ("old_desc_blocks = %lu, new_desc_blocks = %lu"), resize/resize2fs.c
("Number of free blocks: %llu/%llu, Needed: %llu"). The sizes of "-P" are in blocks, which it does
not say the size of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.text.said_lines import sentences_of

_N = r"\d{1,19}"
_RESIZED = re.compile(
    r"\s*The filesystem (?:on (?P<device>\S+) is (?:now|already)|is already) "
    rf"(?P<blocks>{_N})(?: \((?P<size>\d{{1,3}})k\))? blocks long\."
    r"(?P<nothing>\s+Nothing to do!)?\s*$"
)
_GOAL = re.compile(
    rf"\s*(?:Resizing|Performing an on-line resize of|Converting) (?:the filesystem on )?"
    rf"(?P<device>\S{{1,160}}) to (?P<wanted_blocks>{_N}) \((?P<size>\d{{1,3}})k\) blocks\.\s*$"
)
_LEAST = re.compile(rf"\s*Estimated minimum size of the filesystem: (?P<minimum_blocks>{_N})\s*$")
_TOO_SMALL = re.compile(
    rf"\s*(?:\S{{0,40}}resize2fs: )?New size smaller than minimum \((?P<minimum_blocks>{_N})\)\s*$"
)
_NUMBERS = (
    _LEAST,
    _TOO_SMALL,
    re.compile(rf"\s*You requested a new size of (?P<requested_blocks>{_N}) blocks\.\s*$"),
    re.compile(rf"\s*old_desc_blocks = (?P<old_desc_blocks>{_N}), "
               rf"new_desc_blocks = (?P<new_desc_blocks>{_N})\s*$"),
    re.compile(rf"\s*Number of free blocks: (?P<free_blocks_before>{_N})/"
               rf"(?P<free_blocks_after>{_N}), Needed: (?P<needed_blocks>{_N})\s*$"),
)  # fmt: skip
_ROOM = re.compile(
    rf"\s*The containing partition \(or device\) is only (?P<device_blocks>{_N}) "
    r"\((?P<size>\d{1,3})k\) blocks\.\s*$"
)
_MOUNTED = re.compile(
    r"\s*Filesystem at (?P<device>/\S{1,160}) is mounted on (?P<mount>/\S{0,160}); "
    r"on-line(?: resizing required)?\s*$"
)
_REST = re.compile(r"\s*resizing required\s*$")
"""What a mail broke off of that."""
_VERSION = re.compile(r"\s*resize2fs (?P<version>\d[\w.+~-]{1,30}) \(\d{1,2}-\w{3,9}-\d{4}\)\s*$")
_STEP = re.compile(
    r"\s*(?:Begin pass \d \(max = \d{1,12}\)|(?:Extending the inode table|Relocating blocks"
    r"|Scanning inode table|Updating inode references|Moving inode table|Shrinking inode table)"
    r"\s{1,16}[X-]{0,80})\s*$"
)
_SENTENCE = re.compile(
    r"\s*+(?:resize2fs \d|Filesystem at |The filesystem |(?:Resizing|Performing|Converting) "
    r"|resizing required|(?:\S{0,40}resize2fs: )?New size smaller)"
)
_COMMAND = re.compile(r"resize2fs\s+(?:-\S+ )*(?P<device>/dev/[\w/.-]+)")


class ExtSize(StateOutput):
    tool = "resize2fs"
    anchors = (
        " blocks long.", "k) blocks.", "You requested a new size of ",
        "Estimated minimum size of the filesystem:",
        "New size smaller than minimum (", "; on-line resizing required", "old_desc_blocks = ",
    )  # fmt: skip
    commands = ("resize2fs",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_RESIZED, _GOAL, _ROOM, _MOUNTED, *_NUMBERS)):
            return None
        return top_of(cursor, lambda text: bool(_VERSION.match(text) or _is_own(text)), most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        device, last = "", first
        for index, line in close_lines(cursor, first, gap=2):
            ended = "blocks" in values or (index > first and _VERSION.match(line))
            if ended or prompt_in(line) or not (_VERSION.match(line) or _is_own(line)):
                break
            values.update(_said(line))
            for form in (_RESIZED, _GOAL, _MOUNTED):
                if match := form.match(line):
                    device = match["device"] or device
            last = index
        if not values.keys() - {"resize2fs_version"}:
            raise Unreadable("it is no result", last)
        asked = _COMMAND.search(prompt.command)
        name = device or (asked["device"] if asked else "")
        return last, [PrintedSubject("ext4", name.removeprefix("/dev/"), values, prompt.host)]

    @override
    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        return sentences_of(cursor, first, last, _SENTENCE.match)


def _is_own(line: str) -> bool:
    return any(
        form.match(line) for form in (_RESIZED, _GOAL, _ROOM, _MOUNTED, _REST, _STEP, *_NUMBERS)
    )


def _said(line: str) -> Iterator[tuple[str, Scalar]]:
    """What a line says: numbers of blocks, their size in bytes, where it is mounted."""
    if version := _VERSION.match(line):
        yield "resize2fs_version", version["version"]
    for form, name in (
        (_RESIZED, "blocks"), (_GOAL, "wanted_blocks"), (_ROOM, "device_blocks"),
    ):  # fmt: skip
        if match := form.match(line):
            yield name, int(match[name])
            if match["size"]:  # since 1.43
                yield "block_size", int(match["size"]) * units.KIB
    for form in _NUMBERS:
        if match := form.match(line):
            yield from ((name, int(count)) for name, count in match.groupdict().items())
    if mounted := _MOUNTED.match(line):
        yield "mount", mounted["mount"]
        yield "online", True
