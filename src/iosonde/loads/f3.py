"""f3: what f3write and f3read measure, and whether all that was written was read back.

f3read's sums are counters of the path beside its trial: sectors that are as they were written, and
those that are corrupted, slightly changed or overwritten, as they are on a drive that is smaller
than it says. f3probe's geometry is a state of the disk.

Source: f3 8.0, libutils.c (adjust_unit(): KB, MB … are powers of 1024), f3write.c (fill_fs():
"Average writing speed"), f3read.c (print_status(), iterate_files()), f3probe.c (report_cache(),
"Good news: The device", "Bad news: The device"; its enum names the kinds of fakes).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, flow, lines, prompt_in

_HEAD = re.compile(r"\s*F3 (?P<what>[Ww]rite|[Rr]ead|[Pp]robe) (?P<version>\d[\d.]{0,8})\s*$")
_OWN = re.compile(
    r"\s*(?:F3 (?:[Ww]rite|[Rr]ead|[Pp]robe) \d|Copyright \(C\)|This is free software|Free space:"
    r"|Removing old file|Creating file|SECTORS\s|Validating file|Data (?:OK|LOST):|Corrupted:"
    r"|Slightly changed:|Overwritten:"
    r"|Average (?:writ|read)ing speed: ?\d[\d.]{0,9} ?(?:Byte|[KMGT]B)"
    r"|WARNING: |it can take longer"
    r"|Probe finished|Good news: |Bad news: |Device geometry:|\*Usable\* size:|Announced size:"
    r"|Module:|Approximate cache size:|Physical block size:|Probe time:|You can |f3fix --)"
)
_AMOUNT = r"(?P<figure>\d{1,6}(?:\.\d{1,3})?) ?(?P<unit>Byte|[KMGTPE]B)"
_SPEED = re.compile(rf"Average (?P<way>writ|read)ing speed: {_AMOUNT}/s")
_FREE = re.compile(rf"Free space: {_AMOUNT}")
_SUMS = re.compile(
    r"(?P<name>Data OK|Data LOST|Corrupted|Slightly changed|Overwritten):\s{1,4}"
    r"\d{1,6}(?:\.\d{1,3})? (?:Byte|[KMGTPE]B) \((?P<sectors>\d{1,20}) sectors\)"
)
_GEOMETRY = re.compile(
    rf"(?P<name>\*Usable\* size|Announced size|Module|Approximate cache size|Physical block size):"
    rf"\s{{1,4}}{_AMOUNT} \((?:(?P<blocks>\d{{1,20}}) blocks|2\^(?P<power>\d{{1,2}}) Bytes?)"
)
_VERDICT = re.compile(
    r"(?P<news>Good|Bad) news: The device `(?P<device>/dev/[^'`]{1,100})' is (?:the real thing"
    r"|(?:a counterfeit of type (?P<fake>\w{1,20})|(?P<damaged>damaged)))"
)
_NAMES = {
    "Data OK": "ok_bytes", "Data LOST": "lost_bytes", "Corrupted": "corrupted_bytes",
    "Slightly changed": "changed_bytes", "Overwritten": "overwritten_bytes",
    "*Usable* size": "usable_size", "Announced size": "announced_size", "Module": "module_size",
    "Approximate cache size": "cache_size", "Physical block size": "block_size",
}  # fmt: skip
_READ_BACK = "data read back"
_COMMANDS = ("f3write", "f3read", "f3probe")
_REACH = 400  # lines of files that it wrote
_MOST = 2000
_GAP = 2


class F3(Output):
    tool = "f3"
    anchors = (
        "Average writing speed: ", "Average reading speed: ", "Slightly changed: ",
        "is the real thing", "is a counterfeit of type",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = _COMMANDS

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _OWN.match(cursor.line(cursor.at)):
            return None
        first, gap = cursor.at, 0
        for index in range(cursor.at - 1, max(cursor.at - _REACH, 0) - 1, -1):
            line = cursor.line(index)
            gap = 0 if line else gap + 1
            if gap > _GAP or (line and not _OWN.match(line)) or _SPEED.search(line):
                break
            first = index if line else first
            if _HEAD.match(line):
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = _end(cursor, first)
        text = flow(cursor, first, last)
        begin, prompt = command_before(cursor, first, _COMMANDS)
        path = _path(prompt.command)
        head = _HEAD.match(cursor.line(first))
        version = head["version"] if head else ""
        if verdict := _VERDICT.search(text):
            state = PrintedState(
                self.tool, (PrintedSubject("disk", _name(verdict), _geometry(verdict, text)),),
                prompt.host, prompt.command,
            )  # fmt: skip
            return OutputReading(begin, last, states=(state,))
        sums: dict[str, Json] = {
            _NAMES[match["name"]]: int(match["sectors"]) * units.SECTOR
            for match in _SUMS.finditer(text)
        }
        speed = _SPEED.search(text)
        if speed is None and not sums:
            raise Unreadable("it says neither a speed nor what was read back", last)
        trials: tuple[PrintedTrial, ...] = ()
        if speed is not None:
            trials = (_trial(speed, version, prompt.command, prompt.host, path, _free(text)),)
        counters: tuple[PrintedCounters, ...] = ()
        if sums:
            counters = (
                PrintedCounters(self.tool, _READ_BACK, path, sums, prompt.host, prompt.command),
            )
        return OutputReading(begin, last, trials=trials, counters=counters)


def _path(command: str) -> str:
    """The folder that a command names; empty where it names none or several."""
    paths = [part for part in command.split()[1:] if part.startswith(("/", "."))]
    return paths[0] if len(paths) == 1 else ""


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the last line: the speed, f3probe's time, or what stands before another's line."""
    last = first
    for index, line in lines(cursor, first, _MOST):
        if index > last + _GAP + 1 or (line and not _OWN.match(line)) or prompt_in(line):
            break
        if index > first and _HEAD.match(line):
            break
        last = index if line else last
        if _SPEED.search(line) or "Probe time:" in line:
            break
    return last


