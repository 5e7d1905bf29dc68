"""biopattern, biolatpcts and writeback: patterns, latencies and flushes of each device.

Source: bcc, tools/biopattern.py and libbpf-tools/biopattern.c: shares in percent, KBYTES of 1024;
tools/biolatpcts.py, format_usec(): `-` where nothing was counted, with -j seconds and 0 for that;
bpftrace, tools/writeback.bt: milliseconds that one writeback took. Its PAGES are the lowest 16 bits
of what was left to write, and no number of pages written: they are not said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.monitors import _traced_rows as traced
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_PATTERN_HEAD = ["DISK", "%RND", "%SEQ", "COUNT", "KBYTES"]
_PATTERN_CELLS = {
    "TIME": traced.CLOCK, "DISK": traced.WORD, "%RND": r"\d{1,3}", "%SEQ": r"\d{1,3}",
    "COUNT": traced.WHOLE, "KBYTES": traced.WHOLE,
}  # fmt: skip
_WRITEBACK_HEAD = ["TIME", "DEVICE", "PAGES", "REASON", "ms"]
_WRITEBACK_CELLS = {
    "TIME": traced.CLOCK, "DEVICE": traced.WORD, "PAGES": traced.WHOLE, "REASON": r"\w{0,32}",
    "ms": r"\d{1,12}\.\d{3}",
}  # fmt: skip
_NUMBERS = re.compile(r"[1-9]\d{0,3}:\d{1,7}")
_WAYS = ("read", "write", "discard", "flush")
_LATENCY = re.compile(r"(?P<figure>\d{1,9}(?:\.\d)?)(?P<unit>us|ms|s)|-")
_EXPONENTS = {"us": -6, "ms": -3, "s": 0}
_SHARE = re.compile(r"p?(?P<share>\d{1,3}(?:\.\d{1,6})?)")
_DISCARD = re.compile(r"\s*+discard(?:\s{1,8}(?:\d{1,9}(?:\.\d)?(?:us|ms|s)|-)){1,40}\s*")
_ABOVE = 7
_LONGEST = 8000


class Biopattern(StateOutput):
    tool = "biopattern"
    anchors = ("%RND", "%SEQ")
    commands = ("biopattern", "biopattern-bpfcc", "biopattern.py")
    nothing = "no disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        head = cursor.line(cursor.at).split()
        return cursor.at if head in (_PATTERN_HEAD, ["TIME", *_PATTERN_HEAD]) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first).split()
        last, disks = first, dict[str, dict[str, list[Json]]]()
        for index, row in traced.rows_below(cursor, first, head, _PATTERN_CELLS):
            last = index
            values = disks.setdefault(row["DISK"], {})
            figures: dict[str, Json] = {"time": row["TIME"]} if "TIME" in row else {}
            figures |= {
                "random": int(row["%RND"]) / 100, "sequential": int(row["%SEQ"]) / 100,
                "requests": int(row["COUNT"]), "bytes": int(row["KBYTES"]) * 1024,
            }  # fmt: skip
            for name, figure in figures.items():
                values.setdefault(name, []).append(figure)
        return last, [
            self.counted("disk", disk, {**values}, prompt) for disk, values in disks.items()
        ]


class Biolatpcts(StateOutput):
    tool = "biolatpcts"
    anchors = ("discard ", '{"read": {"')
    commands = ("biolatpcts", "biolatpcts-bpfcc", "biolatpcts.py")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if line.lstrip().startswith('{"read"'):
            return cursor.at if _in_seconds(line) else None
        if not _DISCARD.fullmatch(line):
            return None
        for index in range(cursor.at - 1, max(cursor.at - _ABOVE, -1), -1):
            cells = cursor.line(index).split()
            if len(cells) == len(line.split()) and all(map(_SHARE.fullmatch, cells[1:])):
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        if by_way := _in_seconds(line):
            device = re.search(r"\s/dev/(\S{1,64})", prompt.command)
            name = device[1] if device else ""
            return first, [
                self.counted("disk" if name else "host", name, _percentiles(by_way), prompt)
            ]
        name, *shares = line.split()
        last, by_way = first, {}
        for index, way, cells in _rows(cursor, first, len(shares)):
            last = index
            by_way[way] = {
                _share(share): _seconds(cell) for share, cell in zip(shares, cells, strict=True)
            }
        if not by_way:
            raise Unreadable("no latency follows", last)
        return last, [self.counted("disk", name, _percentiles(by_way), prompt)]


def _rows(cursor: TextCursor, first: int, count: int) -> Iterator[tuple[int, str, list[str]]]:
    """Indices, kinds of request and latencies of the rows below the head; each kind once."""
    ways = list(_WAYS)
    for index, line in enumerate(cursor.block(first + 1, 2 * len(_WAYS)), first + 1):
        way, *cells = line.split() or [""]
        if not way:
            continue
        if way not in ways or len(cells) != count or not all(map(_LATENCY.fullmatch, cells)):
            return
        ways.remove(way)
        yield index, way, cells


def _in_seconds(line: str) -> dict[str, dict[str, float | None]]:
    """What -j prints; empty where a line is something else."""
    try:
        parsed = json.loads(line) if len(line) <= _LONGEST else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(parsed, dict) or set(parsed) != set(_WAYS):
        return {}
    by_way: dict[str, dict[str, float | None]] = {}
    for way, latencies in parsed.items():
        if not isinstance(latencies, dict) or not all(
            isinstance(latency, float) and _SHARE.fullmatch(share)
            for share, latency in latencies.items()
        ):
            return {}
        by_way[way] = {_share(share): latency or None for share, latency in latencies.items()}
    return by_way


def _share(text: str) -> str:
    return text.removeprefix("p")


def _seconds(cell: str) -> float | None:
    latency = _LATENCY.fullmatch(cell)
    if latency is None or not latency["unit"]:
        return None
    return traced.scaled(latency["figure"], _EXPONENTS[latency["unit"]])


def _percentiles(by_way: Mapping[str, Mapping[str, float | None]]) -> dict[str, Json]:
    return {f"{way}.latency_percentiles": {**latencies} for way, latencies in by_way.items()}


class Writeback(StateOutput):
    tool = "writeback"
    anchors = ("PAGES    REASON", "REASON           ms")
    commands = ("writeback.bt", "writeback", "bpftrace")
    nothing = "no writeback follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        is_head = cursor.line(cursor.at).split() == _WRITEBACK_HEAD
        return cursor.at if is_head else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, devices = first, dict[str, list[tuple[str, str, float]]]()
        for index, row in traced.rows_below(cursor, first, _WRITEBACK_HEAD, _WRITEBACK_CELLS):
            last = index
            event = row["TIME"], row["REASON"] or "unknown", traced.scaled(row["ms"], -3)
            devices.setdefault(row["DEVICE"], []).append(event)
        counters = []
        for device, events in devices.items():
            values: dict[str, Json] = {}
            for reason in dict.fromkeys(reason for _, reason, _ in events):
                own = [(time, latency) for time, of, latency in events if of == reason]
                values[f"{reason}.writebacks"] = len(own)
                values[f"{reason}.latencies"] = [latency for _, latency in own]
                values[f"{reason}.times"] = [time for time, _ in own]
            kind = "disk" if _NUMBERS.fullmatch(device) else "bdi"
            counters.append(self.counted(kind, device, values, prompt))
        return last, counters
