"""What parted and gdisk say of a table and of its rows, beside sizes and places.

parted's columns depend on the table: "Type" is of DOS tables, "Name" of those that have names.

Source: gptfdisk 1.0.10, gpt.cc (DisplayGPTData()) and gptpart.cc (ShowSummary()); parted 3.5,
parted/parted.c (do_print(), print_disk_info(): "Disk Flags: %s").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde.kerneltext import fields
from iosonde.records.stack import Scalar

_COUNTS = (
    re.compile(r"Partition table holds up to (?P<partition_entries>\d{1,6}) entries"),
    re.compile(
        r"[Mm]ain partition table begins at sector (?P<table_first_sector>\d{1,15}) "
        r"and ends at sector (?P<table_last_sector>\d{1,15})(?= [A-Z])"
    ),
    re.compile(
        r"First usable sector is (?P<first_usable_sector>\d{1,15}), "
        r"last usable sector is (?P<last_usable_sector>\d{1,15})(?= [A-Z])"
    ),
    re.compile(r"Partitions will be aligned on (?P<alignment_sectors>\d{1,10})-sector boundaries"),
    re.compile(r"Total free space is (?P<free_sectors>\d{1,15}) sectors"),
)
_FLAGS = re.compile(
    r"^\s*Disk Flags: (?P<flags>[a-z_]{2,20}(?:, [a-z_]{2,20}){0,5})\s*$", re.MULTILINE
)
_HEAD = re.compile(r"\s*(?P<number>Number|#)\s{1,12}Start\s.{1,120}$")
_COLUMNS = {"Type": "role", "File system": "fstype", "Name": "label", "Flags": "flags",
            "Code": "type_code"}  # fmt: skip
_NAME = re.compile(r"(?<!\S)(?:File system|Type|Name|Flags|Code)(?!\S)")


_ROLES = frozenset({"primary", "extended", "logical"})
_FLAG = re.compile(
    r"boot|root|swap|hidden|raid|lvm|lba|legacy_boot|irst|msftres|msftdata|prep|esp|diag|palo"
    r"|type=\w{2}|no_automount|bls_boot|chromeos_kernel|swsusp"
)


def of_table(text: str, flowing: str) -> dict[str, Scalar]:
    """Counts and sectors of a table of gdisk, and the flags of a disk that parted prints.

    Args:
        text: lines of the table.
        flowing: its words with single blanks between them.
    """
    values: dict[str, Scalar] = {}
    for pattern in _COUNTS:
        if match := pattern.search(flowing):
            values |= {name: int(figure) for name, figure in match.groupdict().items()}
    if flags := _FLAGS.search(text):
        values["disk_flags"] = flags["flags"]
    return values


def columns_of(line: str) -> Mapping[str, tuple[int, int]]:
    """Where the columns of texts begin and end in a head of parted or gdisk; empty in others.

    Also of the tables of GPT that fdisk of util-linux 2.23 prints, where "#" stands for "Number"
    and the type is that of the contents.
    """
    head = _HEAD.match(line)
    if head is None:
        return {}
    meant = _COLUMNS | ({"Type": "type"} if head["number"] == "#" else {})
    names = [(meant[match[0]], match.start()) for match in _NAME.finditer(line)]
    if not names:
        return {}
    ends = [start for _, start in names[1:]] + [len(line) + 400]
    return {name: (start, end) for (name, start), end in zip(names, ends, strict=True)}


def cells_of(line: str, columns: Mapping[str, tuple[int, int]]) -> dict[str, Scalar]:
    """The texts of a row by where they stand; none where one reaches over its column."""
    values: dict[str, Scalar] = {}
    for name, (start, end) in columns.items():
        if line[start - 1 : start].strip() or line[end - 1 : end].strip():
            return {}
        if cell := line[start:end].strip():
            values[name] = cell
    return values


def cells_of_row(rest: str, columns: Mapping[str, tuple[int, int]]) -> dict[str, Scalar]:
    """Type, file system and flags behind the size of a row of parted whose blanks were lost.

    Only of a table with types of partitions, and none where more than one word is left over.
    """
    cells = fields(rest.replace(",", " "))
    if "role" not in columns or not cells or cells[0] not in _ROLES:
        return {}
    values: dict[str, Scalar] = {"role": cells.pop(0)}
    flags: list[str] = []
    while cells and _FLAG.fullmatch(cells[-1]):
        flags.insert(0, cells.pop())
    if len(cells) > 1:
        return {}
    if cells:
        values["fstype"] = cells[0]
    return values | ({"flags": ", ".join(flags)} if flags else {})
