"""Histograms of latencies that tracers print: biolatency and its like of bcc, bpftrace, iolatency.

Buckets are [from, to, count] with from and to in seconds, or in bytes, as printed: bcc's "4 -> 7"
holds both, iolatency's "4 -> 8" and bpftrace's "[4, 8)" do not hold the second. What counts other
things is told as unread, and so is a map of bpftrace whose name says no unit.

Source: bcc, src/python/bcc/table.py, _print_log2_hist() and _print_linear_hist();
libbpf-tools/trace_helpers.c, print_log2_hist(); tools/biolatency.py, what stands above;
bpftrace, src/output.cpp, hist_to_str(): K, M and G are powers of 1024; perf-tools, iolatency.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_UNITS = {
    "nsecs": 1e-9, "nsec": 1e-9, "ns": 1e-9, "usecs": 1e-6, "usec": 1e-6, "us": 1e-6,
    "msecs": 1e-3, "msec": 1e-3, "ms": 1e-3, "secs": 1.0, "seconds": 1.0, "s": 1.0,
}  # fmt: skip
_SIZES = {"bytes": 1.0, "kbytes": 1024.0}
_BCC = re.compile(r"^\s*(?P<unit>[A-Za-z](?:[\w./()-]| (?! )){0,40}?)\s*: count +distribution\s*$")
_PERF_TOOLS = re.compile(
    r"^\s*>?=\((?P<unit>\w{1,5})\) \.\. <\((?P=unit)\)\s*: I/O\s+\|Distribution"
)
_MAP = re.compile(r"^\s*@(?P<unit>[A-Za-z]\w{0,40})?(?:\[(?P<key>[^\]]{1,80})\])?:(?:\s|$)")
_ROW = re.compile(
    r"^\s*(?P<low>\d{1,20})(?: +-> (?P<high>\d{1,20}))? *: (?P<count>\d{1,20}) +"
    r"\|[*#@+ ]{0,80}\|?\s*$"
)
_INTERVAL = re.compile(
    r"^\s*(?:\[(?P<low>-?\d{1,6}[KMGT]?)(?:, (?P<high>-?\d{1,6}[KMGT]?|\.\.\.)[)\]])?\]?"
    r"|\(\.\.\., (?P<below>-?\d{1,6}[KMGT]?)[)\]]) +(?P<count>\d{1,20}) \|[@ ]{0,60}\|?\s*$"
)
_ABOVE = re.compile(
    r"^\s*(?P<name>disk|flags|operation|file system|fs|cgroup|function|\[?b?'[\w.-]{1,64}'?\]?)"
    r"(?: ?= ?(?P<value>\S.{0,60}))?\s*$"
)
_DISK = re.compile(r"b?'?([A-Za-z][\w!-]{0,63})'?")
_BLANKS = 1
_MOST = 80


class TracedHistogram(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "histogram"
    anchors: ClassVar[tuple[str, ...]] = (": count ", "|Distribution", "|@@@")

    commands: ClassVar[tuple[str, ...]] = (
        "biolatency", "biolatency-bpfcc", "biolatency.bt", "bpftrace", "iolatency", "ext4dist",
        "xfsdist", "btrfsdist", "nfsdist", "zfsdist", "fsdist", "funclatency", "runqlat",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """See `Output.begin`. The line that names the unit, a first row below it."""
        line = cursor.line(cursor.at) or ""
        if _BCC.match(line) or _PERF_TOOLS.match(line):
            return cursor.at if _rows(cursor, cursor.at, _ROW)[1] else None
        if not _INTERVAL.match(line):
            return None
        for index in range(cursor.at - 1, max(cursor.at - _MOST, -1), -1):
            above = cursor.line(index) or ""
            if _MAP.match(above):
                return index
            if above and not _INTERVAL.match(above):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first) or ""
        head = _BCC.match(line) or _PERF_TOOLS.match(line)
        match = head or _MAP.match(line)
        last, rows = _rows(cursor, first, _ROW if head else _INTERVAL)
        if match is None or not rows:
            raise Unreadable("no row follows its head")
        unit = (match["unit"] or "").strip()
        scale = _UNITS.get(unit.lower())
        about = "size" if scale is None and unit.lower() in _SIZES else "latency"
        scale = _SIZES[unit.lower()] if about == "size" else scale
        if scale is None and not head:
            scale = _UNITS.get(unit.rpartition("_")[2].lower())
        if scale is None:
            raise Unreadable(f"{unit or 'its map'} is not a unit of time or of size", last)
        kind, name, above = "host", "", "" if head else (match["key"] or "")
        if head and (label := _ABOVE.match(_before(cursor, first))):
            above = label[0].strip()
            if label["name"] == "disk" and (disk := _DISK.match(label["value"] or "")):
                kind, name, above = "disk", disk[1], ""
        buckets: list[Json] = [
            [low * scale, None if high is None else high * scale, count]
            for low, high, count in rows
        ]
        values: dict[str, Json] = {
            f"{about}_distribution": buckets, "requests": sum(count for _, _, count in rows)
        }  # fmt: skip
        if above:
            values["of"] = above
        return last, [self.counted(kind, name, values, prompt)]


def _before(cursor: TextCursor, first: int) -> str:
    """The nearest line above a histogram that is not blank."""
    for index in (first - 1, first - 2):
        if line := cursor.line(index):
            return line
    return ""


def _rows(
    cursor: TextCursor, first: int, pattern: re.Pattern[str]
) -> tuple[int, list[tuple[float, float | None, int]]]:
    """Index of the last row below a head; from and to of each, in its own unit, and its count."""
    last, rows = first, list[tuple[float, float | None, int]]()
    for index, line in lines(cursor, first + 1, _MOST):
        match = pattern.match(line)
        if not match and (line or index > last + _BLANKS):
            break
        if not match:
            continue
        last, parts = index, match.groupdict()
        if parts.get("below"):
            rows.append((0.0, _size(parts["below"]), int(match["count"])))
            continue
        low, printed = _size(match["low"]), match["high"]
        high = low if printed is None else None if printed == "..." else _size(printed)
        rows.append((low, high, int(match["count"])))
    return last, rows


def _size(text: str) -> float:
    """A number with a prefix of 1024."""
    if text[-1] in "KMGT":
        return float(text[:-1]) * 1024.0 ** ("KMGT".index(text[-1]) + 1)
    return float(text)
