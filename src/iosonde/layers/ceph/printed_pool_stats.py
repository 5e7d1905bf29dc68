"""`rados df` and `ceph osd pool stats`: what pools hold, and what clients and recovery move.

Source:
    Ceph 0.80, tools/rados/rados.cc ("pool name", "KB", "rd KB": units of 1024 bytes); Ceph 12 to
    18, the same (TextTable "POOL_NAME", "RD_OPS"); mon/OSDMonitor.cc and mgr/DaemonServer.cc ("osd
    pool stats": "pool NAME id N", "nothing is going on"), mon/PGMap.cc (recovery_rate_summary(),
    client_io_rate_summary(), cache_io_rate_summary()).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.ceph.facts import (
    COUNT,
    SIZE,
    Tokens,
    client_rates,
    count,
    head_of,
    not_whole,
    rows_of,
    size,
    tokens,
)
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_NAMES = {
    "pool name": "name", "POOL_NAME": "name", "category": "category", "KB": "used_kib",
    "USED": "used", "objects": "objects", "OBJECTS": "objects", "clones": "clones",
    "CLONES": "clones", "COPIES": "copies", "degraded": "degraded", "DEGRADED": "degraded",
    "MISSING_ON_PRIMARY": "missing_on_primary", "unfound": "unfound", "UNFOUND": "unfound",
    "rd KB": "read.kib", "rd": "read.operations", "wr KB": "write.kib", "wr": "write.operations",
    "RD_OPS": "read.operations", "RD": "read.bytes", "WR_OPS": "write.operations",
    "WR": "write.bytes", "USED COMPR": "compressed", "UNDER COMPR": "compressible",
}  # fmt: skip
_KIB = {"used_kib": "used", "read.kib": "read.bytes", "write.kib": "write.bytes"}
_AMOUNTS = frozenset({"used", "read.bytes", "write.bytes", "compressed", "compressible"})
_CELLS = {
    **{name: re.compile(r"-?\d{1,19}") for name in _NAMES.values()},
    **{name: re.compile(rf"{SIZE}|\d{{1,19}}") for name in _AMOUNTS},
    "name": re.compile(r"\S{1,120}"), "category": re.compile(r"-"),
}  # fmt: skip
_HEAD = re.compile(r"\s*(?:pool name\s+(?:category\s+)?KB\s+objects|POOL_NAME\s+USED\s+OBJECTS)\s")
_TOTAL_KIB = re.compile(
    r"\s*total (?P<name>used|avail|space)\s+(?P<kib>\d{1,19})(?:\s+(?P<objects>\d{1,19}))?\s*$"
)
_TOTAL = re.compile(
    rf"\s*total_(?P<name>objects|used|avail|space)\s+(?P<figure>{SIZE}|\d{{1,19}})$"
)
_TOTALS = {"used": "used", "avail": "available", "space": "size"}
_POOL = re.compile(r"\s*pool (?P<name>\S{1,120}) id (?P<id>\d{1,9})$")
_OWN = re.compile(
    r"\s*(?:nothing is going on|(?:recovery|client|cache)(?: io)? \d|\d{1,15}/\d{1,15} |"
    r"-\d{1,15}/\d|recovery |\d[\d.]{0,9} ?[kMGT]?i?B/s)"
)
_LEFT = re.compile(
    r"(?P<count>-?\d{1,15})/(?P<total>\d{1,15}) objects (?P<what>degraded|misplaced|unfound)"
)
_PART = re.compile(r"(?P<what>client|recovery|cache)(?: io)? (?P<figures>.{1,300}?)"
                   r"(?= client| recovery| cache|$)")  # fmt: skip
_RECOVERY = re.compile(rf"(?P<rate>{SIZE})/s|(?P<count>\d{{1,9}}) (?P<unit>keys|objects)/s")
_CACHE = re.compile(
    rf"(?P<size>{SIZE})/s (?P<name>flush|evict)|(?P<count>{COUNT}) op/s (?P<promote>promote)"
)
_MOST = 5000


class RadosDf(StateOutput):
    tool = "rados df"
    anchors = ("pool name ", "POOL_NAME", " COPIES ")
    commands = ("rados",)
    reach = 3
    beginning = _HEAD
    nothing = "its first row is not whole"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        parts = Tokens(tokens(cursor, first, _MOST))
        columns, at = head_of(parts, _NAMES)
        end = parts.get(max(at - 1, 0))
        last = end.line if end else first
        counters: list[PrintedCounters] = []
        rows = rows_of(parts.onward(at), columns, _CELLS, lambda *_: False)
        for row, row_end in rows:
            name = row.pop("name")
            if name == "total" or name.startswith("total_"):
                break
            counters.append(self.counted("ceph_pool", name, _row(row), prompt))
            last = row_end
        totals: dict[str, Json] = {}
        for index, line in close_lines(cursor, last + 1, 16, gap=4):
            if match := _TOTAL_KIB.match(line):
                totals[_TOTALS[match["name"]]] = int(match["kib"]) << 10
                if match["objects"]:
                    totals["objects"] = int(match["objects"])
            elif match := _TOTAL.match(line):
                name = match["name"]
                totals[_TOTALS.get(name, name)] = size(match["figure"])
            else:
                break
            last = index
        if totals and counters:
            counters.insert(0, self.counted("ceph", "ceph", totals, prompt))
        return last, counters


def _row(row: Mapping[str, str]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name, text in row.items():
        if name in _KIB:
            values[_KIB[name]] = int(text) << 10
        elif name in _AMOUNTS:
            values[name] = size(text)
        elif name != "category":
            values[name] = int(text)
    return values


class CephPoolStats(StateOutput):
    tool = "ceph osd pool stats"
    anchors = (
        "nothing is going on", "client io ", "recovery io ", "cache io ",
        " objects degraded", " objects misplaced", " objects unfound",
    )  # fmt: skip
    commands = ("ceph",)
    reach = 3
    nothing = "no pool is followed by what it does"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _OWN.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, lambda line: _OWN.match(line) or _POOL.match(line))
        return next((at for at in range(first, cursor.at) if _POOL.match(cursor.line(at))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        pools: list[tuple[re.Match[str], int, int]] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if pool := _POOL.match(line):
                pools.append((pool, index, index))
            elif _OWN.match(line):
                pools[-1] = (*pools[-1][:2], index)
            else:
                break
            last = index
        for pool, begin, end in pools:
            values = _activity(flow(cursor, begin + 1, end) if end > begin else "")
            counters.append(
                self.counted("ceph_pool", pool["name"], {"id": int(pool["id"]), **values}, prompt)
            )
        return last, counters


def _activity(text: str) -> dict[str, Json]:
    """What the lines below a pool say: what is not whole, and what is moved a second."""
    values: dict[str, Json] = {}
    for left in _LEFT.finditer(text):
        values |= not_whole(left["what"], left["count"], left["total"])
    binary = "iB" not in text
    for part in _PART.finditer(text):
        figures = part["figures"]
        if part["what"] == "client":
            values |= client_rates(figures, binary=binary)
        elif part["what"] == "recovery":
            for rate in _RECOVERY.finditer(figures):
                name = f"recovery.{rate['unit'] or 'bandwidth'}"
                values[name] = int(rate["count"]) if rate["count"] else size(rate["rate"])
        else:
            for moved in _CACHE.finditer(figures):
                name = f"cache.{moved['name'] or moved['promote']}"
                values[name] = (
                    size(moved["size"]) if moved["size"] else count(moved["count"], binary=binary)
                )
    return values
