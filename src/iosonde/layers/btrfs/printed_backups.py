r"""`dump-super -f`: the chunks in a superblock of btrfs, and the roots that it keeps of before.

Source: btrfs-progs 6.2, kernel-shared/print-tree.c (print_sys_chunk_array(), print_backup(),
print_backup_roots(): "backup_tree_root:\t%llu\tgen: %llu\tlevel: %d").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, close_lines

_CHUNKS = re.compile(r"\s*sys_chunk_array\[\d{1,5}\]:\s*$")
_ROOTS = re.compile(r"\s*backup_roots\[\d\]:\s*$")
_BACKUP = re.compile(r"\s*backup (?P<number>\d):\s*$", re.MULTILINE)
_LINE = re.compile(
    r"\s*(?:backup_[a-z_]{4,24}:|csum_root:|backup \d:|item \d{1,4} key \(|(?:chunk )?length \d"
    r"|io_align \d|num_stripes \d|stripe \d|dev_uuid |item \d)"
)
_REST = re.compile(
    r"\s*(?:gen: \d{1,20}|level: \d|\d{1,20}\s{1,12}level: \d{1,3}|\d{1,20}"
    r"|(?:SYSTEM|METADATA|DATA)[\w|]{0,30}|num_stripes \d{1,4})(?:\s.{0,60})?\s*$"
)
"""What a mail broke off of such a line."""
_VALUE = re.compile(
    r"(?:backup_)?(?P<name>(?:tree|chunk|extent|block_group|fs|dev|csum)_root|total_bytes"
    r"|bytes_used|num_devices):\s{1,40}(?P<value>\d{1,20})"
    r"(?:\s{1,40}gen:\s{1,40}(?P<generation>\d{1,20})\s{1,40}level:\s{1,12}(?P<level>\d{1,3}))?"
)
_KEY = re.compile(r"\s*item \d{1,4} key \((?P<key>[^()]{3,80})\)\s*$")
_GAP = 3  # blank lines between two backups


def backups_at(cursor: TextCursor, first: int) -> tuple[int, dict[str, Json]]:
    """Index of the last line of the chunks and backups from a line on, and what they say.

    Args:
        cursor: to look at.
        first: index of the first line, which may be one of anything else.
    """
    last, roots = first - 1, -1
    chunks: list[list[Json]] = []
    for index, line in close_lines(cursor, first, gap=_GAP):
        if _ROOTS.match(line) or (roots < 0 and _BACKUP.match(line)):
            roots = index
        elif key := _KEY.match(line):
            chunks.append([key["key"]])
        elif not (_CHUNKS.match(line) or _LINE.match(line)) and (
            index != last + 1 or not _REST.match(line)
        ):
            break
        elif chunks and roots < 0 and not _CHUNKS.match(line):
            chunks[-1].append(line.strip())
        last = index
    values: dict[str, Json] = {}
    if chunks:
        values["sys_chunks"] = [*chunks]
    if roots >= 0 and (read := _backups(joined(cursor, roots, last))):
        values["backup_roots"] = read
    return last, values


def _backups(text: str) -> list[Json]:
    """Each backup: block, generation and level of each root, and its sizes in bytes."""
    heads = list(_BACKUP.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    backups: list[Json] = []
    for head, end in zip(heads, ends, strict=False):
        backup: dict[str, Json] = {"backup": int(head["number"])}
        for match in _VALUE.finditer(text, head.end(), end):
            value = int(match["value"])
            backup[match["name"]] = value
            if match["generation"] is not None:
                backup[f"{match['name']}_generation"] = int(match["generation"])
                backup[f"{match['name']}_level"] = int(match["level"])
        backups.append(backup)
    return backups


class BtrfsBackups(StateOutput):
    """Where the superblock's own fields were left out."""

    tool = "btrfs dump-super"
    anchors = (
        "roots[4]:", "array[2048]:", "backup 0:", "backup 1:", "backup 2:", "backup 3:",
    )  # fmt: skip
    commands = ("btrfs", "btrfs-show-super")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        begins = any(form.match(line) for form in (_CHUNKS, _ROOTS, _BACKUP))
        return cursor.at if begins else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values = backups_at(cursor, first)
        if not values:
            raise Unreadable("neither a chunk nor a root can be read", max(last, first))
        return last, [self.counted("btrfs", prompt.path, values, prompt)]
