"""db_bench, YCSB and memtier: what a database or a cache did on the storage, as counters.

Their operations are no requests of a device, so no metrics of a load. Times are in seconds. The MB
of db_bench are MiB, the KB of memtier 1024 bytes.

Source: RocksDB 8.5, tools/db_bench_tool.cc, Stats::Report() (LevelDB and RocksDB before 7 print
neither seconds nor counts); YCSB 0.18, TextMeasurementsExporter (`[GROUP], name, value`),
OneMeasurementHistogram (a variance is of µs²), OneMeasurementRaw (its summary is in microseconds);
memtier_benchmark 1.2 to 2.3, run_stats.cpp, run_stats::print() (KB of 1024 bytes, times in
milliseconds, MOVED and ASK of a cluster, commands of --command by their names).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest, top_of, top_of_own

_N = r"\d{1,15}(?:\.\d{1,6})?"
_DB_ROW = re.compile(
    rf"^\s*(?P<name>[a-z]\w{{2,40}}) {{1,20}}: {{1,12}}(?P<micros>{_N}) micros/op"
    rf"(?: (?P<rate>\d{{1,15}}) ops/sec)?"
    rf"(?: (?P<seconds>{_N}) seconds (?P<count>\d{{1,15}}) operations)?"
    rf";?(?: {{1,4}}(?P<mib>{_N}) MB/s)?(?: \((?P<hits>\d{{1,15}}) of (?P<of>\d{{1,15}}) found\))?"
)  # fmt: skip
_DB_HEAD = re.compile(
    r"^\s*(?P<name>RocksDB|LevelDB|Keys|Values|Entries|RawSize|FileSize|Compression|DB path"
    r"|Memtablerep|Prefix|Write rate|Read rate|Date|CPU|CPUCache|Keys per prefix|Perf Level"
    r"|Compression sampling rate) {0,12}: +\[?(?P<value>\S.{0,120}?)\]?\s*$"
)
_DB_RULE = re.compile(r"^\s*(?:-{20,}|Initializing RocksDB|Set seed to|Integrated BlobDB)")
_PERCENTILES = re.compile(rf"(?P<name>P\d{{2}}(?:\.\d{{1,2}})?): (?P<value>{_N})(?=\s|$)")
_HISTOGRAM = re.compile(rf"(?P<name>Count|Average|StdDev|Min|Median|Max): (?P<value>{_N})(?=\s|$)")
_HISTOGRAM_NAMES = {
    "Average": "mean", "StdDev": "stdev", "Min": "min", "Median": "median", "Max": "max",
}  # fmt: skip
_LEVELS = re.compile(r"^\s*Level Files Size\(MB\)\s*$")
_LEVEL = re.compile(r"^\s*(?P<level>\d) +(?P<files>\d{1,9}) +(?P<size>\d{1,12})\s*$")
_SEED = re.compile(r"^\s*Set seed to (?P<seed>\d{1,20})\b")
_MOST = 400


class DbBench(StateOutput):
    tool = "db_bench"
    anchors = (" micros/op",)
    commands = ("db_bench", "./db_bench")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _DB_ROW.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, _is_of_db_bench)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, counters, name = first, list[PrintedCounters](), ""
        values, settings = dict[str, Json](), dict[str, Json]()
        levels, has_levels = list[PrintedCounters](), False
        for index, line in lines(cursor, first, _MOST):
            if index > last + 6 or (line and (prompt_in(line) or not _is_of_db_bench(line))):
                break
            last = index if line else last
            row, head = _DB_ROW.match(line), _DB_HEAD.match(line)
            if row:
                name, values = row["name"], _db_figures(row)
                counters.append(self.counted("operation", name, values, prompt))
            elif name and (histogram := _histogram(line)):
                values |= histogram
            elif _LEVELS.match(line):
                has_levels = True
            elif has_levels and (level := _LEVEL.match(line)):
                levels.append(self.counted("level", level["level"], _of_level(level), prompt))
            elif head and not counters:
                settings[head["name"]] = head["value"]
            elif (seed := _SEED.match(line)) and not counters:
                settings["seed"] = int(seed["seed"])
        if not counters:
            raise Unreadable("no operation follows", last)
        head_counters = [self.counted("host", "", settings, prompt)] if settings else []
        return last, [*counters, *levels, *head_counters]


def _histogram(line: str) -> dict[str, Json]:
    """What a histogram says, in seconds, and how much it counts."""
    if line.lstrip().startswith("Percentiles: "):
        return {
            f"latency.{match['name'].lower()}": round(float(match["value"]) / 1e6, 12)
            for match in _PERCENTILES.finditer(line)
        }
    if not line.lstrip().startswith(("Count: ", "Min: ")):
        return {}
    values = dict[str, Json]()
    for match in _HISTOGRAM.finditer(line):
        if match["name"] == "Count":
            values["histogram.count"] = int(float(match["value"]))
        else:
            key = f"histogram.{_HISTOGRAM_NAMES[match['name']]}"
            values[key] = round(float(match["value"]) / 1e6, 12)
    return values


def _of_level(row: re.Match[str]) -> dict[str, Json]:
    """Files of a level of the tree, and their bytes: what is headed MB is MiB."""
    return {"files": int(row["files"]), "size": int(row["size"]) * units.MIB}


def _is_of_db_bench(line: str) -> bool:
    return (
        _DB_ROW.match(line) is not None
        or _DB_HEAD.match(line) is not None
        or _DB_RULE.match(line) is not None
        or _LEVELS.match(line) is not None
        or _LEVEL.match(line) is not None
        or line.lstrip().startswith(("Percentiles: ", "Microseconds per ", "Count: ", "Min: "))
    )


def _db_figures(row: re.Match[str]) -> dict[str, Json]:
    """Time of an operation, operations and bytes a second."""
    values: dict[str, Json] = {"latency.mean": round(float(row["micros"]) / 1e6, 12)}
    for name, key in (("rate", "operations_per_second"), ("count", "operations"),
                      ("hits", "hits"), ("of", "lookups")):  # fmt: skip
        if row[name]:
            values[key] = int(row[name])
    if row["seconds"]:
        values["seconds"] = float(row["seconds"])
    if row["mib"]:
        values["bandwidth"] = float(row["mib"]) * units.MIB
    return values


_YCSB = re.compile(
    r"^\s*\[(?P<group>[A-Z][\w%-]{1,50})\], (?P<name>[^,]{1,60}), "
    r"(?P<value>-?\d{1,15}(?:\.\d{1,24})?(?:E-?\d{1,3})?)\s*$"
)  # fmt: skip
_YCSB_TIME = re.compile(r"(?P<name>.{1,40}?)\((?P<unit>us|ms)\)$")
_YCSB_NAMES = {
    "AverageLatency": "latency.mean", "MinLatency": "latency.min", "MaxLatency": "latency.max",
    "RunTime": "seconds", "Operations": "operations", "Total Operations": "operations",
}  # fmt: skip
_YCSB_RAW = {"Average": "mean", "Min": "min", "Max": "max"}


class Ycsb(StateOutput):
    tool = "ycsb"
    anchors = ("[OVERALL], ", "], AverageLatency(", "], Operations, ")
    commands = ("ycsb", "bin/ycsb", "ycsb.sh")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _YCSB.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        groups, last = dict[str, dict[str, Json]](), first
        for index, line in close_lines(cursor, first, _MOST):
            row = _YCSB.match(line)
            if row is None:
                break
            if row["group"] == "OVERALL" and row["name"] in groups.get("OVERALL", {}):
                break
            last = index
            if row["name"].startswith("Below is a summary"):
                continue
            name, value = _ycsb_figure(row["name"].strip(), float(row["value"]))
            values = groups.setdefault(row["group"], {})
            if name in values:
                break  # the next run's
            values[name] = value
        return last, [
            self.counted("host" if group == "OVERALL" else "operation",
                         "" if group == "OVERALL" else group, values, prompt)
            for group, values in groups.items()
        ]  # fmt: skip


def _ycsb_figure(name: str, value: float) -> tuple[str, Json]:
    """A figure's name, and its value in seconds where it is a time."""
    if name == "Throughput(ops/sec)":
        return "operations_per_second", value
    if time := _YCSB_TIME.match(name):
        scale = 1e6 if time["unit"] == "us" else 1e3
        if time["name"] == "LatencyVariance":
            return "latency.variance", value / scale**2
        share = re.fullmatch(r"(\d{2}(?:\.\d{1,2})?)(?:th)?PercentileLatency", time["name"])
        key = f"latency.p{share[1]}" if share else _YCSB_NAMES.get(time["name"])
        return key or time["name"], round(value / scale, 12)
    if name in _YCSB_RAW or re.fullmatch(r"p\d{1,2}(?:\.\d{1,2})?", name):
        return f"latency.{_YCSB_RAW.get(name, name)}", round(value / 1e6, 12)
    return _YCSB_NAMES.get(name, name), int(value) if value.is_integer() else value


