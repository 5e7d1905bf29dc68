"""`ceph pg dump`, `pg ls` and `pg dump_stuck`: placement groups, with the sums of pools and OSDs.

Source:
    Ceph 19, mon/PGMap.cc (dump_basic(), dump_pg_stats_plain(), dump_pool_stats(),
    dump_pg_sum_stats(), dump_osd_stats(), dump_filtered_pg_stats()); Ceph 0.80, mon/PGMap.cc (the
    same functions: tabs between cells, "pool N", kbused and kbavail in units of 1024 bytes).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.ceph.facts import SIZE, Token, Tokens, size, tokens
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before, nearest

_PG = r"\d{1,10}\.[0-9a-f]{1,8}(?:s\d{1,2}|p\d{1,3})?"
_STATE = r"[a-z]{4,20}(?:\+[a-z_]{3,30}){0,14}"
_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[+-]\d{4}|Z)?"
_VERSION = r"\d{1,12}'\d{1,20}"
_OSDS = r"\[(?:\d{1,10}(?:,\d{1,10}){0,40})?\](?:p-?\d{1,10})?"
_INTEGER = r"-?\d{1,19}"
_FIGURES = {
    "objects": "objects", "mip": "missing_on_primary", "missing_on_primary": "missing_on_primary",
    "degr": "degraded", "degraded": "degraded", "misp": "misplaced", "misplaced": "misplaced",
    "unf": "unfound", "unfound": "unfound", "kb": "kb", "bytes": "bytes",
    "omap_bytes*": "omap_bytes", "omap_keys*": "omap_keys", "log": "log", "log_dups": "log_dups",
    "disklog": "disk_log", "disk_log": "disk_log",
}  # fmt: skip
_TEXTS = {
    "pg_stat": ("pg", _PG), "pg": ("pg", _PG), "state": ("state", _STATE),
    "state_stamp": ("state_stamp", _STAMP), "since": ("since", r"\d{1,9}[a-z]{1,2}"),
    "v": ("version", _VERSION), "version": ("version", _VERSION),
    "reported": ("reported", r"\d{1,12}[:']\d{1,20}"), "up": ("up", _OSDS),
    "acting": ("acting", _OSDS), "last_scrub": ("last_scrub", _VERSION),
    "scrub_stamp": ("scrub_stamp", _STAMP), "last_deep_scrub": ("last_deep_scrub", _VERSION),
    "deep_scrub_stamp": ("deep_scrub_stamp", _STAMP),
}  # fmt: skip
_COUNTS = (
    "up_primary", "acting_primary", "snaptrimq_len", "last_scrub_duration", "objects_scrubbed",
    "objects_trimmed",
)  # fmt: skip
_SCRUBS = ("last_scrub", "scrub_stamp", "last_deep_scrub", "deep_scrub_stamp")
_SCHEDULE = "scrub_scheduling"
_COLUMNS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    **{word: (name, re.compile(_INTEGER)) for word, name in _FIGURES.items()},
    **{word: (name, re.compile(cell)) for word, (name, cell) in _TEXTS.items()},
    **{name: (name, re.compile(_INTEGER)) for name in _COUNTS},
    _SCHEDULE: (_SCHEDULE, re.compile(r".{1,120}")),
}
_CELLS = dict(_COLUMNS.values())
_NEW = (
    "objects", "missing_on_primary", "degraded", "misplaced", "unfound", "bytes", "omap_bytes",
    "omap_keys", "log", "disk_log",
)  # fmt: skip
_HAMMER = (*_NEW[:6], "log", "disk_log")
_BY_COUNT: Mapping[int, tuple[str, ...]] = {
    0: (),
    7: ("objects", "missing_on_primary", "degraded", "unfound", "bytes", "log", "disk_log"),
    8: _HAMMER,
    10: _NEW,
    11: (*_NEW[:9], "log_dups", "disk_log"),
}
"""The figures of a row of `pg dump` without its head, by how many they are."""
_ROW = re.compile(rf"\s*{_PG}\s+(?:\d{{1,19}}\s+\d{{1,19}}\s|{_STATE}\s+\[)")
_HEAD = re.compile(r"\s*(?:PG_STAT|pg_stat|PG)\s+(?:OBJECTS|objects|STATE|state)\s")
_BASIC = re.compile(
    r"\s*(?P<name>version|stamp|last_osdmap_epoch|last_pg_scan|full_ratio|nearfull_ratio) "
    r"(?P<value>\d[\w.:+-]{0,40}(?: \d[\d:.]{1,40})?)$"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d:\d\d\S*")
_IS_PG = re.compile(_PG)
_OSD_HEAD = re.compile(r"\s*(?:OSD_STAT\s+USED\s+AVAIL\s|osdstat\s+kbused\s+kbavail\s+kb\s)")
_PLAIN = re.compile(r"\d{1,19}")
_PRIMARY = re.compile(r"-1|\d{1,10}")
_RATIO = re.compile(r"\d\.\d{1,9}")
_AMOUNT = re.compile(rf"{SIZE}|\d{{1,19}}")
_PEERS = re.compile(r"\[[\d,-]{0,4000}\]")
_OSD_COLUMNS = {
    "OSD_STAT": "osd", "osdstat": "osd", "USED": "used", "kbused": "used", "AVAIL": "available",
    "kbavail": "available", "USED_RAW": "used_raw", "TOTAL": "size", "kb": "size",
    "HB_PEERS": "heartbeat_peers", "hb": "heartbeat_peers", "PG_SUM": "pgs",
    "PRIMARY_PG_SUM": "primary_pgs",
}  # fmt: skip
_SIZES = ("used", "available", "used_raw", "size")
_MOST = 20_000


class CephPgs(StateOutput):
    tool = "ceph pg"
    anchors = (
        "active+", "+peered", "stale+", "remapped+", "\tactive\t", "\tcreating\t", "\tincomplete\t",
        "PG_STAT ", "pg_stat\t", "pg_stat ", "OMAP_KEYS*",
    )  # fmt: skip
    commands = ("ceph",)
    reach = 4
    nothing = "no row is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 4, lambda line: _HEAD.match(line) or _ROW.match(line))
        if first is None:
            return None
        if _ROW.match(cursor.line(first)):
            first = _top(cursor, first)
        if not _HEAD.match(cursor.line(first)) and not _rows(cursor, first)[0]:
            return None
        while _BASIC.match(cursor.line(before(cursor, first))):
            first = before(cursor, first)
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        at = first
        while basic := _BASIC.match(cursor.line(at)):
            values[f"pgmap_{basic['name']}"] = _basic(basic["value"])
            at += 1 if cursor.line(at + 1) else 2
        subjects, last = _rows(cursor, at)
        if not subjects:
            return last, []
        sums, last = _sums(cursor, last, subjects[0].values)
        for subject in sums:
            if subject.kind == "ceph":
                values |= subject.values
        subjects += [subject for subject in sums if subject.kind != "ceph"]
        if values:
            subjects.insert(0, PrintedSubject("ceph", "ceph", values))
        return last, [
            PrintedSubject(subject.kind, subject.name, subject.values, prompt.host)
            for subject in subjects
        ]


def _basic(text: str) -> Scalar:
    if _PLAIN.fullmatch(text):
        return int(text)
    return float(text) if _RATIO.fullmatch(text) else text


def _top(cursor: TextCursor, row: int) -> int:
    """Index of the head above a row, or of the first of the rows above it."""
    top = row
    for index in range(row - 1, max(row - 60, -1), -1):
        line = cursor.line(index)
        if _HEAD.match(line):
            return index
        if _ROW.match(line):
            top = index
        elif line or top - index > 1:
            break
    return top


def _rows(cursor: TextCursor, first: int) -> tuple[list[PrintedSubject], int]:
    """The placement groups from a line on, with or without their head, and the last one's line."""
    parts = Tokens(_dated(tokens(cursor, first, _MOST)))
    columns, at = _head(parts)
    columns = columns or _guessed(parts, at)
    subjects: list[PrintedSubject] = []
    last = first
    while columns:
        row, at = _row(parts, at, columns)
        end = parts.get(at - 1)
        if not row or end is None:
            break
        last = end.line
        subjects.append(PrintedSubject("ceph_pg", str(row.pop("pg")), row))
    return subjects, last


