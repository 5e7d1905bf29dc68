"""debugfs: an inode of ext (`stat`), its extents (`dump_extents`), a directory's index (`htree`).

Source: e2fsprogs 1.47, debugfs/debugfs.c (internal_dump_inode(), dump_extents(), dump_blocks()),
debugfs/htree.c (do_htree_dump(), htree_dump_int_node(), htree_dump_leaf_node()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, end_of

_N = r"\d{1,20}"
_INODE = re.compile(
    rf"\s*Inode: (?P<inode>{_N})\s{{1,8}}Type: (?P<type>[a-z][\w ]{{2,20}}?)\s{{1,8}}"
    r"Mode:\s{1,4}(?P<mode>0[0-7]{3,5})\s{1,8}Flags: (?P<flags>0x[\da-f]{1,8})\s*$"
)
_PAIRS = tuple(re.compile(form) for form in (
    rf"Generation: (?P<generation>{_N})\s{{1,8}}Version: (?P<version>0x[\da-f:]{{1,24}})",
    rf"User:\s{{1,8}}(?P<user>{_N})\s{{1,8}}Group:\s{{1,8}}(?P<group>{_N})",
    rf"\bProject:\s{{1,8}}(?P<project>{_N})",
    rf"(?:Group|Project):\s{{1,8}}{_N}\s{{1,8}}Size: (?P<size>{_N})",
    rf"File ACL: (?P<file_acl>{_N})",
    rf"Links: (?P<links>{_N})\s{{1,8}}Blockcount: (?P<blockcount>{_N})",
    rf"Size of extra inode fields: (?P<extra_isize>{_N})",
    r"Inode checksum: (?P<checksum>0x[\da-f]{8})",
    rf"TOTAL: (?P<total_blocks>{_N})",
))  # fmt: skip
_TIMES = re.compile(
    r"^\s*(?P<name>[acmd]time|crtime): (?P<time>0x[\da-f]{8}(?::\(?[\da-f]{8}\)?)?) -- \S",
    re.MULTILINE,
)
_OWN = re.compile(
    r"\s*(?:Generation: \d|User:|File ACL: |Links: \d|Fragment:|[acmd]time: 0x|crtime: 0x"
    r"|Size of extra inode fields: |Inode checksum: 0x|EXTENTS:|BLOCKS:|TOTAL: \d|Fast link dest: "
    r"|Device major/minor number|Extended attributes:|Inode is|\((?:\d|IND|DIND|TIND|ETB)"
    r"|[\w.]{1,60} \(\d{1,6}\)|(?:Project|Size): {1,8}\d)"
)
_BLOCKS = re.compile(
    rf"\((?:(?P<tree>ETB\d|IND|DIND|TIND)|(?P<from>{_N})(?:-(?P<to>{_N}))?(?P<unwritten>\[u\])?)\):"
    rf"(?P<at>{_N})(?:-(?P<end>{_N}))?(?![\d-])"
)
_LEVELS = re.compile(r"\s*Level Entries\s{1,60}Logical\s{1,60}Physical Length Flags\s*$")
_ROW = re.compile(
    rf"\s*(?P<level>\d{{1,2}})/\s{{0,2}}(?P<depth>\d{{1,2}})\s{{1,4}}(?P<entry>\d{{1,5}})/"
    rf"\s{{0,4}}(?P<entries>\d{{1,5}})\s{{1,12}}(?P<from>{_N}) -\s{{1,20}}(?P<to>{_N})"
    rf"\s{{1,20}}(?P<at>{_N})(?: -\s{{1,20}}(?P<end>{_N}))?\s{{1,40}}(?P<length>{_N})"
    r"(?:\s{1,4}(?P<flags>[A-Z][\w,]{2,30}))?\s*$"
)
_ROOT = re.compile(r"\s*Root node dump:\s*$")
_ROOT_LINES = tuple(re.compile(form) for form in (
    r"\s*Hash Version: (?P<hash_version>\d{1,3})\s*$",
    r"\s*Info length: (?P<info_length>\d{1,3})\s*$",
    r"\s*Indirect levels: (?P<indirect_levels>\d{1,2})\s*$",
    r"\s*Number of entries \(count\): (?P<count>\d{1,6})\s*$",
    r"\s*Number of entries \(limit\): (?P<limit>\d{1,6})\s*$",
))  # fmt: skip
_ENTRY = re.compile(
    r"\s*Entry #\d{1,6}: Hash (?P<hash>0x[\da-f]{8})(?: \(\*\*\))?, block (?P<block>\d{1,12})\s*$"
)
_LEAF = re.compile(rf"\s*Reading directory block (?P<block>{_N}), phys (?P<at>{_N})\s*$")
_NAME = re.compile(rf"(?<!\S){_N} 0x[\da-f]{{8}}-[\da-f]{{8}} \(\d{{1,6}}\) \S")
_HTREE = re.compile(
    r"\s*(?:Reserved zero: \d|Flags: (?:0x)?\d|Checksum: 0x|leaf block checksum: 0x|-{10,}"
    r"|Corrupted directory block)"
)
_ASKED = re.compile(
    r"(?:debugfs:\s{1,4}|-R\s{1,4}['\"]?)(?:stat|dump_extents|extents|ex|htree|htree_dump|dx_dump)"
    r"\s{1,4}(?P<file><\d{1,12}>|[^\s'\"]{1,200})"
)
_KEPT = 400  # extents, entries of an index
_MOST = 20000


class _DebugfsOutput(StateOutput):
    """One of debugfs's outputs; the file of which it is stands in the command, if anywhere."""

    tool = "debugfs"
    commands = ("debugfs",)
    reach = 4

    def of_file(
        self, cursor: TextCursor, first: int, prompt: Prompt, values: dict[str, Json]
    ) -> PrintedCounters:
        """What was read, of the file that the command names."""
        for text in (prompt.command, *(cursor.line(at) for at in (first - 1, first - 2))):
            if asked := _ASKED.search(text):
                values = {"file": asked["file"], **values}
                break
        name = str(values.get("inode", "") or "")
        return self.counted("inode", name, values, prompt)


