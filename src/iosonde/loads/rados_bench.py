"""`rados bench` of Ceph: writes, sequential and random reads of objects; one trial per run.

Its MB is MiB. IOPS are the requests made over the time where both stand there: what it prints as
"Average IOPS" is cut to a whole number.

Source: ceph, src/common/obj_bencher.cc, write_bench(), seq_read_bench(), rand_read_bench(), and
status_printer() for the table while it runs.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedCounters, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import (
    Output,
    Prompt,
    TextCursor,
    command_before,
    compact,
    lines,
    prompt_in,
)
from iosonde.text.reader import close_lines, close_lines_above

_HEAD = re.compile(r"^\s*Maintaining \d+ concurrent|^\s*(?:\S+ )?\s*sec\s+Cur ops\s+started")
_BEGINS = re.compile(r"^\s*(?:hints = \d|Maintaining \d+ concurrent)")
_SUM = re.compile(
    r"^\s*(?:Total (?:time run|writes made|reads made)|(?:Write|Read|Object) size"
    r"|Bandwidth \(MB/sec|(?:Stddev|Max|Min) (?:[Bb]andwidth|IOPS|[Ll]atency)"
    r"|Average (?:IOPS|[Ll]atency))"
)
_OWN = re.compile(
    r"^\s*(?:hints = \d|Maintaining|Object prefix|(?:for |seconds or |or )?\d+ (?:seconds|objects)"
    r"|.{0,30}\bsec\s+Cur ops|last lat|avg lat|lat\(s\)|.{0,40}min lat: |[\d.\s:e+-]+$)"
)
_N = r"(\d[\d.]{0,20}(?:e-?\d{1,3})?)"
_PROGRESS = re.compile(
    r"^\s*(?P<sec>\d{1,6})\s+\d{1,9}\s+(?P<started>\d{1,15})\s+(?P<finished>\d{1,15})\s+"
    rf"(?P<rate>{_N[1:-1]})\s+{_N[1:-1]}(?:\s+(?:-|{_N[1:-1]})(?:\s+(?P<latency>{_N[1:-1]}))?)?\s*$"
)
_COLUMNS = (
    ("seconds", 1.0), ("in_flight", 1.0), ("started", 1.0), ("finished", 1.0),
    ("average_bandwidth", float(units.MIB)), ("bandwidth", float(units.MIB)),
    ("latency.last", 1.0), ("latency.mean", 1.0),
)  # fmt: skip
_SECOND = re.compile(
    r"^\s*\d{1,6}\s+\d{1,9}(?:\s+\d{1,15}){2}"
    rf"(?:\s+{_N[1:-1]}){{2}}\s+(?:-|{_N[1:-1]})\s+{_N[1:-1]}\s*$"
)
_PREFIX = re.compile(r"^\s*Object prefix: (?P<name>\S{1,120})\s*$")
_ASKED = re.compile(r"Maintaining(\d{1,9})concurrent(?:writes|reads)of(\d{1,15})bytes")
_UP_TO = re.compile(r"forupto(?P<seconds>\d{1,9})seconds")
_TIME = re.compile(rf"Totaltimerun:{_N}")
_MADE = re.compile(r"Total(writes|reads)made:(\d{1,18})")
_BANDWIDTH = re.compile(rf"(?<!n)Bandwidth\(MB/sec\):{_N}")
_IOPS = re.compile(r"AverageIOPS:?(\d{1,12})")
_LATENCIES = {
    "mean": re.compile(rf"AverageLatency(?:\(s\))?:{_N}", re.IGNORECASE),
    "stdev": re.compile(rf"StddevLatency(?:\(s\))?:{_N}", re.IGNORECASE),
    "max": re.compile(rf"Maxlatency(?:\(s\))?:{_N}", re.IGNORECASE),
    "min": re.compile(rf"Minlatency(?:\(s\))?:{_N}", re.IGNORECASE),
}
_OTHERS = {
    "stdev_bandwidth": (rf"StddevBandwidth:{_N}", float(units.MIB)),
    "max_bandwidth": (rf"Maxbandwidth\(MB/sec\):{_N}", float(units.MIB)),
    "min_bandwidth": (rf"Minbandwidth\(MB/sec\):{_N}", float(units.MIB)),
    "average_iops": (rf"AverageIOPS:?{_N}", 1.0),
    "max_iops": (rf"MaxIOPS:{_N}", 1.0), "min_iops": (rf"MinIOPS:{_N}", 1.0),
    "stdev_iops": (rf"StddevIOPS:{_N}", 1.0), "object_size": (rf"Objectsize:{_N}", 1.0),
}  # fmt: skip
_SIZE = re.compile(r"(?:Write|Read)size:(\d{1,15})")
_CALLED = re.compile(
    r"\bbench\s(?:\S{1,100}\s{1,20}){0,20}?[\"']?(?:(?P<seconds>\d{1,9})|\$\S{1,60})[\"']?\s{1,20}"
    r"[\"']?(?:write|seq|rand|\$\w)"
)
"""Seconds and what is done stand in every call: `rados -p POOL bench SECONDS write|seq|rand`."""
POOL = re.compile(r"\s(?:-p|--pool)[ =](\S{1,100})")
_MOST = 4000
_GAP = 4


class RadosBench(Output):
    tool = "rados bench"
    anchors = (
        "concurrent writes of", "sec Cur ops", "Total writes made:", "Total reads made:",
        "Bandwidth (MB/sec):",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _HEAD.match(line) and not _SUM.match(line):
            return None
        top = cursor.at
        for index, line in close_lines_above(cursor, cursor.at, gap=_GAP):
            is_own = _OWN.match(line) or _SUM.match(line)
            if not is_own or (index < top and _ends(line)):
                break
            top = index
            if _BEGINS.match(line) and "hints" in line:
                break
        return top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, at = first, None
        for index, line in close_lines(cursor, first, _MOST, gap=_GAP):
            is_sum = bool(_SUM.match(line))
            if prompt_in(line) or not (is_sum or _OWN.match(line)):
                break
            if at is not None and not is_sum and not re.match(r"^[\s\d.e-]+$", line):
                break  # another run begins
            at = index if is_sum and at is None else at
            last = index
        if at is None:
            return self._on_the_way(cursor, first, last)
        text = compact(cursor, at, last)
        begin, prompt = _command(cursor, first)
        metrics, steps, details, direction = figures(text)
        on_top = compact(cursor, first, min(first + 4, last))
        options = {"rw": direction, **_options(on_top, text, prompt.command)}
        pool = POOL.search(prompt.command)
        time = _TIME.search(text)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics=metrics, units={name: kind_of(name) for name in metrics}),),
            command=prompt.command,
            host=prompt.host,
            target=pool[1] if pool else "",
            elapsed=(float(time[1]),) if time else None,
            options=options,
            steps=steps,
            details={**details, **_on_top(cursor, first, last)},
        )
        return OutputReading(begin, last, trials=(trial,))

    def _on_the_way(self, cursor: TextCursor, first: int, last: int) -> OutputReading:
        """The last line of the table while it ran, where the sums at the end are cut off."""
        rows = (_PROGRESS.match(cursor.line(index)) for index in range(last, first, -1))
        row = next((row for row in rows if row), None)
        if row is None:
            raise Unreadable("its sums at the end are cut off", last=last)
        begin, prompt = _command(cursor, first)
        values: dict[str, Json] = {
            "seconds": int(row["sec"]), "started": int(row["started"]),
            "finished": int(row["finished"]), "bandwidth": float(row["rate"]) * units.MIB,
        }  # fmt: skip
        if row["latency"]:
            values["latency.mean"] = float(row["latency"])
        values |= _on_top(cursor, first, last)
        counters = PrintedCounters(
            self.tool, "a run up to a second", "", values, prompt.host, prompt.command
        )
        return OutputReading(begin, last, counters=(counters,))


def _options(on_top: str, sums: str, command: str) -> dict[str, Scalar]:
    """Of the load, in fio's words, from the begin of a run, its sums and its command."""
    options: dict[str, Scalar] = {}
    if " rand" in command:
        options["rw"] = "randread"
    if size := _SIZE.search(sums):
        options["bs"] = int(size[1])
    if asked := _ASKED.search(on_top):
        options |= {"iodepth": int(asked[1]), "bs": int(asked[2])}
    elif depth := re.search(r"\s-t ?(\d{1,6})", command):
        options["iodepth"] = int(depth[1])
    limit = _UP_TO.search(on_top) or _CALLED.search(command)
    if limit and int(limit["seconds"] or 0):
        options["runtime"] = int(limit["seconds"])
    return options


