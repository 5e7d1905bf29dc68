"""`btrfs-find-root`: the roots of a tree that it came across, and what the superblock wants.

Source: btrfs-progs 6.2, btrfs-find-root.c (get_root_gen_and_level(), print_one_result(), main());
that of 3.12 says "Super think's the tree root is at %llu, chunk root %llu" and "Well block %llu
seems great, but generation doesn't match, have=%llu, want=%llu level %u".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.btrfs.progs_version import version_above
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, end_of, top_of_own
from iosonde.text.torn import across_wraps

_LINE = re.compile(
    r"\s*(?:Superblock (?:thinks the (?:generation|level) is \d|doesn't contain )"
    r"|Super think's the tree root is at \d|Well block \d{1,20} ?(?:\(gen: \d|seems great)"
    r"|Found tree root at \d)"
)
_REST = re.compile(
    r"\s*(?:(?:seems |good, |but |generation/level |and it matches superblock|we are unsure "
    r"|doesn't |match, |want |gen: |level: ?|level |have=|correct |info for |root \d|chunk root )"
    r".{0,80}|\d{1,20}(?: level:? \d)?)\s*$"
)
"""What a mail broke off of such a line."""


_N = r"\d{1,20}"
_ONCE = (
    across_wraps(rf"Superblock thinks the generation is (?P<superblock_generation>{_N})"),
    across_wraps(r"Superblock thinks the level is (?P<superblock_level>\d{1,3})"),
    across_wraps(rf"Super think's the tree root is at (?P<superblock_root>{_N}), "
          rf"chunk root (?P<superblock_chunk_root>{_N})"),
    across_wraps(rf"Found tree root at (?P<root>{_N}) gen (?P<root_generation>{_N}) "
          r"level (?P<root_level>\d{1,3})"),
)  # fmt: skip
_WELL = across_wraps(
    rf"Well block (?P<block>{_N})\s{{0,12}}\(gen: (?P<generation>{_N}) "
    r"level: (?P<level>\d{1,3})\) seems good, (?P<end>and it matches superblock|but we are unsure"
    rf"|but generation/level doesn't match, want gen: (?P<wanted>{_N}) level: (?P<at>\d{{1,3}}))"
)
_OLD_WELL = across_wraps(
    rf"Well block (?P<block>{_N}) seems great, but generation doesn't match, "
    rf"have=(?P<generation>{_N}), want=(?P<wanted>{_N})(?: level (?P<level>\d{{1,3}}))?"
)
_MOST = 20000
_KEPT = 400


class BtrfsFindRoot(StateOutput):
    tool = "btrfs-find-root"
    anchors = (
        "Superblock thinks the ", "Super think's the tree root", "Well block ",
        "Found tree root at ",
    )  # fmt: skip
    commands = ("btrfs-find-root", "btrfs", "find-root")
    reach = 5

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _LINE.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _is_own, gap=2, most=_MOST)
        text = joined(cursor, first, last)
        values: dict[str, Json] = {
            name: int(match[name])
            for form in _ONCE
            if (match := form.search(text))
            for name in match.groupdict()
        }
        values |= _wells(text)
        if not values or len(_WELL.findall(text)) + len(_OLD_WELL.findall(text)) < text.count(
            "Well block "
        ):
            raise Unreadable("a line of it is cut off", last)
        return last, [
            self.counted("btrfs", prompt.path, {**version_above(cursor, first), **values}, prompt)
        ]


def _is_own(line: str) -> bool:
    return bool(_LINE.match(line) or _REST.match(line))


def _wells(text: str) -> dict[str, Json]:
    """The blocks that look like roots: how many, which, and what generation was wanted."""
    rows = list[Json]()
    wanted = dict[str, Json]()
    for form in (_WELL, _OLD_WELL):
        for match in form.finditer(text):
            row: dict[str, Json] = {
                name: int(match[name])
                for name in ("block", "generation", "level")
                if match[name] is not None
            }
            groups = match.groupdict()
            if groups.get("end"):
                row["matches"] = match["end"].startswith("and")
            if groups["wanted"]:
                wanted["wanted_generation"] = int(groups["wanted"])
            if groups.get("at"):
                wanted["wanted_level"] = int(groups["at"])
            rows.append(row)
    return {"well_blocks": len(rows), "wells": rows[:_KEPT], **wanted} if rows else {}
