"""bonnie++: its table and its line of CSV.

Source: bonnie++ 2.00, bon_csv2txt.cpp and bon_csv2html.cpp (order of the fields of formats 1.96,
1.97 and 1.98; print_item(): blocks in MiB/s, characters in KiB/s under the same head),
bon_csv2txt.in, convSpd() (k, m and g are of 1024); bonnie++ 1.03, bonnie++.cpp. Speeds are in
KiB/s, seeks in 1/s, %CP of one core; "+++++" is what was too short to be measured. The line
"Latency" has the greatest latencies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

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
_CSV = re.compile(
    r"(?P<format>1\.9[678]),(?P<version>[\w.]+),(?P<name>[^,\s]+),(?P<jobs>\d+),(?P<seed>\d+),"
    r"(?P<size>\d+[KMG]?),(?P<rest>[\w.,+]*)"
)
_OF_CSV = ("chunk_size", "seeks", "seek_processes")
"""What stands between the size and the first test; releases before 1.98 have the first alone."""
_OF_FILES = ("largest", "smallest", "directories", "chunk_size")
_OWN = re.compile(
    r"[-+]{3}|%CP|/sec|Latency|Version|files|,[\d.+]{0,20},|(?:\s[\d.,]{1,12}[kmgKMG]?){4}"
    r"|^\s*\d{1,9}\s"
)
"""What lines hold that bonnie++ prints below a blank one."""
_CSV_OLD = re.compile(
    r"\s*(?P<name>[^,\s]{1,120}),(?P<size>\d+[KMG]),"
    r"(?P<cells>(?:(?:\d+(?:\.\d+)?|\++),){12})\d*(?:,(?:\d+(?:\.\d+)?|\++)){12}\s*"
)
"""Of 1.03: name, size, six tests with their %CP, files, and six tests of files."""
_CELL = r"(?:\d{1,12}(?:\.\d{1,9})?[kmg]?|\+{1,9})(?: |$)"
_NO_MORE = r"(?![\d+][\d.+]*[kmg]? )"
"""No further cell, as there is one where a terminal cut another in two."""
_ROW = re.compile(
    r"(?P<name>[\w.()+-]{1,60}) (?P<size>\d{1,9}[KMG])(?:[:x]\S+)? "
    rf"(?P<cells>(?:{_CELL}){{12}}|(?:{_CELL}){{8}}){_NO_MORE}"
)
_BEGINS = re.compile(r" [\w.()+-]{1,60} \d{1,9}[KMG](?:[:x]\S+)? (?=[\d+])")
_FILES = re.compile(
    rf"files (?:/sec %CP ){{6}}(?P<files>\d{{1,9}})(?:[:x]\S+)? "
    rf"(?P<cells>(?:{_CELL}){{12}}){_NO_MORE}"
)
_ALL_FILES = re.compile(r"files:max:min (?:/sec %CP ){6}")
_NAMED_FILES = re.compile(
    r"(?<!\S)(?P<name>[\w.()+-]{1,60}) (?P<files>\d{1,9})(?:[:x]\S+)? "
    rf"(?P<cells>(?:{_CELL}){{12}}){_NO_MORE}"
)
"""Below the head of bon_csv2txt, which has the files of all machines behind their tests."""
_FILE_TESTS = tuple(
    f"{order} {what}" for order in ("sequential", "random") for what in ("create", "read", "delete")
)
_LATENCY = re.compile(r"Latency (?P<cells>(?:\d+(?:us|ms|s)(?: |$)){4,6})")
_PAGE = re.compile(
    r"\s*Version (?P<version>\d[\w.]{1,12}) \| Sequential Output \| Sequential Input"
)
_PAGE_UNIT = re.compile(r"[\s|]*(?P<unit>[KM])/sec \| % CPU")
_PAGE_HEAD = re.compile(r"[\s|]*(?:Size|Seeks|Per Char|Random)(?: \||$)")
_SIZE = re.compile(r"\d{1,9}[KMG]")
_CELLS = 3 + 4 * len(_TESTS)
"""Name, size, number of files; the tests of a file's content and those of files, with % CPU."""
_LEAST_CELLS = 6
_MOST_MACHINES = 400
_VERSION = re.compile(r"Version\s+(\d[\w.]+)")
_SCALE = {"": units.KIB, "k": units.KIB, "m": units.MIB, "g": units.GIB}
_TIME = re.compile(r"(\d{1,12})(us|ms|s)")
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


