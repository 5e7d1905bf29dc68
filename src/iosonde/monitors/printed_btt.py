"""btt and blkparse: where requests spent their time, and what a trace counted.

Source: blktrace 1.3, btt/output.c, output_hdr_info() and the like (seconds; Q2C, D2C …, the shares
of each phase by device, merges in blocks of 512 bytes); blkparse.c, dump_io_stats() (KiB) and
show_entries_rb() ("Throughput (R/W)").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_ALL = re.compile(r"\s*ALL\s+MIN\s+AVG\s+MAX\s+N\s*$")
_PHASE = re.compile(
    r"\s*(?P<name>[A-Z]2[A-Za-z]{1,4}\d?)(?P<times>(?:\s+\d+\.\d{6,9}){3})\s+(?P<count>\d+)\s*$"
)
_SHARES = re.compile(r"\s*DEV \|\s+(?P<phases>[A-Z]2\S+(?:\s+[A-Z]2\S+)+)\s*$")
_MERGES = re.compile(r"\s*DEV \|\s+#Q\s+#D\s+Ratio \|\s+BLKmin\s+BLKavg\s+BLKmax\s+Total\s*$")
_DEVICE = re.compile(r"\s*\(\s*(?P<major>\d+),\s*(?P<minor>\d+)\) \| (?P<cells>.+?)\s*$")
_RULE = re.compile(r"[-=|.\s]{6,}+(?:(?<= )[A-Z][\w ]++(?<= )[-=|.\s]*+)?$|\s*+Overall \|.*$")
_CPU = re.compile(r"\s*(?:CPU(?P<cpu>\d+)|Total) \((?P<name>\S{1,40})\):\s*$")
_COUNT = re.compile(
    r"(?P<name>(?:Reads?|Writes?|IO|Timer) [A-Za-z]+):\s+(?P<count>\d[\d,]*\d|\d)"
    r"(?:,\s+(?P<size>[\d,]+)KiB)?"
)
_RATE = re.compile(r"\s*Throughput \(R/W\): (?P<read>[\d,]+)KiB/s / (?P<write>[\d,]+)KiB/s")
_EVENTS = re.compile(r"\s*Events \(\S+\): (?P<events>[\d,]+) entries")
_SKIPS = re.compile(r"\s*Skips: (?P<skips>[\d,]+) forward")
_MOST = 4000


class Btt(StateOutput):
    tool = "btt"
    anchors = (" MIN  ", "Q2C  ", "DEV |")
    commands = ("btt",)
    nothing = "no phase and no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        forms = (_ALL, _PHASE, _SHARES, _MERGES)
        return cursor.at if any(form.match(line) for form in forms) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        whole: dict[str, Json] = {}
        devices: dict[str, dict[str, Json]] = {}
        last, columns = first, list[str]()
        for index, line in close_lines(cursor, first, _MOST, gap=5):
            if phase := _PHASE.match(line):
                if f"{phase['name']}.mean" in whole:
                    break
                whole |= _phase(phase)
            elif shares := _SHARES.match(line):
                columns = shares["phases"].split()
            elif _MERGES.match(line):
                columns = ["#Q"]
            elif (device := _DEVICE.match(line)) and columns:
                name = f"{device['major']}:{device['minor']}"
                devices.setdefault(name, {}).update(_of_device(device["cells"], columns))
            elif not _RULE.match(line) and not _ALL.match(line):
                break
            last = index
        counters = [self.counted("host", "", whole, prompt)] if whole else []
        counters += [
            self.counted("disk", name, values, prompt) for name, values in devices.items() if values
        ]
        return last, counters


def _phase(match: re.Match[str]) -> dict[str, Json]:
    """The least, mean and most of a phase's times, and how many there were."""
    least, mean, most = map(float, match["times"].split())
    name = match["name"]
    return {f"{name}.least": least, f"{name}.mean": mean, f"{name}.most": most,
            f"{name}.count": int(match["count"])}  # fmt: skip


def _of_device(text: str, columns: list[str]) -> dict[str, Json]:
    """The shares of a device's phases, or its merges."""
    cells = text.replace("|", " ").split()
    if columns == ["#Q"]:
        if len(cells) != 7:
            return {}
        names = ("queued", "dispatched", "merge_ratio", "smallest", "mean_size", "largest", "bytes")
        scales = (1, 1, 1, *[units.SECTOR] * 4)
        figures = map(float, cells)
        return {
            name: figure * scale for name, figure, scale in zip(names, figures, scales, strict=True)
        }
    if len(cells) != len(columns) or not all(cell.endswith("%") for cell in cells):
        return {}
    return {
        f"{name}.share": float(cell[:-1]) / 100 for name, cell in zip(columns, cells, strict=True)
    }


class Blkparse(StateOutput):
    """Its sums; the events are read by `iosonde trace`."""

    tool = "blkparse"
    anchors = ("Reads Queued:",)
    commands = ("blkparse", "blktrace", "btrace")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, before(cursor, cursor.at)):
            if _CPU.match(cursor.line(index)):
                return index
        return cursor.at if _COUNT.search(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        last, name, values = first, "", dict[str, Json]()
        whole: dict[str, Json] = {}
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            sums = _sums(line)
            if cpu := _CPU.match(line):
                if values:
                    counters.append(self.counted("disk", name, values, prompt))
                name, values = cpu["name"], {"cpu": cpu["cpu"] or "all"}
            elif sums:
                values |= sums
            elif totals := _totals(line):
                whole |= totals
            else:
                break
            last = index
        if values:
            counters.append(self.counted("disk", name, values, prompt))
        if whole:
            counters.append(self.counted("disks", name, whole, prompt))
        return last, counters


def _sums(line: str) -> dict[str, Json]:
    """What a line counts of reads and of writes."""
    values: dict[str, Json] = {}
    for count in _COUNT.finditer(line):
        key = count["name"].lower().replace(" ", "_")
        values[key] = _whole(count["count"])
        if count["size"]:
            values[f"{key}_bytes"] = _whole(count["size"]) * units.KIB
    return values


def _totals(line: str) -> dict[str, Json]:
    """What a line below all CPUs says of the trace."""
    if rate := _RATE.match(line):
        return {
            f"{way}.bandwidth": _whole(value) * units.KIB for way, value in rate.groupdict().items()
        }
    events = _EVENTS.match(line) or _SKIPS.match(line)
    return {key: _whole(value) for key, value in events.groupdict().items()} if events else {}


def _whole(text: str) -> int:
    return int(text.replace(",", ""))