def _dated(every: Iterable[Token]) -> Iterator[Token]:
    """The same, with a date and the time behind it as one."""
    date: Token | None = None
    for token in every:
        if date is not None:
            if _TIME.fullmatch(token.text):
                yield Token(f"{date.text} {token.text}", token.line)
                date = None
                continue
            yield date
            date = None
        if _DATE.fullmatch(token.text):
            date = token
        else:
            yield token
    if date is not None:
        yield date


def _head(parts: Tokens) -> tuple[tuple[str, ...], int]:
    """The columns that a head names, and how many words it has."""
    columns: list[str] = []
    while (word := parts.text(len(columns)).lower()) in _COLUMNS:
        columns.append(_COLUMNS[word][0])
    return (tuple(columns), len(columns)) if columns[:1] == ["pg"] else ((), 0)


def _guessed(parts: Tokens, at: int) -> tuple[str, ...]:
    """The columns of a row that stands without its head; empty where it is none."""
    count = 0
    while _PLAIN.fullmatch(parts.text(at + 1 + count)) and count < 12:
        count += 1
    figures = _BY_COUNT.get(count)
    if figures is None or not _IS_PG.fullmatch(parts.text(at)):
        return ()
    columns, place = ["pg", *figures, "state"], at + 2 + count
    if count:
        columns += ["state_stamp", "version", "reported"]
        place += 3
    for name in ("up", "acting"):
        columns.append(name)
        place += 1
        if _PRIMARY.fullmatch(parts.text(place)):
            columns.append(f"{name}_primary")
            place += 1
    if count == len(_HAMMER) and "up_primary" not in columns:
        # Ceph 0.48 to 0.56 printed kilobytes and had no misplaced objects
        columns[1:9] = [*_BY_COUNT[7][:4], "kb", *_BY_COUNT[7][4:]]
    return (*columns, *_SCRUBS, *_rest(parts, place + len(_SCRUBS))) if count else tuple(columns)


