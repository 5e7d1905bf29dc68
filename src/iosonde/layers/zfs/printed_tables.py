"""`zpool list`, `zpool iostat`, `zfs list` and `zfs get`: tables of pools and datasets.

Source:
    OpenZFS 2.2, cmd/zpool/zpool_main.c (print_list_stats, print_iostat), cmd/zfs/zfs_main.c
    (print_dataset, get_callback); zpoolprops(7), zfsprops(7), zpool-iostat(8).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.layers.zfs.facts import STATES, number, since_boot, whole
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows
from iosonde.text.table import TextTable, head_before, read_table
from iosonde.text.torn import joinings

_SIZE = re.compile(r"\d{1,20}(?:[.,]\d{1,3})?[KMGTPEZ]?B?")
_SHARE = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?)%?")
_RATIO = re.compile(r"(\d{1,6}[.,]\d{1,2})x?")
_POOL_COLUMNS: Mapping[str, str] = {
    "SIZE": "size", "ALLOC": "allocated", "FREE": "free", "CKPOINT": "checkpoint",
    "EXPANDSZ": "expandable", "FRAG": "fragmentation", "CAP": "full", "DEDUP": "dedup_ratio",
    "HEALTH": "state", "ALTROOT": "altroot",
}  # fmt: skip
_DATASET_COLUMNS: Mapping[str, str] = {
    "USED": "used", "AVAIL": "available", "REFER": "referenced", "MOUNTPOINT": "mount",
    "RATIO": "compressratio", "REFRATIO": "refcompressratio", "RECSIZE": "recordsize",
    "VOLSIZE": "volsize", "VOLBLOCK": "volblocksize", "QUOTA": "quota", "RESERV": "reservation",
    "REFQUOTA": "refquota", "REFRESERV": "refreservation", "USEDSNAP": "usedbysnapshots",
    "USEDDS": "usedbydataset", "USEDCHILD": "usedbychildren", "COMPRESS": "compression",
    "USEDREFRESERV": "usedbyrefreservation", "LUSED": "logicalused", "DEDUP": "dedup",
    "LREFER": "logicalreferenced", "WRITTEN": "written", "CHECKSUM": "checksum", "ATIME": "atime",
    "SYNC": "sync", "TYPE": "type", "MOUNTED": "mounted", "ORIGIN": "origin", "COPIES": "copies",
    "ENCRYPTION": "encryption", "CANMOUNT": "canmount", "LOGBIAS": "logbias", "XATTR": "xattr",
}  # fmt: skip
"""Of `zfs list -o`: the words of its heads, and zfs's own names of the properties."""
_ONLY_DATASETS = frozenset({
    "REFER", "RATIO", "REFRATIO", "RECSIZE", "VOLSIZE", "VOLBLOCK", "RESERV", "REFQUOTA",
    "REFRESERV", "USEDSNAP", "USEDDS", "USEDCHILD", "USEDREFRESERV", "LUSED", "LREFER", "COMPRESS",
})  # fmt: skip
"""Those that no other tool has: lsblk has a NAME, a TYPE and a MOUNTPOINT, too."""
_DATASET_CELL = re.compile(
    r"-|none|legacy|/\S*|\d{1,20}(?:[.,]\d{1,3})?[KMGTPEZ]?B?|\d{1,6}[.,]\d{1,2}x|[a-z][\w.@/:-]{1,80}"
)


class ZpoolList(StateOutput):
    tool = "zpool list"
    anchors = (" CAP ", "EXPANDSZ", " ALLOC ", " HEALTH")
    commands = ("zpool",)
    nothing = "no pool follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(cursor, cursor.at, _is_pools)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table = read_table(cursor, first, _is_pools, is_row=_is_pool)
        if table is None:
            return first, ()
        last, rows = _with_devices(cursor, first, table)
        return last, [
            PrintedSubject(kind, row[0], pool_facts(table.head[1:], row[1:]) | more, prompt.host)
            for kind, row, more in rows
        ]


_Row = tuple[str, Sequence[str], dict[str, Scalar]]
"""What a row of `zpool list` is about, its words, and which section and pool it stands under."""


