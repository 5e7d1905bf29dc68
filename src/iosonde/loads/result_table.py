"""Tables of results that an author made in Markdown: names, a line of dashes, rows of figures.

A figure is read where its name and its unit leave no doubt: IOPS, or a rate in bytes per second, or
a latency of which the statistic and the unit are named, and whether it is of reads or of writes is
said by its column or its row (also in other languages: `Leitura`, `写入`), or by the lines right
above the table. MB are 10⁶ bytes and MiB 2²⁰, as written: what the author's tool meant by them is
not known. `details` holds the cells. A table of which some figure is in doubt is kept as it stands
there as well, and nothing is concluded of it.

Source: GitHub Flavored Markdown 0.29, 4.10; reStructuredText and psql print grids of +---+.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from iosonde.loads._pieces import RATES, pieces_of, put_pieces
from iosonde.loads.speed_rows import load_of_test
from iosonde.loads.table_settings import said_by, setting_in, settings_in
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    AS_PRINTED,
    OutputReading,
    PrintedCounters,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines

_RULE = frozenset(" |+-:=x\t")
_OF_A_TOOL = re.compile(r"\s*(?:thread +\| +bytes +\| +I/Os +\||%-ile \|)")
"""The heads of tables that a tool prints, which has a reader of its own."""
_PLAIN_RULE = re.compile(r"-{16,}|x-{3}[-x]{4,}x")
"""Of a table with bars between its cells and none in its line of dashes."""
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"`{1,2}|~~|(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)")
"""Emphasis, code and what is struck through; NEED_BUFFER and 4*1TB are names, ~500 is a guess."""
_FIGURE = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,6})?"
    r"|\d{1,3}(?:\.\d{3}){1,4},\d{1,6}|0,\d{1,6}|\d{1,15},\d{1,2}(?!\d)"  # where , is decimal
    r"|\d{1,15}(?:\.\d{1,6})?) ?(?P<prefix>[kKM])?"
    r"(?: ?(?P<unit>[A-Za-zµμ][A-Za-z/µμ]{0,11}))?(?: ?(?:±|\+/-) ?[\d.]{1,12} ?%?)?"
    r"(?: ?\([^()]{1,40}\))?"
)
_RATE = re.compile(r"(?<![A-Za-z])(?P<unit>[kKMGT]?i?B)(?:yte)?s?(?:/s(?:ec)?|ps)(?![A-Za-z])")
_TIMES = {
    "ns": 1e-9, "nsec": 1e-9, "us": 1e-6, "usec": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3,
    "msec": 1e-3, "s": 1.0, "sec": 1.0,
}  # fmt: skip
_TIME = re.compile(r"(?<![A-Za-z/])(?P<unit>ns|nsec|us|usec|µs|μs|ms|msec|sec|s)(?![A-Za-z/])")
_IOPS = re.compile(
    r"(?<![A-Za-z])(?P<kilo>[kK] ?)?IOPS(?: ?\((?P<more>[kK])\))?(?![A-Za-z])", re.IGNORECASE
)
_STATISTIC = re.compile(
    r"(?<![A-Za-z])(?:(?P<mean>avg|average|mean)|(?P<min>min|minimum)|(?P<max>max|maximum)"
    r"|(?P<stdev>stdev|stddev|std)|p ?(?P<p>\d{2}(?:[._]\d{1,3})?)"
    r"|(?P<th>\d{2}(?:\.\d{1,3})?)(?:th|%))(?![A-Za-z\d])",
    re.IGNORECASE,
)
_LATENCY = re.compile(r"(?<![A-Za-z])(?:c?lat|latency|latencies)(?![A-Za-z])", re.IGNORECASE)
_WAYS = {
    "read": re.compile(
        r"(?<![A-Za-z])(?:(?:rand|seq)[_ -]?)?reads?(?![A-Za-z])"
        r"|\b(?:le[ci]tura|lettura|lesen|lezen|odczytu?|чтени[ея])\b"
        r"|(?:^|\b(?:de|en|la) )lecture(?= ?(?:$|[^A-Za-z ]|séq|aléa))"
        r"|读取|讀取|読み(?:込み|取り)|[序机機续續][读讀](?![写寫])",
        re.IGNORECASE,
    ),
    "write": re.compile(
        r"(?<![A-Za-z])(?:(?:rand|seq)[_ -]?)?writes?(?![A-Za-z])"
        r"|\b(?:escritura|escrita|gravação|écriture|ecriture|scrittura|schreiben|schrijven"
        r"|zapisu?|запис[ьи])\b"
        r"|写入|寫入|書き込み|[序机機续續][写寫]",
        re.IGNORECASE,
    ),
}
_MIXED = re.compile(
    r"rand?rw|mix|r/w|read/write|\d\d[/:]\d\d|\d\d ?% ?(?:read|write)|[读讀]/?[写寫]|読み書き",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"%|improve|change|delta|diff|ratio|speed-?up|limit|quota|max(?:imum)? (?:iops|thr|band)|price",
    re.IGNORECASE,
)
_MODE = re.compile(
    r"(?<![A-Za-z])(?:rw=(?P<rw>(?:rand)?(?:read|write))(?!\w)|"
    r"(?P<how>rand(?:om)?|seq(?:uential)?)[ _-]?(?P<way>read|write)s?(?![A-Za-z]))",
    re.IGNORECASE,
)
_CONTEXT = 8
_SECTION = 60
"""Lines of a section above a table: other tables, and what they are called."""
_RANDOM = re.compile(
    r"(?<![A-Za-z])(?:rand|alea|aléa|zufäll|losow)|случайн|随机|隨機|ランダム", re.IGNORECASE
)
_NAMED = re.compile(r"^(?:bw|BW|iops|IOPS)=(?=\d)")
_NOISE = re.compile(r"[\s()\[\],:/-]+")
_COUNTED = re.compile(r"\d[\d.,]{0,15} ?[kM]? ?(?:files|ops|reqs?|trans|tx)/s(?:ec)?")
"""A rate of something that is neither a request nor a byte."""
_TRIED = 5  # lines below the names of columns in which a figure is looked for
_MOST = 200
_COLUMNS = 24
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column of figures is of; `apart` is what its name says beside that."""

    metric: str
    scale: float
    way: str
    apart: str


