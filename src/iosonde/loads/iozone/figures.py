"""What iozone prints: its table, its throughput tests, its "Excel" report.

Source:
    iozone 3.489, iozone.c: display of the automatic mode (columns of 9 characters after 16 and 8),
    throughput_test(), dump_excel(), dump_throughput_cpu(); its kB are KiB. In throughput mode the
    labels of the report on CPU utilization are counted on from the wrong row, so that rows of
    random read, mixed workload and random write appear under other names; their order is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from iosonde import units

COLUMNS = (
    "write", "rewrite", "read", "reread", "random_read", "random_write", "backward_read",
    "record_rewrite", "stride_read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip
"""Tests of the table, in the order of its columns."""

_HEAD = (
    "write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read", "fwrite",
    "frewrite", "fread", "freread",
)  # fmt: skip
"""The lower line of their heads."""

OF_TEST = {
    0: ("write", "rewrite"), 1: ("read", "reread"), 2: ("random_read", "random_write"),
    3: ("backward_read",), 4: ("record_rewrite",), 5: ("stride_read",),
    6: ("fwrite", "frewrite"), 7: ("fread", "freread"),
}  # fmt: skip
"""The columns that `-i N` fills; other numbers fill none."""

_ONLY_TOGETHER = {8: ("mixed",), 9: ("pwrite",), 10: ("pread",)}
"""As `OF_TEST`, for tests of `-t` alone."""


def directions(tests: Sequence[int]) -> tuple[str, ...]:
    """Every name that figures of these tests can have; of all tests where none is named."""
    every = OF_TEST | _ONLY_TOGETHER
    return tuple(name for test in tests or every for name in every.get(test, ()))


_CHILDREN = {
    "initialwriters": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
    "reversereaders": "backward_read", "stridereaders": "stride_read",
    "randomreaders": "random_read", "mixedworkload": "mixed", "randomwriters": "random_write",
    "fwriters": "fwrite", "freaders": "fread", "pwritewriters": "pwrite", "preadreaders": "pread",
}  # fmt: skip
_LABELS = {
    "initialwrite": "write", "rewrite": "rewrite", "read": "read", "re-read": "reread",
    "reverseread": "backward_read", "strideread": "stride_read", "randomread": "random_read",
    "mixedworkload": "mixed", "randomwrite": "random_write", "fwrite": "fwrite", "fread": "fread",
    "pwrite": "pwrite", "pread": "pread",
}  # fmt: skip
_REPORTS = {
    "writer": "write", "re-writer": "rewrite", "reader": "read", "re-reader": "reread",
    "randomread": "random_read", "randomwrite": "random_write", "backwardread": "backward_read",
    "recordrewrite": "record_rewrite", "strideread": "stride_read", "fwrite": "fwrite",
    "re-fwrite": "frewrite", "fread": "fread", "re-fread": "freread",
}  # fmt: skip
_SEEN = re.compile(
    r"Childrenseethroughputfor(?P<n>\d+)(?P<who>[a-z-]+)=(?P<sum>[\d.]+)(?P<unit>kB|KB|ops)/sec"
    r"(?:Parentseesthroughputfor\d+[a-z-]+=(?P<parent>[\d.]+)(?:kB|KB|ops)/sec)?"
    r"(?:Minthroughputper(?:process|thread)=(?P<min>[\d.]+)(?:kB|KB|ops)/sec)?"
    r"(?:Maxthroughputper(?:process|thread)=(?P<max>[\d.]+)(?:kB|KB|ops)/sec)?"
    r"(?:Avgthroughputper(?:process|thread)=(?P<avg>[\d.]+)(?:kB|KB|ops)/sec)?"
    r"(?:Minxfer=(?P<xfer>[\d.]+)(?:kB|KB|ops)"
    r"(?:CPU[Uu]tilization:Walltime(?P<wall>[\d.]+)CPUtime(?P<time>[\d.]+)"
    r"CPUutilization(?P<cpu>[\d.]+)%)?)?"
)
_EACH = re.compile(r"Eachprocesswritesa(\d+)[kK][Bb]ytefilein(\d+)[kK][Bb]yterecords")
_ROW = re.compile(r"^\s*(\d+)\s+(\d+)((?:\s+\d+)+)\s*$")
_REPORT = re.compile(
    r'"(?P<what>[A-Za-z-]+(?: [a-z-]+)?) (?P<cpu>CPU utilization )?report(?P<rest>[^"]*)"'
    r"(?P<body>(?:\s+\"?\d[\d.]*\"?)+)"
)
_LINE_OF_REPORT = re.compile(
    r'" *(?P<label>[A-Za-z][A-Za-z -]*?) *"(?P<values>(?:\s+\d+(?:\.\d+)?)+)'
)
_PROCESSES = re.compile(r"Minprocess=(\d{1,9})")
_RECORD = re.compile(r'"Record size = (\d+) kBytes ?"')
_FIRST_END, _SECOND_END, _WIDTH = 16, 24, 9


@dataclass(frozen=True, slots=True)
class IozoneRow:
    """The tests of one file size and record size (bytes; None: not printed).

    `values` maps a test to B/s, or to 1/s where `ops`; `cpu` to cores; `spread` holds min, max, avg
    and parent of a throughput test; `processes` is None for a single one.
    """

    size: int | None
    record: int | None
    values: Mapping[str, float]
    cpu: Mapping[str, float] = field(default_factory=dict)
    spread: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    processes: int | None = None
    ops: bool = False
    mislabelled: bool = False


def read_figures(
    text: str, tests: Sequence[int] = (), *, ops: bool = False
) -> tuple[IozoneRow, ...]:
    """The rows in one output, or in its "Excel" report alone.

    Args:
        text: as printed.
        tests: numbers after -i, where they are known; they name the columns of a wrapped table.
        ops: the table is of operations per second.
    """
    compact = "".join(text.split())
    groups = _by_process_count(list(_SEEN.finditer(compact)))
    if groups:
        return tuple(_throughput(seen, compact) for seen in groups)
    rows = tuple(_table(text, tests, ops=ops))
    reports = tuple(_reports(text, ops=ops))
    if rows:
        return _with_cpu(rows, reports)
    return reports or tuple(_throughput_report(text))


def _by_process_count(seen: Sequence[re.Match[str]]) -> list[list[re.Match[str]]]:
    """The tests of each throughput test: `-l 1 -u 4` runs one after the other with more processes.

    So does a loop over iozone of which only these blocks were kept: a test that comes again belongs
    to the next.
    """
    groups: list[list[re.Match[str]]] = []
    for test in seen:
        now = groups[-1] if groups else []
        again = any(earlier["who"] == test["who"] for earlier in now)
        if not now or again or now[0]["n"] != test["n"]:
            groups.append([test])
        else:
            now.append(test)
    return groups


def _throughput(seen: Sequence[re.Match[str]], compact: str) -> IozoneRow:
    values, cpu, spread = {}, {}, {}
    ops = seen[0]["unit"] == "ops"
    scale = 1.0 if ops else float(units.KIB)
    for match in seen:
        test = _CHILDREN.get(match["who"], match["who"])
        values[test] = float(match["sum"]) * scale
        spread[test] = {
            name: float(match[name]) * scale
            for name in ("min", "max", "avg", "parent")
            if match[name] is not None
        }
        if match["cpu"]:
            cpu[test] = float(match["cpu"]) / 100
    sizes = _EACH.findall(compact, 0, seen[0].start())  # the last one before its tests
    size, record = (int(part) * units.KIB for part in sizes[-1]) if sizes else (None, None)
    return IozoneRow(size, record, values, cpu, spread, int(seen[0]["n"]), ops)


def _table(text: str, tests: Sequence[int], *, ops: bool) -> Iterator[IozoneRow]:
    """The table: by the place of each figure, or by the tests where lines were broken."""
    head = re.search(r"(?:kB|KB)\s+reclen\s+(write.*)", text)
    if not head:
        return
    measured = [name for test in tests or range(8) for name in OF_TEST.get(test, ())]
    names = [name for name in COLUMNS if name in measured]
    heads = head[1].split()
    if not tests and tuple(heads) == _HEAD[: len(heads)]:
        names = list(COLUMNS[: len(heads)])  # no others have a head, in some versions
    for line in text[head.end() :].split("\n"):
        match = _ROW.match(line)
        if not match:
            if line.strip() and not re.fullmatch(r"[\s\d]+|[a-z ]+", line):
                return
            continue
        placed = _placed(line)
        figures = [int(word) for word in match[3].split()]
        if placed is None:
            placed = dict(zip(names, figures, strict=False)) if len(names) == len(figures) else {}
        if placed:
            scale = 1 if ops else units.KIB
            yield IozoneRow(
                int(match[1]) * units.KIB, int(match[2]) * units.KIB,
                {name: float(value * scale) for name, value in placed.items()}, ops=ops,
            )  # fmt: skip


def _placed(line: str) -> dict[str, int] | None:
    """Column → figure, where the line stands as it was printed."""
    figures = list(re.finditer(r"\d+", line))
    indent = figures[0].end() - _FIRST_END
    if indent < 0 or figures[1].end() - _SECOND_END != indent:
        return None
    placed = {}
    for word in figures[2:]:
        column, off = divmod(word.end() - _SECOND_END - indent, _WIDTH)
        if off or not 1 <= column <= len(COLUMNS):
            return _one_behind_the_other(figures)
        placed[COLUMNS[column - 1]] = int(word[0])
    return placed


def _one_behind_the_other(figures: Sequence[re.Match[str]]) -> dict[str, int] | None:
    """Column → figure of older versions, where no column is empty before the last figure.

    Their columns have 8 or 9 characters, by the test; which have which changed between versions.
    """
    ends = [word.end() for word in figures[1:]]
    widths = {end - before for before, end in pairwise(ends)}
    if not widths <= {_WIDTH - 1, _WIDTH} or len(ends) > len(COLUMNS) + 1:
        return None
    return {name: int(word[0]) for name, word in zip(COLUMNS, figures[2:], strict=False)}


def _reports(text: str, *, ops: bool) -> Iterator[IozoneRow]:
    """The blocks of -R: a line of record sizes, then lines of a file size and its figures."""
    values: dict[tuple[int, int], dict[str, float]] = {}
    cpu: dict[tuple[int, int], dict[str, float]] = {}
    read: set[tuple[str, bool]] = set()
    for block in _REPORT.finditer(text):
        test = _REPORTS.get(block["what"].lower().replace(" ", ""))
        if test is None:
            continue
        if (test, bool(block["cpu"])) in read:  # the report of another run
            yield from _rows_of(values, cpu, ops=ops)
            values, cpu, read = {}, {}, set()
        read.add((test, bool(block["cpu"])))
        into, scale = (cpu, 0.01) if block["cpu"] else (values, 1.0 if ops else float(units.KIB))
        for key, figure in _cells(block["body"]):
            into.setdefault(key, {})[test] = figure * scale
    yield from _rows_of(values, cpu, ops=ops)


def _cells(body: str) -> Iterator[tuple[tuple[int, int], float]]:
    """File and record size, in bytes, and the figure as it was printed."""
    records: list[int] = []
    size, column = 0, 0
    for quoted, plain in re.findall(r'"(\d+)"|([\d.]+)', body):
        if quoted and not size and len(records) < 64 and not _begins_row(body, quoted):
            records.append(int(quoted))
        elif quoted:
            size, column = int(quoted), 0
        elif column < len(records) and size:
            yield (size * units.KIB, records[column] * units.KIB), float(plain)
            column += 1


def _rows_of(
    values: Mapping[tuple[int, int], Mapping[str, float]],
    cpu: Mapping[tuple[int, int], Mapping[str, float]],
    *,
    ops: bool,
) -> Iterator[IozoneRow]:
    for key, figures in values.items():
        yield IozoneRow(*key, figures, cpu.get(key, {}), ops=ops)


def _begins_row(body: str, quoted: str) -> bool:
    """Whether a quoted number is followed by a plain one: the file size at a row's beginning."""
    return bool(re.search(rf'"{quoted}"\s+\d', body)) and not re.match(
        rf'\s*(?:"\d+"\s+)*"{quoted}"\s+"', body
    )


