"""hdparm -T and -t as people paste them: pairs, single lines, several disks or runs in a row.

Source: hdparm 9.65, hdparm.c, time_cache() and time_device(): MB are MiB, the speed has two
decimals, and blanks between depend on the version; 4.x and 5.x wrote "buffer-cache reads" for
cached ones; busybox 1.36, miscutils/hdparm.c, print_timing(): whole KiB/s as "kB/s". Each disk has
a line of its own above its timings, and a command may name several. The GB of --offset are GiB
(hdparm(8)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in

_TIMING = re.compile(  # without blanks, so that it does not matter where a line was broken
    r"Timing(?P<how>O_DIRECT)?(?P<what>cached|buffer-cache|buffereddisk|disk)reads"
    r"(?:\(offset(?P<offset>\d{1,9})GB\))?:?"
    r"(?P<amount>[\d.]{1,20}[kMG])Bin(?P<seconds>[\d.]{1,20})seconds="
    r"(?P<rate>\d[\d.]{0,20})(?P<unit>[kMG])B/s(?:ec)?"
)
_DEVICE = re.compile(r"^\s*(?:hdparm\s+-\S+\s+)?(?P<device>/dev/\S+?):?\s*$")
_START = re.compile(
    r"Timing (?:O_DIRECT )?(?:cached|buffer-cache|buffered disk|disk) reads"
    r"(?::| *$| +\d| \(offset )"
)
_BESIDE = re.compile(r"^\s*HDIO_DRIVE_CMD")
"""What hdparm complains of between its timings where a disk knows no flush command."""
_CACHED = frozenset({"cached", "buffer-cache"})
_PIECES = 8  # lines that one timing may go over, blank ones among them
_MOST = 400


@dataclass(slots=True)
class _Run:
    """The timings of one run at one disk: of memory, of the disk, or of both."""

    device: str
    direct: bool
    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    details: dict[str, Json] = field(default_factory=dict)
    """Bytes that were read and seconds that it took, of each timing."""


class HdparmOutput(Output):
    tool = "hdparm"
    anchors = ("cached reads", "disk reads", "buffer-cache reads")
    looks_above: ClassVar[bool] = True
    """For its complaints above are a program's message."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _START.search(cursor.line(cursor.at)) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, device = _device_above(cursor, first)
        runs: list[_Run] = []
        last = first
        unread: list[tuple[int, int, str]] = []
        for start, end, text, disk in _timings(cursor, first, device):
            match = _TIMING.search(text)
            if not match:
                unread.append((start, end, "no speed follows"))
                continue
            _put(match, disk, runs)
            last = end
        if not runs:
            raise Unreadable("no speed follows")
        begin, prompt = command_before(cursor, begin, ("hdparm",))
        trials = tuple(_trial(run, prompt) for run in runs)
        said = tuple(part for part in unread if part[0] <= last)
        return OutputReading(begin, last, trials=trials, unread=said)


def _device_above(cursor: TextCursor, first: int) -> tuple[int, str]:
    """Where the line with the device stands, and the device; else the output's first line."""
    for index in range(first - 1, max(first - 6, 0) - 1, -1):
        line = cursor.line(index)
        if _BESIDE.match(line):
            continue
        if line and (match := _DEVICE.match(line)):
            return index, match["device"].rstrip(":")
        if line:
            break
    return first, ""


def _timings(cursor: TextCursor, first: int, device: str) -> Iterator[tuple[int, int, str, str]]:
    """Each timing: index of its first and last line, its characters without blanks, its disk.

    They end with a line that is no part of them, such as a prompt or a sentence.
    """
    start, text = first, ""
    for index, line in lines(cursor, first, _MOST):
        disk = _DEVICE.match(line) if index > first else None
        another = bool(_START.search(line))
        if text and (disk or another or index - start >= _PIECES):
            yield start, index - 1, text, device
            text = ""
        if disk:
            device = disk["device"].rstrip(":")
        elif not line or _BESIDE.match(line):
            continue
        elif index > first and (prompt_in(line) or not (text or another)):
            return
        else:
            start = start if text else index
            text += "".join(line.split())
        while match := _TIMING.search(text):
            yield start, index, text[: match.end()], device
            text, start = text[match.end() :], index
    if text:
        yield start, start, text, device


def _put(match: re.Match[str], device: str, runs: list[_Run]) -> None:
    """Adds a timing to the run it belongs to: the last one, where that has none of its kind."""
    name = "cached_read" if match["what"] in _CACHED else "buffered_read"
    metric, direct = f"{name}.bandwidth", bool(match["how"])
    now = runs[-1] if runs else None
    if now is None or (now.device, now.direct) != (device, direct) or metric in now.metrics:
        now = _Run(device, direct)
        runs.append(now)
    rate, step = units.printed(match["rate"] + match["unit"], binary=True)
    now.metrics[metric], now.steps[metric] = rate, step
    now.seconds += float(match["seconds"])
    size = round(units.printed(match["amount"], binary=True)[0])
    timing: dict[str, Json] = {"bytes": size, "seconds": float(match["seconds"])}
    if match["offset"]:
        timing["offset"] = int(match["offset"]) << 30
    now.details[name] = timing


def _trial(run: _Run, asked: Prompt) -> PrintedTrial:
    """A run as a trial; the command is left out where it names other disks only."""
    named = [word for word in asked.command.split() if word.startswith("/dev/")]
    own = (
        not (named and run.device)
        or "$" in asked.command
        or any(fnmatch(run.device, name.rstrip(";")) for name in named)
    )
    return PrintedTrial(
        tool="hdparm",
        loops=(LoadResult.of(run.metrics),),
        command=asked.command if own else "",
        host=asked.host,
        target=run.device,
        elapsed=(run.seconds,),
        options={"direct": run.direct},
        steps=run.steps,
        details=run.details,
    )
