"""`ceph df`, `ceph osd df` (also as a tree) and `ceph osd tree`: pools and OSDs, how full they are.

Source:
    ceph 10 to 19, mon/PGMap.cc (dump_pool_stats_full, dump_cluster_stats), osd/OSDMap.cc
    (OSDUtilizationPlainFormatter: %USE is of SIZE, VAR is against the mean of all),
    osd/OSDMap.cc (OSDTreePlainDumper).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.ceph.facts import (
    COUNT,
    SIZE,
    Token,
    Tokens,
    count,
    head_of,
    rows_of,
    size,
    tokens,
)
from iosonde.layers.ceph.tree import TreePlace, column_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import StateOutput

_FIGURE = r"-?\d{1,9}(?:\.\d{1,6})?|-"
_AMOUNT = rf"{SIZE}|\d{{1,19}}"
_OSD_NAMES = {
    "ID": "id", "CLASS": "class", "WEIGHT": "weight", "REWEIGHT": "reweight", "SIZE": "size",
    "USE": "used", "RAW USE": "used", "DATA": "data", "OMAP": "omap", "META": "metadata",
    "AVAIL": "available", "%USE": "full", "VAR": "variance", "PGS": "pgs", "STATUS": "status",
    "TYPE NAME": "name", "UP/DOWN": "status", "PRI-AFF": "affinity",
    "PRIMARY-AFFINITY": "affinity",
}  # fmt: skip
_OSD_CELLS = {
    name: re.compile(pattern)
    for name, pattern in (
        ("id", r"-?\d{1,9}"), ("class", r"[a-z][\w-]{0,30}"), ("weight", _FIGURE),
        ("reweight", _FIGURE), ("size", _AMOUNT), ("used", _AMOUNT), ("data", _AMOUNT),
        ("omap", _AMOUNT), ("metadata", _AMOUNT), ("available", _AMOUNT), ("full", _FIGURE),
        ("variance", _FIGURE), ("pgs", r"\d{1,7}|-"), ("status", r"up|down|destroyed|DNE"),
        ("affinity", _FIGURE), ("name", r"\S{1,120}"),
    )
}  # fmt: skip
_POOL_NAMES = {
    "POOL": "name", "NAME": "name", "ID": "id", "PGS": "pgs", "CATEGORY": "category",
    "STORED": "stored", "OBJECTS": "objects", "USED": "used", "%USED": "full",
    "MAX AVAIL": "available", "(DATA)": "data", "(OMAP)": "omap", "QUOTA OBJECTS": "quota_objects",
    "QUOTA BYTES": "quota_bytes", "DIRTY": "dirty", "USED COMPR": "compressed",
    "UNDER COMPR": "compressible", "READ": "read", "WRITE": "write", "RAW USED": "raw_used",
}  # fmt: skip
_POOL_CELLS = {
    name: re.compile(pattern)
    for name, pattern in (
        ("name", r"\S{1,120}"), ("id", r"\d{1,6}"), ("pgs", r"\d{1,7}"), ("category", "-"),
        ("stored", _AMOUNT), ("objects", COUNT), ("used", _AMOUNT), ("full", _FIGURE),
        ("available", _AMOUNT), ("data", _AMOUNT), ("omap", _AMOUNT),
        ("quota_objects", rf"N/A|{COUNT}"), ("quota_bytes", rf"N/A|{_AMOUNT}"),
        ("dirty", COUNT), ("compressed", _AMOUNT), ("compressible", _AMOUNT),
        ("read", rf"{COUNT}|{SIZE}"), ("write", rf"{COUNT}|{SIZE}"), ("raw_used", _AMOUNT),
    )
}  # fmt: skip
_RAW_NAMES = {
    "CLASS": "class", "SIZE": "size", "AVAIL": "available", "USED": "used", "RAW USED": "raw_used",
    "%RAW USED": "full", "OBJECTS": "objects",
}  # fmt: skip
_RAW_CELLS = {
    "class": re.compile(r"[A-Za-z][\w-]{0,30}"), "objects": re.compile(COUNT),
    "full": re.compile(_FIGURE),
    **dict.fromkeys(("size", "available", "used", "raw_used"), re.compile(_AMOUNT)),
}  # fmt: skip
_SIZES = frozenset({
    "size", "used", "data", "omap", "metadata", "available", "stored", "compressed",
    "compressible", "raw_used",
})  # fmt: skip
_BUCKET = re.compile(r"root|host|rack|row|room|datacenter|zone|region|chassis|pdu|pod")
_OWN_TYPE = re.compile(r"[A-Za-z][\w-]{1,40}")
"""A map's own words for its buckets."""
_BUCKET_ID, _WEIGHT = re.compile(r"-\d{1,7}"), re.compile(r"\d{1,7}(?:\.\d{1,6})?")
_POOLS = re.compile(r"\s*(?:--- POOLS ---|POOLS:)\s*$")
_MOST = 6000


class _CephTable(StateOutput):
    """What the tables have in common."""

    commands = ("ceph",)
    nothing = "its first row is not whole"


