"""`lsattr`: the attributes of files, by letter and in words.

Source: e2fsprogs 1.47, misc/lsattr.c (list_attributes(): "%5lu ", "%-10lu ", "%-28s "),
lib/e2p/pf.c (flags_array: letters and long names; their places differ from version to version).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of_own

_LETTERS = "suSDiadAcEjItTeCxFNPVmhBZXb"
_ROW = re.compile(
    r"\s*+(?:(?P<project>\d{1,10}) {1,4})?(?:(?P<version>\d{1,10}) {1,10})?"
    rf"(?P<flags>(?=[\w-]{{0,22}}---)[-{_LETTERS}]{{13,22}}) (?P<file>[./~\w][^\n]{{0,400}}?)\s*$"
)
_LONG = re.compile(
    r"\s*(?P<file>[./~\w][^\n]{0,400}?) {1,28}"
    r"(?P<names>[A-Z][A-Za-z_]{2,30}(?:, [A-Z][A-Za-z_]{2,30}){0,12})\s*$"
)
_NAMES = frozenset({
    "Secure_Deletion", "Undelete", "Synchronous_Updates", "Synchronous_Directory_Updates",
    "Immutable", "Append_Only", "No_Dump", "No_Atime", "Compression_Requested", "Encrypted",
    "Journaled_Data", "Indexed_directory", "No_Tailmerging", "Top_of_Directory_Hierarchies",
    "Extents", "No_COW", "DAX", "Casefold", "Inline_Data", "Project_Hierarchy", "Verity",
    "Dont_Compress",
})  # fmt: skip
_HEAD = re.compile(r"\s*(?P<folder>[./~\w][^\n:]{0,300}):\s*$")
_MOST = 20000
_KEPT = 400  # files


class Lsattr(StateOutput):
    """A row for each file; `-R` heads those of a folder."""

    tool = "lsattr"
    anchors = (
        "--e-", "-i--", "-C--", "-a--", "-A--", "-I--", "-c--", "--m ", "-d--", "-j--", "-s--",
        "-E--", "-P--", "--x-", "--V-", "-N--", "-F--", " Extents", "  Immutable", "  Append_Only",
        "  No_COW",
    )  # fmt: skip
    commands = ("lsattr",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _row)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, letters, files, last = list[Json](), dict[str, Json](), 0, first
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            row = _row(line)
            if row is None and (not _HEAD.match(line) or prompt_in(line)):
                break
            if row:
                said = {name: part for name, part in row.groupdict().items() if part}
                flags = said.pop("flags", "").replace("-", "")
                names = said.pop("names", "").split(", ")
                attributes = [*flags] or [name for name in names if name]
                for letter in attributes:
                    count = letters.get(letter)
                    letters[letter] = (count if isinstance(count, int) else 0) + 1
                files += 1
                rows.append({**said, "attributes": " ".join(attributes)})
                last = index
        values: dict[str, Json] = {"files": files, "attributes": letters, "rows": rows[:_KEPT]}
        return last, [self.counted("files", "", values, prompt)]


def _row(line: str) -> re.Match[str] | None:
    long = _LONG.match(line)
    is_padded = long and (long["file"][0] in "./~" or "   " in line.strip())
    if long and is_padded and _NAMES.issuperset(long["names"].split(", ")):
        return long
    return _ROW.match(line)