def _amount(match: re.Match[str]) -> tuple[float, float]:
    """An amount in bytes, and half of its last digit; its units are powers of 1024."""
    unit = match["unit"].removesuffix("yte").removesuffix("B")
    return units.printed(match["figure"] + (f"{unit}iB" if unit else ""))


def _free(text: str) -> dict[str, Json]:
    """The free space before and after, as f3write says it."""
    amounts = [_amount(match)[0] for match in _FREE.finditer(text)]
    names = ("free_before", "free_after")
    return dict(zip(names, (amounts[0], amounts[-1]), strict=True)) if amounts else {}


def _trial(
    speed: re.Match[str], version: str, command: str, host: str, path: str, details: dict[str, Json]
) -> PrintedTrial:
    way = "write" if speed["way"] == "writ" else "read"
    value, half = _amount(speed)
    metric = f"{way}.bandwidth"
    return PrintedTrial(
        tool="f3",
        loops=(LoadResult.of({metric: value}),),
        version=version,
        command=command,
        host=host,
        target=path,
        options={"rw": way},
        steps={metric: half},
        details=details,
    )


def _name(verdict: re.Match[str]) -> str:
    return verdict["device"].removeprefix("/dev/")


def _geometry(verdict: re.Match[str], text: str) -> dict[str, Scalar]:
    """What f3probe says of a disk: sizes in bytes, exact where it prints blocks or a power of 2."""
    values: dict[str, Scalar] = {"genuine": verdict["news"] == "Good"}
    if verdict["fake"]:
        values["counterfeit"] = verdict["fake"]
    if verdict["damaged"]:
        values["damaged"] = True
    rows = list(_GEOMETRY.finditer(text))
    block = next((1 << int(row["power"]) for row in rows if row["name"].startswith("Phys")), 0)
    for row in rows:
        if row["power"]:
            values[_NAMES[row["name"]]] = 1 << int(row["power"])
        elif block:
            values[_NAMES[row["name"]]] = int(row["blocks"]) * block
    return values
