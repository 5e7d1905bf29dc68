"""redis-benchmark (also valkey-benchmark) and `etcdctl check perf`: requests a second, counted.

Their requests are none of a device, so no metrics of a load. Times are in seconds. Each test of
redis-benchmark has a title between "======"; with -q it is a line, with --csv a row.

Source: Redis 7.2, src/redis-benchmark.c, showLatencyReport() ("%d requests completed in %.2f
seconds", "throughput summary:", "latency summary (msec):" and six figures below their names; up to
6.0 "%.2f requests per second" alone; -q: "%s: %.2f requests per second, p50=%.3f msec" with the
marks of progress before a carriage return; --csv: a head since 6.2, before only title and rate);
etcd 3.5, etcdctl/ctlv3/command/check.go, newCheckPerfCommand() (more than 0.9 of the asked rate, no
request above 0.5 s, a deviation of at most 0.1 s).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_COMMANDS = ("redis-benchmark", "valkey-benchmark", "keydb-benchmark")
_N = r"\d{1,12}(?:\.\d{1,3})?"
_TITLE = re.compile(r"\s*={6} (?P<name>\S.{0,120}?) ={6}\s*$")
_DONE = re.compile(
    rf"\s*(?P<operations>\d{{1,15}}) requests completed in (?P<seconds>{_N}) seconds\s*$"
)
_CLIENTS = re.compile(r"\s*(?P<clients>\d{1,7}) parallel clients\s*$")
_PAYLOAD = re.compile(r"\s*(?P<payload>\d{1,12}) bytes payload\s*$")
_LABELLED = re.compile(
    r"\s*(?P<name>keep alive|multi-thread|threads|host configuration \"(?:save|appendonly)\""
    r"|node \[\d{1,4}\] configuration|cluster mode): ?(?P<value>\S.{0,120}?)?\s*$"
)
_SHARE = re.compile(rf"\s*{_N}% <= {_N} milliseconds(?: \(cumulative count \d{{1,15}}\))?\s*$")
_PART = re.compile(
    r"\s*(?:Latency by percentile distribution:|Cumulative distribution of latencies:|Summary:"
    r"|latency summary \(msec\):|Latency summary \(msec\):)\s*$"
)
_RATE = re.compile(
    rf"\s*(?:throughput summary: )?(?P<rate>{_N}) requests per second\s*$", re.IGNORECASE
)
_NAMES = re.compile(r"\s*avg +min +p50 +p95 +p99 +max\s*$")
_FIGURES = re.compile(rf"\s*{_N}(?: +{_N}){{5}}\s*$")
_LATENCIES = ("mean", "min", "p50", "p95", "p99", "max")
_MOST = 4000


class RedisBenchmark(StateOutput):
    tool = "redis-benchmark"
    anchors = ("====== ", "throughput summary:")
    commands = _COMMANDS
    reach = 4
    nothing = "no rate follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _TITLE.match(line):
            return None
        below = [text for _, text in close_lines(cursor, cursor.at + 1, 5, gap=3)][:1]
        return cursor.at if any(map(_DONE.match, below)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        tests, last, are_named = dict[str, dict[str, Json]](), first, False
        values = dict[str, Json]()
        for index, line in close_lines(cursor, first, _MOST, gap=6):
            text = _last_part(line)
            if title := _TITLE.match(text):
                if title["name"] in tests:
                    break  # the next run's
                values = tests.setdefault(title["name"], {})
            elif are_named and _FIGURES.match(text):
                values |= {
                    f"latency.{name}": round(float(cell) / 1e3, 12)
                    for name, cell in zip(_LATENCIES, fields(text), strict=True)
                }
            elif (figures := _said(text)) is None:
                break
            else:
                values |= figures
            last, are_named = index, _NAMES.match(text) is not None
        return last, [
            self.counted("operation", name, figures, prompt)
            for name, figures in tests.items() if "operations_per_second" in figures
        ]  # fmt: skip


def _said(text: str) -> dict[str, Json] | None:
    """What a line of a test says; None where it is none."""
    if done := _DONE.match(text):
        return {"operations": int(done["operations"]), "seconds": float(done["seconds"])}
    if rate := _RATE.match(text):
        return {"operations_per_second": float(rate["rate"])}
    if clients := _CLIENTS.match(text):
        return {"clients": int(clients["clients"])}
    if payload := _PAYLOAD.match(text):
        return {"payload": int(payload["payload"])}
    if label := _LABELLED.match(text):
        name = label["name"].removeprefix("host configuration ").strip('"').replace(" ", "_")
        return {name: label["value"]} if label["value"] else {}
    is_own = _SHARE.match(text) or _PART.match(text) or _NAMES.match(text)
    return {} if is_own else None


_QUIET = re.compile(
    rf"\s*(?P<name>[A-Za-z][\w ()=,./-]{{1,100}}?): (?P<rate>{_N}) requests per second"
    rf"(?:, p50=(?P<p50>{_N}) msec)?\s*$"
)
_TESTS = re.compile(r"\s*(?:PING_|SET:|GET:|INCR:|[LR](?:PUSH|POP)|SADD|HSET|SPOP|Z|LRANGE_|MSET)")


class RedisBenchmarkQuiet(StateOutput):
    """`redis-benchmark -q`: a line for each test."""

    tool = "redis-benchmark"
    anchors = (" requests per second",)
    commands = _COMMANDS
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_quiet(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _is_quiet)
        command = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        tested = _TESTS.match(_last_part(cursor.line(first)))
        return first if command or tested else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        tests, last = dict[str, dict[str, Json]](), first
        for index, line in close_lines(cursor, first):
            row = _QUIET.match(_last_part(line))
            if row is None or row["name"] in tests:
                break
            tests[row["name"]] = {"operations_per_second": float(row["rate"])}
            if row["p50"]:
                tests[row["name"]]["latency.p50"] = round(float(row["p50"]) / 1e3, 12)
            last = index
        return last, [self.counted("operation", *each, prompt) for each in tests.items()]


def _last_part(line: str) -> str:
    """What stands behind the marks of progress ("SET: rps=… (overall: …) avg_msec=…")."""
    _, marks, rest = line.rpartition("(overall: ")
    return rest.partition(")")[2] if marks else line


def _is_quiet(line: str) -> bool:
    return _QUIET.match(_last_part(line)) is not None


_CSV_HEAD = re.compile(r'\s*"test","rps"(?:,"[a-z]\w{1,30}_latency_ms"){1,12}\s*$')
_CSV_ROW = re.compile(
    rf'\s*"(?P<name>[A-Za-z][^"]{{1,100}})","(?P<rate>{_N})"(?P<times>(?:,"{_N}"){{0,12}})\s*$'
)
_COLUMN = re.compile(r'"(?P<name>[a-z]\w{1,30})_latency_ms"')
_CSV_NAMES = {"avg": "mean"}


class RedisBenchmarkCsv(StateOutput):
    """`redis-benchmark --csv`: a head since 6.2, and a row for each test."""

    tool = "redis-benchmark"
    anchors = (
        '"test","rps"', '"PING_',
        *(f'"{name}","' for name in (
            "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP",
            "ZADD", "ZPOPMIN", "MSET (10 keys)", "XADD",
        )),
    )  # fmt: skip
    commands = _COMMANDS
    reach = 3
    nothing = "no row follows that its head fits"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _CSV_HEAD.match(line):
            return cursor.at
        if not _CSV_ROW.match(line):
            return None
        first = top_of(cursor, _CSV_ROW.match)
        command = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        return first if "--csv" in command else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = [
            _CSV_NAMES.get(column["name"], column["name"])
            for column in _COLUMN.finditer(cursor.line(first))
        ]
        tests, last = dict[str, dict[str, Json]](), first
        for index, line in close_lines(cursor, first + 1 if head else first):
            row = _CSV_ROW.match(line)
            if row is None or row["name"] in tests:
                break
            times = [time.strip('"') for time in row["times"].split(",")[1:]]
            if len(times) != len(head):
                raise Unreadable("a row has not as many cells as its head", index)
            tests[row["name"]] = {
                "operations_per_second": float(row["rate"]),
                **{
                    f"latency.{name}": round(float(time) / 1e3, 12)
                    for name, time in zip(head, times, strict=True)
                },
            }
            last = index
        return last, [self.counted("operation", *each, prompt) for each in tests.items()]


_RULING = r"(?:(?P<ruling>PASS|FAIL): )?"
_THROUGHPUT = re.compile(
    rf"\s*{_RULING}Throughput (?:is|too low:) (?P<rate>\d{{1,9}}) writes/s\s*$"
)
_SLOWEST = re.compile(
    rf"\s*{_RULING}Slowest request took (?:too long: )?(?P<seconds>\d{{1,6}}\.\d{{1,9}})s\s*$"
)
_DEVIATION = re.compile(
    rf"\s*{_RULING}Stddev (?:is|too high:) (?P<seconds>\d{{1,6}}\.\d{{1,9}})s\s*$"
)
_WHOLE = re.compile(r"\s*(?P<ruling>PASS|FAIL)\s*$")


class EtcdCheck(StateOutput):
    tool = "etcdctl check perf"
    anchors = ("Throughput is ", "Throughput too low: ", "Slowest request took ")
    commands = ("etcdctl",)
    reach = 6
    beginnings = (_THROUGHPUT, _SLOWEST)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last = dict[str, Json](), first
        for index, line in lines(cursor, first, 12):
            if rate := _THROUGHPUT.match(line):
                name, figure = "operations_per_second", float(rate["rate"])
            elif slowest := _SLOWEST.match(line):
                name, figure = "latency.max", float(slowest["seconds"])
            elif deviation := _DEVIATION.match(line):
                name, figure = "latency.stdev", float(deviation["seconds"])
            else:
                if whole := _WHOLE.match(line):
                    values["passed"] = whole["ruling"] == "PASS"
                    last = index
                if line or index > last + 2:
                    break
                continue
            if name in values:
                break  # the next run's
            values[name] = figure
            last = index
        return last, [self.counted("operation", "put", values, prompt)]
