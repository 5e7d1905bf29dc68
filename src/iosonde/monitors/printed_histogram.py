"""Histograms of latencies that tracers print: biolatency and its like of bcc, bpftrace, iolatency.

Buckets are [from, to, count] with from and to in seconds, or in bytes, as printed: bcc's "4 -> 7"
holds both, iolatency's "4 -> 8" and bpftrace's "[4, 8)" do not hold the second; nor does bitesize
of perf-tools, whose "8.0 -> 63.9" are Kbytes below 64. What counts other things is told as unread,
and so is a map of bpftrace whose name says no unit. A key of several lines is a stack, as of
biostacks.bt; readahead's histogram is of the age at which pages were used.

Source: bcc, src/python/bcc/table.py, _print_log2_hist() and _print_linear_hist();
libbpf-tools/trace_helpers.c, print_log2_hist(); tools/biolatency.py, what stands above;
bpftrace, src/output.cpp, hist_to_str(): K, M and G are powers of 1024; perf-tools, iolatency,
disk/bitesize; bcc, tools/readahead.py, libbpf-tools/readahead.c; bpftrace, tools/biostacks.bt.
"""

from __future__ import annotations

import re

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
_BITESIZE = re.compile(r"^\s*Kbytes\s*: I/O\s{1,8}Distribution\s*$")
_BITESIZE_ROW = re.compile(
    r"^\s*(?P<low>\d{1,9}\.\d)? {0,20}-> (?P<high>\d{1,9}\.\d)? {0,20}: (?P<count>\d{1,20})"
    r" {0,20}\|[# ]{0,60}\|?\s*$"
)
_IN_UNIT = re.compile(r"age \((ms|us|ns)\)")
_UNUSED = re.compile(
    r"^\s*Read-?ahead unused(?:/total)? pages: (?P<unused>\d{1,15})(?:/(?P<total>\d{1,15}))?\s*$"
)
_STACK_HEAD = re.compile(r"^\s*@(?P<unit>[A-Za-z]\w{0,40})?\[\s*$")
_STACK_END = re.compile(r"^\s*\]:\s*$")
_FRAME = re.compile(r"^\s*[\w.$]{1,120}(?:\+\d{1,8})?(?:, [\w:/.-]{1,40})*\s*$")
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
    r"(?: ?= ?(?P<value>\S.{0,60}))?\s*$|^\s*[A-Za-z]\w{0,30}(?: \w{1,30})? = \S.{0,60}$"
)
"""What a histogram is of, in the line above it; print_log2_hist() of bcc writes `NAME = KEY`."""
_DISK = re.compile(r"b?'?([A-Za-z][\w!-]{0,63})'?")
_BLANKS = 1
_MOST = 80


class TracedHistogram(StateOutput):
    tool = "histogram"
    anchors = (": count ", "|Distribution", "|@@@")

    commands = (
        "biolatency", "biolatency-bpfcc", "biolatency.bt", "bpftrace", "iolatency", "ext4dist",
        "xfsdist", "btrfsdist", "nfsdist", "zfsdist", "fsdist", "funclatency", "runqlat",
        "biostacks", "biostacks.bt", "readahead", "readahead-bpfcc",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line that names the unit, a first row below it."""
        line = cursor.line(cursor.at)
        if _BCC.match(line) or _PERF_TOOLS.match(line):
            return cursor.at if _rows(cursor, cursor.at, _ROW)[1] else None
        if not _INTERVAL.match(line):
            return None
        for index in range(cursor.at - 1, max(cursor.at - _MOST, -1), -1):
            above = cursor.line(index)
            if _MAP.match(above):
                return index
            if _STACK_END.match(above):
                return _stack_head(cursor, index)
            if above and not _INTERVAL.match(above):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        head = _BCC.match(line) or _PERF_TOOLS.match(line)
        match = head or _MAP.match(line) or _STACK_HEAD.match(line)
        stack, begin = _stack(cursor, first) if _STACK_HEAD.match(line) else ([], first)
        last, rows = _rows(cursor, begin, _ROW if head else _INTERVAL)
        if match is None or not rows:
            raise Unreadable("no row follows its head")
        unit = (match["unit"] or "").strip()
        scale = _UNITS.get(unit.lower())
        about = "size" if scale is None and unit.lower() in _SIZES else "latency"
        scale = _SIZES[unit.lower()] if about == "size" else scale
        if in_unit := _IN_UNIT.fullmatch(unit):
            scale = _UNITS[in_unit[1]]
        if scale is None and not head:
            scale = _UNITS.get(unit.rpartition("_")[2].lower())
        if scale is None:
            raise Unreadable(f"{unit or 'its map'} is not a unit of time or of size", last)
        kind, name, above = "host", "", match.groupdict().get("key") or ""
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
        if stack:
            values["stack"] = stack
        unused = _unused(cursor, first)
        if in_unit or unused:
            values = {
                "age_distribution": buckets, "used_pages": values["requests"], **unused
            }  # fmt: skip
        return last, [self.counted(kind, name, values, prompt)]


def _before(cursor: TextCursor, first: int) -> str:
    """The nearest line above a histogram that is not blank."""
    for index in (first - 1, first - 2):
        if line := cursor.line(index):
            return line
    return ""


class Bitesize(StateOutput):
    """That of perf-tools."""

    tool = "bitesize"
    anchors = (": I/O      Distribution",)
    commands = ("bitesize", "bitesize-perf")
    nothing = "no row follows"
    beginning = _BITESIZE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, rows = _rows(cursor, first, _BITESIZE_ROW)
        buckets: list[Json] = [
            [low * 1024, None if high is None else round(high + 0.1, 1) * 1024, count]
            for low, high, count in rows
        ]
        values: dict[str, Json] = {
            "size_distribution": buckets, "requests": sum(count for _, _, count in rows)
        }  # fmt: skip
        return last, [self.counted("host", "", values, prompt)] if rows else []


def _stack_head(cursor: TextCursor, end: int) -> int | None:
    """Index of the line in which a map's key of several lines begins; None where none does."""
    for index in range(end - 1, max(end - _MOST, -1), -1):
        line = cursor.line(index)
        if _STACK_HEAD.match(line):
            return index
        if line and not _FRAME.match(line):
            return None
    return None


def _stack(cursor: TextCursor, first: int) -> tuple[list[Json], int]:
    """The functions of a key of several lines, the innermost first, and index of its last line."""
    frames: list[Json] = []
    for index, line in lines(cursor, first + 1, _MOST):
        if _STACK_END.match(line):
            return frames, index
        if line:
            frames.append(line.strip())
    return [], first


def _unused(cursor: TextCursor, first: int) -> dict[str, Json]:
    """Of readahead: pages that nobody used, and all of them where it says so."""
    for index in range(first - 1, max(first - 9, -1), -1):
        line = cursor.line(index)
        if match := _UNUSED.match(line):
            total: dict[str, Json] = {"total_pages": int(match["total"])} if match["total"] else {}
            return {"unused_pages": int(match["unused"]), **total}
        if line and not line.lstrip().startswith("Histogram of read-ahead"):
            break
    return {}


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
        low, printed = _size(match["low"] or "0"), match["high"]
        open_ended = printed == "..." or (printed is None and pattern is _BITESIZE_ROW)
        high = None if open_ended else low if printed is None else _size(printed)
        rows.append((low, high, int(match["count"])))
    return last, rows


def _size(text: str) -> float:
    """A number with a prefix of 1024."""
    if text[-1] in "KMGT":
        return float(text[:-1]) * 1024.0 ** ("KMGT".index(text[-1]) + 1)
    return float(text)
