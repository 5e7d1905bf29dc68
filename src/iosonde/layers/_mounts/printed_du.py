"""`du`: what files and folders take on their file system. Read only below its command.

Source: coreutils 9.1, du.c (print_size(): size, a tab, the file): units of 1,024 bytes unless the
command names others.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows

_COMMAND = re.compile(r"(?:^|[\s/;&])du(?:\s+[^\s|;&]+)*\s*(?:\|\s*(?:sort|tail|head)\b.*)?$")
_ROW = re.compile(
    r"\s*(?P<number>\d{1,18}(?:[.,]\d)?)(?P<unit>[KMGTP]?)(?:iB|B)?(?:\t+| {1,12})"
    r"(?P<file>[^\s=:,](?:.{0,300}\S)?)\s*$"
)
_UNIT = re.compile(r"(?:^|\s)(?:-B ?|--block-size[= ])(?P<unit>[KMG])\b")
_FLAGS = re.compile(r"(?:^|\s)-(?P<flags>[a-zA-Z]+)(?=\s|$)")
_MOST = 1000


class Du(StateOutput):
    tool = "du"
    anchors = ("du -", "du /", "du .")
    commands = ("du",)
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        prompt = prompt_in(cursor.line(cursor.at))
        if prompt is None or not _COMMAND.search(prompt.command):
            return None
        row = cursor.at + 1
        return row if _ROW.match(cursor.line(row)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        unit = _unit(prompt.command)
        sizes: dict[str, Json] = {}
        rows, last = close_rows(cursor, first, _ROW.match, _MOST, gap=0, no_prompts=True)
        for row in rows:
            number = float(row["number"].replace(",", "."))
            factor = units.parse_bytes(f"1{row['unit']}") if row["unit"] else unit
            sizes[row["file"]] = round(number * factor)
        what = "apparent_sizes" if _is_apparent(prompt.command) else "sizes"
        return last, [self.counted("files", "", {what: sizes}, prompt)]


def _unit(command: str) -> int:
    """Bytes of a figure without a unit."""
    if named := _UNIT.search(command):
        return units.parse_bytes(f"1{named['unit']}")
    if _counts_bytes(command):
        return 1
    return units.MIB if "m" in _flags(command) else units.KIB


def _is_apparent(command: str) -> bool:
    """Whether the files' lengths were asked for, and not the room that they take."""
    return "--apparent-size" in command or _counts_bytes(command)


def _counts_bytes(command: str) -> bool:
    return "b" in _flags(command) or "--bytes" in command


def _flags(command: str) -> str:
    """The letters of a command's short options."""
    return "".join(match["flags"] for match in _FLAGS.finditer(command))
