"""What a part of fio's normal output says, of which the lines of the jobs' rates were cut off.

Latencies are of the last direction that fio printed. It is known from what was issued, from the
run status, or from the command; where all these are cut off, they are kept as figures of the host,
of which nothing is concluded.

Source: as text_block.py; stat.c, show_thread_status_normal() and show_run_stats().
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde.loads.fio import text_figures
from iosonde.loads.fio.text_block import JobFigures, Precision, has_latencies, read_tail
from iosonde.loads.fio.text_run import device_io, disk_details, disks, groups, speeds
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import REACH, Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import close_lines_above

_UNIT = r"\([num]sec\)"
_LINE = re.compile(
    r"\s*+(?:fsync/fdatasync/sync_file_range"
    rf"|(?:[sc]?lat|sync) ?{_UNIT} ?: ?min=|(?:[sc]?lat|sync) percentiles {_UNIT}:"
    r"|\| *\d+\.\d+th=\[|\| *\.{3}|bw \( *[kKM]i?(?:B|bit) */s\) ?: ?min=|iops *: ?min="
    rf"|lat {_UNIT} *: ?[>=\d]|cpu *: ?usr=|IO depths *: |submit *: \d|complete *: \d"
    r"|issued(?: r/w/d| rwts?)? *: ?total=|errors *: total=|latency *: target="
    r"|Run status group \d|(?:READ|WRITE|TRIM|MIXED): (?:bw|io)=|Disk stats \("
    r"|[\w!./-]{1,64}: ios=\d|aggr\w{3,9}=)"
)
_STATUS = re.compile(r"\s*(?P<direction>READ|WRITE|TRIM|MIXED): (?:bw|io)=")
_REST = re.compile(
    r"\s*+(?:[-(]?[\d.]{1,12}[kKMGT]?i?(?:B|bit)/s[-)(,.\dkKMGTiB/s ]{0,80})?"
    r"(?:io=[\d.]{1,12}[kKMGTP]?i?B *(?:\([\d.]{1,12}[kKMGTP]?B\))?, *)?run= *[\d -]{3,30}msec\s*"
)
"""What a mail broke off the end of a group's line."""
_DISKS = "Diskstats(read/write):"
_UNDIRECTED = "any"
_BLANKS = 2
_MOST = 400
_NAMES = ("read", "write", "trim")
_WAYS = {f"{rand}{name}": name for rand in ("", "rand") for name in _NAMES}


def is_line(line: str) -> bool:
    """Whether a line is one that fio prints below the rates of a job, or after all jobs."""
    return bool(_LINE.match(line))


def top(cursor: TextCursor) -> int:
    """Index of the first line of the part that the anchor's line belongs to."""
    first = cursor.at
    for index, line in close_lines_above(cursor, cursor.at - 1, REACH, gap=_BLANKS):
        if not is_line(line):
            break
        first = index
    return first


def read_fragment(cursor: TextCursor, first: int) -> OutputReading:
    """What the part that begins in a line says: the tail of a job, and each group's run status.

    Raises:
        Unreadable: it has no figure, or only such that could be of several directions.
    """
    last, whole = _gathered(cursor, first)
    precision = Precision.of("", whole)
    status, _ = groups(whole, precision)
    end = whole.find("Runstatusgroup")
    tail = whole[:end] if end >= 0 else whole
    place = whole.find(_DISKS)
    devices, _ = disks(whole[place + len(_DISKS) :]) if place >= 0 else ([], 0)
    begin, prompt = command_before(cursor, first, ("fio",))
    direction = _direction(tail, status) or _asked(prompt)
    sheet = read_tail(tail, direction)
    sheets = [
        _of_group(group, status[group], speeds_of)
        for group, speeds_of in speeds(whole, precision)
        if speeds_of
    ]
    if len(sheets) == 1 and _of_one_job(status):
        sheets = [_together(sheet, sheets[0])]
    elif sheet.metrics:
        sheets.insert(0, sheet)
    trials = tuple(_trial(each, prompt, devices) for each in sheets if each.metrics)
    counters = () if direction or not has_latencies(tail) else _undirected(tail, prompt)
    if not trials and not counters:
        raise Unreadable("its figures are cut off", last)
    return OutputReading(begin, last, trials=trials, counters=counters)


