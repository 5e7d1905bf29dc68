"""`btrfs inspect-internal dump-tree`: leaves and nodes of btrfs's trees, whole or in part.

Source: btrfs-progs 6.2, kernel-shared/print-tree.c (print_header_info(), btrfs_print_leaf(),
btrfs_print_tree(); before 5.0 a node's room is "free %u", and a pointer has its block's number in
brackets, too), cmds/inspect-dump-tree.c (version, "fs tree key (FS_TREE ROOT_ITEM 0)"); fs/btrfs/
print-tree.c of Linux 6.1 ("leaf %llu gen %llu total ptrs %d free space %d owner %llu").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.layers.btrfs.progs_version import VERSION
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.text.torn import across_wraps

_LOG = r"\s*(?:BTRFS \w{2,10} \(device \S{1,60}\): )?"
_HEAD = re.compile(
    rf"{_LOG}(?:leaf|node) \d{{1,20}}(?: level \d)?(?: gen \d{{1,20}})? "
    r"(?:items|total ptrs) \d{1,7} free\b"
)
_WHOLE = across_wraps(
    r"(?P<what>leaf|node) (?P<block>\d{1,20})(?: level (?P<level>\d))?"
    r"(?: gen (?P<gen>\d{1,20}))? (?:items|total ptrs) (?P<items>\d{1,7})"
    r" free(?: space| spc)? (?P<free_space>-?\d{1,9})"
    r"(?: generation (?P<generation>\d{1,20}))?(?: owner (?P<owner>[A-Z_]{4,24}|-?\d{1,20})\b)?"
)
_FLAGS = re.compile(
    r"(?:leaf|node)\s{1,12}\d{1,20}\s{1,12}flags\s{1,12}(?P<flags>0x[\da-f]{1,16}\([\w|]{0,60}\))"
    r"\s{1,12}backref\s{1,12}revision\s{1,12}(?P<backref_revision>\d{1,3})"
)
_UUID = re.compile(r"\s*(?P<what>fs|chunk) uuid (?P<uuid>[\da-f-]{36})\s*$")
_TITLE = re.compile(r"\s*(?P<tree>[a-z][a-z ]{1,30}?) tree(?: key \((?P<key>[^()]{3,80})\))?\s*$")
_KEY = r"key\s{1,12}\((?P<key>[^()\n]{1,60}\s[^()\n]{1,60})\)"
_ITEM = re.compile(
    rf"(?<![\w.])item\s{{1,12}}(?P<slot>\d{{1,7}})\s{{1,12}}{_KEY}\s{{1,12}}itemoff\s{{1,12}}"
    r"(?P<itemoff>\d{1,9})\s{1,12}itemsize\s{1,12}(?P<itemsize>\d{1,9})(?!\S)"
)
_POINTER = re.compile(
    rf"(?<![\w.]){_KEY}\s{{1,12}}block\s{{1,12}}(?P<block>\d{{1,20}})"
    r"(?:\s{1,12}\(\d{1,20}\))?\s{1,12}gen\s{1,12}(?P<generation>\d{1,20})(?!\S)"
)
_ROW = re.compile(r"\s*(?:item \d{1,7} )?key \([^()]{3,120}\) (?:itemoff|block) \d")
_OWN = re.compile(
    r"\s*+(?:item \d|key \(|leaf \d{1,20} flags |node \d{1,20} flags |(?:fs|chunk) uuid "
    r"|refs \d{1,9} lock|location key |transid \d|name: |data\b|index \d|generation \d"
    r"|block group (?:used )?\d|sequence \d|[acmors]time \d|otime \d|start time|stop time"
    r"|inline extent data |prealloc data |extent (?:data|compression|owner|refs|ref v0) ?"
    r"|refs \d|tree block |\(\d{1,3} 0x|length \d|io_align \d|num_stripes \d|stripe \d"
    r"|dev_uuid |devid \d|seek_speed \d|uuid |fsid |dev extent chunk_tree |chunk_objectid \d"
    r"|chunk_tree |chunk_tree_uuid |root (?:ref|backref|data|dir)|last_snapshot \d|drop_progress "
    r"|drop |level \d|parent_uuid |received_uuid |ctransid \d|cache generation \d|free space "
    r"|range start \d|csum item|shared (?:block|data) backref|orphan item|subvol_id \d"
    r"|(?:persistent|temporary) item objectid |write_errs \d|device stats|version \d|flags "
    r"|referenced \d|exclusive \d|max_referenced \d|rsv_referenced \d|balance status flags"
    r"|dir log end \d|address \d|item data |total bytes \d|bytes used \d"
    r"|\(\.\.\.\)|\.\.\.|\[?<?(?:snip|\.\.\.)>?\]?|--)"
)
_REST = re.compile(
    r"(?=.{0,80}?(?:\d|[A-Z_]{4}))\s*[\w().|:~@,-]{1,80}(?: [\w().|:~@,-]{1,80}){0,8}\s*$"
)
"""What a mail broke off of a line: figures, or the name of a tree."""
_OWNER = re.compile(r"\s*(?:[A-Z_]{4,24}|\d{1,20})\s*$")
_SPLIT = re.compile(r"\n\s*--\s*(?=\n|$)")
"""Between what `grep -A` chose: the lines below are not of the item above."""
_KERNEL = re.compile(r"\[ {0,8}\d{1,9}\.\d{6}\]")
"""The time of the kernel's log, whose lines are kept with their times."""
_LONG = 40  # characters of a line that a mail may have broken
_MOST = 20000
_KEPT = 1000  # items of one block