class CephOsds(_CephTable):
    tool = "ceph osd"
    anchors = ("REWEIGHT",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(cursor.at, max(cursor.at - 2, -1), -1):
            parts = cursor.line(first).split()
            if parts[:1] == ["ID"] and {"WEIGHT", "CLASS"} & set(parts[1:3]):
                return first
        return None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        parts = Tokens(tokens(cursor, first, _MOST))
        columns, at = head_of(parts, _OSD_NAMES)
        end = parts.get(max(at - 1, 0))
        return _osds(cursor, parts.onward(at), columns, prompt.host, end.line if end else first)


def _osds(
    cursor: TextCursor,
    every: Iterable[Token],
    columns: tuple[str, ...],
    host: str,
    last: int,
) -> tuple[int, list[PrintedSubject]]:
    """The OSDs of a table, each with the host that it stands below in a tree, and its buckets."""
    cells = {**_OSD_CELLS, "name": re.compile(rf"osd\.\d{{1,7}}|{_OWN_TYPE.pattern} \S{{1,100}}")}
    osds: list[PrintedSubject] = []
    place = TreePlace()
    for row, line in rows_of(_named(every), columns, cells, _no_osd_cell):
        last = line
        text = cursor.line(line)
        if fields(text)[:1] != [row["id"]]:
            text = ""  # a mail broke it: where its name stands says nothing
        figures = {
            name: _value(name, cell, binary=False)
            for name, cell in row.items()
            if name not in {"id", "name"} and cell != "-"
        }
        if row["id"].startswith("-"):
            kind, _, name = row.get("name", "").partition(" ")
            place = TreePlace(name if kind == "host" else "", column_of(text, f"{kind} "))
            if name and figures:
                osds.append(PrintedSubject("ceph_bucket", name, {"type": kind, **figures}, host))
            continue
        bucket = place.host_of(row.get("weight", ""), column_of(text, f"osd.{row['id']}"))
        values: dict[str, Scalar] = {"host": bucket} if bucket else {}
        osds.append(PrintedSubject("osd", f"osd.{row['id']}", values | figures, host))
    return last, osds


def _named(every: Iterable[Token]) -> Iterator[Token]:
    """The same, with a bucket's type and its name as one."""
    parts = Tokens(every)
    for at, word in enumerate(parts.onward(0)):
        if at and _is_type(parts, at - 1):
            continue
        name = parts.get(at + 1) if _is_type(parts, at) else None
        yield Token(f"{word.text} {name.text}", name.line) if name else word


def _is_type(parts: Tokens, at: int) -> bool:
    """Whether a word is the type of a bucket: one of Ceph's, or one that the map names.

    Such a one stands behind the id of a bucket and its weight.
    """
    word = parts.text(at)
    if _BUCKET.fullmatch(word):
        return True
    return bool(
        at > 1
        and _OWN_TYPE.fullmatch(word)
        and _WEIGHT.fullmatch(parts.text(at - 1))
        and _BUCKET_ID.fullmatch(parts.text(at - 2))
    )


def _no_osd_cell(column: str, row: Mapping[str, str], text: str) -> bool:
    """Buckets have neither class nor status, and behind their names nothing at all."""
    is_bucket = row.get("id", "").startswith("-")
    if column == "class":
        return not _OSD_CELLS["class"].fullmatch(text)
    if is_bucket and "name" in row:
        return True
    return is_bucket and column == "status"


class CephDf(_CephTable):
    tool = "ceph df"
    anchors = ("%RAW USED", "MAX AVAIL", "CATEGORY")
    reach = 14

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _is_df_head(cursor.line(cursor.at)) else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        last, subjects = self._table(cursor, first, prompt)
        pools = next(
            (at for at in range(last + 1, last + 5) if _POOLS.match(cursor.line(at))), None
        )
        below = range(0) if pools is None else range(pools + 1, pools + 3)
        for at in below:
            if _is_df_head(cursor.line(at)):
                last, more = self._table(cursor, at, prompt)
                return last, [*subjects, *more]
        return last, subjects

    def _table(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, list[PrintedSubject]]:
        parts = Tokens(tokens(cursor, first, _MOST))
        is_raw = "%RAW USED" in cursor.line(first)
        columns, at = head_of(parts, _RAW_NAMES if is_raw else _POOL_NAMES)
        cells = _RAW_CELLS if is_raw else _POOL_CELLS
        rows = list(rows_of(parts.onward(at), columns, cells, _no_cell))
        binary = not any("iB" in text for row, _ in rows for text in row.values())
        end = parts.get(max(at - 1, 0))
        last, subjects = end.line if end else first, list[PrintedSubject]()
        for row, line in rows:
            name = row.pop("class" if is_raw else "name", "TOTAL")
            values = {
                key: _value(key, text, binary=binary)
                for key, text in row.items() if text not in {"-", "N/A"}
            }  # fmt: skip
            kind = "ceph" if name == "TOTAL" else "ceph_class" if is_raw else "ceph_pool"
            subjects.append(
                PrintedSubject(kind, "ceph" if name == "TOTAL" else name, values, prompt.host)
            )
            last = line
        return last, subjects


def _is_df_head(line: str) -> bool:
    names, own = (_RAW_NAMES, "full") if "%RAW USED" in line else (_POOL_NAMES, "available")
    parts = Tokens(Token(word, 0) for word in fields(line))
    columns, at = head_of(parts, names)
    is_own = own in columns or columns[:2] == ("name", "category")
    return is_own and not parts.get(at)


def _no_cell(_column: str, _row: Mapping[str, str], _text: str) -> bool:
    return False


def _value(name: str, text: str, *, binary: bool) -> Scalar:
    if name == "full":
        return float(text) / 100
    if name in _SIZES:
        return size(text)
    if name in {"class", "status", "quota_objects", "quota_bytes", "read", "write"}:
        return text
    if name in {"objects", "dirty"}:
        return count(text, binary=binary)
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
