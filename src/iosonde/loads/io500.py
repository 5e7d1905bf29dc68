"""IO500's results: a trial for each phase of IOR, and counters of its other phases and its scores.

A phase that the benchmark does not accept is marked invalid; its figure stands as printed.

Source: IO500 (io500-sc20 to io500-isc24), src/main.c, main() ("[RESULT] %20s %15s GiB/s : time %.3f
seconds", kIOPS of 1000 operations for phases that are not IOR's; "[      ]" where a phase is not
scored; "[SCORE ] Bandwidth … GiB/s : IOPS … kiops : TOTAL …", "[SCOREX]" of the extended run).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in

_ROW = re.compile(
    r"\s*\[(?:RESULT| {6})\] {1,20}(?P<name>[a-zA-Z][\w-]{1,30}) {1,20}"
    r"(?P<figure>\d{1,12}\.\d{1,9}) (?P<unit>GiB/s|kIOPS) {0,2}: time {1,4}"
    r"(?P<seconds>\d{1,9}\.\d{1,6}) s(?:econds)?(?P<invalid> \[INVALID\])?\s*$"
)
_SCORE = re.compile(
    r"\s*\[(?P<name>SCOREX?) ?\] Bandwidth (?P<rate>\d{1,12}\.\d{1,9}) GiB/s {1,6}: "
    r"IOPS (?P<iops>\d{1,12}\.\d{1,9}) k(?:iops|IOPS) {1,6}: TOTAL (?P<total>\d{1,12}\.\d{1,9})"
    r"(?P<invalid> \[INVALID\])?\s*$"
)
_VERSION = re.compile(r"\s*IO500 version (?P<version>\S{1,60})(?: \((?P<mode>\w{1,20})\))?\s*$")
_SAID = re.compile(r"\s*(?:ERROR INVALID \(|WARNING[: ])")
_WAY = re.compile(r"ior-.{1,24}-(write|read)$")
_MOST = 80


class Io500(Output):
    tool = "IO500"
    anchors = ("[RESULT] ", "[SCORE ] Bandwidth", "[SCOREX] Bandwidth")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_ROW.match(line) or _SCORE.match(line)):
            return None
        first = cursor.at
        while first and _is_own(cursor.line(first - 1)):
            first -= 1
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(
            cursor, first, ("io500", "io500.sh", "mpirun", "mpiexec", "srun"), reach=6
        )
        trials, values, version, last = list[PrintedTrial](), dict[str, Json](), "", first
        for index, line in lines(cursor, first, _MOST):
            row, score, head = _ROW.match(line), _SCORE.match(line), _VERSION.match(line)
            again = (head and version) or (row and _is_there(row["name"], trials, values))
            strange = line and not _is_own(line)
            if strange or again or index > last + 2 or prompt_in(line):
                break
            last = index if line else last
            if head:
                version = head["version"]
                values |= {"version": version} | ({"mode": head["mode"]} if head["mode"] else {})
            elif row and (way := _WAY.match(row["name"])):
                trials.append(_trial(row, way[1], version, prompt))
            elif row:
                values |= _phase(row)
            elif score:
                values |= _scores(score)
        if not trials and not values:
            raise Unreadable("no result follows", last)
        counted = PrintedCounters(self.tool, "host", "", values, prompt.host, prompt.command)
        counters = (counted,) if values.keys() - {"version", "mode"} else ()
        return OutputReading(begin, last, trials=tuple(trials), counters=counters)


def _is_own(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_ROW, _SCORE, _VERSION, _SAID))


def _is_there(name: str, trials: list[PrintedTrial], values: dict[str, Json]) -> bool:
    return f"{name}.seconds" in values or any(trial.label == name for trial in trials)


def _trial(row: re.Match[str], way: str, version: str, prompt: Prompt) -> PrintedTrial:
    """A phase of IOR: how many bytes a second, and for how long."""
    value, step = units.printed(row["figure"])
    name = f"{way}.bandwidth"
    if row["unit"] != "GiB/s":
        raise Unreadable("a phase of IOR has no bandwidth")
    details: dict[str, Json] = {"valid": False} if row["invalid"] else {}
    return PrintedTrial(
        tool=Io500.tool, loops=(LoadResult.of({name: value * units.GIB}),), version=version,
        command=prompt.command, host=prompt.host, label=row["name"],
        options={"rw": f"rand{way}" if "rnd" in row["name"] else way},
        steps={name: step * units.GIB}, elapsed=(float(row["seconds"]),), details=details,
    )  # fmt: skip


def _phase(row: re.Match[str]) -> dict[str, Json]:
    """Another phase: how many operations a second, and for how long; nothing of a time stamp."""
    name = row["name"]
    if name == "timestamp":
        return {}
    values: dict[str, Json] = {
        f"{name}.per_second": round(float(row["figure"]) * 1000, 6),
        f"{name}.seconds": float(row["seconds"]),
    }
    return values | ({f"{name}.valid": False} if row["invalid"] else {})


def _scores(score: re.Match[str]) -> dict[str, Json]:
    """The means of a run, and its score."""
    name = score["name"].lower()
    values: dict[str, Json] = {
        f"{name}.bandwidth": float(f"{float(score['rate']) * units.GIB:.12g}"),
        f"{name}.per_second": round(float(score["iops"]) * 1000, 6),
        name: float(score["total"]),
    }
    return values | ({f"{name}.valid": False} if score["invalid"] else {})