def _with_devices(cursor: TextCursor, first: int, table: TextTable) -> tuple[int, list[_Row]]:
    """Index of the last line, and the pools with what -v prints below each."""
    pools: list[_Row] = [("zpool", row, {}) for row in table.rows]
    rows: list[_Row] = []
    margin, last, section = _margin(cursor.line(first)), first, ""
    pieces = _pieces(cursor, first, table.head)
    last += pieces - 1
    for index, line in lines(cursor, first + pieces, 2000):
        if index > last + 3 or prompt_in(line):
            break
        if index <= last or not line.strip():
            continue
        cells, end = _cells(cursor, index, pieces, len(table.head))
        if len(cells) == len(table.head) and _is_pool(cells) and _margin(line) <= margin:
            rows.append(("zpool", cells, {}))
            section = ""
        elif cells[0] in _SECTIONS and set(cells[1:]) <= {"-"}:
            section = cells[0]
        elif rows and _is_device(cells, len(table.head)):
            more: dict[str, Scalar] = {"pool": [row for row in rows if row[0] == "zpool"][-1][1][0]}
            rows.append(("zpool_device", cells, more | ({"use": section} if section else {})))
        else:
            break
        last = end
    whole = len(rows) > len(pools)
    return (last, rows) if whole else (table.last, pools)


def _pieces(cursor: TextCursor, first: int, head: Sequence[str]) -> int:
    """Into how many lines a wrap broke the head."""
    for count in range(1, 5):
        parts = [line for line in cursor.block(first, count) if line]
        if any(whole.split() == list(head) for whole in joinings(parts)):
            return count
    return 1


def _cells(cursor: TextCursor, index: int, pieces: int, columns: int) -> tuple[list[str], int]:
    """The words of a row that may be broken as the head was, and the index of its last line."""
    for count in range(pieces, 1, -1):
        parts = cursor.block(index, count)
        for text in joinings(parts) if all(parts) else ():
            cells = text.split()
            section = cells[0] in _SECTIONS and set(cells[1:]) <= {"-"}
            pool = len(cells) == columns and _is_pool(cells)
            if pool or section or _is_device(cells, columns):
                return cells, index + count - 1
    return cursor.line(index).split(), index


_SECTIONS = frozenset({"logs", "cache", "spare", "spares", "special", "dedup"})


def _is_device(cells: Sequence[str], columns: int) -> bool:
    """Whether cells are a device's: fewer than a pool's, in the same order."""
    return 6 < len(cells) <= columns and all(
        cell == "-" or _SIZE.fullmatch(cell) or _SHARE.fullmatch(cell) or cell in STATES
        for cell in cells[1:]
    )


def _is_pools(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 3 and cells[0] == "NAME" and "HEALTH" in cells
        and all(word in _POOL_COLUMNS for word in cells[1:])
    )  # fmt: skip


def _is_pool(cells: Sequence[str]) -> bool:
    return any(word in STATES for word in cells[1:]) and bool(_SIZE.fullmatch(cells[1]))


def pool_facts(head: Sequence[str], row: Sequence[str]) -> dict[str, Scalar]:
    """What cells of `zpool list` say of a pool or a device.

    Args:
        head: columns behind the name, as their heading calls them.
        row: a cell for each of the first ones.
    """
    facts: dict[str, Scalar] = {}
    for column, cell in zip(head, row, strict=False):
        name = _POOL_COLUMNS[column]
        if cell == "-":
            continue
        if name in {"fragmentation", "full"} and (share := _SHARE.fullmatch(cell)):
            facts[name] = round(number(share[1]) / 100, 6)
        elif name == "dedup_ratio" and (ratio := _RATIO.fullmatch(cell)):
            facts[name] = float(number(ratio[1]))
        elif name in {"state", "altroot"}:
            facts[name] = cell
        elif _SIZE.fullmatch(cell):
            facts[name] = whole(cell)
    return facts