_MEMTIER_HEAD = re.compile(r"^\s*Type +Ops/sec +(?:Hits/sec +Misses/sec +)?")
_MEMTIER_ROW = re.compile(
    r"^\s*(?P<name>[A-Z][a-z0-9._-]{1,40}s) +(?P<cells>[-\d][\d. n/a-]{10,240})$"
)
_MEMTIER_OWN = re.compile(
    r"^\s*(?:ALL STATS|AGGREGATED|BEST RUN|WORST RUN|[=-]{20,}$"
    r"|\d{1,12} +(?:Threads|Connections per thread|Requests per client|Seconds)\s*$)"
)
_MEMTIER_NAMES = {
    "Ops/sec": ("operations_per_second", 1.0), "Hits/sec": ("hits_per_second", 1.0),
    "Misses/sec": ("misses_per_second", 1.0), "MOVED/sec": ("moved_per_second", 1.0),
    "ASK/sec": ("ask_per_second", 1.0), "Latency": ("latency.mean", 1e-3),
    "Avg. Latency": ("latency.mean", 1e-3), "KB/sec": ("bandwidth", 1024.0),
}  # fmt: skip


class Memtier(StateOutput):
    tool = "memtier_benchmark"
    anchors = ("Type         Ops/sec", "  Hits/sec   Misses/sec")
    commands = ("memtier_benchmark",)
    reach = 20

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _MEMTIER_HEAD.match(cursor.line(cursor.at)):
            return None
        top = nearest(cursor, 4, re.compile(r"\s*(?:ALL STATS|AGGREGATED|BEST|WORST)").match)
        return cursor.at if top is None else top

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head, last, counters = list[str](), first, list[PrintedCounters]()
        for index, line in lines(cursor, first, 20):
            row = _MEMTIER_ROW.match(line)
            if _MEMTIER_HEAD.match(line) and not head:
                head = re.split(r" {2,}", line.strip())[1:]
            elif row and head:
                values = _memtier_figures(head, fields(row["cells"]))
                if values:
                    counters.append(self.counted("operation", row["name"], values, prompt))
            elif line and not _MEMTIER_OWN.match(line):
                break
            last = index if line else last
            if row and row["name"] == "Totals":
                break
        if not counters:
            raise Unreadable("no row follows that its head fits", last)
        if asked := _memtier_asked(cursor, first):
            counters.append(self.counted("host", "", asked, prompt))
        return last, counters