class Bonnie(Output):
    tool = "bonnie++"
    anchors = (
        "--Sequential Output", "Sequential Output--", "Name:Size etc", "-Per Chr-", "1.98,2.00",
        "1.98,1.98", "1.97,1.97", "1.96,1.96", ",+++++,+++,",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The head of the table, or the CSV line."""
        line = cursor.line(cursor.at)
        if _CSV.search(line) or _CSV_OLD.fullmatch(line):
            return cursor.at
        return nearest(cursor, 6, lambda line: "Sequential Output" in line)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        if old := _CSV_OLD.fullmatch(cursor.line(first)):
            trial = _trial(old["name"], old["size"], old["cells"].split(","), [], "")
            cells = cursor.line(first).strip().split(",")
            details = {**trial.details, **_file_tests(cells[14], cells[15:27])}
            return OutputReading(first, first, trials=(replace(trial, details=details),))
        last = _last(cursor, first)
        text = flow(cursor, first, last)
        csv = _CSV.search("".join(text.split()))
        if trials := tuple(_rows(text)):
            torn = len(_BEGINS.findall(text)) - len(_ROW.findall(text))
            if csv and len(trials) == 1 and csv["name"] == trials[0].host:
                more = _of_csv(csv, csv["rest"].split(","), _begin(csv))
                trials = (replace(trials[0], details={**more, **trials[0].details}),)
            why = f"{torn} of its rows have neither all columns nor those of -f"
            return OutputReading(first, last, trials, unread=((first, last, why),) if torn else ())
        if csv:
            fields = csv["rest"].split(",")
            begin = _begin(csv)
            trial = _trial(
                csv["name"], csv["size"], fields[begin : begin + 12], _latencies(fields),
                csv["version"],
            )  # fmt: skip
            trial = replace(trial, details={**trial.details, **_of_csv(csv, fields, begin)})
        else:
            raise Unreadable("no row of figures follows")
        if not trial.loops[0].metrics:
            raise Unreadable("all its tests were too short to be measured")
        return OutputReading(first, last, trials=(trial,))


def _last(cursor: TextCursor, first: int) -> int:
    last = first
    for index, line in lines(cursor, first, 30):
        if index > first and not line and index - last > 2:
            break
        if index > first and "Sequential Output" in line:
            break
        if line and index - last > 1 and not _OWN.search(line):
            break
        last = index if line else last
        if _CSV.search(line):
            break
    return last


def _begin(csv: re.Match[str]) -> int:
    """Place of the first test behind the size in a line of CSV."""
    return len(_OF_CSV) if csv["format"] == "1.98" else 1


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
        files = _FILES.search(text, row.end(), end) or _named_files(text, row["name"])
        trials.append(replace(trial, details={**trial.details, **_of_files(text, files)}))
    if trials and not any(trial.loops[0].metrics for trial in trials):
        raise Unreadable("all its tests were too short to be measured")
    yield from (trial for trial in trials if trial.loops[0].metrics)


def _named_files(text: str, name: str) -> re.Match[str] | None:
    """The row of a machine in the table of the files of all of them."""
    head = _ALL_FILES.search(text)
    every = list(_NAMED_FILES.finditer(text, head.end())) if head else []
    mine = [row for row in every if row["name"] == name]
    return mine[0] if len(mine) == 1 else None


def _of_files(text: str, row: re.Match[str] | None) -> dict[str, Json]:
    """The tests of files in a table, with their row of latencies right behind it."""
    if row is None:
        return {}
    latency = _LATENCY.match(text, row.end())
    return _file_tests(
        row["files"], row["cells"].split(), latency["cells"].split() if latency else ()
    )


def _file_tests(count: str, cells: Sequence[str], latencies: Sequence[str] = ()) -> dict[str, Json]:
    """Files (in 1024), 1/s, cores and s of the tests of files; what was too short is left out."""
    tests: dict[str, Json] = {}
    for place, (rate, cpu) in enumerate(zip(cells[::2], cells[1::2], strict=False)):
        if not rate or rate.startswith("+") or not rate[-1].isdigit():
            continue
        tests[_FILE_TESTS[place]] = float(rate)
        if cpu.isdecimal():
            tests[f"{_FILE_TESTS[place]} cpu"] = int(cpu) / 100
        most = _TIME.fullmatch(latencies[place]) if len(latencies) == len(_FILE_TESTS) else None
        if most:
            tests[f"{_FILE_TESTS[place]} latency"] = round(int(most[1]) * _TIMES[most[2]], 6)
    return {"files": {"count": int(count), **tests}} if tests and count.isdecimal() else {}


def _whole(pairs: Iterable[tuple[str, str]]) -> dict[str, Json]:
    """Names and what is not empty: whole numbers as such."""
    return {name: int(text) if text.isdecimal() else text for name, text in pairs if text}


def _of_csv(csv: re.Match[str], fields: Sequence[str], begin: int) -> dict[str, Json]:
    """What a line of CSV says besides its tests: format, processes, seed, sizes, and the files.

    Args:
        csv: the line.
        fields: what stands behind its size.
        begin: place of the first test among them.
    """
    details: dict[str, Json] = {
        "format": csv["format"], "processes": int(csv["jobs"]), "seed": int(csv["seed"]),
        **_whole(zip(_OF_CSV, fields[:begin], strict=False)),
    }  # fmt: skip
    files = begin + 2 * len(_TESTS)
    cells = fields[files + 5 : files + 5 + 2 * len(_FILE_TESTS)]
    latencies = fields[files + 5 + 2 * len(_FILE_TESTS) + len(_TESTS) :][: len(_FILE_TESTS)]
    said = _file_tests(fields[files], cells, latencies) if len(fields) > files else {}
    if isinstance(of := said.get("files"), dict):
        shapes = zip(_OF_FILES, fields[files + 1 : files + 5], strict=False)
        said["files"] = {**of, **_whole(shapes)}
    return {**details, **said}


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
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)", value)
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
        most = _TIME.fullmatch(text)
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


class BonniePage(Output):
    """The page of bon_csv2html, a row for each machine."""

    tool = "bonnie++"
    anchors = ("Sequential Output | Sequential Input",)
    beginning = _PAGE

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        head = _PAGE.match(cursor.line(first))
        trials: list[PrintedTrial] = []
        last, unit, torn, is_whole = first, "", 0, False
        for index, line in lines(cursor, first + 1, _MOST_MACHINES):
            cells = [cell.strip() for cell in line.split("|")]
            if head_unit := _PAGE_UNIT.match(line):
                unit = head_unit["unit"]
            elif cells[0] == "Latency":
                if is_whole and len(cells) >= 1 + len(_TESTS):
                    trials[-1] = _with_latencies(trials[-1], cells)
            elif len(cells) > _LEAST_CELLS and _SIZE.fullmatch(cells[1]) and unit:
                is_whole = len(cells) == _CELLS
                torn += not is_whole
                if is_whole:
                    trials.append(_of_page(cells, unit, head["version"] if head else ""))
            elif line and not _PAGE_HEAD.match(line):
                break
            last = index if line else last
        trials = [trial for trial in trials if trial.loops[0].metrics]
        why = f"{torn} of its rows have other columns than its tests"
        if not trials:
            raise Unreadable(why if torn else "no row of figures follows", last)
        return OutputReading(
            first, last, trials=tuple(trials), unread=((first, last, why),) if torn else ()
        )


def _of_page(cells: Sequence[str], unit: str, version: str) -> PrintedTrial:
    """A machine: name, size, six tests with % CPU, files and the six tests of these."""
    tests = list(cells[2:14])
    for place in (2, 4, 8) if unit == "M" else ():  # blocks; characters are not converted
        tests[place] += "m" if tests[place].isdecimal() else ""
    trial = _trial(cells[0], cells[1], tests, [], version)
    return replace(trial, details={**trial.details, **_file_tests(cells[14], cells[15:27])})


def _with_latencies(trial: PrintedTrial, cells: Sequence[str]) -> PrintedTrial:
    """A machine with the row of latencies below it: of its tests, then of those of files."""
    (loop,) = trial.loops
    metrics, kinds, steps = dict(loop.metrics), dict(loop.units), dict(trial.steps)
    for test, text in zip(_TESTS, cells[1 : 1 + len(_TESTS)], strict=True):
        most = _TIME.fullmatch(text)
        if most and f"{test}.cpu" in metrics:
            name, scale = f"{test}.latency.max", _TIMES[most[2]]
            metrics[name], kinds[name], steps[name] = int(most[1]) * scale, "s", 0.5 * scale
    files = trial.details.get("files")
    said = dict(files) if isinstance(files, dict) else {}
    for test, text in zip(_FILE_TESTS, cells[2 + len(_TESTS) :], strict=False):
        if test in said and (most := _TIME.fullmatch(text)):
            said[f"{test} latency"] = round(int(most[1]) * _TIMES[most[2]], 6)
    details = {**trial.details, "files": said} if said else trial.details
    loops = (replace(loop, metrics=metrics, units=kinds),)
    return replace(trial, loops=loops, steps=steps, details=details)