def _with_cpu(rows: Sequence[IozoneRow], reports: Sequence[IozoneRow]) -> tuple[IozoneRow, ...]:
    of = {(report.size, report.record): report.cpu for report in reports}
    return tuple(
        IozoneRow(row.size, row.record, row.values, of.get((row.size, row.record), {}), ops=row.ops)
        for row in rows
    )


def _throughput_report(text: str) -> Iterator[IozoneRow]:
    """The "Excel" report of throughput mode alone, CPU rows by their order.

    Its columns are numbers of processes, from that of -l to that of -u.
    """
    first, _, second = text.partition('"CPU utilization report')
    if '"Throughput report' not in first:
        return
    ops = "ops/sec" in first
    tests = [line for line in _columns(first) if line[0]]
    used = _columns(second)
    labels = [label for label, _ in tests]
    record = _RECORD.search(first)
    fewest = _PROCESSES.search("".join(text.split()))
    for column in range(max((len(figures) for _, figures in tests), default=0)):
        values = {
            test: figures[column] * (1 if ops else units.KIB)
            for test, figures in tests if column < len(figures)
        }  # fmt: skip
        cpu = {}
        if len(used) == len(labels):
            cpu = {test: figures[column] / 100
                   for test, (_, figures) in zip(labels, used, strict=True)
                   if column < len(figures)}  # fmt: skip
        yield IozoneRow(
            None, int(record[1]) * units.KIB if record else None, values, cpu, ops=ops,
            processes=int(fewest[1]) + column if fewest else None,
            mislabelled=bool(used) and [label for label, _ in used] != labels,
        )  # fmt: skip


def _columns(text: str) -> list[tuple[str, list[float]]]:
    """The test of each line, empty where it is not known, and its figures."""
    return [
        (_label(line["label"]), [float(figure) for figure in line["values"].split()])
        for line in _LINE_OF_REPORT.finditer(text)
    ]


def _label(text: str) -> str:
    return _LABELS.get(text.lower().replace(" ", ""), "")
