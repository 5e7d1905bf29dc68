"""bonnie++: its table and its line of CSV.

Source: bonnie++ 2.00, bon_csv2txt.cpp and bon_csv2html.cpp (order of the fields of formats 1.96,
1.97 and 1.98); bonnie++ 1.03, bonnie++.cpp. Speeds are in KiB/s, seeks in 1/s, %CP of one core;
"+++++" is what was too short to be measured. The line "Latency" has the greatest latencies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, flow, lines
from iosonde.text.reader import nearest

_TESTS = ("write_char", "write", "rewrite", "read_char", "read", "random_seek")
_FAST = ("write", "rewrite", "read", "random_seek")
"""What -f leaves of them; the columns of the others are blank."""
_TABLE = re.compile(r"(?:Name:Size etc|Machine\s+Size)")
_CSV = re.compile(
    r"(?P<format>1\.9[678]),(?P<version>[\w.]+),(?P<name>[^,\s]+),(?P<jobs>\d+),(?P<seed>\d+),"
    r"(?P<size>\d+[KMG]?),(?P<rest>[\w.,+]*)"
)
_CSV_OLD = re.compile(
    r"\s*(?P<name>[^,\s]{1,120}),(?P<size>\d+[KMG]),"
    r"(?P<cells>(?:(?:\d+(?:\.\d+)?|\++),){12})\d*(?:,(?:\d+(?:\.\d+)?|\++)){12}\s*"
)
"""Of 1.03: name, size, six tests with their %CP, files, and six tests of files."""
_CELL = r"(?:\d{1,12}(?:\.\d{1,4})?[km]?|\+{1,9})(?: |$)"
_ROW = re.compile(
    r"(?P<name>[\w.()+-]{1,60}) (?P<size>\d{1,9}[KMG])(?:[:x]\S+)? "
    rf"(?P<cells>(?:{_CELL}){{12}}|(?:{_CELL}){{8}}(?![\d+]))"
)
_BEGINS = re.compile(r" [\w.()+-]{1,60} \d{1,9}[KMG](?:[:x]\S+)? (?=[\d+])")
_FILES = re.compile(
    rf"files (?:/sec %CP ){{6}}(?P<files>\d{{1,9}})(?:[:x]\S+)? (?P<cells>(?:{_CELL}){{12}})"
)
_FILE_TESTS = tuple(
    f"{order} {what}" for order in ("sequential", "random") for what in ("create", "read", "delete")
)
_LATENCY = re.compile(r"Latency (?P<cells>(?:\d+(?:us|ms|s)(?: |$)){4,6})")
_VERSION = re.compile(r"Version\s+(\d[\w.]+)")
_SCALE = {"": units.KIB, "k": units.KIB, "m": units.MIB}
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


class Bonnie(Output):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "bonnie++"
    anchors: ClassVar[tuple[str, ...]] = (
        "--Sequential Output", "Sequential Output--", "Name:Size etc", "-Per Chr-", "1.98,2.00",
        "1.98,1.98", "1.97,1.97", "1.96,1.96", ",+++++,+++,",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """See `Output.begin`. The head of the table, or the CSV line."""
        line = cursor.line(cursor.at) or ""
        if _CSV.search(line) or _CSV_OLD.fullmatch(line):
            return cursor.at
        return nearest(cursor, 6, lambda line: "Sequential Output" in line)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if old := _CSV_OLD.fullmatch(cursor.line(first) or ""):
            trial = _trial(old["name"], old["size"], old["cells"].split(","), [], "")
            return OutputReading(first, first, trials=(trial,))
        last = first
        for index, line in lines(cursor, first, 30):
            if index > first and not line and index - last > 2:
                break
            if index > first and "Sequential Output" in line:
                break
            last = index if line else last
            if _CSV.search(line):
                break
        text = flow(cursor, first, last)
        csv = _CSV.search("".join(text.split()))
        if trials := tuple(_rows(text)):
            torn = len(_BEGINS.findall(text)) - len(_ROW.findall(text))
            why = f"{torn} of its rows have neither all columns nor those of -f"
            return OutputReading(first, last, trials, unread=((first, last, why),) if torn else ())
        if csv:
            fields = csv["rest"].split(",")
            begin = 3 if csv["format"] == "1.98" else 1
            trial = _trial(
                csv["name"], csv["size"], fields[begin : begin + 12], _latencies(fields),
                csv["version"],
            )  # fmt: skip
        else:
            raise Unreadable("no row of figures follows")
        if not trial.loops[0].metrics:
            raise Unreadable("all its tests were too short to be measured")
        return OutputReading(first, last, trials=(trial,))


def _rows(text: str) -> Iterator[PrintedTrial]:
    """The machines of a table, each with the latencies below it.

    Raises:
        Unreadable: none of their tests took long enough.
    """
    version = _VERSION.search(text)
    rows = list(_ROW.finditer(text))
    trials: list[PrintedTrial] = []
    for place, row in enumerate(rows):
        end = rows[place + 1].start() if place + 1 < len(rows) else len(text)
        latency = _LATENCY.search(text, row.end(), end)
        cells = row["cells"].split()
        trial = _trial(
            row["name"], row["size"], cells, latency["cells"].split() if latency else [],
            version[1] if version else "", _TESTS if len(cells) == 2 * len(_TESTS) else _FAST,
        )  # fmt: skip
        files = _FILES.search(text, row.end(), end)
        trials.append(replace(trial, details={**trial.details, **_of_files(files)}))
    if trials and not any(trial.loops[0].metrics for trial in trials):
        raise Unreadable("all its tests were too short to be measured")
    yield from (trial for trial in trials if trial.loops[0].metrics)


def _of_files(row: re.Match[str] | None) -> dict[str, Json]:
    """Files (in 1024) and 1/s of the tests of files; what was too short to be measured is left."""
    if row is None:
        return {}
    rates: dict[str, Json] = {
        test: float(rate)
        for test, rate in zip(_FILE_TESTS, row["cells"].split()[::2], strict=True)
        if not rate.startswith("+") and rate[-1].isdigit()
    }
    return {"files": {"count": int(row["files"]), **rates}} if rates else {}


def _latencies(fields: Sequence[str]) -> list[str]:
    latencies = [field for field in fields if re.fullmatch(r"\d+(?:us|ms|s)", field)]
    return latencies[:6] if len(latencies) >= 6 else []


def _trial(
    name: str,
    size: str,
    cells: Sequence[str],
    latencies: Sequence[str],
    version: str,
    tests: Sequence[str] = _TESTS,
) -> PrintedTrial:
    metrics: dict[str, float] = {}
    kinds: dict[str, str] = {}
    steps: dict[str, float] = {}
    unmeasured: list[Json] = []
    for place, test in enumerate(tests):
        value, cpu = (cells[2 * place], cells[2 * place + 1])
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([km]?)", value)
        if not match:
            unmeasured.append(test)
            continue
        seeks = test == "random_seek"
        metric = f"{test}.{'iops' if seeks else 'bandwidth'}"
        scale = 1 if seeks else _SCALE[match[2]]
        figure, step = units.printed(match[1])
        metrics[metric], steps[metric] = figure * scale, step * scale
        kinds[metric] = "1/s" if seeks else "B/s"
        if cpu.isdecimal():
            metrics[f"{test}.cpu"], kinds[f"{test}.cpu"] = int(cpu) / 100, "cores"
            steps[f"{test}.cpu"] = 0.005
    for test, text in zip(tests if len(latencies) == len(tests) else (), latencies, strict=False):
        most = re.fullmatch(r"(\d+)(us|ms|s)", text)
        if most and f"{test}.cpu" in metrics:
            metrics[f"{test}.latency.max"] = int(most[1]) * _TIMES[most[2]]
            kinds[f"{test}.latency.max"] = "s"
            steps[f"{test}.latency.max"] = 0.5 * _TIMES[most[2]]
    details: dict[str, Json] = {"too short to be measured": unmeasured} if unmeasured else {}
    return PrintedTrial(
        tool="bonnie++",
        loops=(LoadResult(metrics=metrics, units=kinds),),
        version=version,
        host=name,
        options={"size": units.parse_bytes(size), "direct": False},
        steps=steps,
        details=details,
    )