def _command(cursor: TextCursor, first: int) -> tuple[int, Prompt]:
    """The command above a run; a heading or a sentence that names the tool is none."""
    begin, prompt = command_before(cursor, first, ("rados",), about="bench")
    return (begin, prompt) if _CALLED.search(prompt.command) else (first, Prompt(""))


def _on_top(cursor: TextCursor, first: int, last: int) -> dict[str, Json]:
    """What is printed before the sums: the prefix of the objects, and each second of the table."""
    details, seconds = dict[str, Json](), list[Json]()
    for _, line in lines(cursor, first, last - first + 1):
        if prefix := _PREFIX.match(line):
            details["object_prefix"] = prefix["name"]
        elif _SECOND.match(line):
            seconds.append({
                name: int(text) if text.isdecimal() and scale == 1 else float(text) * scale
                for (name, scale), text in zip(_COLUMNS, line.split(), strict=True)
                if text != "-"
            })  # fmt: skip
    return {**details, "intervals": seconds} if seconds else details


def _ends(line: str) -> bool:
    """Whether a run ends in a line: another one's figures begin below it."""
    return bool(re.match(r"^\s*Min latency", line))


def kind_of(name: str) -> str:
    """The unit of a metric."""
    return "1/s" if name.endswith("iops") else "B/s" if name.endswith("width") else "s"