@dataclass(slots=True)
class _Sheet:
    """The figures of one trial."""

    metrics: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    details: dict[str, Json] = field(default_factory=dict)


class ResultTable(Output):
    tool = "table"
    unspecific: ClassVar[bool] = True
    looks_above: ClassVar[bool] = True  # the heading of several tables stands above the first
    anchors = (
        "IOPS |", "IOPS|", "| IOPS", "|IOPS", "(IOPS)", "IOPS  ", "|  IOPS", "iops |", "| iops",
        "IOPS (", "IOPS@", "files/s |", "files/s  ", "MB/s   ", "MiB/s   ", "ops/s |", " MB/s  |",
        "MiB/s)", "MB/s)", "(usec)", "(msec)",
        "| iops ", "| IOPS ", "MB/s)", "|BW(",
        "(MB/s)", "(MiB/s)", "(GB/s)", "(GiB/s)", "(KB/s)", "(kB/s)", "(KiB/s)", "MB/s |",
        "| IOPS=", "| iops=", "| bw=", "| BW=",
        "MB/s|", "MiB/s |", "MiB/s|", "GB/s |", "GiB/s |", "KB/s |", "KiB/s |", "MBps |",
        "(ms) |", "(us) |", "(µs) |", "(ms)|",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line of names, right above one of dashes."""
        if "|" not in cursor.line(cursor.at) or _OF_A_TOOL.match(cursor.line(cursor.at)):
            return None
        heads: list[int] = []
        for index in range(cursor.at, max(cursor.at - _MOST, -1), -1):
            line = cursor.line(index)
            if "|" not in line and not _is_rule(line):
                break
            if _is_rule(cursor.line(index + 1)) and not _is_rule(line):
                heads.append(index)  # of a grid every row stands above a rule
        return next((head for head in reversed(heads) if _has_figures(cursor, head)), None)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        barred = _is_barred(cursor.line(first + 1))
        head = _cells(cursor.line(first), barred=barred)
        last, rows, count = first + 1, list[list[str]](), len(head)
        for index, line in lines(cursor, first + 2, _MOST):
            if _is_rule(line):
                continue
            cells = _cells(line, barred=barred)
            if "|" not in line or len(cells) != count:
                break
            last = index
            rows.append(cells)
        columns = [_column(name) for name in head]
        trials: list[PrintedTrial] = []
        doubtful = 0
        above = _above(cursor, first)
        rows = list(_filled(rows, columns))
        nameless = sum(not _label(head, columns, cells, whole=False) for cells in rows)
        for cells in rows:
            made, unclear = _of_row(head, columns, cells, above, whole=nameless > 1)
            trials += made
            doubtful += unclear
        if sum(not trial.label for trial in trials) > 1:
            trials, doubtful = [], len(rows)  # lines of a log: nothing tells them apart
        if not rows:
            raise Unreadable("no row follows", last)
        kept = (_kept(head, rows),) if doubtful or not trials else ()
        return OutputReading(first, last, trials=tuple(trials), counters=kept)


def _filled(
    rows: Iterable[Sequence[str]], columns: Sequence[_Column | None]
) -> Iterator[list[str]]:
    """The rows, each with the first cell of the one above it, a group's name, where it has none."""
    group = ""
    for cells in rows:
        is_grouped = columns[0] is columns[1] is None and not cells[0] and cells[1]
        group = group if is_grouped else cells[0]
        yield [group, *cells[1:]]


def _has_figures(cursor: TextCursor, first: int) -> bool:
    """Whether a column has a figure that is known, or a cell of the first rows says what it is."""
    barred = _is_barred(cursor.line(first + 1))
    head = _cells(cursor.line(first), barred=barred)
    if len(head) < _FEWEST:
        return False
    columns = [_column(name) for name in head]
    for index in range(first + 2, first + 2 + _TRIED):
        row = _cells(cursor.line(index), barred=barred)
        if len(row) == len(head) and any(
            (column and _in_cell(cell, column))
            or _of_cell_alone(name, cell)
            or _COUNTED.fullmatch(cell)
            or pieces_of(cell)
            for name, column, cell in zip(head, columns, row, strict=True)
        ):
            return True
    return False


def _kept(head: Sequence[str], rows: Sequence[Sequence[str]]) -> PrintedCounters:
    """A table as it stands there: its cells are texts."""
    values: dict[str, Json] = {"columns": list(head), "rows": [list(row) for row in rows]}
    return PrintedCounters(ResultTable.tool, AS_PRINTED, "", values)


def _is_rule(line: str) -> bool:
    """Whether a line is the one of dashes below the names of columns, or one of a grid."""
    if "-" not in line:
        return False
    drawn = "|" in line or "+" in line or _PLAIN_RULE.fullmatch(line.strip()) is not None
    return drawn and _RULE.issuperset(line)


def _cells(line: str, *, barred: bool = True) -> list[str]:
    """The cells of a line, without marks of emphasis; `barred`: a bar stands before the first."""
    text = line.strip()
    text = text.removeprefix("|") if barred else text
    text = text.removesuffix("|")
    return [_MARKS.sub("", cell).strip() for cell in _CELL_ENDS.split(text)][:_COLUMNS]


def _is_barred(rule: str) -> bool:
    """Whether the line of dashes begins with a bar, or with the corner of a grid."""
    return rule.lstrip()[:1] in {"|", "+", "x"}


def _way(text: str) -> str:
    """Whether a text is about reads or writes; empty where about both or neither."""
    if _MIXED.search(text):
        return ""
    ways = [way for way, pattern in _WAYS.items() if pattern.search(text)]
    return ways[0] if len(ways) == 1 else ""


def _column(name: str) -> _Column | None:
    """What a column is of; None where its name leaves a doubt."""
    rest, metric, scale = name, "", 1.0
    rates, requests = list(_RATE.finditer(name)), list(_IOPS.finditer(name))
    statistics = list(_STATISTIC.finditer(name))
    if len(rates) + len(requests) > 1 or _MIXED.search(name):
        return None
    if requests:
        metric, match = "iops", requests[0]
        scale = 1000.0 if match["kilo"] or match["more"] else 1.0
    elif rates:
        metric, match = "bandwidth", rates[0]
        scale = RATES[match["unit"]]
    elif (time := _TIME.search(name)) and len(statistics) == 1:
        statistic = statistics[0]
        if not _LATENCY.search(name) and not (statistic["p"] or statistic["th"]):
            return None
        metric, match = f"latency.{_statistic(statistic)}", time
        scale = _TIMES[match["unit"]]
        rest = rest.replace(statistic[0], " ")
    else:
        return None
    rest = _LATENCY.sub(" ", rest.replace(match[0], " "))
    if _WRONG.search(rest) or (statistics and metric in {"iops", "bandwidth"}):
        return None
    way = _way(rest)
    apart = " ".join(_NOISE.sub(" ", _WAYS[way].sub(" ", rest) if way else rest).split())
    return _Column(metric, scale, way, apart)


def _statistic(match: re.Match[str]) -> str:
    if share := match["p"] or match["th"]:
        return "p" + share.replace(".", "_")
    return next(name for name in ("mean", "min", "max", "stdev") if match[name])


def _above(cursor: TextCursor, first: int) -> str:
    """The mode that the nearest line above names, in fio's words; empty where several are named.

    Above other tables it is the heading of the section that all of them stand in.
    """
    crossed = False
    for index in range(first - 1, max(first - _SECTION, 0) - 1, -1):
        line = cursor.line(index)
        crossed = crossed or "|" in line or index < first - _CONTEXT
        if crossed and not line.startswith("#"):
            continue
        modes = {
            match["rw"] or ("rand" if match["how"][:1] in "rR" else "") + match["way"].lower()
            for match in _MODE.finditer(line)
        }
        if modes or crossed:
            return modes.pop() if len(modes) == 1 else ""
    return ""


def _of_row(
    head: Sequence[str],
    columns: Sequence[_Column | None],
    cells: Sequence[str],
    above: str = "",
    *,
    whole: bool = False,
) -> tuple[list[PrintedTrial], int]:
    """The trials of a row, and how many figures of it have no direction.

    `whole`: where no text names it, its counts do.
    """
    texts = [
        cell for column, cell in zip(columns, cells, strict=True)
        if column is None and cell and _in_cell(cell) is None
        and not (pieces_of(cell) or _is_measured(cell))
    ]  # fmt: skip
    label = (
        _label(head, columns, cells, whole=False)
        or _label(head, columns, cells, whole=whole)
        or " · ".join(texts)
    )
    of_row = "" if _WRONG.search(label) else _way(label)
    named = bool(of_row) or any(pattern.search(label) for pattern in _WAYS.values())
    of_table = "" if named or _MIXED.search(label) else above.removeprefix("rand")
    sheets: dict[str, _Sheet] = {}
    doubtful, read_of = 0, set[str]()
    for name, column, cell in zip(head, columns, cells, strict=True):
        if pieces := pieces_of(cell):
            doubtful += put_pieces(pieces, of_row or of_table, sheets.setdefault(name, _Sheet()))
            read_of.add(name)
            continue
        read = _in_cell(cell, column) if column else _of_cell_alone(name, cell)
        if read is None:
            doubtful += bool(_COUNTED.fullmatch(cell))
            continue
        about, value, step = read
        if not (way := about.way or of_row or of_table):
            doubtful += 1
            continue
        sheet = sheets.setdefault(about.apart, _Sheet())
        metric = f"{way}.{about.metric}"
        if metric in sheet.metrics:
            return [], doubtful + 1
        sheet.metrics[metric], sheet.steps[metric] = value, step
        sheet.details[name] = cell
        read_of.add(name)
    options: dict[str, Scalar] = {"rw": f"rand{of_row}"} if of_row and _RANDOM.search(label) else {}
    if of_table and not any(column and column.way for column in columns):
        options = {"rw": above}
    options |= load_of_test(label) | settings_in(head, cells)
    beside: dict[str, Json] = {
        name: cell for name, column, cell in zip(head, columns, cells, strict=True)
        if column is None and name not in read_of and any(map(str.isdigit, cell))
    }  # fmt: skip
    for sheet in sheets.values():
        sheet.details = beside | sheet.details
    return [
        _trial(" · ".join(filter(None, (label, apart))), sheet, options)
        for apart, sheet in sheets.items()
        if sheet.metrics
    ], doubtful


def _is_measured(cell: str) -> bool:
    """Whether a cell is a rate with its unit, which names no row."""
    return bool((_RATE.search(cell) or _IOPS.search(cell)) and _FIGURE.fullmatch(cell))


def _label(
    head: Sequence[str], columns: Sequence[_Column | None], cells: Sequence[str], *, whole: bool
) -> str:
    """What names a row: its texts and the settings of its load; `whole`: its counts as well."""
    parts = list[str]()
    for name, column, cell in zip(head, columns, cells, strict=True):
        if column is not None or not cell or pieces_of(cell):
            continue
        if not _FIGURE.fullmatch(cell) or (setting_in(name, cell) and not cell.isdecimal()):
            parts.append(cell)
        elif cell.isdecimal() and (whole or setting_in(name, cell)):
            parts.append(f"{name} {cell}")
    return " · ".join(parts)


def _of_cell_alone(name: str, cell: str) -> tuple[_Column, float, float] | None:
    """A figure that has its unit beside it, in a column whose name does not have any."""
    unit = _RATE.search(cell) or _IOPS.search(cell)
    if unit is None or _WRONG.search(name) or _way(name):
        return None
    column = _column(unit[0])
    if column is None:
        return None
    plain = _NAMED.sub("", cell).replace(unit[0], " ").strip()
    return _in_cell(plain, _Column(column.metric, column.scale, "", said_by(name)))


def _in_cell(cell: str, column: _Column | None = None) -> tuple[_Column, float, float] | None:
    """Column, value and half of the last digit of a cell; None where it holds no plain figure."""
    match = _FIGURE.fullmatch(_NAMED.sub("", cell))
    if match is None:
        return None
    if column is None:
        column = _Column("", 1.0, "", "")
        if match["unit"]:
            return None
    unit, scale = match["unit"], column.scale
    if unit:
        own = _column(f"avg lat {unit}" if column.metric.startswith("latency") else unit)
        if own is None or own.metric.partition(".")[0] != column.metric.partition(".")[0]:
            return None
        scale = own.scale
    if match["prefix"]:
        if column.metric != "iops":
            return None
        scale *= 1e6 if match["prefix"] == "M" else 1e3
    number = _plain(match["number"])
    digits = len(number.partition(".")[2])
    return column, float(number) * scale, 0.5 * 10.0**-digits * scale


def _plain(number: str) -> str:
    """A figure without marks of thousands, its decimals after a point."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,\d{1,2}", number):
        return number.replace(".", "").replace(",", ".")
    return number.replace(",", "")


def _trial(label: str, sheet: _Sheet, options: dict[str, Scalar]) -> PrintedTrial:
    return PrintedTrial(
        tool="table",
        loops=(LoadResult.of(sheet.metrics),),
        label=label,
        options=options,
        steps=sheet.steps,
        details=sheet.details,
    )
