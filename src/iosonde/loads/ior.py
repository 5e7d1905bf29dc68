"""IOR's results: one trial for its writes and one for its reads, with a loop for each repetition.

Source: IOR 2.10 to 4.0, src/ior-output.c (PrintTableHeader, PrintTestHeader: "access bw(MiB/s)
…", MiB are 2^20 bytes; times in seconds; the transfer size in KiB; "clients"/"tasks"),
PrintLongSummaryHeader, PrintShortSummary ("Max Write: … MiB/sec").
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, lines, prompt_in

_HEAD = re.compile(r"\s*access\s+bw\(MiB/s\)\s+(?P<more>\S.{10,200})$")
_DASHES = re.compile(r"\s*-[-\s]+$")
_ROW = re.compile(
    r"\s*(?P<way>write|read)\s+(?P<cells>\d[\d.]{0,20}(?:\s+(?:\d[\d.e+-]{0,20}|-|NA)){3,12})\s*$"
)
_ITEM = re.compile(r"\s*(?P<key>[A-Za-z][\w ]{1,30}?)\s*[:=]\s+(?P<value>\S.{0,300}?)\s*$")
_TASKS = re.compile(r"(\d{1,8})\b")
_BETWEEN = re.compile(r"\s*(?:remove|Commencing|delaying|[*]{3}|WARNING)")
_MAX = re.compile(
    r"\s*Max (?P<way>Write|Read): +(?P<rate>\d{1,12}\.\d{1,4}) MiB/sec "
    r"\(\d{1,12}\.\d{1,4} MB/sec\)\s*$"
)
_SUMMARY = re.compile(r"\s*Operation +Max\(MiB\) +(?P<more>\S.{20,400})$")
_SUMMARY_ROW = re.compile(r"\s*(?P<way>write|read) +(?P<cells>\d[\w. -]{20,400})$")
_AFTER = re.compile(r"\s*(?:Summary of all tests:|Finished *:|Run finished:|remove\s)")
_REACH = 60
_MOST = 4000


class Ior(Output):
    tool = "IOR"
    anchors = ("bw(MiB/s)",)
    beginning = _HEAD

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        head = _HEAD.match(cursor.line(first))
        if head is None:
            raise Unreadable("its head is broken")
        columns = ("bandwidth", *head["more"].split())
        rows: dict[str, list[tuple[str, ...]]] = {}
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            row = _ROW.match(line)
            if row and len(row["cells"].split()) == len(columns):
                rows.setdefault(row["way"], []).append(tuple(row["cells"].split()))
                last = index
            elif prompt_in(line) or index - last > 3 or not _passes(line):
                break
        if not rows:
            raise Unreadable("no whole row of results follows", last)
        begin, prompt = command_before(
            cursor, first, ("ior", "IOR", "mpirun", "srun"), reach=_REACH
        )
        above, top = _above(cursor, first)
        begin = min(begin, top)
        last, below = _below(cursor, last)
        trials = tuple(
            _trial(way, columns, each, above, prompt.command, prompt.host)
            for way, each in rows.items()
        )
        return OutputReading(
            begin, last, trials=tuple(_with(trial, below[trial.label]) for trial in trials)
        )


def _below(cursor: TextCursor, last: int) -> tuple[int, dict[str, dict[str, Json]]]:
    """What stands below the results: the highest rates, and the summary of all tests."""
    said: dict[str, dict[str, Json]] = {"write": {}, "read": {}}
    columns: list[str] = []
    for index, line in lines(cursor, last + 1, 16):
        if highest := _MAX.match(line):
            said[highest["way"].lower()]["max_bandwidth"] = float(highest["rate"]) * units.MIB
        elif head := _SUMMARY.match(line):
            columns = ["Max(MiB)", *head["more"].split()]
        elif row := _SUMMARY_ROW.match(line):
            cells = row["cells"].split()
            if not columns or len(cells) != len(columns):
                break
            said[row["way"]]["summary"] = _summary(columns, cells)
        elif line and not _AFTER.match(line):
            break
        if prompt_in(line) or index > last + 3:
            break
        last = index if line else last
    return last, said


def _summary(columns: list[str], cells: list[str]) -> dict[str, Json]:
    """A row by the names of its head; of two columns of one name the second is of operations."""
    values: dict[str, Json] = {}
    for name, text in zip(columns, cells, strict=True):
        if text not in {"NA", "-"}:
            values[f"{name}(OPs)" if name in values else name] = _figure(text)
    return values


def _figure(text: str) -> Json:
    if text.isdecimal():
        return int(text)
    return float(text) if re.fullmatch(r"\d{1,18}\.\d{1,9}(?:e[+-]?\d{1,3})?", text) else text


def _with(trial: PrintedTrial, more: dict[str, Json]) -> PrintedTrial:
    return replace(trial, details={**trial.details, **more}) if more else trial


_NONE = frozenset({"-", "NA"})
_APART = frozenset({"version", "Command line", "test filename"})
"""What has a place of its own in a trial."""
_SAID = frozenset({"api", "access", "nodes", "aggregate filesize"})
"""What is taken from lines above of which is not sure that all of them are IOR's."""


