"""fio's terse lines (--minimal), versions 2 to 5: one trial per line, that is per job or group.

Fields are separated by semicolons, sizes are KiB, times µs cut to whole ones, the runtime is ms.
Reads, writes and, but for version 3, trims follow one another; each is known by its twenty
percentiles. A line may be broken anywhere. A job's name is taken from the line itself. Neither the
I/Os issued nor the processes of a group are printed.

Source:
    fio 2.2.10, 3.33: stat.c, show_thread_status_terse_all(), show_ddir_status_terse();
    diskutil.c; HOWTO, "Terse output".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from typing_extensions import override

from iosonde.loads.fio import text_figures as _fio
from iosonde.loads.fio.combine import span
from iosonde.loads.fio.text_run import device_io, disk_details
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import REACH, Output, Prompt, TextCursor, command_before, lines
from iosonde.text.reader import nearest

# Version 2 does not name fio, and a torn line may begin with 2; a name has a letter.
_START = re.compile(
    r"(?:^|[\s:>|])(?=[3-5];fio-\d|2;(?=[^;]{0,99}[A-Za-z])[^;]{1,200};\d+;-?\d+;\d+;\d+;\d+;)"
)
_PIECE = re.compile(r"""^[^{}"'()]*;[^{}"'()]*$""")
_REST = re.compile(r"^[\d.%]{1,12}$")
_VERSION = re.compile(r"fio-(\d[\w.-]*)")
_PERCENTILE = re.compile(r"([\d.]+)%=(\d+)")
_MOST = 2000
_LISTED = 20
"""Percentiles of one direction: FIO_IO_U_LIST_MAX_LEN."""
_LENGTH = 41
_LENGTH_5 = 47
_TAIL = 5 + 7 + 10 + 12
"""Fields after the directions: processor, depths, latencies in µs and in ms."""
_DEVICE = 9
_MICROSECOND = "e-6"
_DIRECTIONS = ("read", "write", "trim")
_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
_BOUNDS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
_ABOVE = 12  # lines above a terse line in which fio says what it started
_JOBS = re.compile(r"Starting (?:(\d+) thread(?:s)?(?: and )?)?(?:(\d+) process(?:es)?)?\s*$")


class FioTerse(Output):
    tool = "fio"
    anchors = (";fio-2.", ";fio-3.", "%=0;0%=0;", ";0%=0;0%=0;0%")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, REACH + 1, _START.search, between=lambda line: ";" in line)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("fio",))
        trials: list[PrintedTrial] = []
        ended = first
        begun: int | None = first
        while begun is not None and begun - first < _MOST:
            last, text = _line(cursor, begun)
            trial = _trial(text, _own(cursor.line(begun)), prompt)
            if trial is None:
                break
            trials.append(trial)
            ended = last
            below = cursor.line(last + 1)
            begun = last + 1 if _START.search(below) else None
        if not trials:
            raise Unreadable("it tells of no I/O, or its fields are not those of a terse line")
        if len(trials) == 1 and (jobs := _started(cursor, first)) > 1:
            trials = [replace(trials[0], options={**trials[0].options, "numjobs": jobs})]
        return OutputReading(begin, ended, trials=tuple(trials))


def _started(cursor: TextCursor, first: int) -> int:
    """How many jobs fio says above a line that it has started: a group of them is one line."""
    for index in range(first - 1, max(first - _ABOVE, 0) - 1, -1):
        if match := _JOBS.search(cursor.line(index)):
            return sum(int(number or 0) for number in match.groups())
    return 0


def _line(cursor: TextCursor, first: int) -> tuple[int, str]:
    """Index of the last line over which one terse line goes, and its characters without blanks."""
    last = first
    parts: list[str] = []
    for index, line in lines(cursor, first, 200):
        if index > first and (_START.search(line) or not line):
            break
        if index > first and not (_PIECE.match(line) or _REST.match(line)):
            break
        parts.append("".join(_own(line).split()) if index == first else "".join(line.split()))
        last = index
    return last, "".join(parts)


def _own(line: str) -> str:
    """The line without what stands before fio's."""
    match = _START.search(line)
    return line[match.end() :] if match else line


