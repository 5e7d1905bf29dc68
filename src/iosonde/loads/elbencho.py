"""elbencho's results: one trial for each phase that wrote or read; other phases as counters.

Of its two columns the last is the result, when the slowest thread was done; what all did when the
fastest one was done is in `details`. Mixed phases have their writes and reads apart.

Its script mtelbencho.sh, which graph_sweep.sh repeats, says above each table which files it is of.

Source: elbencho 3.0, contrib/storage_sweep/mtelbencho.sh, los_files(); source/Statistics.cpp,
printPhaseResultsToStream() and what it calls; Statistics.h, phaseResultsFormatStr;
UnitTk.cpp: all rates are cut to whole figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in

_ROW = re.compile(
    r"^\s*(?:(?P<phase>[A-Z][A-Z_]{2,12}|RWMIX\d{1,3})\s+)?"
    r"(?P<name>[A-Z][A-Za-z]{1,12}(?:[ /][A-Za-z/%]{1,12}){0,3}?)\s*: +(?P<cells>\S.{0,300}?)\s*$"
)
_PAIR = re.compile(r"(?P<first>\S{1,24})\s+(?P<last>\S{1,24})$")
_ELAPSED = re.compile(
    r"(?:(?P<h>\d{1,6})h:?)?(?:(?P<m>\d{1,6})m:?)?(?:(?P<s>\d{1,9}(?:\.\d{1,3})?)s)?"
    r"(?:(?P<ms>\d{1,9})ms)?"
)
_SPEED = re.compile(r"(?:Throughput )?(?P<unit>Mi?B)/s(?: (?P<way>write|read|total))?")
_LATENCY = re.compile(r"(min|avg|max)=(\d[\d.]{0,12})(us|ms|s)")
_SHARE = re.compile(r"(\d{1,2}(?:\.\d{1,6})?)%<=(\d{1,12})")
_WAYS = {"WRITE": "write", "READ": "read"}
_SCALE = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_NAMES = {"min": "min", "avg": "mean", "max": "max"}
_RULE = re.compile(r"^\s*(?:={5,}[ =]*|-{3}|OPERATION\s.*)$")
_MOST = 400
_SWEPT = re.compile(r"Working on (?P<path>[./]\S{1,400}) with (?P<threads>\d{1,6}) threads\.\.\.")
_NOTES = 4
"""Lines at most that elbencho prints between that and its table."""


@dataclass(slots=True)
class _Phase:
    """What one phase did; `way` is what its lines are of that name no direction."""

    name: str
    way: str
    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    details: dict[str, Json] = field(default_factory=dict)
    seconds: float = 0.0

    def put(self, name: str, value: float, step: float) -> None:
        self.metrics[name], self.steps[name] = value, step


class Elbencho(Output):
    tool = "elbencho"
    anchors = ("FIRST DONE", "Throughput MiB/s", "Throughput MB/s")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if line.lstrip().startswith("OPERATION") and "LAST DONE" in line:
            return cursor.at
        first, top = None, cursor.at
        while _ROW.match(cursor.line(top)):
            row = _ROW.match(cursor.line(top))
            first = top if row and row["phase"] else first
            top -= 1
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        phases: list[_Phase] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = _ROW.match(line)
            if row and (row["phase"] or phases):
                if row["phase"]:
                    phases.append(_Phase(row["phase"], _WAYS.get(row["phase"], "")))
                _put(phases[-1], row["name"], row["cells"])
                last = index
            elif prompt_in(line) or index > last + 2 or (line and not _RULE.match(line)):
                break
        phases = [phase for phase in phases if phase.metrics or phase.details]
        if not phases:
            raise Unreadable("no phase follows", last)
        begin, prompt = command_before(cursor, first, ("elbencho",), reach=20)
        swept = _swept(cursor, first)
        trials = tuple(_trial(phase, prompt, swept) for phase in phases if phase.metrics)
        counters = tuple(
            PrintedCounters("elbencho", "phase", phase.name, phase.details, prompt.host,
                            prompt.command)
            for phase in phases if not phase.metrics
        )  # fmt: skip
        return OutputReading(begin, last, trials=trials, counters=counters)


def _swept(cursor: TextCursor, first: int) -> re.Match[str] | None:
    """What mtelbencho.sh says above a table: the files, and how many threads work on them."""
    for index in range(first - 1, max(first - _NOTES, 0) - 1, -1):
        line = cursor.line(index)
        if match := _SWEPT.fullmatch(line.strip()):
            return match
        if _RULE.match(line) or prompt_in(line):
            break
    return None


def _put(phase: _Phase, name: str, cells: str) -> None:
    """What a line says: of both columns, or in brackets."""
    if cells.startswith("["):
        _put_latency(phase, name, cells)
        return
    pair = _PAIR.match(cells)
    if not pair:
        return
    if name.startswith("Elapsed"):
        first, phase.seconds = _seconds(pair["first"]), _seconds(pair["last"])
        phase.details["Elapsed time"] = {"first": first, "last": phase.seconds}
        return
    if not (pair["first"].isdigit() and pair["last"].isdigit()):
        return
    value = int(pair["last"])
    phase.details[name] = {"first": int(pair["first"]), "last": value}
    speed = _SPEED.fullmatch(name)
    way = name.rpartition(" ")[2] if name.endswith((" read", " write")) else phase.way
    if speed and (way := speed["way"] or phase.way) in {"read", "write"}:
        unit = float(units.MIB) if speed["unit"] == "MiB" else 1e6
        phase.put(f"{way}.bandwidth", value * unit, unit)
    elif name.startswith("IOPS") and way and not name.endswith("total"):
        phase.put(f"{way}.iops", float(value), 1.0)


def _put_latency(phase: _Phase, name: str, cells: str) -> None:
    """The latencies of I/Os in seconds, those of whole files among the details."""
    of_requests = name.startswith("IO ")
    way = "read" if name.startswith("IO rd") or " rd " in name else phase.way
    figures = dict[str, Json]()
    for key, text, unit in _LATENCY.findall(cells):
        value, step = units.printed(text)
        figures[_NAMES[key]] = value * _SCALE[unit]
        if of_requests and way:
            step_of = (step if "." in text else 1.0) * _SCALE[unit]
            phase.put(f"{way}.latency.{_NAMES[key]}", value * _SCALE[unit], step_of)
    for share, text in _SHARE.findall(cells):
        figures[share] = int(text) * 1e-6
        if of_requests and way:
            phase.put(f"{way}.latency.p{share.replace('.', '_')}", int(text) * 1e-6, 1e-6)
    if figures:
        phase.details[name] = figures


def _seconds(text: str) -> float:
    """Of `2m5.755s`, `1h:2m:3s` or `755ms`."""
    match = _ELAPSED.fullmatch(text)
    if not match or not text:
        return 0.0
    return (
        int(match["h"] or 0) * 3600
        + int(match["m"] or 0) * 60
        + float(match["s"] or 0)
        + int(match["ms"] or 0) / 1e3
    )


def _options(command: str) -> Iterator[tuple[str, Scalar]]:
    """Of the load, in fio's words."""
    plain = f"{command} "
    for name, pattern in (
        ("bs", r"\s(?:-b|--block)[ =]?(\d[\w]{0,12})\s"),
        ("size", r"\s(?:-s|--size)[ =]?(\d[\w]{0,12})\s"),
    ):
        if match := re.search(pattern, plain):
            yield name, units.parse_bytes(match[1])
    for name, pattern in (
        ("numjobs", r"\s(?:-t|--threads)[ =]?(\d{1,6})\s"),
        ("iodepth", r"\s--iodepth[ =](\d{1,6})\s"),
    ):
        if match := re.search(pattern, plain):
            yield name, int(match[1])
    if " --direct " in plain:
        yield "direct", True
    if re.search(r"\s--(?:limitread|limitwrite)[ =]?[1-9]", plain):
        yield "paced", True


def _trial(phase: _Phase, asked: Prompt, swept: re.Match[str] | None) -> PrintedTrial:
    options = dict(_options(asked.command))
    if swept:
        options["numjobs"] = int(swept["threads"])
    random = re.search(r"\s--rand\b", asked.command)
    if phase.way:
        options["rw"] = f"rand{phase.way}" if random else phase.way
    return PrintedTrial(
        tool="elbencho",
        loops=(LoadResult.of(phase.metrics),),
        command=asked.command,
        host=asked.host,
        target=swept["path"] if swept else "",
        label=f"{phase.name} {swept['path'].rpartition('/')[2]}" if swept else phase.name,
        elapsed=(phase.seconds,) if phase.seconds else None,
        options=options,
        steps=phase.steps,
        details=phase.details,
    )