class ZfsList(StateOutput):
    tool = "zfs list"
    anchors = (" REFER", "MOUNTPOINT", " USED ", " AVAIL ", " RATIO", " RECSIZE", " QUOTA")
    commands = ("zfs",)
    nothing = "no dataset follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(cursor, cursor.at, _is_datasets)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table = read_table(cursor, first, _is_datasets, is_row=_is_dataset)
        if table is None:
            return first, ()
        subjects = []
        for row in table.rows:
            facts: dict[str, Scalar] = {}
            for column, cell in zip(table.head[1:], row[1:], strict=True):
                name = _DATASET_COLUMNS[column]
                if cell not in {"-", "none"}:
                    facts[name] = cell if name in {"mount", "type"} else property_value(cell)
            subjects.append(PrintedSubject("dataset", row[0], facts, prompt.host))
        return table.last, subjects


def _is_datasets(cells: Sequence[str]) -> bool:
    return (
        len(cells) > 2 and cells[0] == "NAME" and set(cells[1:]) <= _DATASET_COLUMNS.keys()
        and len(set(cells)) == len(cells) and not _ONLY_DATASETS.isdisjoint(cells)
    )  # fmt: skip


def _is_dataset(cells: Sequence[str]) -> bool:
    return all(map(_DATASET_CELL.fullmatch, cells[1:])) and any(
        cell == "-" or cell[0].isdecimal() for cell in cells[1:]
    )


_CHOSEN = (
    "compressratio", "refcompressratio", "compression", "recordsize", "dedup", "logicalused",
    "logicalreferenced", "primarycache", "secondarycache", "atime", "checksum", "logbias",
    "volblocksize", "encryption", "xattr", "available", "usedbysnapshots", "usedbydataset",
    "quota", "reservation",
    "mountpoint", "sync",
)  # fmt: skip
"""Properties of datasets by whose names a row is told where its head was left out."""


_OF_POOLS = (
    "autoreplace", "autoexpand", "autotrim", "failmode", "delegation", "listsnapshots", "cachefile",
    "bootfs", "ashift", "freeing", "leaked", "multihost", "dedupratio", "checkpoint", "expandsize",
    "fragmentation", "load_guid",
)  # fmt: skip
"""The same of pools, beside their features."""
_FEATURE = "feature@"


def _is_chosen(line: str) -> bool:
    """Whether a line is a row of a property that ZFS has, aligned as its tables are."""
    match = _ALIGNED.match(line)
    return match is not None and (match["property"] in _CHOSEN or _is_of_pool(match["property"]))


def _is_of_pool(name: str) -> bool:
    return name in _OF_POOLS or name.startswith(_FEATURE)


class ZfsGet(StateOutput):
    """With its head, below the command with -H or before grep, or properties that grep left."""

    tool = "zfs get"
    anchors = (
        "PROPERTY", "zfs get ", "zpool get ", " feature@", *(f" {name} " for name in _CHOSEN),
        *(f" {name}{blank}" for name in _OF_POOLS for blank in " \t"),
    )  # fmt: skip
    commands = ("zfs", "zpool")
    nothing = "no property follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        head = cursor.line(cursor.at).split()
        if head == ["NAME", "PROPERTY", "VALUE", "SOURCE"]:
            return cursor.at
        bare = _WITHOUT_HEAD.search(cursor.line(cursor.at)) and "-o" not in head
        if bare and _PROPERTY.match(cursor.line(cursor.at + 1)):
            return cursor.at + 1
        return cursor.at if _is_chosen(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Scalar]] = {}
        start = first + (not _PROPERTY.match(cursor.line(first)))
        rows, last = close_rows(cursor, start, _PROPERTY.match, 2000, gap=2, no_prompts=True)
        asked = Counter(row["name"] for row in rows)
        for row in rows:
            name, source = row["property"], row["source"]
            facts = things.setdefault(row["name"], {})
            facts[name] = property_value(row["value"])
            is_of_all = asked[row["name"]] > FEW and source == "default"
            if source not in {"-", "none"} and not is_of_all:
                facts[f"{name}_source"] = source
        of_pool = re.match(r"(?:sudo )?(?:[^\s/]*/)*zpool\s", prompt.command)
        return last, [
            PrintedSubject(
                "zpool" if of_pool or any(map(_is_of_pool, facts)) else "dataset", name, facts,
                prompt.host,
            )
            for name, facts in things.items()
        ]  # fmt: skip


