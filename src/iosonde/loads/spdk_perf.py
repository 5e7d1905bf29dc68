"""SPDK's `spdk_nvme_perf` (`perf` before): requests, MiB and latencies by core, and of all.

Whether they were read or written is said by the command alone; without it, and of mixed loads, the
figures are kept and nothing is concluded of them. What older versions call MB/s are MiB/s.

Source: SPDK, app/spdk_nvme_perf/perf.c, print_performance() (its mb_per_second divides by 1024 *
1024), check_cutoff() for the percentiles below "Summary latency data", and usage() for options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.torn import joined_match

_N = r"\d{1,12}\.\d\d"
_FIGURES = (
    rf":\s{{1,24}}(?P<iops>{_N})\s{{1,24}}(?P<mib>{_N})\s{{1,24}}(?P<mean>{_N})"
    rf"\s{{1,24}}(?P<min>{_N})\s{{1,24}}(?P<max>{_N})\s*$"
)
_HEAD = re.compile(r"\s*Device Information(?:\s*:|\s{2}|\s*$)")
_CORE = re.compile(rf"\s*(?P<device>\S.{{0,160}}?)\s+from core\s+(?P<core>\d{{1,5}}){_FIGURES}")
_TOTAL = re.compile(rf"\s*Total\s*{_FIGURES}")
_HEAD_REST = re.compile(r"[\s:]*(?:(?:IOPS|Mi?B/s|Average|min|max|Latency\(us\))\s*){1,6}$")
_OWN = re.compile(r"\s*(?:={8,}|Latency\(us\))\s*$")
_SUMMARY = re.compile(r"\s*Summary latency data for .{1,60} from core \d{1,5}:\s*$")
_SHARE = re.compile(r"\s*(?P<share>\d{1,3}\.\d{5})% :\s{1,9}(?P<us>\d{1,12}\.\d{3})us\s*$")
_PATTERN = re.compile(r"\s(?:-w|--io-pattern)[ =]?(?P<way>(?:rand)?(?:read|write|rw))\b")
_OPTIONS = {
    "iodepth": re.compile(r"\s(?:-q|--io-depth)[ =]?(\d{1,7})\b"),
    "runtime": re.compile(r"\s(?:-t|--time)[ =]?(\d{1,9})\b"),
}
_SIZE = re.compile(r"\s(?:-o|--io-size)[ =]?(\d{1,10})(?P<unit>[KM]?)")
_OLD_SIZE = re.compile(r"\s-s[ =]?(\d{1,10})\b")
_TARGET = re.compile(r"trtype:(?P<type>\w{1,12})[^'\"]{0,200}?traddr:(?P<address>[\w.:\[\]]{2,64})")
_MULTIPLES = {"": 1, "K": units.KIB, "M": units.MIB}
_REACH = 60  # lines that DPDK prints between command and table
_MOST = 400
_GAP = 3
_PIECES = 4
_BELOW = 8  # lines from the head to the first row


@dataclass(slots=True)
class _Table:
    """The rows by core, that of all, and the percentiles of the first summary, in seconds.

    `summaries` counts them, `last` is the index of the last line.
    """

    cores: list[re.Match[str]] = field(default_factory=list)
    total: re.Match[str] | None = None
    shares: dict[str, float] = field(default_factory=dict)
    summaries: int = 0
    last: int = 0

    def add(self, row: re.Match[str]) -> bool:
        """Takes a row; False where it is one of the next run."""
        if self.total:
            return False
        if row.re is _CORE:
            self.cores.append(row)
        else:
            self.total = row
        return True

    def summary(self, line: str) -> bool:
        """Takes a line of the percentiles; False where it is none."""
        if _SUMMARY.match(line):
            self.summaries += 1
            return True
        share = _SHARE.match(line) if self.summaries else None
        if share and self.summaries == 1:
            self.shares[share["share"]] = float(share["us"]) * 1e-6
        return share is not None


class SpdkPerf(Output):
    tool = "spdk perf"
    anchors = ("Device Information", " from core ")
    commands: ClassVar[tuple[str, ...]] = ("spdk_nvme_perf",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        is_head = _HEAD.match(cursor.line(at)) is not None
        rows = range(at, at + (_BELOW if is_head else 1))
        return at if any(_row(cursor, index)[0] for index in rows) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        table = _table(cursor, first)
        if not table.cores and table.total is None:
            raise Unreadable("no row with figures follows", table.last)
        begin, prompt = command_before(
            cursor, first, ("spdk_nvme_perf", "perf"), reach=_REACH, about=" -"
        )
        pattern = _PATTERN.search(prompt.command)
        way = pattern["way"].removeprefix("rand") if pattern else ""
        if way not in {"read", "write"}:
            kept = PrintedCounters(
                self.tool, "a run", way, _kept(table), prompt.host, prompt.command
            )
            return OutputReading(begin, table.last, counters=(kept,))
        row = table.total or (table.cores[0] if len(table.cores) == 1 else None)
        if row is None:
            raise Unreadable("its sum over the cores is cut off", table.last)
        return OutputReading(
            begin, table.last, trials=(_trial(self.tool, table, row, way, prompt),)
        )


def _table(cursor: TextCursor, first: int) -> _Table:
    """What the lines from the head on say, up to a line that is no part of it."""
    table, after = _Table(last=first), first
    for index, line in lines(cursor, first, _MOST):
        if index < after or not line:
            continue
        if index > table.last + _GAP or prompt_in(line):
            break
        row, count = _row(cursor, index)
        if not (table.add(row) if row else _is_head(line, index - first) or table.summary(line)):
            break
        after = index + count
        table.last = after - 1
    return table


def _is_head(line: str, below: int) -> bool:
    """Whether a line is the head, a part of it that a wrap made, or drawn."""
    return bool(_OWN.match(line) or (below == 0 and _HEAD.match(line)) or _HEAD_REST.match(line))


def _row(cursor: TextCursor, index: int) -> tuple[re.Match[str] | None, int]:
    """The row that begins in a line, and how many lines a wrap made of it; never with a head."""
    parts: list[str] = []
    for line in cursor.block(index, _PIECES):
        if not line or _HEAD.match(line):
            break
        parts.append(line)
        match = joined_match(_CORE, parts) or joined_match(_TOTAL, parts)
        if match:
            return match, len(parts)
    return None, 1


def _figures(row: re.Match[str]) -> dict[str, float]:
    """The figures of a row: 1/s, B/s and s."""
    return {
        "iops": float(row["iops"]), "bandwidth": float(row["mib"]) * units.MIB,
        "latency.mean": float(row["mean"]) * 1e-6, "latency.min": float(row["min"]) * 1e-6,
        "latency.max": float(row["max"]) * 1e-6,
    }  # fmt: skip


def _by_core(table: _Table) -> list[Json]:
    return [
        {"device": row["device"].strip(), "core": int(row["core"]), **_figures(row)}
        for row in table.cores
    ]


def _kept(table: _Table) -> dict[str, Json]:
    """The figures of all cores, and of each."""
    of_all = table.total or (table.cores[0] if len(table.cores) == 1 else None)
    values: dict[str, Json] = {**_figures(of_all)} if of_all else {}
    if table.cores:
        values["cores"] = _by_core(table)
    if table.shares:
        values["latency_shares"] = {**table.shares}
    return values


def _trial(tool: str, table: _Table, row: re.Match[str], way: str, prompt: Prompt) -> PrintedTrial:
    metrics = {f"{way}.{name}": value for name, value in _figures(row).items()}
    if table.summaries == 1:
        metrics |= {
            f"{way}.latency.{_percentile(share)}": value for share, value in table.shares.items()
        }
    steps = {name: _step(name) for name in metrics}
    target = _TARGET.search(prompt.command)
    cores = _by_core(table)
    return PrintedTrial(
        tool=tool,
        loops=(LoadResult.of(metrics),),
        command=prompt.command,
        host=prompt.host,
        target=f"{target['type']} {target['address']}" if target else "",
        options=_options(prompt.command),
        steps=steps,
        details={"cores": cores} if len(cores) > 1 else {},
    )


def _percentile(share: str) -> str:
    """`99.90000` is p99_9, as the metrics call it."""
    return "p" + share.rstrip("0").rstrip(".").replace(".", "_")


def _step(metric: str) -> float:
    """Half of the last digit: two decimals of each, three of the percentiles."""
    if metric.endswith(".iops"):
        return 0.005
    if metric.endswith(".bandwidth"):
        return 0.005 * units.MIB
    return 0.5e-9 if ".latency.p" in metric else 5e-9


def _options(command: str) -> Mapping[str, Scalar]:
    """What the command says of the load; -s was the size before 2018, and of memory since."""
    options: dict[str, Scalar] = {
        name: int(match[1])
        for name, pattern in _OPTIONS.items()
        if (match := pattern.search(command))
    }
    if pattern := _PATTERN.search(command):
        options["rw"] = pattern["way"]
    if size := _SIZE.search(command):
        options["bs"] = int(size[1]) * _MULTIPLES[size["unit"]]
    elif old := _OLD_SIZE.search(command):
        options["bs"] = int(old[1])
    return options