class DebugfsInode(_DebugfsOutput):
    """`stat`, with the blocks of the file."""

    anchors = ("Inode: ",)
    beginning = _INODE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _OWN.match, gap=2, most=_MOST + 1)
        text = joined(cursor, first, last)
        head = self.first_line(cursor, first)
        values: dict[str, Json] = {name: _figure(part) for name, part in head.groupdict().items()}
        for form in _PAIRS:
            if match := form.search(text):
                values |= {name: _figure(part) for name, part in match.groupdict().items()}
        values |= {match["name"]: match["time"] for match in _TIMES.finditer(text)}
        if len(values) < 6:
            raise Unreadable("its lines are cut off", last)
        values |= _blocks(text)
        return last, [self.of_file(cursor, first, prompt, values)]


class DebugfsExtents(_DebugfsOutput):
    """`dump_extents`."""

    anchors = ("Level Entries",)
    beginning = _LEVELS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        matches, last = close_rows(cursor, first + 1, _ROW.match, _MOST)
        rows: list[dict[str, Json]] = [
            {name: _figure(part) for name, part in match.groupdict().items() if part}
            for match in matches
        ]
        leaves = [row for row in rows if row["level"] == row["depth"]]
        if not rows or any(
            int(str(row["to"])) - int(str(row["from"])) + 1 != row["length"] for row in leaves
        ):
            raise Unreadable("its rows are cut off, or were changed", last)
        kept: list[Json] = [*rows[:_KEPT]]
        values: dict[str, Json] = {
            "extents": len(leaves),
            "extent_blocks": sum(int(str(row["length"])) for row in leaves),
            "extent_depth": rows[0]["depth"],
            "rows": kept,
        }
        return last, [self.of_file(cursor, first, prompt, values)]


class DebugfsHtree(_DebugfsOutput):
    """`htree`."""

    anchors = ("Root node dump:",)
    beginning = _ROOT

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = dict[str, Json](), first
        entries, leaves = dict[str, Json](), list[Json]()
        names = 0
        for index, line in close_lines(cursor, first + 1, _MOST, gap=3):
            listed = len(_NAME.findall(line))
            said = dict(_of_root(line))
            if entry := _ENTRY.match(line):
                entries.setdefault(entry["hash"], int(entry["block"]))
            elif leaf := _LEAF.match(line):
                leaves.append([int(leaf["block"]), int(leaf["at"])])
            elif not (said or listed or _HTREE.match(line)):
                break
            values = {**said, **values}  # an inner node has lines of the same form
            names, last = names + listed, index
        if "count" not in values:
            raise Unreadable("its lines are cut off", last)
        values["entries"] = dict([*entries.items()][:_KEPT])
        if leaves:
            values |= {"leaf_blocks": leaves[:_KEPT], "listed_names": names}
        return last, [self.of_file(cursor, first, prompt, values)]


def _figure(text: str) -> Json:
    is_number = text.isdecimal() and (text == "0" or not text.startswith("0"))
    return int(text) if is_number else text


def _of_root(line: str) -> Iterator[tuple[str, Json]]:
    for form in _ROOT_LINES:
        if match := form.match(line):
            yield from ((name, int(part)) for name, part in match.groupdict().items())


def _blocks(text: str) -> dict[str, Json]:
    """The blocks of a file: where each run of them begins, and how many there are of data."""
    rows, blocks, tree = list[Json](), 0, 0
    for match in _BLOCKS.finditer(text):
        if match["tree"]:
            tree += 1
            rows.append([match["tree"], int(match["at"])])
            continue
        first, at = int(match["from"]), int(match["at"])
        row: list[Json] = [first, int(match["to"] or first), at, int(match["end"] or at)]
        blocks += int(match["to"] or first) - first + 1
        rows.append([*row, "unwritten"] if match["unwritten"] else row)
    if not rows:
        return {}
    return {"data_blocks": blocks, "tree_blocks": tree, "runs": rows[:_KEPT]}
