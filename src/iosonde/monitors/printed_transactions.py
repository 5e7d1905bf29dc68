"""pgbench: what a database did on the storage, as counters of the host.

Transactions are no requests of one direction, so no metrics of a load.

Source: PostgreSQL 16, src/bin/pgbench/pgbench.c, printResults() (before 14 tps stands there with
and without connections; from 15 on how many transactions failed); outputs of 13 to 17.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, before, nearest, start_of

_TYPE = re.compile(r"^\s*transaction type: ")
_PGBENCH = re.compile(
    r"^\s*(?:transaction type:|scaling factor:|query mode:|maximum number of tries|duration:"
    r"|(?:total )?number of (?:clients|threads|trans|failed|retries|serialization|deadlock)"
    r"|latency (?:average|stddev)|rate limit schedule lag|partition(?:s| method):"
    r"|initial connection time|average conn|tps = |statement latencies|progress: |pgbench \("
    r"|(?:limit: )?(?:\d{1,12}/\d{1,12} )?\(?\d{1,3}\.\d{1,6}%\)$)"
)
_N = r"(\d{1,12}(?:\.\d{1,6})?)"
_FIGURES = {
    "tps": (re.compile(rf"tps = {_N} \((?:without initial|excluding|including reconn)"), 1.0),
    "latency.mean": (re.compile(rf"latency average ?[=:] {_N} ms"), 1e-3),
    "latency.stdev": (re.compile(rf"latency stddev ?[=:] {_N} ms"), 1e-3),
    "clients": (re.compile(rf"number of clients: {_N}"), 1.0),
    "threads": (re.compile(rf"number of threads: {_N}"), 1.0),
    "scale": (re.compile(rf"scaling factor: {_N}"), 1.0),
    "duration": (re.compile(rf"duration: {_N} s"), 1.0),
    "transactions": (re.compile(rf"number of transactions actually processed: {_N}"), 1.0),
    "failed_transactions": (re.compile(rf"number of failed transactions: {_N}"), 1.0),
    "skipped_transactions": (re.compile(rf"number of transactions skipped: {_N}"), 1.0),
    "late_transactions": (
        re.compile(rf"number of transactions above the [\d.]{{1,16}} ms latency limit: {_N}"),
        1.0,
    ),
    "retried_transactions": (re.compile(rf"number of transactions retried: {_N}"), 1.0),
    "transactions_per_client": (
        re.compile(rf"number of transactions per client: {_N}(?!\S)"),
        1.0,
    ),
    "asked_transactions": (
        re.compile(rf"number of transactions actually processed: \d{{1,15}}/{_N}"),
        1.0,
    ),
    "failed_share": (
        re.compile(rf"number of failed transactions: \d{{1,15}} \({_N}%\)"),
        1e-2,
    ),
    "late_share": (
        re.compile(rf"ms latency limit: \d{{1,15}}(?:/\d{{1,15}})? \({_N}\s?%\)"),
        1e-2,
    ),
    "most_tries": (re.compile(rf"maximum number of tries: {_N}"), 1.0),
    "partitions": (re.compile(rf"partitions: {_N}"), 1.0),
    "tps_including_connections": (
        re.compile(rf"tps = {_N} \(including connections"),
        1.0,
    ),
    "retries": (re.compile(rf"total number of retries: {_N}"), 1.0),
    "schedule_lag.mean": (re.compile(rf"schedule lag: avg {_N} \(max [\d.]{{1,20}}\) ms"), 1e-3),
    "schedule_lag.max": (re.compile(rf"schedule lag: avg [\d.]{{1,20}} \(max {_N}\) ms"), 1e-3),
    "connection_time": (re.compile(rf"(?:initial|average) connection time = {_N} ms"), 1e-3),
}
_CUT = re.compile(r"\s*(?:\[?(?:\.{2,5}|…)\]?|[<\[(]snip[>\])])\s*")
"""A line where somebody left lines of --progress out."""
_BEFORE = re.compile(r"^\s*(?:starting vacuum|pgbench \(|end\.$|progress: \d)")
_TEXTS = {
    "transaction_type": re.compile(r"^\s*transaction type: (\S.{0,200}?)\s*$"),
    "query_mode": re.compile(r"^\s*query mode: (\w{1,30})\s*$"),
    "partition_method": re.compile(r"^\s*partition method: (\w{1,30})\s*$"),
    "version": re.compile(r"^\s*pgbench \((?:PostgreSQL\) )?(\d[\w.]{0,30})"),
}
_PROGRESS = re.compile(
    r"^\s*progress: (?P<seconds>\d{1,12}\.\d) s, (?P<tps>\d{1,12}\.\d) tps, "
    r"lat (?P<latency>\d{1,9}\.\d{3}) ms stddev (?P<stdev>\d{1,9}\.\d{3})"
    r"(?:, (?P<failed>\d{1,12}) failed)?"
)
_NEXT = re.compile(r"^\s*(?:latency average|initial connection time|number of clients)\b")
"""What stands above the rate: below one it is of the next run, where these are all."""
_MOST = 4000
"""Lines; --progress prints one each second."""


class Pgbench(StateOutput):
    tool = "pgbench"
    anchors = ("transaction type: ", "tps = ")

    commands = ("pgbench",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _PGBENCH.match(line) or "progress" in line:
            return None
        first = nearest(cursor, 20, _TYPE.match)
        if first is None:  # the last lines alone, as many write them down
            first = start_of(cursor, _is_figure, most=8)
        while True:
            above = before(cursor, first)
            if _CUT.fullmatch(cursor.line(above)):
                above = before(cursor, above)
            if above < 0 or not _BEFORE.match(cursor.line(above)):
                return first
            first = above

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        is_over, is_cut = False, _NEXT.match(cursor.line(first)) is not None
        for index, line in lines(cursor, first + 1, _MOST):
            is_over = is_over or _is_rate(cursor.line(index - 1))
            if is_cut and is_over and _NEXT.match(line):
                break
            foreign = line and (
                prompt_in(line)
                or not (_PGBENCH.match(line) or _BEFORE.match(line) or _CUT.fullmatch(line))
            )
            if _TYPE.match(line) and "transaction type" in flow(cursor, first, last):
                break
            if foreign or index > last + 2:
                break
            last = index if line else last
        text = flow(cursor, first, last)
        values: dict[str, Json] = {
            name: int(match[1])
            if match[1].isdecimal() and scale == 1
            else round(float(match[1]) * scale, 12)
            for name, (pattern, scale) in _FIGURES.items()
            if (match := pattern.search(text))
        }
        values |= _texts(cursor, first, last)
        if "tps" not in values:
            raise Unreadable("its transactions per second are cut off", last)
        return last, [self.counted("host", "", values, prompt)]


def _is_figure(line: str) -> bool:
    """Whether a line says something of a run, and is not the last of another."""
    return bool(_PGBENCH.match(line)) and not _is_rate(line)


def _is_rate(line: str) -> bool:
    return line.lstrip().startswith("tps = ")


def _texts(cursor: TextCursor, first: int, last: int) -> dict[str, Json]:
    """What is said in words, and the lines of --progress in their order."""
    values, seconds = dict[str, Json](), list[Json]()
    for _, line in lines(cursor, first, last - first + 1):
        for name, pattern in _TEXTS.items():
            if match := pattern.match(line):
                values[name] = match[1]
        if row := _PROGRESS.match(line):
            figures: dict[str, Json] = {
                "seconds": float(row["seconds"]), "tps": float(row["tps"]),
                "latency.mean": round(float(row["latency"]) / 1e3, 9),
                "latency.stdev": round(float(row["stdev"]) / 1e3, 9),
            }  # fmt: skip
            if row["failed"]:
                figures["failed_transactions"] = int(row["failed"])
            seconds.append(figures)
    return {**values, "intervals": seconds} if seconds else values
