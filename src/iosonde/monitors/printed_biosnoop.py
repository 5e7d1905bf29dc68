"""biosnoop and iosnoop: each request with its process, disk, direction, size and time, by disk.

Source: bcc, tools/biosnoop.py: columns TIME(s) COMM PID DISK T SECTOR BYTES [P] [QUE(ms)] LAT(ms),
the direction R or W, P whether it follows the request before; libbpf-tools/biosnoop.c: the same
with other types, such as WS, and a queue time of -1 where it is not known; bpftrace,
tools/biosnoop.bt: TIME(ms) DISK COMM PID LAT(ms), in whole milliseconds that are cut, not rounded;
perf-tools, iosnoop: [STARTs] [ENDs] COMM PID TYPE DEV BLOCK BYTES LATms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.monitors import _traced_rows as traced
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput

_CELLS = {
    "TIME(s)": traced.SECONDS, "TIME(ms)": traced.WHOLE,
    "TIME": rf"{traced.CLOCK}|{traced.SECONDS}", "TIMESTAMP": traced.CLOCK,
    "STARTs": traced.SECONDS, "ENDs": traced.SECONDS,
    "COMM": traced.COMM, "PID": traced.SIGNED, "DISK": traced.WORD, "DEV": r"\d{1,4},\d{1,7}",
    "T": "[RWDFN][A-Z]{0,7}", "TYPE": "[RWDFN][A-Z]{0,7}", "SECTOR": traced.SIGNED,
    "BLOCK": traced.WHOLE, "BYTES": traced.WHOLE, "P": "[SR?]", "QUE(ms)": r"-?\d{1,12}\.\d{1,6}",
    "LAT(ms)": traced.SECONDS, "LATms": traced.SECONDS,
}  # fmt: skip
_HEADS = (
    {"COMM", "PID", "DISK", "LAT(ms)"},
    {"COMM", "PID", "TYPE", "DEV", "BLOCK", "BYTES", "LATms"},
)
_COLUMNS = ["TIME(s)", "COMM", "PID", "DISK", "T", "SECTOR", "BYTES", "LAT(ms)"]
_ROW = re.compile(r"\s*+" + r"\s+".join(_CELLS[name] for name in _COLUMNS) + r"\s*")
"""Without options, as grep leaves it without its head."""
_PATTERNS = {"S": "sequential", "R": "random", "?": None}


def _is_head(cells: Sequence[str]) -> bool:
    named = set(cells)
    return (
        any(needed <= named for needed in _HEADS)
        and named <= set(_CELLS)
        and len(named) == len(cells)
        and cells[-1].startswith("LAT")
    )


class Biosnoop(StateOutput):
    tool = "biosnoop"
    anchors = ("LAT(ms)", "LATms", "biosnoop")
    commands = (
        "biosnoop", "biosnoop-bpfcc", "biosnoop.py", "biosnoop.bt", "iosnoop", "iosnoop-perf",
    )  # fmt: skip
    nothing = "no request follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _is_head(line.split()):
            return cursor.at
        prompt = prompt_in(line)
        without = prompt and "|" in prompt.command and _ROW.fullmatch(cursor.line(cursor.at + 1))
        return cursor.at if without else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first).split()
        head = head if _is_head(head) else _COLUMNS
        last, disks, coarse = first, dict[str, list[dict[str, Json]]](), dict[str, Json]()
        for index, row in traced.rows_below(cursor, first, head, _CELLS):
            last = index
            disk = row["DISK"] if "DISK" in row else row["DEV"].replace(",", ":")
            disks.setdefault(disk, []).append(_request(row))
            if "." not in (row.get("LAT(ms)") or row["LATms"]):
                coarse["latency_step"] = 1e-3
        return last, [
            self.counted("disk", disk, {**_summed_up(requests), **coarse}, prompt)
            for disk, requests in disks.items()
        ]


def _request(row: Mapping[str, str]) -> dict[str, Json]:
    """One request: its time as printed, in seconds where it is no clock; bytes and seconds."""
    time = row.get("TIME(s)") or row.get("TIME") or row.get("TIMESTAMP") or row.get("STARTs")
    request: dict[str, Json] = {}
    if time or "TIME(ms)" in row:
        milliseconds = row.get("TIME(ms)")
        clock = time is not None and ":" in time
        request["time"] = (
            time if clock else traced.scaled(milliseconds, -3) if milliseconds else float(time or 0)
        )
    if "ENDs" in row:
        request["end"] = float(row["ENDs"])
    request |= {"process": row["COMM"], "pid": int(row["PID"])}
    if way := row.get("T") or row.get("TYPE"):
        request["way"] = way
    if sector := row.get("SECTOR") or row.get("BLOCK"):
        request["sector"] = int(sector)
    if "BYTES" in row:
        request["bytes"] = int(row["BYTES"])
    if "P" in row:
        request["pattern"] = _PATTERNS[row["P"]]
    if "QUE(ms)" in row and not row["QUE(ms)"].startswith("-"):
        request["queued"] = traced.scaled(row["QUE(ms)"], -3)
    request["latency"] = traced.scaled(row["LAT(ms)"] if "LAT(ms)" in row else row["LATms"], -3)
    return request


def _summed_up(requests: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Of each direction how many, how many bytes, and how long each took, in seconds."""
    counts: dict[str, int] = {}
    latencies: dict[str, list[Json]] = {}
    for request in requests:
        way = traced.way_of(str(request.get("way", "")))
        of = f"{way}." if way else ""
        counts[f"{of}requests"] = counts.get(f"{of}requests", 0) + 1
        if (size := request.get("bytes")) is not None:
            counts[f"{of}bytes"] = counts.get(f"{of}bytes", 0) + int(str(size))
        latencies.setdefault(f"{of}latencies", []).append(request["latency"])
    return {**counts, **latencies, "slowest": traced.slowest(requests)}