class BtrfsTree(StateOutput):
    tool = "btrfs dump-tree"
    anchors = (
        " free space ", ") itemoff ", ") block ", "chunk uuid ", "free spc ",
    )  # fmt: skip
    commands = ("btrfs", "btrfs-debug-tree", "btrfs.static")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        is_logged = _KERNEL.search(cursor.stamped(cursor.at)[:80])
        if is_logged or not (_HEAD.match(line) or _ROW.match(line) or _UUID.match(line)):
            return None
        return top_of(cursor, _is_own, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        blocks, subjects, last, tree = list[_Block](), list[PrintedSubject](), first, ""
        above = ""
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if version := VERSION.match(line):
                versions = {"btrfs-progs": version["version"].removeprefix("v"),
                            "btrfs_progs": version["version"]}  # fmt: skip
                subjects.append(PrintedSubject("host", "", versions, prompt.host))
            elif _HEAD.match(line):
                blocks.append(_Block(tree, [line]))
            elif title := _TITLE.match(line):
                tree = title["tree"]
            elif _OWN.match(line) or (
                index == last + 1 and len(above) > _LONG and _REST.match(line)
            ):
                if not blocks:
                    blocks.append(_Block(tree, []))
                blocks[-1].lines.append(line)
            else:
                break
            last, above = index, line.strip()
        counters = [
            self.counted(kind, name, values, prompt)
            for kind, name, values in (block.read() for block in blocks)
            if values
        ]
        if not counters:
            raise Unreadable("neither a leaf nor a node can be read", last)
        return last, [*subjects, *counters]


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_OWN, _HEAD, _TITLE, _OWNER, VERSION))


@dataclass(slots=True)
class _Block:
    """The lines of a leaf or of a node, with the name of its tree."""

    tree: str
    lines: list[str] = field(default_factory=list)

    def read(self) -> tuple[str, str, dict[str, Json]]:
        """Its kind, its number, and what it says; nothing where no line can be read whole."""
        text = "\n".join(self.lines)
        values, types = dict[str, Json](), dict[str, Json]()
        head = _WHOLE.search(text) if self.lines and _HEAD.match(self.lines[0]) else None
        if head:
            values |= {
                {"gen": "generation"}.get(name, name): int(part) if _is_number(part) else part
                for name, part in head.groupdict().items()
                if part and name not in ("what", "block")
            }
        if flags := _FLAGS.search(text):
            values |= {"flags": flags["flags"], "backref_revision": int(flags["backref_revision"])}
        for line in self.lines:
            if uuid := _UUID.match(line):
                values[f"{uuid['what']}_uuid"] = uuid["uuid"]
        is_node = head["what"] == "node" if head else not _ITEM.search(text)
        rows, loose = (_pointers(text), []) if is_node else _items(text, types)
        if rows:
            values |= {"listed": len(rows), "pointers" if is_node else "rows": rows[:_KEPT]}
        if loose:
            values["lines_of_other_items"] = loose[:_KEPT]
        if types:
            values["item_types"] = types
        if values and self.tree:
            values["tree"] = self.tree
        return f"btrfs_{'node' if is_node else 'leaf'}", head["block"] if head else "", values


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal()


def _pointers(text: str) -> list[Json]:
    """Key, block and generation of each pointer of a node."""
    return [
        [" ".join(row["key"].split()), int(row["block"]), int(row["generation"])]
        for row in _POINTER.finditer(text)
    ]


def _items(text: str, types: dict[str, Json]) -> tuple[list[Json], list[Json]]:
    """Slot, key, place, size of each item of a leaf with the lines about it; and loose lines.

    Args:
        text: lines of the leaf.
        types: how many items there are of each type of key; they are counted here.
    """
    matches = list(_ITEM.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    rows, loose = list[Json](), list[Json]()
    for match, end in zip(matches, ends, strict=False):
        key = " ".join(match["key"].split())
        parts = key.split(" ")
        kind = parts[1] if len(parts) > 2 else parts[-1]
        count = types.get(kind)
        types[kind] = (count if isinstance(count, int) else 0) + 1
        about, *others = _SPLIT.split(text[match.end() : end])
        slot, place, size = (int(match[name]) for name in ("slot", "itemoff", "itemsize"))
        rows.append([slot, key, place, size, *_stripped(about)])
        loose += (line for other in others for line in _stripped(other))
    return rows, loose


def _stripped(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]