FEW = 8
"""Properties: of some that were asked for it is of interest that they are as they were made."""
_WITHOUT_HEAD = re.compile(r"\b(?:zfs|zpool) get (?:-\w*H|[^|>]{1,120}\| ?(?:[ef]?grep|tail)\b)")
_PROPERTY = re.compile(
    r"\s*(?P<name>\S{1,200})\s+(?P<property>[a-z][\w:@.-]{1,60})\s+(?P<value>\S.{0,200}?)\s+"
    r"(?P<source>-|default|local|received|temporary|none|inherited from \S{1,200})\s*$"
)
_ALIGNED = re.compile(
    r"\s*(?P<name>\S{1,200})[ \t]{2,80}(?P<property>[a-z][a-z_@]{3,40})[ \t]{2,40}"
    r"\S{1,200}[ \t]{2,80}"
    r"(?:-|default|local|received|temporary|none|inherited from \S{1,200})\s*$"
)
_WITH_UNIT = re.compile(r"\d{1,20}(?:[.,]\d{1,3})?[KMGTPEZ]B?")


def property_value(cell: str) -> Scalar:
    """A property: sizes in bytes, ratios as numbers, switches as they are printed."""
    if _WITH_UNIT.fullmatch(cell) or re.fullmatch(r"\d{1,19}B", cell):
        return whole(cell)
    if cell.isdecimal() and len(cell) < 20:
        return int(cell)
    if ratio := re.fullmatch(r"(\d{1,6}[.,]\d{1,2})x", cell):
        return float(number(ratio[1]))
    return {"on": True, "off": False}.get(cell, cell)


_HEAD = re.compile(
    r"\s*+(?:(?:pool|vdev|name)\s+)?alloc\s+free\s+read\s+write\s+read\s+write(?!\s*\S)"
)


class ZpoolIostat(StateOutput):
    tool = "zpool iostat"
    anchors = ("alloc   free", "alloc  free", "alloc free")
    commands = ("zpool",)
    nothing = "no pool follows its head"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: list[tuple[str, str, dict[str, Json]]] = []
        seen: dict[str, int] = {}
        last, margin = first, _margin(cursor.line(first))
        for index, line in lines(cursor, first + 1, 4000):
            cells = line.split()
            if _RULE.fullmatch(line) or _HEAD.match(line) or "operations" in cells:
                last = index
                continue
            if (cells and (prompt_in(line) or not _is_rates(cells))) or index > last + 3:
                break
            if not cells:
                continue
            seen[cells[0]] = report = seen.get(cells[0], 0) + 1
            values: dict[str, Json] = {
                name: number(cell)
                for name, cell in zip(_RATES, cells[1:], strict=True) if cell != "-"
            }  # fmt: skip
            last = index
            if not values:  # the line of a section, such as "logs"
                continue
            kind = "zpool" if _margin(line) <= margin else "zpool_device"
            rows.append((kind, cells[0], values | {"report": report}))
        alone = max(seen.values(), default=0) == 1
        first_boot = since_boot(1, prompt.command, is_alone=alone)
        for _, _, values in rows:
            values["since_boot"] = first_boot if values["report"] == 1 else False
        return last, [self.counted(kind, name, values, prompt) for kind, name, values in rows]


def _margin(line: str) -> int:
    """How far a line is indented: devices are, pools stand under their head."""
    return len(line) - len(line.lstrip())


_RATES = ("allocated", "free", "read.iops", "write.iops", "read.bandwidth", "write.bandwidth")
_RULE = re.compile(r"\s*-{3,}(?:\s+-{3,}){6}\s*")


def _is_rates(cells: Sequence[str]) -> bool:
    return len(cells) == len(_RATES) + 1 and all(
        cell == "-" or _SIZE.fullmatch(cell) for cell in cells[1:]
    )