def figures(text: str) -> tuple[dict[str, float], dict[str, float], dict[str, Json], str]:
    """Metrics, half of the last digit of each, details, and the direction.

    Raises:
        Unreadable: whether it read or wrote is cut off, or there is no rate.
    """
    made, time, rate = _MADE.search(text), _TIME.search(text), _BANDWIDTH.search(text)
    if not made:
        raise Unreadable("whether it read or wrote is cut off")
    direction = "read" if made[1] == "reads" else "write"
    metrics: dict[str, float] = {}
    steps: dict[str, float] = {}
    if time and float(time[1]):
        seconds, half = units.printed(time[1])
        metrics["iops"] = int(made[2]) / seconds
        steps["iops"] = metrics["iops"] * half / seconds
    elif cut := _IOPS.search(text):
        metrics["iops"], steps["iops"] = float(cut[1]), 1.0
    if rate:
        value, step = units.printed(rate[1])
        metrics["bandwidth"], steps["bandwidth"] = value * units.MIB, step * units.MIB
    if not metrics:
        raise Unreadable("it holds no rate")
    for name, pattern in _LATENCIES.items():
        if match := pattern.search(text):
            metrics[f"latency.{name}"], steps[f"latency.{name}"] = units.printed(match[1])
    details: dict[str, Json] = {"requests": int(made[2])}
    for name, (printed, scale) in _OTHERS.items():
        if match := re.search(printed, text):
            details[name] = float(match[1]) * scale
    return (
        {f"{direction}.{name}": value for name, value in metrics.items()},
        {f"{direction}.{name}": value for name, value in steps.items()},
        details,
        direction,
    )