def _rest(parts: Tokens, place: int) -> Iterator[str]:
    """The columns behind the scrubs, of which newer versions have more."""
    for name in ("snaptrimq_len", "last_scrub_duration", _SCHEDULE, *_COUNTS[4:]):
        if name == _SCHEDULE:
            text, after = _schedule(parts, place)
            if not text:
                return
            place = after
        elif _PLAIN.fullmatch(parts.text(place)):
            place += 1
        else:
            return
        yield name


def _row(parts: Tokens, at: int, columns: Sequence[str]) -> tuple[dict[str, Scalar], int]:
    """The cells of the row that begins at a word, and the index behind it; empty: there is none."""
    row: dict[str, Scalar] = {}
    for column in columns:
        text, after = _schedule(parts, at) if column == _SCHEDULE else (parts.text(at), at + 1)
        if not text or not _CELLS[column].fullmatch(text):
            return {}, at
        is_figure = column in _FIGURES.values() or column in _COUNTS
        row[column] = int(text) if is_figure else text
        at = after
    return row, at


def _schedule(parts: Tokens, at: int) -> tuple[str, int]:
    """When a group is scrubbed next, in several words up to a count, and the index behind it."""
    texts: list[str] = []
    while (text := parts.text(at)) and len(texts) < 12:
        if text.isdecimal() or _IS_PG.fullmatch(text):
            break
        texts.append(text)
        at += 1
    return " ".join(texts), at


def _sums(
    cursor: TextCursor, last: int, row: Mapping[str, Scalar]
) -> tuple[list[PrintedSubject], int]:
    """The sums of pools and of all, which follow the rows: as many figures as these have."""
    names = [name for name in row if name in _CELLS and name in _FIGURES.values()]
    if len(names) > len(_NEW):
        names.remove("log_dups")
    subjects: list[PrintedSubject] = []
    if not names:
        return subjects, last
    for index, line in lines(cursor, last + 1, _MOST):
        cells = fields(line)
        if not cells:
            if index > last + 3:
                break
            continue
        kind, name = ("ceph", "ceph") if cells[0] == "sum" else ("ceph_pool", cells[0])
        figures = cells[1:]
        if cells[0] == "pool":
            name, figures = cells[1], cells[2:]
        if len(figures) != len(names) or not all(map(_PLAIN.fullmatch, figures)):
            break
        values: dict[str, Scalar] = dict(zip(names, map(int, figures), strict=True))
        subjects.append(PrintedSubject(kind, name, values))
        last = index
        if kind == "ceph":
            break
    return subjects, last


class CephPgOsds(StateOutput):
    tool = "ceph pg dump osds"
    anchors = ("OSD_STAT", "PEERS", "osdstat")
    commands = ("ceph",)
    reach = 3
    beginning = _OSD_HEAD
    nothing = "no row is whole"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        parts = Tokens(tokens(cursor, first, _MOST))
        at, columns = 0, list[str]()
        while name := _OSD_COLUMNS.get(parts.text(at)):
            columns.append("heartbeat_out" if name in columns else name)
            at += 2 if parts.text(at) == "hb" else 1  # "hb in" and "hb out"
        is_old = parts.text(0) == "osdstat"
        head = parts.get(max(at - 1, 0))
        subjects, last = list[PrintedSubject](), head.line if head else first
        while parts.text(at):
            values, after = _osd(parts, at, columns, is_old=is_old)
            end = parts.get(after - 1)
            if not values or end is None:
                break
            name = parts.text(at)
            kind, name = ("ceph", "ceph") if name == "sum" else ("osd", f"osd.{name}")
            subjects.append(PrintedSubject(kind, name, values, prompt.host))
            at, last = after, end.line
            if kind == "ceph":
                break
        return last, subjects


def _osd(
    parts: Tokens, at: int, columns: Sequence[str], *, is_old: bool
) -> tuple[dict[str, Scalar], int]:
    """The cells of an OSD or of the sum, and the index behind them; empty where one is missing."""
    is_sum = parts.text(at) == "sum"
    if not is_sum and not _PLAIN.fullmatch(parts.text(at)):
        return {}, at
    values: dict[str, Scalar] = {}
    at += 1
    for column in columns[1:]:
        text = parts.text(at)
        if column in _SIZES:
            if not (_PLAIN if is_old else _AMOUNT).fullmatch(text):
                return {}, at
            values[column] = int(text) << 10 if is_old else size(text)
        elif is_sum:
            break
        elif not (_PEERS if column.startswith("heartbeat") else _PLAIN).fullmatch(text):
            return {}, at
        elif column.startswith("heartbeat"):
            values[column] = sum(1 for peer in text.strip("[]").split(",") if peer)
        else:
            values[column] = int(text)
        at += 1
    return values, at
