"""Records of psql's expanded display (-x): PostgreSQL's views of its input and output.

Counts are as the views have them; times, which they have in milliseconds, are in seconds here.
Views of something else are not taken.

Source: PostgreSQL 17, src/fe_utils/print.c, print_aligned_vertical() ("-[ RECORD n ]-+-", a name, a
bar and the value); documentation, "The Cumulative Statistics System": pg_stat_io, pg_stat_bgwriter,
pg_stat_checkpointer, pg_stat_wal, pg_stat_database, pg_stat_replication, pg_statio_all_tables.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_RECORD = re.compile(r"\s*-\[ RECORD (?P<number>\d{1,9}) \][-+]{0,400}\s*$")
_PAIR = re.compile(r"\s*(?P<name>[a-z][a-z0-9_]{1,62}) *\|(?: (?P<value>.{0,2000}?))?\s*$")
_FIGURE = re.compile(r"-?\d{1,24}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?")
_ROWS = re.compile(r"\s*\(\d{1,9} rows?\)\s*$")
_OWN = frozenset({
    "buffers_checkpoint", "buffers_clean", "buffers_alloc", "buffers_written", "wal_records",
    "wal_fpi", "wal_bytes", "blks_read", "blks_hit", "heap_blks_read", "heap_blks_hit",
    "idx_blks_read", "idx_blks_hit", "evictions", "writebacks", "extends", "num_timed",
    "shared_blks_read", "shared_blks_hit", "write_lag", "flush_lag",
})  # fmt: skip
"""Columns of which a record must have one."""
_NAMES = ("datname", "schemaname", "relname", "indexrelname", "backend_type", "object", "context",
          "application_name", "queryid")  # fmt: skip
_UNNAMED = frozenset({"query", "client_addr", "client_hostname", "usename"})
_MILLISECONDS = re.compile(r"(?:^|_)(?:time|times)$")
_MOST = 20_000


class PsqlRecords(StateOutput):
    tool = "psql"
    anchors = ("-[ RECORD ",)
    commands = ("psql",)
    reach = 6
    beginning = _RECORD
    nothing = "its view is none of input and output"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _RECORD.match(cursor.line(cursor.at)):
            return None
        below = [_PAIR.match(line) for _, line in close_lines(cursor, cursor.at + 1, 60)]
        return cursor.at if any(pair and pair["name"] in _OWN for pair in below) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        records, last = list[dict[str, str]](), first
        for index, line in close_lines(cursor, first, _MOST):
            if _RECORD.match(line):
                records.append({})
            elif (pair := _PAIR.match(line)) and pair["name"] not in records[-1]:
                records[-1][pair["name"]] = (pair["value"] or "").strip()
            else:
                last = index if _ROWS.match(line) else last
                break
            last = index
        counters: list[PrintedCounters] = [
            self.counted("database", _name(record), values, prompt)
            for record in records
            if record.keys() & _OWN and (values := _figures(record))
        ]
        return last, counters


def _name(record: dict[str, str]) -> str:
    """What a record is of: a database, a table, or a kind of process and what it does."""
    return " ".join(record[name] for name in _NAMES if record.get(name))


def _figures(record: dict[str, str]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name, text in record.items():
        if not text or name in _NAMES or name in _UNNAMED:
            continue
        if not _FIGURE.fullmatch(text):
            if name == "stats_reset":
                values[name] = text
        elif _MILLISECONDS.search(name):
            values[name] = round(float(text) / 1e3, 9)
        else:
            values[name] = int(text) if text.lstrip("-").isdecimal() else float(text)
    return values