@dataclass(slots=True)
class _Sheet:
    """Where the figures of one line are gathered."""

    metrics: dict[str, float]
    units: dict[str, str]
    steps: dict[str, float]
    details: dict[str, dict[str, Json]]
    times: dict[str, float] = field(default_factory=dict)
    ios: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def put(self, name: str, value: float, unit: str, step: float) -> None:
        self.metrics[name], self.units[name], self.steps[name] = value, unit, step


def _trial(text: str, row: str, asked: Prompt) -> PrintedTrial | None:
    fields = text.split(";")
    kind = int(fields[0])
    head = 4 if kind == 2 else 5
    length = _LENGTH_5 if kind == 5 else _LENGTH
    label = (row.split(";") + [""] * 3)[1 if kind == 2 else 2] or fields[head - 3]
    sheet = _Sheet({}, {}, {}, {})
    parts: list[list[str]] = []
    at = head
    while len(part := fields[at : at + length]) == length and _PERCENTILE.fullmatch(part[12]):
        parts.append(part)
        at += length
    # The sum of all directions stands alone, or behind them: unified_rw_reporting.
    apart = _DIRECTIONS[:2] if kind == 3 else _DIRECTIONS
    for name, part in zip(
        ("mixed",) if len(parts) == 1 else (*apart, "mixed"), parts, strict=False
    ):
        _direction(name, part, sheet)
    if not sheet.metrics or len(fields) < at + 5:
        return None
    details: dict[str, Json] = dict(sheet.details)
    details |= {"group": int(fields[head - 2]), "err": int(fields[head - 1])}
    options = _fio.command_options(asked.command, label)
    sheet.seconds = span(sheet.times, sheet.ios, _members(options))
    _shares(fields[at : at + _TAIL], sheet, details, _members(options))
    devices = _devices(fields[at + _TAIL :])
    details |= disk_details(devices)
    version = _VERSION.match(fields[1])
    error = int(fields[head - 1])
    return PrintedTrial(
        tool="fio",
        loops=(
            LoadResult(
                metrics=sheet.metrics,
                units=sheet.units,
                device_io=device_io(devices),
                faults=(f"it ended with error {error}",) if error else (),
                tool_version=version[1] if version else "",
            ),
        ),
        version=version[1] if version else "",
        command=asked.command,
        host=asked.host,
        target=_fio.target_of(options),
        label=label,
        elapsed=(sheet.seconds,),
        options=options,
        steps=sheet.steps,
        details=details,
    )


def _direction(name: str, part: Sequence[str], sheet: _Sheet) -> None:
    """One direction; nothing where it did no I/O."""
    moved, speed, rate, runtime = (int(text) for text in part[:4])
    if not runtime:
        return
    seconds = runtime / 1000
    if name != "mixed" or not sheet.ios:
        sheet.times[name], sheet.ios[name] = seconds, round(rate * seconds)
    sheet.put(f"{name}.iops", rate, "1/s", 1.0)
    sheet.put(f"{name}.bandwidth", speed * 1024.0, "B/s", 1024.0)
    own: dict[str, Json] = {
        "moved": {"bytes": moved * 1024, "step": 1024, "seconds": seconds},
        "latency": _latencies(name, part, sheet),
        "percentiles": _percentiles(name, part[12 : 12 + _LISTED], sheet),
        **_samples(part[16 + _LISTED :]),
    }
    for key, value in own.items():
        if value:
            sheet.details.setdefault(key, {})[name] = value


def _latencies(name: str, part: Sequence[str], sheet: _Sheet) -> Json:
    """Mean, extremes and deviation; the metrics are those of lat where given, else of clat."""
    latency: dict[str, Json] = {}
    for kind, at in (("slat", 4), ("clat", 8), ("lat", 12 + _LISTED)):
        low, high, mean, deviation = (float(text + _MICROSECOND) for text in part[at : at + 4])
        if not high:
            continue
        figures = {"mean": mean, "min": low, "max": high, "stdev": deviation}
        latency[kind] = dict(figures)
        if kind == "lat" or (kind == "clat" and not float(part[13 + _LISTED])):
            for key, value in figures.items():
                step = 1e-6 if key in {"min", "max"} else 5e-13
                sheet.put(f"{name}.latency.{key}", value, "s", step)
    return latency