def _gathered(cursor: TextCursor, first: int) -> tuple[int, str]:
    """Index of the part's last line, and its characters without blanks."""
    rows: list[str] = []
    last, blanks = first, 0
    of_group = set[str]()
    for index, line in lines(cursor, first, _MOST):
        if "Run status group" in line:
            of_group.clear()
        if match := _STATUS.match(line):
            if match["direction"] in of_group:
                break  # of another run, whose own title its author left out
            of_group.add(match["direction"])
        blanks = 0 if line else blanks + 1
        broken = index > first and _REST.fullmatch(line) and _STATUS.match(cursor.line(last))
        if blanks > _BLANKS or (line and not broken and (not is_line(line) or prompt_in(line))):
            break
        last = index if line else last
        rows.append("".join(line.split()))
    return last, "".join(rows)


def _direction(tail: str, status: Mapping[int, Json]) -> str:
    """The last direction of a job; empty where that cannot be known.

    One that is alone among what was issued; of several the last one, where the run status says that
    they were not reported together.
    """
    issued = read_tail(tail, "").issued
    named = [name for name in _NAMES if issued.get(name)]
    if len(named) == 1:
        return named[0]
    printed = [part for part in status.values() if isinstance(part, dict)]
    said = [name for name in _NAMES if len(printed) == 1 and name in printed[0]]
    return said[-1] if said and (not named or said == named) else ""


def _asked(prompt: Prompt) -> str:
    """The direction of the only job of a command; empty where there are several, or none."""
    rw = text_figures.command_options(prompt.command, "").get("rw")
    return _WAYS.get(rw, "") if isinstance(rw, str) else ""


def _undirected(tail: str, prompt: Prompt) -> tuple[PrintedCounters, ...]:
    """Latencies in seconds that are of reads or of writes, which of them is cut off."""
    sheet = read_tail(tail, _UNDIRECTED)
    values: dict[str, Json] = {
        name.removeprefix(f"{_UNDIRECTED}.latency."): value
        for name, value in sheet.metrics.items()
        if name.startswith(f"{_UNDIRECTED}.latency.")
    }
    kinds = sheet.details.get("latency")
    of_kinds = kinds.get(_UNDIRECTED) if isinstance(kinds, dict) else None
    for kind, figures in of_kinds.items() if isinstance(of_kinds, dict) else ():
        for name, value in figures.items() if isinstance(figures, dict) else ():
            values[f"{kind}.{name}"] = value
    if not values:
        return ()
    name = "latency of reads or writes"
    return (PrintedCounters("fio", name, "", values, prompt.host, prompt.command),)


def _of_one_job(status: Mapping[int, Json]) -> bool:
    """Whether the slowest job of a group was as fast as all of it: there was no other report."""
    (part,) = status.values()
    return isinstance(part, dict) and all(
        isinstance(speed, dict) and speed["bandwidth"] == speed.get("max_bandwidth")
        for speed in part.values()
    )


def _of_group(
    group: int, status: Json, speeds_of: Mapping[str, tuple[float, float, float]]
) -> JobFigures:
    """The run status of a group: speeds by direction, and its longest time."""
    sheet = JobFigures(details={"group": group, "run_status": status})
    for name, (speed, step, seconds) in speeds_of.items():
        sheet.put(f"{name}.bandwidth", speed, "B/s", step)
        sheet.seconds = max(sheet.seconds, seconds)
    if sheet.seconds:
        sheet.put("elapsed", sheet.seconds, "s")
    return sheet


def _together(tail: JobFigures, group: JobFigures) -> JobFigures:
    """The tail of the only job of a group, and the group's own figures."""
    for name, value in group.metrics.items():
        tail.put(name, value, group.units[name], group.steps.get(name, 0.0))
    tail.details |= group.details
    tail.seconds = group.seconds
    return tail


def _trial(sheet: JobFigures, asked: Prompt, devices: list[dict[str, Json]]) -> PrintedTrial:
    options = text_figures.command_options(asked.command, "")
    if sheet.depth is not None:
        options.setdefault("iodepth", sheet.depth)
    sheet.details |= disk_details(devices)
    return PrintedTrial(
        tool="fio",
        loops=(sheet.result(device_io(devices), ""),),
        command=asked.command,
        host=asked.host,
        target=text_figures.target_of(options),
        elapsed=(sheet.seconds,) if sheet.seconds else None,
        options=options,
        steps=sheet.steps,
        details=sheet.details,
    )