def _passes(line: str) -> bool:
    return not line.strip() or bool(_DASHES.match(line) or _BETWEEN.match(line))


def _above(cursor: TextCursor, first: int) -> tuple[dict[str, str], int]:
    """What IOR says of the test above its results, and where its head begins."""
    said: dict[str, str] = {}
    top = first
    for index in range(first - 1, max(first - _REACH, -1), -1):
        line = cursor.line(index)
        if line.startswith("IOR-"):
            said["version"], top = line[4:].partition(":")[0], index
            break
        if match := _ITEM.match(line):
            said.setdefault(match["key"].strip(), match["value"])
    return said, top


def _trial(
    way: str,
    columns: tuple[str, ...],
    rows: list[tuple[str, ...]],
    above: dict[str, str],
    command: str,
    host: str,
) -> PrintedTrial:
    loops, steps = [], {}
    seconds: list[float] = []
    for row in rows:
        cells = dict(zip(columns, row, strict=True))
        bandwidth, step = units.printed(cells["bandwidth"])
        metrics = {f"{way}.bandwidth": bandwidth * units.MIB}
        steps[f"{way}.bandwidth"] = step * units.MIB
        if "IOPS" in cells and cells["IOPS"] not in {"-", "NA"}:
            metrics[f"{way}.iops"], steps[f"{way}.iops"] = units.printed(cells["IOPS"])
        loops.append(LoadResult.of(metrics))
        if cells.get("total(s)", "-") not in {"-", "NA"}:
            seconds.append(float(cells["total(s)"]))
    cells = dict(zip(columns, rows[0], strict=True))
    options: dict[str, Scalar] = {}
    order = above.get("ordering in a file", "")
    if order:
        options["rw"] = f"rand{way}" if "random" in order else way
    if transfer := cells.get("xfer(KiB)"):
        options["bs"] = round(float(transfer) * units.KIB)
    if tasks := _TASKS.match(above.get("tasks") or above.get("clients") or ""):
        options["numjobs"] = int(tasks[1])
    details: dict[str, Json] = {
        key: text
        for key, text in above.items()
        if key in _SAID or ("version" in above and key not in _APART)
    }
    names = ("bw(MiB/s)", *columns[1:])
    details["rows"] = [
        {name: _figure(cell) for name, cell in zip(names, row, strict=True) if cell not in _NONE}
        for row in rows
    ]
    return PrintedTrial(
        tool="IOR", loops=tuple(loops), version=above.get("version", ""),
        command=command or above.get("Command line", ""), host=host,
        target=above.get("test filename", ""), label=way, options=options, steps=steps,
        elapsed=tuple(seconds) if len(seconds) == len(rows) else None, details=details,
    )  # fmt: skip