def _percentiles(name: str, part: Sequence[str], sheet: _Sheet) -> Json:
    listed: dict[str, Json] = {}
    for text in part:
        match = _PERCENTILE.fullmatch(text)
        if match and float(match[1]) and int(match[2]):
            share, value = f"{float(match[1]):g}", float(match[2] + _MICROSECOND)
            listed[share] = value
            if share in _fio.NAMES:
                sheet.put(f"{name}.latency.{_fio.NAMES[share]}", value, "s", 1e-6)
    return listed


def _samples(part: Sequence[str]) -> dict[str, Json]:
    """Bandwidth samples in KiB/s; those of IOPS since version 5."""
    samples: dict[str, Json] = {}
    low, high, share, mean, deviation, *more = part
    if float(high):
        samples["bw_samples"] = {
            "min": float(low) * 1024, "max": float(high) * 1024, "mean": float(mean) * 1024,
            "stdev": float(deviation) * 1024, "per": round(float(share.rstrip("%")) / 100, 8),
            **({"samples": int(more[0])} if more else {}),
        }  # fmt: skip
    if len(more) >= 6 and float(more[2]):
        samples["iops_samples"] = {
            "min": float(more[1]), "max": float(more[2]), "mean": float(more[3]),
            "stdev": float(more[4]), "samples": int(more[5]),
        }  # fmt: skip
    return samples


def _members(options: _fio.Options) -> int:
    """How many processes a line stands for: as the command says, 0 where there is none."""
    if not options:
        return 0
    count = options.get("numjobs")
    return count if options.get("group_reporting") and isinstance(count, int) and count else 1


def _shares(part: Sequence[str], sheet: _Sheet, details: dict[str, Json], members: int) -> None:
    """Processor, depths and the distribution of latencies."""
    sheet.metrics["elapsed"], sheet.units["elapsed"] = sheet.seconds, "s"
    for name, text in (("cpu.user", part[0]), ("cpu.system", part[1])):
        if members:
            sheet.put(name, float(text.rstrip("%") + "e-2") * members, "cores", 5e-9 * members)
    if members and (total := sum(sheet.ios.values())):
        used = sum(sheet.metrics[name] for name in ("cpu.user", "cpu.system")) * sheet.seconds
        # the rates are cut to whole I/Os per second
        short = sum(sheet.times.values()) / total
        sheet.put("cpu.per_io", used / total, "s", used / total * short)
    details["usr_cpu"], details["sys_cpu"] = (float(text.rstrip("%")) for text in part[:2])
    details["cpu"] = {
        name: int(text) for name, text in zip(("ctx", "majf", "minf"), part[2:5], strict=True)
    }
    if len(part) < _TAIL:
        return
    shares = [float(text.rstrip("%") + "e-2") for text in part[5:]]
    details["depths"] = dict(zip(_DEPTHS, shares[:7], strict=True))
    bounds: list[float | None] = [float(f"{bound}{_MICROSECOND}") for bound in _BOUNDS]
    bounds += [float(f"{bound}e-3") for bound in (*_BOUNDS, 2000)]
    bounds.append(None)
    spread = zip(bounds, shares[7:], strict=True)
    details["latency_distribution"] = [[bound, share] for bound, share in spread if share]


def _devices(fields: Sequence[str]) -> list[dict[str, Json]]:
    """The disk statistics: nine fields each; the mean of a device's members as "slaves"."""
    devices: list[dict[str, Json]] = []
    names = (
        "reads", "writes", "read_merges", "write_merges", "read_time", "write_time", "queue_time",
    )  # fmt: skip
    for at in range(0, len(fields) - _DEVICE + 1, _DEVICE):
        part = fields[at : at + _DEVICE]
        if not all(text.isdigit() for text in part[1:8]) or not part[8].endswith("%"):
            break
        figures: dict[str, Json] = {
            name: int(text) / 1000 if name.endswith("_time") else int(text)
            for name, text in zip(names, part[1:8], strict=True)
        }
        figures["util"] = float(part[8].rstrip("%") + "e-2")
        if part[0] == "slaves" and devices:
            devices[-1]["aggr"] = figures
        else:
            devices.append({"name": part[0], **figures})
    return devices