_MEMTIER_ASKED = re.compile(
    r"^\s*(?P<count>\d{1,12}) +"
    r"(?P<what>Threads|Connections per thread|Requests per client|Seconds)\s*$"
)


def _memtier_asked(cursor: TextCursor, first: int) -> dict[str, Json]:
    """What stands right above the statistics: threads, connections, requests or seconds."""
    asked, gap = dict[str, Json](), 0
    for index in range(first - 1, max(first - 24, -1), -1):
        line = cursor.line(index)
        row = _MEMTIER_ASKED.match(line)
        gap = 0 if row else gap + 1
        if gap > 12 or (line and not _MEMTIER_OWN.match(line)):
            break
        if row:
            asked[row["what"].lower().replace(" ", "_")] = int(row["count"])
    return asked


def _memtier_figures(head: Sequence[str], cells: Sequence[str]) -> dict[str, Json]:
    """The figures of a row; empty where there are more or fewer than its head says, or none."""
    if len(head) != len(cells):
        return {}
    values = dict[str, Json]()
    for title, cell in zip(head, cells, strict=True):
        if not re.fullmatch(_N, cell):
            continue
        share = re.fullmatch(r"p(\d{2}(?:\.\d{1,2})?) Latency", title)
        name, scale = (
            (f"latency.p{share[1]}", 1e-3) if share else _MEMTIER_NAMES.get(title, ("", 0))
        )
        if name:
            values[name] = round(float(cell) * scale, 9)
    return values if any(values.values()) else {}
